package rewrite

import (
	"github.com/smux-cuda/smux/rewrite/edit"
)

// cloneOf returns a form of a device function, written when it is first asked for: the
// parameters that it is given, the built-ins that it sees, and what changes in its body.
func (p *merger) cloneOf(f *formProof) *clone {
	if c := p.clones[f]; c != nil {
		return c
	}
	c := &clone{form: f.form}
	p.clones[f] = c
	view := f.fn.View
	vtb, guard := "const "+p.vtbType()+"& "+p.vtb, "bool "+p.turnGuard
	switch {
	case !f.guarded:
		c.param = vtb
	case f.takesVTB():
		c.param = vtb + ", " + guard
	default:
		c.param = guard
	}
	sep := ", "
	if len(view.Params) == 0 {
		sep = ""
	}
	c.edits.Insert(int(view.ParamList.Start)+1, c.param+sep)
	file, at := f.fn.File, int(view.Body.Start)+1
	for _, l := range shadows(f.uses, p.vtb) {
		c.edits.Insert(at, file.Newline()+indentAt(file, view.Start)+"    "+l)
	}
	if f.cut != nil {
		p.emitFunction(f.cut, &c.edits)
	}
	c.calls = p.makeChanges(&c.edits, f.changes, p.turnGuard)
	return c
}

// formArgument is what a caller passes for a form's extra parameters.
func (p *merger) formArgument(f *formProof, mine string) string {
	switch {
	case !f.guarded:
		return p.vtb
	case f.takesVTB():
		return p.vtb + ", " + mine
	}
	return mine
}

// rewrite makes changes of the kernel's body; mine is the condition of a turn.
func (p *merger) rewrite(changes []bodyChange, mine string) {
	p.calls = append(p.calls, p.makeChanges(p.buffer(p.Kernel.File), changes, mine)...)
}

// makeChanges makes changes, and returns the calls among them.
func (p *merger) makeChanges(b *edit.Buffer, changes []bodyChange, mine string) (calls []callSite) {
	for _, c := range changes {
		if c.callee == nil {
			b.Replace(c.at.Start, c.at.End, p.vtbText(c))
			continue
		}
		arg := p.formArgument(c.callee, mine)
		if len(c.call.Args()) > 0 {
			arg += ", "
		}
		b.Insert(c.at.Start, arg)
		p.cloneOf(c.callee)
		calls = append(calls, callSite{at: c.call.Range.Start, fn: c.fn, form: c.callee.form})
	}
	return calls
}

// vtbText is what stands in the place of a barrier or question: the v-TB's own.
func (p *merger) vtbText(c bodyChange) string {
	if c.tile != "" {
		return "(" + p.vtb + "." + c.method + " / " + c.tile + ".size())"
	}
	return p.vtb + "." + c.method
}

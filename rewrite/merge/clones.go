package merge

import (
	"github.com/smux-cuda/smux/rewrite/edit"
	"github.com/smux-cuda/smux/rewrite/kit"
)

// cloneOf returns a form of a device function, written when it is first asked for: the
// parameters that it is given, the built-ins that it sees, and what changes in its body.
func (p *merger) cloneOf(f *formProof) *kit.Clone {
	if c := p.clones[f]; c != nil {
		return c
	}
	c := &kit.Clone{Form: f.Form}
	p.clones[f] = c
	view := f.Fn.View
	vtb, guard := "const "+p.vtbType()+"& "+p.vtb, "bool "+p.turnGuard
	switch {
	case !f.guarded:
		c.Param = vtb
	case f.takesVTB():
		c.Param = vtb + ", " + guard
	default:
		c.Param = guard
	}
	sep := ", "
	if len(view.Params) == 0 {
		sep = ""
	}
	c.Edits.Insert(int(view.ParamList.Start)+1, c.Param+sep)
	file, at := f.Fn.File, int(view.Body.Start)+1
	for _, l := range kit.Shadows(f.uses, p.vtb) {
		c.Edits.Insert(at, file.Newline()+kit.IndentAt(file, view.Start)+"    "+l)
	}
	if f.cut != nil {
		p.emitFunction(f.cut, &c.Edits)
	}
	c.Calls = p.makeChanges(&c.Edits, f.changes, p.turnGuard)
	return c
}

// formArgument returns the argument that a caller passes for a form's extra parameters.
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
	p.calls = append(p.calls, p.makeChanges(p.Buffer(p.Kernel.File), changes, mine)...)
}

// makeChanges makes changes, and returns the calls among them.
func (p *merger) makeChanges(b *edit.Buffer, changes []bodyChange, mine string) (calls []kit.CallSite) {
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
		calls = append(calls, kit.CallSite{At: c.call.Range.Start, Fn: c.fn, Form: c.callee.Form})
	}
	return calls
}

// vtbText returns the text in the place of a barrier or question: the v-TB's own.
func (p *merger) vtbText(c bodyChange) string {
	if c.tile != "" {
		return "(" + p.vtb + "." + c.method + " / " + c.tile + ".size())"
	}
	return p.vtb + "." + c.method
}

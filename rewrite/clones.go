package rewrite

import (
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/rewrite/edit"
)

// clone is one form of a device function with the edits that make it.
type clone struct {
	form
	param string // the extra first parameter(s)
	edits edit.Buffer
	calls []callSite // calls of forms inside the function
}

// callSite is one edited call: where the callee's name stands and which form
// it now calls.
type callSite struct {
	at   int
	fn   *ir.Func
	form form
}

// emitForms writes the forms of device functions.
func (p *merger) emitForms() {
	for _, f := range p.needed {
		p.clones = append(p.clones, p.emitForm(f))
	}
}

// emitForm writes one form: the parameters that it is given, the built-ins that it sees,
// and what changes in its body.
func (p *merger) emitForm(f *formProof) *clone {
	c := &clone{form: f.form}
	view := f.fn.View
	if view.ParamList == nil {
		return c // refused
	}
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
	c.edits.Append(f.cut.Edits())
	c.calls = p.makeChanges(&c.edits, f.changes, p.turnGuard)
	return c
}

// cloneOf is the clone for a form as proofs look it up, nil where there is none.
func (p *merger) cloneOf(f form) *clone {
	for i, n := range p.needed {
		if n == p.forms[f] {
			return p.clones[i]
		}
	}
	return nil
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
		calls = append(calls, callSite{c.call.Range.Start, c.fn, c.callee.form})
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

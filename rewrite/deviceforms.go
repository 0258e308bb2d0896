package rewrite

import (
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/parser"
)

// formProof is a form of a device function that its callers need.
type formProof struct {
	form
	guarded bool // it is told whose turn it is
	uses    uses // of its own body
	changes []bodyChange
	cut     *cut // of formCut, else nil
}

// takesVTB reports whether the form is given the v-TB object.
func (f *formProof) takesVTB() bool { return f.vtb != "" }

// needs reports whether a function must be changed for a form at all.
func (p *mergeProof) needs(f form, seen map[*ir.Func]bool) bool {
	if seen[f.fn] {
		return false
	}
	seen[f.fn] = true
	k := p.Kernel
	if f.kind != formTurns && k.HasBarrier(f.fn) || usesOf(k, f.fn).any() || p.turnsIn(f.fn) != "" {
		return true
	}
	found := false
	f.fn.Body.WalkExprs(func(e *ir.Expr) bool {
		for _, c := range k.Callees(f.fn, e) {
			kind := f.kind
			if kind == formCut && !k.HasBarrier(c) {
				kind = formTurns
			}
			found = found || p.needs(form{fn: c, kind: kind}, seen)
		}
		return !found
	})
	return found
}

// get returns the proof for a form, made on first use; nil if the function can stay
// as it is.
func (p *mergeProof) get(f form) *formProof {
	if f.kind == formCut && !p.Kernel.HasBarrier(f.fn) {
		f.kind = formTurns
	}
	if c, ok := p.forms[f]; ok {
		return c
	}
	if f.kind == formTurns && p.votes(f.fn, map[*ir.Func]bool{}) {
		p.refuse(f.fn.File, f.fn.View.Start, CodeVote, "%s counts the threads of the block and is called outside a region, where all virtual thread blocks run", f.fn.View.Name)
	}
	if !p.needs(f, map[*ir.Func]bool{}) {
		p.forms[f] = nil
		return nil
	}
	c := &formProof{form: f, guarded: f.kind == formCut}
	p.forms[f] = c
	p.needed = append(p.needed, c)
	view := f.fn.View
	if view.Class != "" && view.Node.Ancestor(parser.KindFieldDeclarationList) == nil || view.ParamList == nil || strings.HasPrefix(view.Name, "operator") || view.Name == view.Class {
		p.refuse(f.fn.File, view.Start, CodeBarrierCall, "member function %s uses a barrier or built-in that a merged block changes, and can't be given another parameter", view.Name)
		return c
	}
	c.uses = usesOf(p.Kernel, f.fn)
	if f.kind != formCut || c.uses.any() || p.innerNeeds(f) {
		c.vtb = p.vtbType()
	}
	c.turns = p.turnsIn(f.fn)
	if f.kind == formCut {
		p.cutFunction(c)
	} else {
		c.changes = p.bodyChanges(f.fn, f.fn.Body, f.kind)
	}
	return c
}

// votes reports whether a function, or one that it calls, holds a barrier that
// votes.
func (p *mergeProof) votes(fn *ir.Func, seen map[*ir.Func]bool) bool {
	if seen[fn] {
		return false
	}
	seen[fn] = true
	found := false
	fn.Body.WalkExprs(func(e *ir.Expr) bool {
		if p.Kernel.IsVote(fn, e) {
			found = true
		}
		for _, c := range p.Kernel.Callees(fn, e) {
			found = found || p.votes(c, seen)
		}
		return !found
	})
	return found
}

// innerNeeds reports whether a function's callees need the v-TB object.
func (p *mergeProof) innerNeeds(f form) bool {
	found := false
	f.fn.Body.WalkExprs(func(e *ir.Expr) bool {
		for _, c := range p.Kernel.Callees(f.fn, e) {
			if usesOf(p.Kernel, c).any() || p.needs(form{fn: c, kind: formTurns}, map[*ir.Func]bool{}) {
				found = true
			}
		}
		return !found
	})
	return found
}

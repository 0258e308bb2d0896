package merge

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis/barriers"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite/kit"
)

// formProof is a form of a device function that its callers need.
type formProof struct {
	kit.Form
	guarded bool     // whose turn it is is passed to it
	uses    kit.Uses // of its own body
	changes []bodyChange
	cut     *cut // of FormCut, else nil
}

// takesVTB reports whether the form is given the v-TB object.
func (f *formProof) takesVTB() bool { return f.Vtb != "" }

// needs reports whether a function must be changed for a form at all.
func (p *mergeProof) needs(f kit.Form, seen map[*ir.Func]bool) bool {
	if seen[f.Fn] {
		return false
	}
	seen[f.Fn] = true
	k := p.Kernel
	if f.Kind != kit.FormTurns && barriers.HasBarrier(k, f.Fn) || kit.UsesOf(k, f.Fn).Any() || p.turnsIn(f.Fn) != "" {
		return true
	}
	return f.Fn.Body.AnyExpr(func(e *ir.Expr) bool {
		return slices.ContainsFunc(k.Callees(f.Fn, e), func(c *ir.Func) bool {
			kind := f.Kind
			if kind == kit.FormCut && !barriers.HasBarrier(k, c) {
				kind = kit.FormTurns
			}
			return p.needs(kit.Form{Fn: c, Kind: kind}, seen)
		})
	})
}

// get returns the proof for a form, made on first use; nil if the function can stay as it is.
func (p *mergeProof) get(f kit.Form) *formProof {
	if f.Kind == kit.FormCut && !barriers.HasBarrier(p.Kernel, f.Fn) {
		f.Kind = kit.FormTurns
	}
	if c, ok := p.forms[f]; ok {
		return c
	}
	if f.Kind == kit.FormTurns && p.votes(f.Fn, map[*ir.Func]bool{}) {
		p.Refuse(f.Fn.File, f.Fn.View.Start, CodeVote, "%s counts the threads of the block and is called outside a region, where all virtual thread blocks run", f.Fn.View.Name)
	}
	if !p.needs(f, map[*ir.Func]bool{}) {
		p.forms[f] = nil
		return nil
	}
	c := &formProof{Form: f, guarded: f.Kind == kit.FormCut}
	p.forms[f] = c
	p.needed = append(p.needed, c)
	view := f.Fn.View
	if view.Class != "" && view.Node.Ancestor(parser.KindFieldDeclarationList) == nil || view.ParamList == nil || strings.HasPrefix(view.Name, "operator") || view.Name == view.Class {
		p.Refuse(f.Fn.File, view.Start, CodeBarrierCall, "member function %s uses a barrier or built-in that a merged block changes, and can't be given another parameter", view.Name)
		return c
	}
	c.uses = kit.UsesOf(p.Kernel, f.Fn)
	if f.Kind != kit.FormCut || c.uses.Any() || p.innerNeeds(f) {
		c.Vtb = p.vtbType()
	}
	c.Turns = p.turnsIn(f.Fn)
	if f.Kind == kit.FormCut {
		p.cutFunction(c)
	} else {
		c.changes = p.bodyChanges(f.Fn, f.Fn.Body, f.Kind)
	}
	return c
}

// votes reports whether a function, or one that it calls, holds a barrier that votes.
func (p *mergeProof) votes(fn *ir.Func, seen map[*ir.Func]bool) bool {
	if seen[fn] {
		return false
	}
	seen[fn] = true
	return fn.Body.AnyExpr(func(e *ir.Expr) bool {
		return barriers.IsVote(p.Kernel, fn, e) || slices.ContainsFunc(p.Kernel.Callees(fn, e), func(c *ir.Func) bool { return p.votes(c, seen) })
	})
}

// innerNeeds reports whether a function's callees need the v-TB object.
func (p *mergeProof) innerNeeds(f kit.Form) bool {
	return f.Fn.Body.AnyExpr(func(e *ir.Expr) bool {
		return slices.ContainsFunc(p.Kernel.Callees(f.Fn, e), func(c *ir.Func) bool {
			return kit.UsesOf(p.Kernel, c).Any() || p.needs(kit.Form{Fn: c, Kind: kit.FormTurns}, map[*ir.Func]bool{})
		})
	})
}

package analysis

import (
	"slices"

	"github.com/smux-cuda/smux/analysis/ir"
)

// lambda looks for hazards in the body of a lambda. No form of it is made for merged
// blocks, nor of what it calls: these functions must not hold a word that has another
// meaning there, nor a hazard of their own.
func (h *hazards) lambda(body *ir.Stmt) {
	body.Walk(func(s *ir.Stmt) bool {
		h.stmt(s)
		return true
	})
	body.WalkExprs(func(e *ir.Expr) bool {
		if h.k.isBarrier(h.fn, e) {
			h.add(e.Range, CodeLambda, "a barrier inside a lambda")
			return true
		}
		if (e.Op == ir.OpIdent || e.Op == ir.OpCall) && h.k.isThreadBlock(h.fn, e) {
			h.add(e.Range, CodeLambda, "a lambda that uses a built-in whose value changes")
		}
		h.expr(e)
		for _, c := range h.k.callees(h.fn, e) {
			if h.k.Prog.usesBlock(h.k.Prog.unit(h.k.File), funcIn{file: c.File, fn: c.View}, map[string]int{}) {
				h.add(e.Range, CodeLambda, "a lambda that calls %s, which uses a barrier, shared memory or a built-in whose value changes", e.Name)
			} else {
				h.called(c)
			}
		}
		return true
	})
}

// called looks for hazards in a function that a lambda calls, and in those that this calls.
// They run though no call of the kernel's own text names them.
func (h *hazards) called(fn *ir.Func) {
	if slices.Contains(h.k.Functions, fn) || slices.Contains(h.k.implicit, fn) {
		return
	}
	h.k.implicit = append(h.k.implicit, fn)
	h.k.findHazardsIn(fn)
	fn.Body.WalkExprs(func(e *ir.Expr) bool {
		for _, c := range h.k.callees(fn, e) {
			h.called(c)
		}
		return true
	})
}

package stage

import (
	"github.com/smux-cuda/smux/analysis/evaluate"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/ir/effect"
	"github.com/smux-cuda/smux/analysis/uniformity"
)

// fillsOnly says what the statements before the first barrier do besides filling the arrays.
func (p *resizeProof) fillsOnly(s *strip) (why string) {
	k := p.Kernel
	own := map[*ir.Var]bool{s.loop.v: true}
	for _, t := range s.fill {
		for t := range t.All() {
			for _, v := range t.Vars {
				own[v] = true
			}
		}
	}
	changed := map[*ir.Var]bool{}
	for e := range s.loop.stmt.Body.AllExprs() {
		if e.Op == ir.OpAssign || e.Op == ir.OpIncDec {
			if r := e.Kids[0].Root(); r != nil && r.Var != nil {
				changed[r.Var] = true
			}
		}
	}
	delete(changed, s.loop.v)
	for _, t := range s.fill {
		if t.Any(mayLeave) {
			return "a statement that fills may leave"
		}
		for _, use := range s.use {
			if use.AnyExpr(func(e *ir.Expr) bool { return e.Op == ir.OpIdent && e.Var != s.loop.v && own[e.Var] && e.Var != nil }) {
				return "what uses the strip reads variables of what fills it"
			}
		}
		bad := ""
		t.WalkExprs(func(e *ir.Expr) bool {
			switch e.Op {
			case ir.OpAssign, ir.OpIncDec:
				r := e.Kids[0].Root()
				if r == nil || !(evaluate.SharedVar(k, k.Func, r) != nil && e.Op == ir.OpAssign && e.Tok == "=" || own[r.Var] && r.Var != s.loop.v && e.Kids[0].Derefs() <= len(r.Var.Dims) && !r.Var.Type.Ref) {
					bad = "what fills the strip changes more than its arrays"
				}
			case ir.OpIdent:
				if e.Var != nil && changed[e.Var] && !own[e.Var] && evaluate.SharedVar(k, k.Func, e) == nil {
					bad = "what fills the strip reads " + e.Var.Name + ", which an iteration changes"
				}
				if e.Var != nil && (e.Var.Type.Volatile || e.Var.AddrTaken || e.Var.Static) {
					bad = "what fills the strip reads what may change unseen"
				}
			case ir.OpCall:
				if !k.ChangesNothing(k.Func, e) {
					bad = "what fills the strip calls a function"
				}
			case ir.OpDeref, ir.OpIndex:
				if r := e.Root(); r == nil || evaluate.SharedVar(k, k.Func, r) == nil && !p.stays(e) {
					bad = "what fills the strip reads memory that may be written while the kernel runs"
				}
			case ir.OpMember:
				if e.Arrow {
					bad = "what fills the strip reads memory that may be written while the kernel runs"
				}
			}
			if effect.IsOpaque(e.Op) {
				bad = "what fills the strip is not understood"
			}
			return bad == ""
		})
		if bad == "" && p.readsStrip(t) {
			bad = "what fills the strip reads it"
		}
		if bad != "" {
			return bad
		}
	}
	return ""
}

// stays reports whether the memory that an lvalue names stays as it is while the kernel runs.
func (p *resizeProof) stays(e *ir.Expr) bool {
	v := e.Root().Var
	return uniformity.LoadsUnchanging(p.Kernel, p.Kernel.Func, e) || v != nil && v.Kind == ir.VarParam && e.Derefs() <= derefsToElement(v) && onlyRead(p.Kernel, v)
}

// readsStrip reports whether a statement reads shared memory: uses an element other than to store to it.
func (p *resizeProof) readsStrip(t *ir.Stmt) bool {
	k := p.Kernel
	stored := map[*ir.Expr]bool{}
	for e := range t.AllExprs() {
		if e.Op == ir.OpAssign {
			if r := e.Kids[0].Root(); r != nil && evaluate.SharedVar(k, k.Func, r) != nil {
				stored[r] = true
			}
		}
	}
	return t.AnyExpr(func(e *ir.Expr) bool {
		return e.Op == ir.OpIdent && evaluate.SharedVar(k, k.Func, e) != nil && !stored[e]
	})
}

// usesOnly says what the statements between the barriers do besides changing variables of the thread.
func (p *resizeProof) usesOnly(s *strip) (why string) {
	k := p.Kernel
	for _, t := range s.use {
		if t.Any(mayLeave) {
			return "a statement that uses the strip may leave"
		}
		if t.AnyExpr(func(e *ir.Expr) bool {
			switch e.Op {
			case ir.OpAssign, ir.OpIncDec:
				r := e.Kids[0].Root()
				return r == nil || r.Var == nil || r.Var == s.loop.v || r.Var.Kind != ir.VarLocal && r.Var.Kind != ir.VarParam || r.Var.Static ||
					r.Var.Type.Ref || r.Var.Type.Ptr > 0 || e.Kids[0].Derefs() > len(r.Var.Dims)
			case ir.OpCall:
				return !k.ChangesNothing(k.Func, e)
			case ir.OpIdent:
				return e.Var != nil && e.Var.Type.Volatile
			}
			return effect.IsOpaque(e.Op)
		}) {
			return "what uses the strip changes more than variables of the thread"
		}
	}
	return ""
}

// mayLeave reports whether a statement may leave those around it.
func mayLeave(t *ir.Stmt) bool {
	return t.Op == ir.StmtReturn || t.Op == ir.StmtGoto || t.Op == ir.StmtLabel || t.Op == ir.StmtUnknown
}

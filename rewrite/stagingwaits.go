package rewrite

import (
	"slices"

	"github.com/smux-cuda/smux/analysis/intrinsic"
	"github.com/smux-cuda/smux/analysis/ir"
)

// inWarps reports whether threads of a warp wait for each other, or ask which of them are
// there: threads that come along instead of leaving would be waited for.
func (f *indexForms) inWarps() bool {
	for _, fn := range slices.Concat(f.k.Functions, f.k.Implicit()) {
		if fn.Body.AnyExpr(func(e *ir.Expr) bool {
			return e.Op == ir.OpAsm || e.Op == ir.OpCall && (f.k.IsWarpCall(fn, e) || intrinsic.Of(e.Name).Scope == intrinsic.Warp)
		}) {
			return true
		}
	}
	return false
}

// waits reports whether a loop waits for what another thread of the block writes: that thread
// would wait for this one at a barrier. (Loops that wait for other blocks are hazards.)
func (f *indexForms) waits() bool {
	for _, fn := range slices.Concat(f.k.Functions, f.k.Implicit()) {
		if fn.Body.Any(func(s *ir.Stmt) bool { return s.IsLoop() && !f.k.BarrierIn(fn, s) && f.polls(s) }) {
			return true
		}
	}
	return false
}

// polls reports whether what ends a loop is an atomic operation or volatile, or shared memory that
// the loop itself leaves as it is.
func (f *indexForms) polls(loop *ir.Stmt) bool {
	var ends []*ir.Expr
	if loop.Cond != nil {
		ends = append(ends, loop.Cond)
	}
	loop.Body.Walk(func(s *ir.Stmt) bool {
		if s.Op == ir.StmtBreak && s.JumpTarget() == loop || s.Op == ir.StmtReturn {
			for p := s.Parent; p != nil && p != loop; p = p.Parent {
				if p.Cond != nil {
					ends = append(ends, p.Cond)
				}
			}
		}
		return true
	})
	changed := map[*ir.Var]bool{}
	loop.WalkExprs(func(e *ir.Expr) bool {
		if e.Op == ir.OpAssign || e.Op == ir.OpIncDec {
			if r := e.Kids[0].Root(); r != nil {
				changed[r.Var] = true
			}
		}
		return true
	})
	for _, end := range ends {
		shared, moves := false, false
		if end.Any(func(e *ir.Expr) bool {
			if e.Op == ir.OpCall {
				return intrinsic.Of(e.Name).Kind == intrinsic.Atomic
			}
			if e.Op != ir.OpIdent || e.Var == nil {
				return false
			}
			shared = shared || e.Var.Kind == ir.VarShared
			moves = moves || changed[e.Var]
			return e.Var.Type.Volatile
		}) {
			return true
		}
		if shared && !moves {
			return true
		}
	}
	return false
}

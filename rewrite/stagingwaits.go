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
		if fn.Body.Any(func(s *ir.Stmt) bool { return s.IsLoop() && !f.k.BarrierIn(fn, s) && f.polls(fn, s) }) {
			return true
		}
	}
	return false
}

// polls reports whether what ends a loop, or sets a variable that does, is an atomic operation or volatile, or not known; or
// it is shared memory that the loop itself leaves as it is.
func (f *indexForms) polls(fn *ir.Func, loop *ir.Stmt) bool {
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
	sets, decides := f.k.EffectOf(fn, loop.Body), map[*ir.Var]bool{}
	if loop.Post != nil {
		sets.Writes = append(sets.Writes, f.k.Effect(fn, loop.Post).Writes...)
	}
	if slices.ContainsFunc(ends, func(end *ir.Expr) bool {
		shared, moves := false, false
		end.Walk(func(e *ir.Expr) bool {
			if e.Op == ir.OpIdent && e.Var != nil {
				decides[e.Var] = true
				shared = shared || e.Var.Kind == ir.VarShared
				moves = moves || sets.IsKnown() && slices.Contains(sets.Writes, e.Var)
			}
			return true
		})
		return f.k.Effect(fn, end).Synchronizes() || shared && !moves
	}) {
		return true
	}
	return loop.Body.Any(func(s *ir.Stmt) bool { // sets what decides
		seen := false
		s.Exprs(func(e *ir.Expr) {
			does := f.k.Effect(fn, e)
			seen = seen || does.Synchronizes() && slices.ContainsFunc(does.Writes, func(v *ir.Var) bool { return decides[v] })
		})
		return seen
	})
}

package stage

import (
	"slices"

	"github.com/smux-cuda/smux/analysis/barriers"
	"github.com/smux-cuda/smux/analysis/hazards"
	"github.com/smux-cuda/smux/analysis/intrinsic"
	"github.com/smux-cuda/smux/analysis/ir"
)

// inWarps reports whether threads of a warp wait for each other, or ask which of them are
// there: threads that come along instead of leaving would be waited for.
func (f *indexForms) inWarps() bool {
	for _, fn := range slices.Concat(f.k.Functions, f.k.Implicit) {
		if fn.Body.AnyExpr(func(e *ir.Expr) bool {
			return e.Op == ir.OpAsm || e.Op == ir.OpCall && (barriers.IsWarpCall(f.k, fn, e) || intrinsic.Of(e.Name).Scope == intrinsic.Warp)
		}) {
			return true
		}
	}
	return false
}

// waits reports whether a loop waits for what another thread of the block writes: that thread
// would wait for this one at a barrier. (Loops that wait for other blocks are hazards.)
func (f *indexForms) waits() bool {
	return slices.ContainsFunc(slices.Concat(f.k.Functions, f.k.Implicit), func(fn *ir.Func) bool {
		return fn.Body.Any(func(s *ir.Stmt) bool {
			return s.IsLoop() && !barriers.BarrierIn(f.k, fn, s) && hazards.WaitsInBlock(f.k, fn, s)
		})
	})
}

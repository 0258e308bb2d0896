package barriers

import (
	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/intrinsic"
	"github.com/smux-cuda/smux/analysis/ir"
)

// Find marks the functions that hold a barrier or call one that does.
func Find(k *analysis.Kernel) {
	for changed := true; changed; {
		changed = false
		for _, fn := range k.Functions {
			if !holders(k)[fn] && BarrierIn(k, fn, fn.Body) {
				holders(k)[fn], changed = true, true
			}
		}
	}
}

func holders(k *analysis.Kernel) map[*ir.Func]bool {
	type key struct{}
	return analysis.Table[*ir.Func, bool](&k.Memo, key{})
}

// HasBarrier reports whether a function, or one that it calls, holds a thread-block barrier.
func HasBarrier(k *analysis.Kernel, fn *ir.Func) bool { return holders(k)[fn] }

// BarrierIn reports whether a statement of fn holds or calls a barrier.
func BarrierIn(k *analysis.Kernel, fn *ir.Func, s *ir.Stmt) bool {
	return s.AnyExpr(func(e *ir.Expr) bool { return BarrierHere(k, fn, e) })
}

// BarrierHere reports whether e itself is a barrier or a call that reaches one.
func BarrierHere(k *analysis.Kernel, fn *ir.Func, e *ir.Expr) bool {
	if IsBarrier(k, fn, e) {
		return true
	}
	if e.Op == ir.OpCall {
		for _, c := range k.Callees(fn, e) {
			if holders(k)[c] {
				return true
			}
		}
	}
	return false
}

// IsVote reports whether e is a barrier of the whole thread block that combines a
// predicate of its threads. All other barriers do nothing but wait.
func IsVote(k *analysis.Kernel, fn *ir.Func, e *ir.Expr) bool {
	return e.Op == ir.OpCall && intrinsic.Of(e.Name).Kind == intrinsic.Vote && IsBarrier(k, fn, e)
}

package uniformity

import (
	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/barriers"
	"github.com/smux-cuda/smux/analysis/ir"
)

// FindBarriers lists the thread-block barriers of all reachable functions and the kernel's exits.
func FindBarriers(k *analysis.Kernel) {
	barriers.Find(k)
	findGuards(k)
	k.Barriers = barriersWhere(k, barriers.IsBarrier)
	for s := range k.Func.Body.All() {
		if s.Op == ir.StmtReturn {
			k.Exits = append(k.Exits, analysis.Exit{Stmt: s, Control: ControlUniformity(k, k.Func, s, nil)})
		}
	}
}

// barriersWhere lists the expressions of all functions in reach that are barriers
// of a kind, with the control around each.
func barriersWhere(k *analysis.Kernel, is func(*analysis.Kernel, *ir.Func, *ir.Expr) bool) []analysis.Barrier {
	var out []analysis.Barrier
	for _, fn := range k.Functions {
		for s := range fn.Body.All() {
			s.Exprs(func(top *ir.Expr) {
				Conditionally(top, nil, func(e *ir.Expr, under []*ir.Expr) {
					if is(k, fn, e) {
						out = append(out, analysis.Barrier{Func: fn, Expr: e, Stmt: s, Control: controlOf(k, fn, s, under, nil), Among: controlOf(k, fn, s, under, Guards(k))})
					}
				})
			})
		}
	}
	return out
}

// BarrierCalls returns the calls, in all functions in reach, of functions that
// hold a barrier, with the control around each.
func BarrierCalls(k *analysis.Kernel) []analysis.Barrier {
	type key struct{}
	return analysis.Once(&k.Memo, key{}, func() []analysis.Barrier { // each variant of the kernel asks
		return barriersWhere(k, func(_ *analysis.Kernel, fn *ir.Func, e *ir.Expr) bool {
			return e.Op == ir.OpCall && !barriers.IsBarrier(k, fn, e) && barriers.BarrierHere(k, fn, e)
		})
	})
}

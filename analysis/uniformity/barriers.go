package uniformity

import (
	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/barriers"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/pointers"
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

// Guards returns the conditions around the rest of the kernel, with a barrier inside.
func Guards(k *analysis.Kernel) map[*ir.Stmt]bool {
	type key struct{}
	return analysis.Table[*ir.Stmt, bool](&k.Memo, key{})
}

// findGuards finds the conditions around the rest of a kernel: an if with a barrier that some threads of a block pass
// by, after which nobody meets a barrier or uses shared memory. For those that pass by it is a return:
//
//	if (i < n) {                        if (i >= n) return;
//	    s[t] = a[i];                    s[t] = a[i];
//	    __syncthreads();        <->     __syncthreads();
//	    b[i] = s[63 - t];               b[i] = s[63 - t];
//	}
//
// Barriers of the whole launched block wait for the threads that have not left, in either form.
func findGuards(k *analysis.Kernel) {
	guardsIn(k, k.Func.Body.List)
}

// guardsIn looks at the last statement of a list that holds a barrier or uses shared memory.
func guardsIn(k *analysis.Kernel, list []*ir.Stmt) {
	for i := len(list) - 1; i >= 0; i-- {
		s := list[i]
		switch {
		case !needsOthers(k, s):
			continue
		case s.Macro:
		case s.Op == ir.StmtCompound:
			guardsIn(k, s.List)
		case s.Op == ir.StmtIf && !s.Preproc && !pointers.Touches(k, k.Func, s.Cond):
			then, other := needsOthers(k, s.Body), s.Else != nil && needsOthers(k, s.Else)
			if then == other {
				return // threads that pass by one branch meet barriers in the other, or none does
			}
			if Of(k, k.Func, s.Cond) == analysis.ThreadVarying && barriers.BarrierIn(k, k.Func, s) {
				Guards(k)[s] = true
			}
			if then {
				guardsIn(k, analysis.Statements(s.Body))
			} else {
				guardsIn(k, analysis.Statements(s.Else))
			}
		}
		return
	}
}

// needsOthers reports whether a statement of the kernel holds a barrier or uses shared memory.
func needsOthers(k *analysis.Kernel, s *ir.Stmt) bool {
	return barriers.BarrierIn(k, k.Func, s) || pointers.Accesses(k, k.Func, s)
}

package uniformity

import (
	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/barriers"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/pointers"
)

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

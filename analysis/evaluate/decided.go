package evaluate

import (
	"slices"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/ir"
)

// Decided reports whether all threads of a grid answer a comparison of the kernel, or of a function that it
// calls, alike under each instance: threadIdx.x < 64 in blocks of 64 threads. Only what an instance fixes
// counts (block shape, template arguments), which the emitted code checks. What a program happens to pass, and
// how its grid is related to that, does not: a guard against the end of the data is needed for other data.
func Decided(k *analysis.Kernel, fn *ir.Func, e *ir.Expr) bool {
	if e.Op != ir.OpBinary || !slices.Contains([]string{"<", "<=", ">", ">=", "==", "!="}, e.Tok) {
		return false
	}
	type key struct{}
	decisions := analysis.Table[*ir.Expr, bool](&k.Memo, key{})
	alike, known := decisions[e]
	if !known {
		alike = len(k.Instances) > 0
		for _, in := range k.Instances {
			answers, folds := PerThread(k, in, fn, e)
			alike = alike && folds && !slices.ContainsFunc(answers, func(a int64) bool { return a != answers[0] })
		}
		decisions[e] = alike
	}
	return alike
}

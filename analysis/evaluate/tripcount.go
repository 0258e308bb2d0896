package evaluate

import (
	"slices"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/polynomial"
	"github.com/smux-cuda/smux/analysis/values"
)

// trips says how often a counted loop runs: as often for two blocks as the variables in it are the same for both.
type trips struct {
	counted bool
	vars    []*ir.Var
}

// EvenTrips reports whether a loop of the kernel runs equally often in all blocks
// though what its condition compares differs, as in
//
//	for (int a = begin; a < begin + n; a += step)
//
// where begin depends on blockIdx: how often depends on the distance from the first value to the limit and on the
// step, and these do not. That the counter reaches its limit without wrapping around needs signed arithmetic.
func EvenTrips(k *analysis.Kernel, fn *ir.Func, s *ir.Stmt) bool {
	if fn != k.Func || s.Op != ir.StmtFor {
		return false
	}
	type key struct{}
	trips := analysis.Table[*ir.Stmt, trips](&k.Memo, key{})
	t, known := trips[s]
	if !known {
		t = countTrips(k, s)
		trips[s] = t
	}
	return !slices.ContainsFunc(t.vars, func(v *ir.Var) bool { return k.Uniformity[v] > analysis.GridUniform }) && t.counted
}

func countTrips(k *analysis.Kernel, s *ir.Stmt) trips {
	ev := NewEvaluator(k.Prog, analysis.Shape{})
	ev.Kernel, ev.anyLevel = k, true
	counters, restore := ev.NewFrame(k.Func).Counting(s)
	defer restore()
	for _, n := range counters {
		if n.Limit.IsLost() || n.wraps || n.mixed || n.Start.IsLost() || !n.Step.Exact || values.IsUnsigned(n.v.Type.Base) {
			continue
		}
		out := trips{counted: true}
		note := func(p polynomial.Polynomial) {
			p.Symbols(func(sym *polynomial.Symbol) {
				info := ev.Symbols.Info[sym]
				switch {
				case info.Kind != SymbolFixed || info.block:
					out.counted = false
				case info.V != nil:
					out.vars = append(out.vars, info.V)
				}
			})
		}
		note(n.Limit.Minus(n.Start.Polynomial))
		note(n.Step.Polynomial)
		return out
	}
	return trips{}
}

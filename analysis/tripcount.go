package analysis

import (
	"slices"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/polynomial"
)

// trips says how often a counted loop runs: as often for two blocks as the
// variables in it are the same for both.
type trips struct {
	counted bool
	vars    []*ir.Var
}

// evenTrips reports whether a loop of the kernel runs equally often in all blocks
// though what its condition compares differs, as in
//
//	for (int a = begin; a < begin + n; a += step)
//
// where begin depends on blockIdx: how often depends on the distance from the
// first value to the limit and on the step, and these do not. That the counter
// reaches its limit without wrapping around needs signed arithmetic.
func (k *Kernel) evenTrips(fn *ir.Func, s *ir.Stmt) bool {
	if fn != k.Func || s.Op != ir.StmtFor {
		return false
	}
	type key struct{}
	trips := Table[*ir.Stmt, trips](&k.memo, key{})
	t, known := trips[s]
	if !known {
		t = k.countTrips(s)
		trips[s] = t
	}
	return !slices.ContainsFunc(t.vars, func(v *ir.Var) bool { return k.uniformity[v] > GridUniform }) && t.counted
}

func (k *Kernel) countTrips(s *ir.Stmt) trips {
	ev := newEvaluator(k.Prog, shape{})
	ev.kernel, ev.anyLevel = k, true
	counters, restore := ev.newFrame(k.Func).counting(s)
	defer restore()
	for _, n := range counters {
		if n.limit.IsLost() || n.wraps || n.mixed || n.start.IsLost() || !n.step.exact || isUnsigned(n.v.Type.Base) {
			continue
		}
		out := trips{counted: true}
		note := func(p polynomial.Polynomial) {
			p.Symbols(func(sym *polynomial.Symbol) {
				info := ev.symbols.info[sym]
				switch {
				case info.kind != symbolFixed || info.block:
					out.counted = false
				case info.v != nil:
					out.vars = append(out.vars, info.v)
				}
			})
		}
		note(n.limit.Minus(n.start.Polynomial))
		note(n.step.Polynomial)
		return out
	}
	return trips{}
}

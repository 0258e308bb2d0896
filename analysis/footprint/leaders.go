package footprint

import (
	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/evaluate"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/polynomial"
)

// definedByLeaders returns what a branch defines that the first of each by threads takes, whatever else it does:
//
//	if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = x;
//
// defines an element for each warp of a block of one dimension, the last of which need not be full.
func (x *Execution) definedByLeaders(s *ir.Stmt, in Flow) MemoryEffect {
	e := x.none()
	if !in.Must.full() || s.Preproc || s.Cond == nil || s.Cond.Op != ir.OpBinary || s.Cond.Tok != "==" {
		return e
	}
	a, okA := x.Symbolic(s.Cond.Kids[0])
	b, okB := x.Symbolic(s.Cond.Kids[1])
	zero := polynomial.Number(0)
	if !okA || !okB || !a.Exact || !b.Exact {
		return e
	}
	if a.Equal(zero) {
		a, b = b, a
	}
	leader := x.Ev.TheDivision(a.Polynomial)
	if !b.Equal(zero) || leader == nil || !leader.Remainder {
		return e
	}
	threads, ok := x.image([]evaluate.Form{{Polynomial: leader.Of}}, nil, nil)
	if !ok || !threads[0].low.Equal(zero) {
		return e
	}
	for _, t := range analysis.Statements(s.Body) {
		if t.Op != ir.StmtExpr || t.Expr.Op != ir.OpAssign {
			return e // it may leave
		}
		sh, subs, ok := element(x.Frame, t.Expr.Kids[0])
		if t.Expr.Tok != "=" || !ok || len(subs) != 1 {
			continue
		}
		d := x.Ev.TheDivision(subs[0].Polynomial)
		if d == nil || d.Remainder || d.By != leader.By || !d.Of.Equal(leader.Of) {
			continue
		}
		// The box holds end / by elements, and one more for a rest. The second is
		// the larger of two boxes; no inequality tells that of their bounds.
		for _, more := range []int64{0, d.By - 1} {
			n := x.Ev.Divided(evaluate.Division{Of: threads[0].end.Plus(polynomial.Number(more)), By: d.By})
			if !n.IsLost() {
				e.then(x.defineBox(sh, box{{zero, n}}))
			}
		}
	}
	return e
}

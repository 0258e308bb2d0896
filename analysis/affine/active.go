package affine

import (
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/model/hardware"
)

// condition evaluates a condition for each thread of the block, where it
// depends on the thread alone.
func (a *activation) condition(e *ir.Expr) (holds []bool, known bool) {
	s := a.out.Shape
	n := s[0] * s[1] * s[2]
	if e == nil || n <= 0 || n > hardware.MaxThreadsPerBlock {
		return nil, false
	}
	switch {
	case e.Op == ir.OpUnary && e.Tok == "!":
		holds, known = a.condition(e.Kids[0])
		for i := range holds {
			holds[i] = !holds[i]
		}
		return holds, known
	case e.Op == ir.OpBinary && (e.Tok == "&&" || e.Tok == "||"):
		x, xok := a.condition(e.Kids[0])
		y, yok := a.condition(e.Kids[1])
		if !xok || !yok {
			return nil, false
		}
		for i := range x {
			if e.Tok == "&&" {
				x[i] = x[i] && y[i]
			} else {
				x[i] = x[i] || y[i]
			}
		}
		return x, true
	case e.Op == ir.OpBinary && comparison(e.Tok):
		x, y := a.quiet(e.Kids[0]), a.quiet(e.Kids[1])
		if !x.known || !y.known || x.isPtr || y.isPtr {
			return nil, false
		}
		lanes := a.lanes(x.form.Sub(y.form))
		if lanes == nil {
			return nil, false
		}
		holds = make([]bool, n)
		for i, d := range lanes {
			holds[i] = compares(e.Tok, d)
		}
		return holds, true
	}
	return nil, false
}

func comparison(tok string) bool {
	switch tok {
	case "<", "<=", ">", ">=", "==", "!=":
		return true
	}
	return false
}

// compares reports whether x tok y, given x - y.
func compares(tok string, d int64) bool {
	switch tok {
	case "<":
		return d < 0
	case "<=":
		return d <= 0
	case ">":
		return d > 0
	case ">=":
		return d >= 0
	case "==":
		return d == 0
	}
	return d != 0
}

// narrow keeps the threads of a set for which a condition is as wanted.
func narrow(all, holds []bool, want bool) []bool {
	out := make([]bool, len(holds))
	for i, h := range holds {
		out[i] = h == want && (all == nil || all[i])
	}
	return out
}

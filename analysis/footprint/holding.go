package footprint

import (
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/polynomial"
)

// maxHolding bounds the conditions that are looked at for a bound.
const maxHolding = 6

// holding are the polynomials that are at most 0 in the threads that find a
// condition true (or false), as far as it tells: of a < b it is a - b + 1. They hold
// as long as the branch runs, since what polynomials are made of doesn't change in it.
func (x *Execution) holding(e *ir.Expr, is bool) (out []polynomial.Polynomial) {
	switch e.Op {
	case ir.OpUnary:
		if e.Tok == "!" || e.Tok == "not" {
			return x.holding(e.Kids[0], !is)
		}
	case ir.OpBinary:
		tok := e.Tok
		switch tok {
		case "&&", "and", "||", "or":
			if is == (tok == "&&" || tok == "and") {
				return append(x.holding(e.Kids[0], is), x.holding(e.Kids[1], is)...)
			}
			return nil
		}
		if !is {
			tok = map[string]string{"<": ">=", "<=": ">", ">": "<=", ">=": "<", "!=": "=="}[tok]
		}
		if tok != "<" && tok != "<=" && tok != ">" && tok != ">=" && tok != "==" {
			return nil
		}
		a, okA := x.Symbolic(e.Kids[0])
		b, okB := x.Symbolic(e.Kids[1])
		// Beside something unsigned a negative number is a huge one.
		if !okA || !okB || !a.Exact || !b.Exact || a.Unsigned != b.Unsigned && !(a.NonNegative() && b.NonNegative()) {
			return nil
		}
		over, one := a.Minus(b.Polynomial), polynomial.Number(1)
		under := b.Minus(a.Polynomial)
		switch tok {
		case "<":
			out = append(out, over.Plus(one))
		case "<=":
			out = append(out, over)
		case ">":
			out = append(out, under.Plus(one))
		case ">=":
			out = append(out, under)
		case "==":
			out = append(out, over, under)
		}
	}
	return out
}

// under runs f for the threads that find a condition true, or false.
func (x *Execution) under(e *ir.Expr, is bool, f func()) {
	before := x.holds
	if e != nil {
		x.holds = append(before[:len(before):len(before)], x.holding(e, is)...)
	}
	f()
	x.holds = before
}

// bounds returns numbers, made of fixed symbols, that p is at most (at least) for
// all threads of the block that come here and all iterations of the loops under way.
// Each is one; which is the closest may depend on what the symbols stand for.
func (x *Execution) bounds(p polynomial.Polynomial, up bool) (out []polynomial.Polynomial) {
	holds := x.holds[max(0, len(x.holds)-maxHolding):]
	try := func(p polynomial.Polynomial) {
		if x.Ev.Spend(8); x.Ev.Spent() {
			return
		}
		for _, q := range append(x.Ev.Undivided(p, up), p) {
			b := x.Extreme(q, up)
			for _, c := range append(x.Ev.Undivided(b, up), b) {
				if !c.IsLost() {
					out = closest(out, c, up)
				}
			}
		}
	}
	try(p)
	// What holds is at most 0: taken away it makes p no smaller.
	with := func(p, h polynomial.Polynomial) polynomial.Polynomial {
		if up {
			return p.Minus(h)
		}
		return p.Plus(h)
	}
	for i, h := range holds {
		try(with(p, h))
		for _, o := range holds[:i] {
			try(with(with(p, h), o))
		}
	}
	return out
}

// closest adds a bound to others, and leaves out which another one is always as close as.
func closest(bounds []polynomial.Polynomial, b polynomial.Polynomial, up bool) []polynomial.Polynomial {
	closer := func(a, b polynomial.Polynomial) bool {
		if up {
			return a.AtMost(b)
		}
		return b.AtMost(a)
	}
	var out []polynomial.Polynomial
	for _, o := range bounds {
		if closer(o, b) {
			return bounds
		}
		if !closer(b, o) {
			out = append(out, o)
		}
	}
	if len(out) >= maxHolding {
		return out
	}
	return append(out, b)
}

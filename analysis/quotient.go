package analysis

import (
	"fmt"
	"math/bits"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/polynomial"
)

// division holds the operands of a quotient or a remainder: of / by or of % by, where of is
// not negative and is made of threadIdx, blockDim and numbers alone, and by is a
// positive number.
type division struct {
	of        polynomial.Polynomial
	by        int64
	remainder bool
}

// symbolicDivision writes a quotient or remainder as a form, also where it is
// spelled as a shift or a mask.
func (f *frame) symbolicDivision(tok string, a, b form) form {
	by, number := b.Constant()
	if !number || by < 0 || !a.exact || !a.NonNegative() || a.wide || b.wide {
		return lostForm
	}
	switch tok {
	case ">>":
		if by > 30 {
			return lostForm
		}
		by = 1 << by
	case "&":
		by++
		if bits.OnesCount64(uint64(by)) != 1 {
			return lostForm
		}
	}
	if by < 1 || by > 1<<30 {
		return lostForm
	}
	d := division{of: a.Polynomial, by: by, remainder: tok == "%" || tok == "&"}
	p := f.ev.divided(d)
	return form{Polynomial: p, unsigned: a.unsigned || b.unsigned && tok != ">>", exact: !p.IsLost()}
}

// divided is the polynomial of a quotient or remainder: a number, or a symbol of
// its own. It is lost where what is divided may hold anything but threadIdx, blockDim
// and numbers, which stay what they are while the kernel runs.
func (ev *evaluator) divided(d division) polynomial.Polynomial {
	if n, ok := d.of.Constant(); ok {
		if d.remainder {
			return polynomial.Number(n % d.by)
		}
		return polynomial.Number(n / d.by)
	}
	varies := false
	other := d.of.Has(func(s *polynomial.Symbol) bool {
		info := ev.symbols.info[s]
		varies = varies || info.kind == symbolThread
		return info.kind != symbolThread && s != ev.symbols.dim[0] && s != ev.symbols.dim[1] && s != ev.symbols.dim[2]
	})
	if n, rest := d.of.Number(); !d.remainder && (n < 0 || n >= d.by) {
		// One form for all that differ by a number alone.
		low := (n%d.by + d.by) % d.by
		if of := rest.Plus(polynomial.Number(low)); of.NonNegative() {
			return ev.divided(division{of: of, by: d.by}).Plus(polynomial.Number((n - low) / d.by))
		}
	}
	most, bounded := d.of.Magnitude()
	if other || !bounded || d.by == 1 {
		return polynomial.Lost()
	}
	for s, info := range ev.symbols.info {
		if o := info.division; o != nil && o.remainder == d.remainder && o.by == d.by && o.of.Equal(d.of) {
			return polynomial.Of(s)
		}
	}
	info := symbolInfo{division: &d}
	high := most / d.by
	if d.remainder {
		high = min(most, d.by-1)
	}
	if varies {
		info.kind, info.low, info.high = symbolShare, polynomial.Number(0), polynomial.Number(high)
		if !d.remainder {
			// The largest is that of the last thread.
			last := d.of
			for i, s := range ev.symbols.tid {
				if s == nil {
					continue
				}
				coef, rest, ok := last.Linear(s)
				if !ok || !coef.NonNegative() {
					return polynomial.Lost()
				}
				last = coef.Times(ev.extentOf(i).Minus(polynomial.Number(1))).Plus(rest)
			}
			info.high = ev.divided(division{of: last, by: d.by})
			if info.high.IsLost() {
				return info.high
			}
		}
	}
	name := fmt.Sprintf("quotient %d", len(ev.symbols.info))
	return polynomial.Of(ev.symbol(name, 0, high, info))
}

// undivided returns bounds of p from above (from below) in which one quotient or
// remainder has been replaced by what is divided: by * (of / by) is at most of, and so
// is of % by.
func (ev *evaluator) undivided(p polynomial.Polynomial, up bool) (out []polynomial.Polynomial) {
	seen := map[*polynomial.Symbol]bool{}
	p.Symbols(func(s *polynomial.Symbol) {
		d := ev.symbols.info[s].division
		if d == nil || seen[s] {
			return
		}
		seen[s] = true
		coef, rest, ok := p.Linear(s)
		n, number := coef.Constant()
		if !ok || !number || up != (n > 0) {
			return
		}
		if !d.remainder {
			if n%d.by != 0 {
				return
			}
			n /= d.by
		}
		out = append(out, polynomial.Number(n).Times(d.of).Plus(rest))
	})
	return out
}

// definedByLeaders returns what a branch defines that the first of each by threads takes,
// whatever else it does:
//
//	if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = x;
//
// defines an element for each warp of a block of one dimension, the last of which
// need not be full.
func (x *execution) definedByLeaders(s *ir.Stmt, in flow) memoryEffect {
	e := x.none()
	if !in.must.full() || s.Preproc || s.Cond == nil || s.Cond.Op != ir.OpBinary || s.Cond.Tok != "==" {
		return e
	}
	a, okA := x.symbolic(s.Cond.Kids[0])
	b, okB := x.symbolic(s.Cond.Kids[1])
	zero := polynomial.Number(0)
	if !okA || !okB || !a.exact || !b.exact {
		return e
	}
	if a.Equal(zero) {
		a, b = b, a
	}
	leader := x.ev.theDivision(a.Polynomial)
	if !b.Equal(zero) || leader == nil || !leader.remainder {
		return e
	}
	threads, ok := x.image([]form{{Polynomial: leader.of}}, nil, nil)
	if !ok || !threads[0].low.Equal(zero) {
		return e
	}
	for _, t := range statements(s.Body) {
		if t.Op != ir.StmtExpr || t.Expr.Op != ir.OpAssign {
			return e // it may leave
		}
		sh, subs, ok := x.element(t.Expr.Kids[0])
		if t.Expr.Tok != "=" || !ok || len(subs) != 1 {
			continue
		}
		d := x.ev.theDivision(subs[0].Polynomial)
		if d == nil || d.remainder || d.by != leader.by || !d.of.Equal(leader.of) {
			continue
		}
		// The box holds end / by elements, and one more for a rest. The second is
		// the larger of two boxes; no inequality tells that of their bounds.
		for _, more := range []int64{0, d.by - 1} {
			n := x.ev.divided(division{of: threads[0].end.Plus(polynomial.Number(more)), by: d.by})
			if !n.IsLost() {
				e.then(x.defineBox(sh, box{{zero, n}}))
			}
		}
	}
	return e
}

// theDivision returns what p is as a whole, nil if it is not a quotient or remainder.
func (ev *evaluator) theDivision(p polynomial.Polynomial) (d *division) {
	p.Symbols(func(s *polynomial.Symbol) {
		if p.Equal(polynomial.Of(s)) {
			d = ev.symbols.info[s].division
		}
	})
	return d
}

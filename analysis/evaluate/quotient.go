package evaluate

import (
	"fmt"
	"math/bits"

	"github.com/smux-cuda/smux/analysis/polynomial"
)

// Division holds the operands of a quotient or a remainder: of / by or of % by, where of is not negative and is made
// of threadIdx, blockDim and numbers alone, and by is a positive number.
type Division struct {
	Of        polynomial.Polynomial
	By        int64
	Remainder bool
}

// symbolicDivision writes a quotient or remainder as a form, also where it is spelled as a shift or a mask.
func (f *Frame) symbolicDivision(tok string, a, b Form) Form {
	by, number := b.Constant()
	if !number || by < 0 || !a.Exact || !a.NonNegative() || a.wide || b.wide {
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
	d := Division{Of: a.Polynomial, By: by, Remainder: tok == "%" || tok == "&"}
	p := f.Ev.Divided(d)
	return Form{Polynomial: p, Unsigned: a.Unsigned || b.Unsigned && tok != ">>", Exact: !p.IsLost()}
}

// Divided is the polynomial of a quotient or remainder: a number, or a symbol of its own. It is lost where what is
// divided may hold anything but threadIdx, blockDim and numbers, which stay what they are while the kernel runs.
func (ev *Evaluator) Divided(d Division) polynomial.Polynomial {
	if n, ok := d.Of.Constant(); ok {
		if d.Remainder {
			return polynomial.Number(n % d.By)
		}
		return polynomial.Number(n / d.By)
	}
	varies := false
	other := d.Of.Has(func(s *polynomial.Symbol) bool {
		info := ev.Symbols.Info[s]
		varies = varies || info.Kind == SymbolThread
		return info.Kind != SymbolThread && s != ev.Symbols.dim[0] && s != ev.Symbols.dim[1] && s != ev.Symbols.dim[2]
	})
	if n, rest := d.Of.Number(); !d.Remainder && (n < 0 || n >= d.By) {
		// One form for all that differ by a number alone.
		low := (n%d.By + d.By) % d.By
		if of := rest.Plus(polynomial.Number(low)); of.NonNegative() {
			return ev.Divided(Division{Of: of, By: d.By}).Plus(polynomial.Number((n - low) / d.By))
		}
	}
	most, bounded := d.Of.Magnitude()
	if other || !bounded || d.By == 1 {
		return polynomial.Lost()
	}
	for s, info := range ev.Symbols.Info {
		if o := info.division; o != nil && o.Remainder == d.Remainder && o.By == d.By && o.Of.Equal(d.Of) {
			return polynomial.Of(s)
		}
	}
	info := symbolInfo{division: &d}
	high := most / d.By
	if d.Remainder {
		high = min(most, d.By-1)
	}
	if varies {
		info.Kind, info.low, info.high = symbolShare, polynomial.Number(0), polynomial.Number(high)
		if !d.Remainder {
			// The largest is that of the last thread.
			last := d.Of
			for i, s := range ev.Symbols.tid {
				if s == nil {
					continue
				}
				coef, rest, ok := last.Linear(s)
				if !ok || !coef.NonNegative() {
					return polynomial.Lost()
				}
				last = coef.Times(ev.ExtentOf(i).Minus(polynomial.Number(1))).Plus(rest)
			}
			info.high = ev.Divided(Division{Of: last, By: d.By})
			if info.high.IsLost() {
				return info.high
			}
		}
	}
	name := fmt.Sprintf("quotient %d", len(ev.Symbols.Info))
	return polynomial.Of(ev.symbol(name, 0, high, info))
}

// Undivided returns bounds of p from above (from below) in which one quotient or remainder has been replaced by what
// is divided: by * (of / by) is at most of, and so is of % by.
func (ev *Evaluator) Undivided(p polynomial.Polynomial, up bool) (out []polynomial.Polynomial) {
	seen := map[*polynomial.Symbol]bool{}
	p.Symbols(func(s *polynomial.Symbol) {
		d := ev.Symbols.Info[s].division
		if d == nil || seen[s] {
			return
		}
		seen[s] = true
		coef, rest, ok := p.Linear(s)
		n, number := coef.Constant()
		if !ok || !number || up != (n > 0) {
			return
		}
		if !d.Remainder {
			if n%d.By != 0 {
				return
			}
			n /= d.By
		}
		out = append(out, polynomial.Number(n).Times(d.Of).Plus(rest))
	})
	return out
}

// TheDivision returns what p is as a whole, nil if it is not a quotient or remainder.
func (ev *Evaluator) TheDivision(p polynomial.Polynomial) (d *Division) {
	p.Symbols(func(s *polynomial.Symbol) {
		if p.Equal(polynomial.Of(s)) {
			d = ev.Symbols.Info[s].division
		}
	})
	return d
}

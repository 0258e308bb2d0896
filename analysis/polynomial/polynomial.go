// Package polynomial does arithmetic on integers of which some are unknown: sums of integers times products of
// symbols. It proves inequalities that hold whatever the symbols stand for.
//
// A polynomial stands for a mathematical integer; whether a C++ expression has that value is the business of who
// makes it. Polynomials are small: what grows beyond a few terms, or a coefficient beyond 2^40, is given up, and so
// is every proof about it.
package polynomial

import (
	"slices"
)

// Symbol is an unknown integer. Symbols are told apart by their address.
type Symbol struct {
	Name     string
	Min, Max int64 // bounds that always hold; None for none
	// Order sorts symbols; those of one kernel differ in it.
	Order int
}

// None stands for a bound that isn't there.
const None = int64(-1) << 63

const (
	maxTerms = 24
	maxCoef  = int64(1) << 40
)

type term struct {
	coef int64
	syms []*Symbol // by Order
}

// Polynomial is a sum of terms, no two of which have the same symbols. The zero value is the number 0.
type Polynomial struct {
	terms []term
	lost  bool // given up
}

// Number returns the polynomial of an integer.
func Number(n int64) Polynomial {
	if n == 0 {
		return Polynomial{}
	}
	return Polynomial{terms: []term{{coef: n}}, lost: n > maxCoef || n < -maxCoef}
}

// Of returns the polynomial of a symbol.
func Of(s *Symbol) Polynomial { return Polynomial{terms: []term{{1, []*Symbol{s}}}} }

// Lost returns the polynomial of which nothing can be proved.
func Lost() Polynomial { return Polynomial{lost: true} }

// IsLost reports whether the polynomial was given up.
func (p Polynomial) IsLost() bool { return p.lost }

// Constant returns the number that p is, if it is one.
func (p Polynomial) Constant() (int64, bool) {
	switch {
	case p.lost:
	case len(p.terms) == 0:
		return 0, true
	case len(p.terms) == 1 && len(p.terms[0].syms) == 0:
		return p.terms[0].coef, true
	}
	return 0, false
}

// Number returns the number that stands in p without a symbol, and the rest of p.
func (p Polynomial) Number() (n int64, rest Polynomial) {
	rest = Polynomial{lost: p.lost}
	for _, t := range p.terms {
		if len(t.syms) == 0 {
			n = t.coef
		} else {
			rest.terms = append(rest.terms, t)
		}
	}
	return n, rest
}

// compare orders products of symbols. The terms of a polynomial stand in this order.
// IsMultipleOf reports whether p is a multiple of n whatever its symbols stand for.
func (p Polynomial) IsMultipleOf(n int64) bool {
	return !p.lost && !slices.ContainsFunc(p.terms, func(t term) bool { return t.coef%n != 0 })
}

func compare(a, b []*Symbol) int {
	for i, s := range a {
		if i == len(b) {
			return 1
		}
		if d := s.Order - b[i].Order; d != 0 {
			return d
		}
	}
	return len(a) - len(b)
}

// Plus returns p + q.
func (p Polynomial) Plus(q Polynomial) Polynomial {
	return p.plus(make([]term, 0, len(p.terms)+len(q.terms)), q, 1)
}

// Minus returns p - q.
func (p Polynomial) Minus(q Polynomial) Polynomial {
	return p.plus(make([]term, 0, len(p.terms)+len(q.terms)), q, -1)
}

// plus returns p + c*q, where c is 1 or -1. Its terms stand in room.
func (p Polynomial) plus(room []term, q Polynomial, c int64) Polynomial {
	if p.lost || q.lost {
		return Lost()
	}
	return Polynomial{terms: sum(room, p.terms, q.terms, c)}.checked()
}

// sum appends the terms of a + c*b to out, where c is 1 or -1.
func sum(out, a, b []term, c int64) []term {
	for len(a) > 0 && len(b) > 0 {
		switch d := compare(a[0].syms, b[0].syms); {
		case d < 0:
			out, a = append(out, a[0]), a[1:]
		case d > 0:
			out, b = append(out, term{c * b[0].coef, b[0].syms}), b[1:]
		default:
			if n := a[0].coef + c*b[0].coef; n != 0 {
				out = append(out, term{n, a[0].syms})
			}
			a, b = a[1:], b[1:]
		}
	}
	out = append(out, a...)
	for _, t := range b {
		out = append(out, term{c * t.coef, t.syms})
	}
	return out
}

func (p Polynomial) checked() Polynomial {
	p.lost = p.lost || len(p.terms) > maxTerms
	for _, t := range p.terms {
		p.lost = p.lost || t.coef > maxCoef || t.coef < -maxCoef || len(t.syms) > 6
	}
	if p.lost {
		return Lost()
	}
	return p
}

// Times returns p * q.
func (p Polynomial) Times(q Polynomial) Polynomial {
	if p.lost || q.lost || len(p.terms)*len(q.terms) > 4*maxTerms {
		return Lost()
	}
	switch {
	case len(p.terms) == 1:
		return q.timesTerm(p.terms[0])
	case len(q.terms) == 1:
		return p.timesTerm(q.terms[0])
	}
	out := Polynomial{}
	for _, a := range p.terms {
		for _, b := range q.terms {
			coef := a.coef * b.coef
			if a.coef != 0 && coef/a.coef != b.coef {
				return Lost()
			}
			syms := append(slices.Clone(a.syms), b.syms...)
			slices.SortFunc(syms, func(x, y *Symbol) int { return x.Order - y.Order })
			out = out.Plus(Polynomial{terms: []term{{coef, syms}}}.checked())
		}
	}
	return out
}

// timesTerm returns p * t.
func (p Polynomial) timesTerm(t term) Polynomial {
	terms, ok := p.timesInto(make([]term, 0, len(p.terms)), t)
	if !ok {
		return Lost()
	}
	return Polynomial{terms: terms}.checked()
}

// timesInto appends the terms of p * t to out; ok is false where a coefficient is too large for an int64.
func (p Polynomial) timesInto(out []term, t term) (all []term, ok bool) {
	if t.coef == 0 {
		return out, true
	}
	for _, a := range p.terms {
		coef := a.coef * t.coef
		if coef/t.coef != a.coef {
			return nil, false
		}
		out = append(out, term{coef, product(a.syms, t.syms)})
	}
	if len(t.syms) > 0 { // else the order stays
		slices.SortFunc(out, func(a, b term) int { return compare(a.syms, b.syms) })
	}
	return out, true
}

// product merges two products of symbols.
func product(a, b []*Symbol) []*Symbol {
	switch {
	case len(a) == 0:
		return b
	case len(b) == 0:
		return a
	}
	out := make([]*Symbol, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		if a[0].Order <= b[0].Order {
			out, a = append(out, a[0]), a[1:]
		} else {
			out, b = append(out, b[0]), b[1:]
		}
	}
	return append(append(out, a...), b...)
}

// Equal reports whether p and q are the same polynomial.
func (p Polynomial) Equal(q Polynomial) bool {
	return !p.lost && !q.lost && slices.EqualFunc(p.terms, q.terms, func(a, b term) bool {
		return a.coef == b.coef && slices.Equal(a.syms, b.syms)
	})
}

// Symbols calls f for every symbol in p.
func (p Polynomial) Symbols(f func(*Symbol)) {
	for _, t := range p.terms {
		for _, s := range t.syms {
			f(s)
		}
	}
}

// Has reports whether p mentions a symbol for which is is true.
func (p Polynomial) Has(is func(*Symbol) bool) bool {
	found := false
	p.Symbols(func(s *Symbol) { found = found || is(s) })
	return found
}

// Linear takes p apart into coef * s + rest; ok is false if s stands in a power.
func (p Polynomial) Linear(s *Symbol) (coef, rest Polynomial, ok bool) {
	if p.lost {
		return Lost(), Lost(), false
	}
	for _, t := range p.terms {
		n := 0
		var others []*Symbol
		for _, o := range t.syms {
			if o == s {
				n++
			} else {
				others = append(others, o)
			}
		}
		switch n {
		case 0:
			rest.terms = append(rest.terms, t)
		case 1:
			coef = coef.Plus(Polynomial{terms: []term{{t.coef, others}}})
		default:
			return Lost(), Lost(), false
		}
	}
	return coef, rest, true
}

// NonNegative reports whether p is at least 0 for all values of its symbols. It is a proof by shape: with each symbol
// written as its least value plus something that isn't negative, no coefficient is negative.
func (p Polynomial) NonNegative() bool {
	if p.lost {
		return false
	}
	low := false // has a symbol whose least value isn't 0
	for _, t := range p.terms {
		for _, s := range t.syms {
			if s.Min == None {
				return false // nothing else takes it away
			}
			low = low || s.Min != 0
		}
	}
	if !low {
		return !slices.ContainsFunc(p.terms, func(t term) bool { return t.coef < 0 })
	}
	shifted := Polynomial{}
	for _, t := range p.terms {
		prod := Number(t.coef)
		for _, s := range t.syms {
			at := Of(s)
			if s.Min != 0 {
				at = at.Plus(Number(s.Min))
			}
			prod = prod.Times(at)
		}
		shifted = shifted.Plus(prod)
	}
	if shifted.lost {
		return false
	}
	for _, t := range shifted.terms {
		if t.coef < 0 {
			return false
		}
	}
	return true
}

// AtMost reports whether p <= q for all values of the symbols.
func (p Polynomial) AtMost(q Polynomial) bool { return q.Minus(p).NonNegative() }

// Magnitude bounds the absolute value of p; ok is false if it is not known to be below 2^62.
func (p Polynomial) Magnitude() (most int64, ok bool) {
	if p.lost {
		return 0, false
	}
	const limit = int64(1) << 62
	for _, t := range p.terms {
		m := max(t.coef, -t.coef)
		for _, s := range t.syms {
			if s.Min == None || s.Max == None {
				return 0, false
			}
			b := max(s.Max, -s.Min)
			if b > 0 && m > limit/b {
				return 0, false
			}
			m *= b
		}
		if most += m; most > limit {
			return 0, false
		}
	}
	return most, true
}

// Least returns a number that p never falls below.
func (p Polynomial) Least() (least int64, ok bool) {
	if p.lost {
		return 0, false
	}
	for _, t := range p.terms {
		m := t.coef
		for _, s := range t.syms {
			if m < 0 || s.Min == None || s.Min < 0 || s.Min > 1<<20 || m > maxCoef {
				return 0, false
			}
			m *= s.Min
		}
		least += m
	}
	return least, true
}

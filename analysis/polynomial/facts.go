package polynomial

import "slices"

// Facts are polynomials of which it is known that none is negative. The last are tried
// first: proofs are short where these are of what depends on the others.
type Facts []Polynomial

const (
	maxFactSteps  = 12  // facts that one proof takes away, one after the other
	maxFactProofs = 500 // polynomials that a proof looks at
)

// NonNegative reports whether p is at least 0 for all values of its symbols for which the facts hold. What may be
// negative in p is taken away with a fact that has it, too: with n - 8q and 7 - x known,
//
//	n - 8q + 7 - x  =  (n - 8q) + (7 - x)  >=  0
//
// A fact counts as often as it takes, and so do the bounds of symbols.
func (fs Facts) NonNegative(p Polynomial) bool {
	for steps := 3; steps <= maxFactSteps; steps *= 2 { // the short proofs first
		x := search{facts: fs, left: maxFactProofs}
		if x.prove(p, steps) {
			return true
		}
	}
	return false
}

// search is one way through the facts.
type search struct {
	facts Facts
	left  int                      // polynomials that may be looked at yet
	rooms [maxFactSteps + 1][]term // for the polynomial that is looked at with so many steps left
}

func (x *search) prove(p Polynomial, steps int) bool {
	if p.NonNegative() {
		return true
	}
	if x.left--; p.lost || steps == 0 || x.left < 0 {
		return false
	}
	for _, bad := range p.unbounded() {
		for _, f := range slices.Backward(x.facts) {
			if x.without(p, bad, f, steps) {
				return true
			}
		}
		for _, s := range bad.syms {
			// The bound of a symbol is a fact, too.
			if bad.coef < 0 && s.Max != None && x.without(p, bad, Number(s.Max).Minus(Of(s)), steps) {
				return true
			}
			if bad.coef > 0 && s.Min != None && s.Min < 0 && x.without(p, bad, Of(s).Minus(Number(s.Min)), steps) {
				return true
			}
		}
	}
	return false
}

// unbounded are the terms of p of which one has to go: one that may fall below any
// number, or all where they only may be less than the number in p. It is the one with
// most symbols, and of these the last: what takes its place may make up for others.
func (p Polynomial) unbounded() (rest []term) {
	var most term
	for _, t := range p.terms {
		if t.coef < 0 && len(t.syms) >= max(1, len(most.syms)) {
			most = t
		}
	}
	if len(most.syms) > 0 {
		return []term{most}
	}
	for _, t := range p.terms {
		if slices.ContainsFunc(t.syms, mayBeNegative) {
			return []term{t}
		}
		if len(t.syms) > 0 {
			rest = append(rest, t)
		}
	}
	return rest
}

func mayBeNegative(s *Symbol) bool { return s.Min == None || s.Min < 0 }

// without proves k*p from k*p - m*f, which has the term bad of p no more: k is a positive number, and m a product of
// a positive number and symbols that are not negative.
func (x *search) without(p Polynomial, bad term, f Polynomial, steps int) bool {
	for _, t := range f.terms {
		if len(t.syms) == 0 || (t.coef < 0) != (bad.coef < 0) {
			continue
		}
		others, ok := quotientOf(bad.syms, t.syms)
		if !ok {
			continue
		}
		k, m := max(t.coef, -t.coef), max(bad.coef, -bad.coef)
		if d := GCD(k, m); d > 1 {
			k, m = k/d, m/d
		}
		next := p.less(x.rooms[steps-1][:0], k, term{m, others}, f)
		x.rooms[steps-1] = next.terms
		if x.prove(next, steps-1) {
			return true
		}
	}
	return false
}

// less returns k*p - m*f, where k isn't 0. Its terms stand in room.
func (p Polynomial) less(room []term, k int64, m term, f Polynomial) Polynomial {
	if k != 1 {
		p = p.timesTerm(term{coef: k})
	}
	if m.coef != 1 || len(m.syms) > 0 {
		f = f.timesTerm(m)
	}
	return p.plus(room, f, -1)
}

// quotientOf returns what is left of a product of symbols without some of them, none of it negative.
func quotientOf(all, some []*Symbol) (rest []*Symbol, ok bool) {
	for _, s := range all {
		if len(some) > 0 && some[0] == s {
			some = some[1:]
			continue
		}
		if mayBeNegative(s) {
			return nil, false
		}
		rest = append(rest, s)
	}
	return rest, len(some) == 0
}

// GCD is the greatest common divisor of two numbers.
func GCD[N int | int64](a, b N) N {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

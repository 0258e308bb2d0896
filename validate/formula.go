package validate

import (
	"slices"
)

// formula is a condition about sums: s ≥ 0, something that is true or not (an atom), or a combination.
type formula struct {
	op   formulaOp
	s    sum // of isNatural
	atom int // of isAtom and isNoAtom
	kids []formula
}

type formulaOp uint8

const (
	isTrue formulaOp = iota
	isFalse
	isNatural // s ≥ 0
	isAtom
	isNoAtom
	allOf
	anyOf
)

var yes, no = formula{op: isTrue}, formula{op: isFalse}

// natural is s ≥ 0, of integers: 2x - 3 ≥ 0 is x - 2 ≥ 0.
func natural(s sum) formula {
	if n, ok := s.constant(); ok {
		if n >= 0 {
			return yes
		}
		return no
	}
	return formula{op: isNatural, s: reduced(s)}
}

func reduced(s sum) sum {
	d := int64(0)
	for _, p := range s.rest() {
		d = gcd(d, p.n)
	}
	if d <= 1 {
		return s
	}
	out := make(sum, 0, len(s))
	for _, p := range s {
		if p.mono == 0 {
			p.n = floor(p.n, d)
		} else {
			p.n /= d
		}
		if p.n != 0 {
			out = append(out, p)
		}
	}
	return out
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return max(a, -a)
}

func floor(a, b int64) int64 {
	q := a / b
	if a%b != 0 && (a < 0) != (b < 0) {
		q--
	}
	return q
}

func both(fs ...formula) formula   { return combined(allOf, no, yes, fs) }
func either(fs ...formula) formula { return combined(anyOf, yes, no, fs) }

func combined(op formulaOp, decides, nothing formula, fs []formula) formula {
	var kids []formula
	for _, f := range fs {
		switch f.op {
		case decides.op:
			return decides
		case nothing.op:
		case op:
			kids = append(kids, f.kids...)
		default:
			kids = append(kids, f)
		}
	}
	switch len(kids) {
	case 0:
		return nothing
	case 1:
		return kids[0]
	}
	return formula{op: op, kids: kids}
}

func zero(s sum) formula { return both(natural(s), natural(sum(nil).plus(s, -1))) }

func (f formula) not() formula {
	switch f.op {
	case isTrue:
		return no
	case isFalse:
		return yes
	case isNatural:
		return natural(number64(-1).plus(f.s, -1))
	case isAtom:
		f.op = isNoAtom
		return f
	case isNoAtom:
		f.op = isAtom
		return f
	}
	out := make([]formula, len(f.kids))
	for i, k := range f.kids {
		out[i] = k.not()
	}
	if f.op == allOf {
		return either(out...)
	}
	return both(out...)
}

func (f formula) equal(h formula) bool {
	return f.op == h.op && f.atom == h.atom && slices.Equal(f.s, h.s) && slices.EqualFunc(f.kids, h.kids, formula.equal)
}

// with is a condition in which a sum stands for an atom.
func (g *algebra) formulaWith(f formula, atom int, by sum) formula {
	switch f.op {
	case isNatural:
		return natural(g.with(f.s, atom, by))
	case isAtom, isNoAtom:
		if a := g.single(g.atomWith(f.atom, atom, by)); a >= 0 {
			f.atom = a
		}
		return f
	case allOf, anyOf:
		kids := make([]formula, len(f.kids))
		for i, k := range f.kids {
			kids[i] = g.formulaWith(k, atom, by)
		}
		if f.op == allOf {
			return both(kids...)
		}
		return either(kids...)
	}
	return f
}

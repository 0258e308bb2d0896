package linear

import (
	"slices"
)

// Formula is a condition about sums: s ≥ 0, something that is true or not (an atom), or a combination.
type Formula struct {
	Op   Op
	S    Sum // of isNatural
	Atom int // of isAtom and IsNoAtom
	Kids []Formula
}

// Op says what kind of condition a formula is.
type Op uint8

// The kinds of conditions.
const (
	IsTrue Op = iota
	IsFalse
	IsNatural // s ≥ 0
	IsAtom
	IsNoAtom
	AllOf
	AnyOf
)

// Yes and No are always so, and never.
var Yes, No = Formula{Op: IsTrue}, Formula{Op: IsFalse}

// Natural is s ≥ 0, of integers: 2x - 3 ≥ 0 is x - 2 ≥ 0.
func Natural(s Sum) Formula {
	if n, ok := s.Constant(); ok {
		if n >= 0 {
			return Yes
		}
		return No
	}
	return Formula{Op: IsNatural, S: reduced(s)}
}

func reduced(s Sum) Sum {
	d := int64(0)
	for _, p := range s.Rest() {
		d = gcd(d, p.N)
	}
	if d <= 1 {
		return s
	}
	out := make(Sum, 0, len(s))
	for _, p := range s {
		if p.Mono == 0 {
			p.N = Floor(p.N, d)
		} else {
			p.N /= d
		}
		if p.N != 0 {
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

// Floor is a / b, rounded down.
func Floor(a, b int64) int64 {
	q := a / b
	if a%b != 0 && (a < 0) != (b < 0) {
		q--
	}
	return q
}

// Both says that all of some conditions are so, Either that one of them is.
func Both(fs ...Formula) Formula   { return combined(AllOf, No, Yes, fs) }
func Either(fs ...Formula) Formula { return combined(AnyOf, Yes, No, fs) }

func combined(op Op, decides, nothing Formula, fs []Formula) Formula {
	var kids []Formula
	for _, f := range fs {
		switch f.Op {
		case decides.Op:
			return decides
		case nothing.Op:
		case op:
			kids = append(kids, f.Kids...)
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
	return Formula{Op: op, Kids: kids}
}

// Zero is s = 0.
func Zero(s Sum) Formula { return Both(Natural(s), Natural(Sum(nil).Plus(s, -1))) }

// Not is the opposite of a condition.
func (f Formula) Not() Formula {
	switch f.Op {
	case IsTrue:
		return No
	case IsFalse:
		return Yes
	case IsNatural:
		return Natural(Number(-1).Plus(f.S, -1))
	case IsAtom:
		f.Op = IsNoAtom
		return f
	case IsNoAtom:
		f.Op = IsAtom
		return f
	}
	out := make([]Formula, len(f.Kids))
	for i, k := range f.Kids {
		out[i] = k.Not()
	}
	if f.Op == AllOf {
		return Either(out...)
	}
	return Both(out...)
}

// Equal reports whether two conditions are spelled alike.
func (f Formula) Equal(h Formula) bool {
	return f.Op == h.Op && f.Atom == h.Atom && slices.Equal(f.S, h.S) && slices.EqualFunc(f.Kids, h.Kids, Formula.Equal)
}

// FormulaWith is a condition in which a sum stands for an atom.
func (g *Algebra) FormulaWith(f Formula, atom int, by Sum) Formula {
	switch f.Op {
	case IsNatural:
		return Natural(g.With(f.S, atom, by))
	case IsAtom, IsNoAtom:
		if a := g.Single(g.atomWith(f.Atom, atom, by)); a >= 0 {
			f.Atom = a
		}
		return f
	case AllOf, AnyOf:
		kids := make([]Formula, len(f.Kids))
		for i, k := range f.Kids {
			kids[i] = g.FormulaWith(k, atom, by)
		}
		if f.Op == AllOf {
			return Both(kids...)
		}
		return Either(kids...)
	}
	return f
}

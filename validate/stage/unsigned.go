package stage

import (
	"github.com/smux-cuda/smux/validate/linear"
	"strings"
)

// seen is an unsigned number as it is when its size matters: what was computed where that is not negative, and else
// an atom.
func (y *symbolic) seen(v known) linear.Sum {
	if !v.kind.unsigned() || v.fits || y.natural(v.s) && (v.kind == uint64s || y.fits(v.s)) {
		return v.s
	}
	// n - k is n' - k, n' the unsigned n, where that is not negative.
	if parts := y.unsignedParts(v); parts != nil && y.natural(parts) {
		return parts
	}
	return y.wrapped(v.s, v.kind)
}

// fits reports whether a number that is not negative is known to have a place in 32 bits: the number of a thread, two
// ints, one unsigned number, or no more than something that has.
func (y *symbolic) fits(s linear.Sum) bool {
	most, block := int64(0), false
	for _, p := range s {
		if p.N < 0 {
			continue
		}
		a := -1
		if atoms := y.g.Monos[p.Mono]; len(atoms) == 1 {
			a = atoms[0]
		}
		switch {
		case p.Mono == 0:
			most += p.N
		case a >= 0 && strings.HasPrefix(y.g.Atoms[a].Op, "blockIdx"):
			block = true
		case a >= 0 && y.g.Unsigned[a] && p.N == 1:
			most += 1<<32 - 1
		case a >= 0 && p.N <= 2:
			most += p.N * (1<<31 - 1)
		default:
			most = 1 << 40
		}
		most = min(most, 1<<40)
	}
	if block {
		most += 1 << 31
	}
	if most < 1<<32 || y.g.Line(y.path, linear.Number(1<<32-1).Plus(s, -1)) {
		return true
	}
	found := false
	seen := map[int]bool{}
	for _, f := range y.path {
		y.g.AtomsIn(f, func(a int) {
			if !found && !seen[a] {
				seen[a] = true
				one := y.g.Atom(a)
				found = y.g.Line(y.path, one.Plus(s, -1))
			}
		})
	}
	return found
}

// wrapped is an integer as an unsigned one, of which is known that it is not negative.
func (y *symbolic) wrapped(of linear.Sum, kind numberKind) linear.Sum {
	s, fresh := y.g.Of("wrapped"+string('0'+byte(kind)), of)
	if fresh {
		y.g.Know(s, linear.Natural(s))
		y.g.Unsigned[y.g.Single(s)] = true
	}
	return s
}

// unsignedParts is a difference with its first part as an unsigned number; nil for anything that may be larger than
// such a number.
func (y *symbolic) unsignedParts(v known) (out linear.Sum) {
	more := 0
	for _, p := range v.s {
		one := linear.Sum{p}
		if p.N > 0 {
			more++
			if a := y.g.Single(one); p.Mono > 0 && a < 0 {
				return nil
			} else if p.Mono > 0 && !y.natural(one) {
				one = y.wrapped(one, v.kind)
			}
		} else if !y.natural(one.Times(-1)) {
			return nil
		}
		out = out.Plus(one, 1)
	}
	if more != 1 {
		return nil
	}
	return out
}

// natural reports whether a number is known not to be negative.
func (y *symbolic) natural(s linear.Sum) bool {
	simple := true
	for _, p := range s {
		if p.N < 0 {
			simple = false
		}
		for _, a := range y.g.Monos[p.Mono] {
			if fs := y.g.Facts[a]; len(fs) == 0 || fs[0].Op != linear.IsNatural || len(fs[0].S) != 1 || fs[0].S[0].N != 1 {
				simple = false
			}
		}
	}
	return simple || y.g.Line(y.path, s) || y.g.OneOfTwo(s) >= 0 && y.g.Follows(y.path, linear.Natural(s))
}

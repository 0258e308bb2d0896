package validate

import (
	"strings"
)

// seen is an unsigned number as it is when its size matters: what was computed where that is not negative, and else
// an atom.
func (y *symbolic) seen(v known) sum {
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
func (y *symbolic) fits(s sum) bool {
	most, block := int64(0), false
	for _, p := range s {
		if p.n < 0 {
			continue
		}
		a := -1
		if atoms := y.g.monos[p.mono]; len(atoms) == 1 {
			a = atoms[0]
		}
		switch {
		case p.mono == 0:
			most += p.n
		case a >= 0 && strings.HasPrefix(y.g.atoms[a].op, "blockIdx"):
			block = true
		case a >= 0 && y.g.unsigned[a] && p.n == 1:
			most += 1<<32 - 1
		case a >= 0 && p.n <= 2:
			most += p.n * (1<<31 - 1)
		default:
			most = 1 << 40
		}
		most = min(most, 1<<40)
	}
	if block {
		most += 1 << 31
	}
	if most < 1<<32 || y.g.line(y.path, number64(1<<32-1).plus(s, -1)) {
		return true
	}
	found := false
	seen := map[int]bool{}
	for _, f := range y.path {
		y.g.atomsIn(f, func(a int) {
			if !found && !seen[a] {
				seen[a] = true
				one := sum{{y.g.monoOf([]int{a}), 1}}
				found = y.g.line(y.path, one.plus(s, -1))
			}
		})
	}
	return found
}

// wrapped is an integer as an unsigned one, of which is known that it is not negative.
func (y *symbolic) wrapped(of sum, kind numberKind) sum {
	s, fresh := y.g.of("wrapped"+string('0'+byte(kind)), of)
	if fresh {
		y.g.know(s, natural(s))
		y.g.unsigned[y.g.single(s)] = true
	}
	return s
}

// unsignedParts is a difference with its first part as an unsigned number; nil for anything that may be larger than
// such a number.
func (y *symbolic) unsignedParts(v known) (out sum) {
	more := 0
	for _, p := range v.s {
		one := sum{p}
		if p.n > 0 {
			more++
			if a := y.g.single(one); p.mono > 0 && a < 0 {
				return nil
			} else if p.mono > 0 && !y.natural(one) {
				one = y.wrapped(one, v.kind)
			}
		} else if !y.natural(one.times(-1)) {
			return nil
		}
		out = out.plus(one, 1)
	}
	if more != 1 {
		return nil
	}
	return out
}

// natural reports whether a number is known not to be negative.
func (y *symbolic) natural(s sum) bool {
	simple := true
	for _, p := range s {
		if p.n < 0 {
			simple = false
		}
		for _, a := range y.g.monos[p.mono] {
			if fs := y.g.facts[a]; len(fs) == 0 || fs[0].op != isNatural || len(fs[0].s) != 1 || fs[0].s[0].n != 1 {
				simple = false
			}
		}
	}
	return simple || y.g.line(y.path, s) || y.g.oneOfTwo(s) >= 0 && y.g.follows(y.path, natural(s))
}

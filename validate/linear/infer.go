package linear

import (
	"slices"
)

// maxProof bounds what is tried for one proof, in sums looked at, and maxProofs what is for a kernel.
const maxProof, maxProofs = 20_000, 60_000_000

// Follows reports whether a condition is so wherever some others are. False says that it is not known.
func (g *Algebra) Follows(from []Formula, goal Formula) bool {
	switch goal.Op {
	case IsTrue:
		return true
	case IsFalse:
		return g.Never(from)
	case AllOf:
		for _, k := range goal.Kids {
			if !g.Follows(from, k) {
				return false
			}
		}
		return true
	}
	for _, f := range from {
		if f.Equal(goal) || f.Op == AllOf && slices.ContainsFunc(f.Kids, goal.Equal) {
			return true
		}
	}
	return g.Never(g.about(from, goal.Not()))
}

// Line reports whether s ≥ 0 follows without looking at cases.
func (g *Algebra) Line(from []Formula, s Sum) bool {
	goal := Natural(s).Not()
	if goal.Op != IsNatural {
		return goal.Op == IsFalse
	}
	lines := []Sum{goal.S}
	seen := map[int]bool{}
	var take func(fs []Formula)
	take = func(fs []Formula) {
		for _, f := range fs {
			switch f.Op {
			case IsNatural:
				lines = append(lines, f.S)
				g.AtomsIn(f, func(a int) {
					if !seen[a] {
						seen[a] = true
						take(g.Facts[a])
					}
				})
			case AllOf:
				take(f.Kids)
			}
		}
	}
	take([]Formula{goal})
	take(from)
	return g.contradict(lines)
}

// about is a condition with those of some that say something of what it is about, or of what these are about.
func (g *Algebra) about(from []Formula, goal Formula) []Formula {
	out, taken := []Formula{goal}, make([]bool, len(from))
	seen := map[int]bool{}
	var see func(f Formula)
	see = func(f Formula) {
		g.AtomsIn(f, func(a int) {
			if !seen[a] {
				seen[a] = true
				for _, fact := range g.Facts[a] {
					see(fact)
				}
			}
		})
	}
	see(goal)
	for more := true; more; {
		more = false
		for i, f := range from {
			shares := false
			if !taken[i] {
				g.AtomsIn(f, func(a int) {
					shares = shares || seen[a]
					for _, arg := range g.Atoms[a].Args {
						g.AtomsIn(Formula{S: arg}, func(b int) { shares = shares || seen[b] && g.Signed[a] })
					}
				})
			}
			if shares {
				taken[i], more = true, true
				out = append(out, f)
				see(f)
			}
		}
	}
	slices.Reverse(out)
	return out
}

// Never reports whether conditions can't all be so.
func (g *Algebra) Never(fs []Formula) bool {
	seen, all := map[int]bool{}, slices.Clone(fs)
	for i := 0; i < len(all); i++ { // with what is known of the atoms in them
		g.AtomsIn(all[i], func(a int) {
			if !seen[a] {
				seen[a] = true
				all = append(all, g.Facts[a]...)
			}
		})
	}
	g.budget = maxProof
	return g.refuted(all, nil, 6)
}

// AtomsIn calls do for each atom of a condition.
func (g *Algebra) AtomsIn(f Formula, do func(int)) {
	if f.Op == IsAtom || f.Op == IsNoAtom {
		do(f.Atom)
	}
	for _, p := range f.S {
		for _, a := range g.Monos[p.Mono] {
			do(a)
		}
	}
	for _, k := range f.Kids {
		g.AtomsIn(k, do)
	}
}

// refuted tries the cases of conditions with several, the last ones first: those are of the goal.
func (g *Algebra) refuted(fs []Formula, lines []Sum, depth int) bool {
	if g.steps += 1 + len(fs); g.steps > maxProofs {
		panic(TooMuch{})
	}
	if g.budget -= 1 + len(fs); g.budget < 0 {
		return false
	}
	var cases []Formula
	is := map[int]bool{}
	var take func(fs []Formula) bool // false where one can't be
	take = func(fs []Formula) bool {
		for _, f := range fs {
			switch f.Op {
			case IsFalse:
				return false
			case IsNatural:
				lines = append(lines, f.S)
			case IsAtom, IsNoAtom:
				if was, known := is[f.Atom]; known && was != (f.Op == IsAtom) {
					return false
				}
				is[f.Atom] = f.Op == IsAtom
			case AllOf:
				if !take(f.Kids) {
					return false
				}
			case AnyOf:
				cases = append(cases, f)
			}
		}
		return true
	}
	lines = slices.Clone(lines)
	if !take(fs) || g.contradict(lines) {
		return true
	}
	if depth == 0 {
		return false
	}
	var facts []Formula
	for a, b := range is {
		f := Formula{Op: IsAtom, Atom: a}
		if !b {
			f.Op = IsNoAtom
		}
		facts = append(facts, f)
	}
	for n := len(cases) - 1; n >= 0; n-- {
		others := append(slices.Clone(facts), cases[:n]...)
		all := true
		for _, k := range cases[n].Kids {
			if !g.refuted(append(slices.Clone(others), k), lines, depth-1) {
				all = false
				break
			}
		}
		if all {
			return true
		}
	}
	return false
}

// contradict reports whether sums can't all be at least zero, by Fourier's and Motzkin's elimination, rounding as
// integers allow. Where numbers get too large it is not known.
func (g *Algebra) contradict(lines []Sum) (found bool) {
	return Within(func() { found = g.eliminated(lines) }) && found
}

func (g *Algebra) eliminated(lines []Sum) bool {
	var now []Sum
	seen := map[string]bool{}
	add := func(to *[]Sum, s Sum) bool {
		s = reduced(s)
		if n, ok := s.Constant(); ok {
			return n < 0
		}
		if key := s.Key(); !seen[key] {
			seen[key] = true
			*to = append(*to, s)
		}
		return false
	}
	for _, s := range lines {
		if add(&now, s) {
			return true
		}
	}
	for len(now) > 0 {
		ups, downs := map[int]int{}, map[int]int{}
		for _, s := range now {
			for _, p := range s.Rest() {
				if p.N > 0 {
					ups[p.Mono]++
				} else {
					downs[p.Mono]++
				}
			}
		}
		best, cost := -1, 0
		for _, s := range now {
			for _, p := range s.Rest() {
				if c := ups[p.Mono] * downs[p.Mono]; best < 0 || c < cost || c == cost && p.Mono < best {
					best, cost = p.Mono, c
				}
			}
		}
		if best < 0 || cost > 400 {
			return false
		}
		g.steps += cost + len(now)
		g.budget -= cost + len(now)
		var next, up, down []Sum
		for _, s := range now {
			switch n := s.of(best); {
			case n > 0:
				up = append(up, s)
			case n < 0:
				down = append(down, s)
			default:
				next = append(next, s)
			}
		}
		for _, s := range up {
			for _, t := range down {
				a, b := s.of(best), -t.of(best)
				d := gcd(a, b)
				if add(&next, Sum(nil).Plus(s, b/d).Plus(t, a/d)) {
					return true
				}
			}
		}
		now = next
	}
	return false
}

// of is the number before a product.
func (s Sum) of(mono int) int64 {
	for _, p := range s {
		if p.Mono == mono {
			return p.N
		}
	}
	return 0
}

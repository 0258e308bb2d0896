package validate

import (
	"slices"
)

// maxProof bounds what is tried for one proof, in sums looked at, and maxProofs what is for a kernel.
const maxProof, maxProofs = 20_000, 60_000_000

// follows reports whether a condition is so wherever some others are. False says that it is not known.
func (g *algebra) follows(from []formula, goal formula) bool {
	switch goal.op {
	case isTrue:
		return true
	case isFalse:
		return g.never(from)
	case allOf:
		for _, k := range goal.kids {
			if !g.follows(from, k) {
				return false
			}
		}
		return true
	}
	for _, f := range from {
		if f.equal(goal) || f.op == allOf && slices.ContainsFunc(f.kids, goal.equal) {
			return true
		}
	}
	return g.never(g.about(from, goal.not()))
}

// line reports whether s ≥ 0 follows without looking at cases.
func (g *algebra) line(from []formula, s sum) bool {
	goal := natural(s).not()
	if goal.op != isNatural {
		return goal.op == isFalse
	}
	lines := []sum{goal.s}
	seen := map[int]bool{}
	var take func(fs []formula)
	take = func(fs []formula) {
		for _, f := range fs {
			switch f.op {
			case isNatural:
				lines = append(lines, f.s)
				g.atomsIn(f, func(a int) {
					if !seen[a] {
						seen[a] = true
						take(g.facts[a])
					}
				})
			case allOf:
				take(f.kids)
			}
		}
	}
	take([]formula{goal})
	take(from)
	return g.contradict(lines)
}

// about is a condition with those of some that say something of what it is about, or of what these are about.
func (g *algebra) about(from []formula, goal formula) []formula {
	out, taken := []formula{goal}, make([]bool, len(from))
	seen := map[int]bool{}
	var see func(f formula)
	see = func(f formula) {
		g.atomsIn(f, func(a int) {
			if !seen[a] {
				seen[a] = true
				for _, fact := range g.facts[a] {
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
				g.atomsIn(f, func(a int) {
					shares = shares || seen[a]
					for _, arg := range g.atoms[a].args {
						g.atomsIn(formula{s: arg}, func(b int) { shares = shares || seen[b] && g.signed[a] })
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

// never reports whether conditions can't all be so.
func (g *algebra) never(fs []formula) bool {
	seen := map[int]bool{}
	var all, more []formula
	more = fs
	for len(more) > 0 {
		next := more
		more = nil
		for _, f := range next {
			all = append(all, f)
			g.atomsIn(f, func(a int) {
				if !seen[a] {
					seen[a] = true
					more = append(more, g.facts[a]...)
				}
			})
		}
	}
	g.budget = maxProof
	return g.refuted(all, nil, 6)
}

func (g *algebra) atomsIn(f formula, do func(int)) {
	if f.op == isAtom || f.op == isNoAtom {
		do(f.atom)
	}
	for _, p := range f.s {
		for _, a := range g.monos[p.mono] {
			do(a)
		}
	}
	for _, k := range f.kids {
		g.atomsIn(k, do)
	}
}

// refuted tries the cases of conditions with several, the last ones first: those are of the goal.
func (g *algebra) refuted(fs []formula, lines []sum, depth int) bool {
	if g.steps += 1 + len(fs); g.steps > maxProofs {
		panic(tooMuch{})
	}
	if g.budget -= 1 + len(fs); g.budget < 0 {
		return false
	}
	var cases []formula
	is := map[int]bool{}
	var take func(fs []formula) bool // false where one can't be
	take = func(fs []formula) bool {
		for _, f := range fs {
			switch f.op {
			case isFalse:
				return false
			case isNatural:
				lines = append(lines, f.s)
			case isAtom, isNoAtom:
				if was, known := is[f.atom]; known && was != (f.op == isAtom) {
					return false
				}
				is[f.atom] = f.op == isAtom
			case allOf:
				if !take(f.kids) {
					return false
				}
			case anyOf:
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
	var facts []formula
	for a, b := range is {
		f := formula{op: isAtom, atom: a}
		if !b {
			f.op = isNoAtom
		}
		facts = append(facts, f)
	}
	for n := len(cases) - 1; n >= 0; n-- {
		others := append(slices.Clone(facts), cases[:n]...)
		all := true
		for _, k := range cases[n].kids {
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
func (g *algebra) contradict(lines []sum) (found bool) {
	defer func() {
		if v := recover(); v != nil {
			if _, large := v.(tooMuch); !large {
				panic(v)
			}
			found = false
		}
	}()
	var now []sum
	seen := map[string]bool{}
	add := func(to *[]sum, s sum) bool {
		s = reduced(s)
		if n, ok := s.constant(); ok {
			return n < 0
		}
		if key := s.key(); !seen[key] {
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
			for _, p := range s.rest() {
				if p.n > 0 {
					ups[p.mono]++
				} else {
					downs[p.mono]++
				}
			}
		}
		best, cost := -1, 0
		for _, s := range now {
			for _, p := range s.rest() {
				if c := ups[p.mono] * downs[p.mono]; best < 0 || c < cost || c == cost && p.mono < best {
					best, cost = p.mono, c
				}
			}
		}
		if best < 0 || cost > 400 {
			return false
		}
		g.steps += cost + len(now)
		g.budget -= cost + len(now)
		var next, up, down []sum
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
				if add(&next, sum(nil).plus(s, b/d).plus(t, a/d)) {
					return true
				}
			}
		}
		now = next
	}
	return false
}

// of is the number before a product.
func (s sum) of(mono int) int64 {
	for _, p := range s {
		if p.mono == mono {
			return p.n
		}
	}
	return 0
}

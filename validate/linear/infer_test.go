package linear

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
)

// value is a sum for some values of atoms.
func (g *Algebra) value(s Sum, of []int64) (out int64) {
	for _, p := range s {
		n := p.N
		for _, a := range g.Monos[p.Mono] {
			n *= of[a]
		}
		out += n
	}
	return out
}

// is reports whether a condition is so for some values of atoms; an atom as a truth is one that is not 0.
func (g *Algebra) is(f Formula, of []int64) bool {
	switch f.Op {
	case IsTrue, IsFalse:
		return f.Op == IsTrue
	case IsNatural:
		return g.value(f.S, of) >= 0
	case IsAtom, IsNoAtom:
		return (of[f.Atom] != 0) == (f.Op == IsAtom)
	}
	for _, k := range f.Kids {
		if g.is(k, of) != (f.Op == AllOf) {
			return f.Op == AnyOf
		}
	}
	return f.Op == AllOf
}

// randomFormula is a condition on three atoms.
func randomFormula(g *Algebra, r *rand.Rand, atoms []Sum, depth int) Formula {
	if depth > 0 && r.IntN(2) == 0 {
		a, b := randomFormula(g, r, atoms, depth-1), randomFormula(g, r, atoms, depth-1)
		switch r.IntN(3) {
		case 0:
			return Both(a, b)
		case 1:
			return Either(a, b)
		}
		return a.Not()
	}
	s := Number(int64(r.IntN(7) - 3))
	for _, a := range atoms {
		s = s.Plus(a, int64(r.IntN(5)-2))
	}
	if r.IntN(4) == 0 {
		s = s.Plus(g.Product(atoms[r.IntN(3)], atoms[r.IntN(3)]), int64(r.IntN(3)-1))
	}
	if r.IntN(3) == 0 {
		return Zero(s)
	}
	return Natural(s)
}

// What is said to follow is so, for all values of atoms that are tried, and something is said to follow.
func TestWhatFollowsIsSo(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	followed, open := 0, 0
	for range 3000 {
		g := New()
		var atoms []Sum
		for i := range 3 {
			a, _ := g.Of(fmt.Sprint("atom ", i))
			atoms = append(atoms, a)
		}
		from := []Formula{randomFormula(g, r, atoms, 2), randomFormula(g, r, atoms, 1)}
		goal := randomFormula(g, r, atoms, 1)
		if !g.Follows(from, goal) {
			open++
			continue
		}
		followed++
		for x := int64(-4); x <= 4; x++ {
			for y := int64(-4); y <= 4; y++ {
				for z := int64(-4); z <= 4; z++ {
					of := []int64{x, y, z}
					if g.is(from[0], of) && g.is(from[1], of) && !assert.True(t, g.is(goal, of), "%v does not follow from %v where atoms are %v", goal, from, of) {
						return
					}
				}
			}
		}
	}
	assert.Greater(t, followed, 100)
	assert.Greater(t, open, 100)
	t.Logf("%d followed, %d did not or are not known to", followed, open)
}

// What is left in place of an atom has the value of the sum that it stands for.
func TestWithPutsASumForAnAtom(t *testing.T) {
	g := New()
	x, _ := g.Of("x")
	y, _ := g.Of("y")
	s := g.Product(x, x).Plus(y, 3).Shifted(-7)
	by := y.Times(2).Shifted(1)
	now := g.With(s, g.Single(x), by)
	for n := int64(-5); n <= 5; n++ {
		assert.Equal(t, g.value(s, []int64{2*n + 1, n}), g.value(now, []int64{100, n}))
	}
	assert.False(t, g.Holds(now, g.Single(x)))
}

package reuse

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
)

// brute counts the distinct elements, those of one thread, and the sectors of
// a tile, address by address.
func brute(g *geometry, tile int) count {
	elements, own, sectors := map[int64]bool{}, map[int64]bool{}, map[int64]bool{}
	for t := range tile {
		by := int64(t) * g.step
		for _, a := range g.pattern {
			elements[a+by] = true
			for b := range g.bytes {
				sectors[(a+by+b)>>5] = true
			}
		}
		for _, a := range g.own {
			own[a+by] = true
		}
	}
	return count{len(elements), len(own), len(sectors)}
}

// TestCountsEqualEnumeration: past what is enumerated, counting by periods
// gives what enumeration would.
func TestCountsEqualEnumeration(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 300 {
		size := int64(1) << r.IntN(5)
		g := &geometry{bytes: size, period: 1, step: size * []int64{1, -1, 2, 1 << 30}[r.IntN(4)], active: 32}
		if s := max(g.step, -g.step); s < 32 {
			g.period = 32 / int(gcd(s, 32))
		}
		// Rows far apart, each of neighbours: a matrix product, a stencil.
		for row := range int64(1 + r.IntN(4)) {
			for col := range int64(1 + r.IntN(6)) {
				g.pattern = append(g.pattern, row<<55+col*size)
			}
		}
		g.own = g.pattern[:1]
		g.enumerate()
		for _, tile := range []int{1, 3, 8, 15, 16, 17, 31, 64, 100} {
			want := brute(g, tile)
			got := g.at(tile)
			assert.Equal(t, want.elements, got.elements, "tile %d of %+v", tile, g.pattern)
			assert.Equal(t, want.own, got.own)
			assert.InDelta(t, want.sectors, got.sectors, 4, "tile %d, step %d, size %d", tile, g.step, size)
		}
		if t.Failed() {
			return
		}
	}
}

func TestSetCountsDistinctAddresses(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 50 {
		s, want := newSet(4), map[int64]bool{}
		for range r.IntN(3000) {
			a := r.Int64N(500) - 250
			s.add(a)
			want[a] = true
		}
		assert.Equal(t, len(want), s.n)
	}
}

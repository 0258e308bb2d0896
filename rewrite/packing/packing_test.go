package packing_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/smux-cuda/smux/rewrite/packing"
)

func TestPacksIntoTheLargestSumThatIsAliveAtOnce(t *testing.T) {
	for _, c := range []struct {
		name  string
		sizes []int
		apart [][2]int
		bytes int
	}{
		{"one", []int{8}, nil, 8},
		{"two on one another", []int{8, 6}, nil, 8},
		{"two side by side", []int{8, 6}, [][2]int{{0, 1}}, 14},
		{"a pair and one that takes their bytes", []int{8, 20, 6}, [][2]int{{0, 2}}, 20},
		{"a pair that takes more", []int{8, 10, 6}, [][2]int{{0, 2}}, 14},
		{"stage after stage", []int{8, 8, 8}, [][2]int{{0, 1}, {1, 2}}, 16},
		{"two pairs", []int{8, 6, 4, 12}, [][2]int{{0, 1}, {2, 3}}, 16},
		{"four stages", []int{8, 8, 8, 8}, [][2]int{{0, 1}, {1, 2}, {2, 3}}, 16},
	} {
		t.Run(c.name, func(t *testing.T) {
			tree := packing.Pack(c.sizes, among(c.apart))
			assert.Equal(t, c.bytes, tree.Size(c.sizes))
		})
	}
	assert.Nil(t, packing.Pack(nil, nil))
	roomy := packing.Pack([]int{100, 8, 8, 8}, among([][2]int{{1, 2}, {2, 3}}))
	assert.Equal(t, 100, roomy.Size([]int{100, 8, 8, 8}))
	roomy.Each(func(a, b int) { assert.Equal(t, 0, min(a, b), "the small ones have room side by side") })
}

func among(apart [][2]int) func(a, b int) bool {
	return func(a, b int) bool {
		for _, p := range apart {
			if p == [2]int{a, b} || p == [2]int{b, a} {
				return true
			}
		}
		return false
	}
}

// TestNoTwoThatAreApartShareBytes: in layouts of random graphs each array has a place, and
// those that share bytes may.
func TestNoTwoThatAreApartShareBytes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		n := 1 + r.IntN(8)
		sizes, edges, sum := make([]int, n), map[[2]int]bool{}, 0
		for i := range sizes {
			sizes[i] = 4 * (1 + r.IntN(64))
			sum += sizes[i]
			for j := range i {
				edges[[2]int{j, i}] = r.IntN(2) == 0
			}
		}
		apart := func(a, b int) bool { return edges[[2]int{min(a, b), max(a, b)}] }
		tree := packing.Pack(sizes, apart)
		assert.Len(t, tree.Arrays(), n)
		assert.LessOrEqual(t, tree.Size(sizes), sum)
		shares := map[[2]int]bool{}
		tree.Each(func(a, b int) {
			assert.False(t, apart(a, b), "%d and %d of %v", a, b, edges)
			shares[[2]int{min(a, b), max(a, b)}] = true
		})
		inUnions := 0
		for _, u := range tree.Unions() {
			inUnions += len(u.Arrays())
		}
		assert.Equal(t, len(shares) > 0, inUnions > 1)
	}
}

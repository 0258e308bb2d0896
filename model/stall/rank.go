package stall

import (
	"cmp"
	"math"
	"slices"
)

// Variant is a way to write a kernel.
type Variant struct {
	Cycles float64 // of a warp that has the SM to itself, see Cycles
	Warps  float64 // that an SM runs at once
	// Busy is how many cycles of the SM's busiest unit a warp takes, see Mix.Busy; 0
	// where that is not known.
	Busy float64
}

// Cost is how many cycles an SM needs per warp, on average: all its warps take
// Cycles together where they hide each other's stalls, and Warps x Busy where they
// stand in line for a unit, whichever is more.
//
// RegDem scales stall counts by occupancy x MAX_THROUGHPUT / throughput. As the
// paper's formula was not at hand, the second part is how that sentence is read
// here: with twice the warps an instruction waits twice as long for its unit, and
// longer in proportion for a unit that is slower than the rest. Dividing by the
// warps and taking the larger part is this package's: at equal cycles more
// warps never cost more, and past the point where a unit is always busy they gain
// nothing. The cost of a variant that can't run is infinite.
func (v Variant) Cost() float64 {
	if v.Warps <= 0 {
		return math.Inf(1)
	}
	return max(v.Cycles/v.Warps, v.Busy)
}

// Rank returns the indexes of the variants, the least cost first. Of equal costs
// the one with fewer cycles comes first (the warps that it does without hide
// nothing), then the one that stands first in the list.
func Rank(list []Variant) []int {
	out := make([]int, len(list))
	for i := range out {
		out[i] = i
	}
	slices.SortStableFunc(out, func(a, b int) int {
		return cmp.Or(cmp.Compare(list[a].Cost(), list[b].Cost()), cmp.Compare(list[a].Cycles, list[b].Cycles))
	})
	return out
}

package stall

import "math"

// Variant is one form of a kernel.
type Variant struct {
	Cycles float64 // of a warp that has the SM to itself, see Cycles
	Warps  float64 // that an SM runs at once
	// Busy is the number of cycles of the SM's busiest unit that a warp takes, see Mix.Busy; 0
	// if unknown.
	Busy float64
}

// Cost returns how many cycles an SM needs per warp, on average: what the warps stand in
// line for cannot be shared, and what is left of a warp's cycles is divided by
// the warps that wait side by side.
//
// RegDem scales stall counts by occupancy x MAX_THROUGHPUT / throughput (§4, equation
// 2; see RegDem), so that a variant with more warps has more stalls; how the gain of more
// warps enters the comparison its text does not show. Here all
// warps together take
//
//	Cycles + (Warps - 1) x Busy
//
// where each warp adds its turn at the unit with the lowest throughput. It is the
// pessimistic one of the two asymptotic bounds on a closed system (Lazowska and
// others, "Quantitative System Performance", chapter 5); the optimistic one, the larger
// of Cycles/Warps and Busy, has most kernels busy at half of their occupancy and so separates
// no two variants. At equal cycles more warps never cost more, and gain
// less the more there are. The cost of a variant that can't run is infinite.
func (v Variant) Cost() float64 {
	if v.Warps <= 0 {
		return math.Inf(1)
	}
	return v.Busy + max(0, v.Cycles-v.Busy)/max(1, v.Warps)
}

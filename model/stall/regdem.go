package stall

import "math"

// RegDem returns the stall count that RegDem's predictor gives the code of a kernel at an occupancy from 0 to 1 (§4,
// the listing of the predictor, line by line). It is the paper's figure, to be compared with Variant.Cost, which is
// what smux orders by. The two differ in this:
//
//   - Each instruction's stall count is scaled by occupancy x MAX_THROUGHPUT / throughput
//     (equation 2), all of them by occupancy, where Cost has the warps share what they wait for.
//   - A wait is what is left of 200 cycles for global memory, of 24 for shared memory; local
//     memory, special functions and operands that are read count nothing.
//   - A wait in a loop counts in each turn, also for what was loaded before it.
//   - A loop counts ten times, whatever is known of it.
//
// The paper's text at hand ends in the midst of the listing, after the line on loops:
// what it does with functions is not in it.
func RegDem(code []Instruction, occupancy float64) float64 {
	var since [barriers]struct {
		latency float64 // of what set the barrier last
		passed  float64 // stalls since then
	}
	total := 0.0
	for _, in := range code {
		own := float64(in.Stall) * occupancy * max(1, in.Slow)
		latency := 0.0
		switch in.Memory {
		case Global:
			latency = Usual.Global
		case Shared:
			latency = Usual.Shared
		}
		for _, b := range []int{in.Read, in.Write} {
			if b >= 0 && b < barriers {
				since[b].latency, since[b].passed = latency, 0
			}
		}
		waits := 0.0
		for b := range since {
			if in.Wait&(1<<b) != 0 {
				waits += max(0, since[b].latency-since[b].passed)
			}
			since[b].passed += own
		}
		total += (waits + own) * math.Pow(Turns, float64(min(in.Depth, deepest)))
	}
	return total
}

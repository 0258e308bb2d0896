package occupancy

import (
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/model/hardware"
)

// Compute returns the occupancy of demand d on an SM of g.
//
// A kernel that asks for more shared memory than a block gets by default is
// taken to opt in. The error is an *ImpossibleError where not even one block
// can run, and another where d is not a demand at all (no threads,
// something negative). With an *ImpossibleError the result has ByLimit and Limiters
// all the same. It takes no memory where there is no error.
func Compute(g *gpu.GPU, d Demand) (Result, error) {
	if d.Threads <= 0 || d.Registers < 0 || d.Shared < 0 || d.Barriers < 0 {
		return Result{}, invalid(d)
	}
	a := &g.Arch
	warps := warpsOf(d.Threads)

	var r Result
	r.BlockShared = roundUp(min(d.Shared, absurd)+a.SharedReserved, a.SharedGranularity)
	r.Carveout = carveout(g, r.BlockShared)
	r.ByLimit = ByLimit{
		Shared:    sharedLimit(a, r.BlockShared, r.Carveout),
		Registers: registerLimit(a, d.Registers, warps),
		Threads:   threadLimit(a, d.Threads, warps),
		Blocks:    a.BlocksPerSM,
		Barriers:  barrierLimit(a, d.Barriers),
	}
	r.Blocks, r.Limiters = r.ByLimit.min()
	if r.Blocks == 0 {
		return r, impossible(g, d, r.Limiters)
	}
	r.Warps = r.Blocks * warps
	r.Threads = r.Blocks * d.Threads
	r.Occupancy = float64(r.Warps) / float64(a.WarpsPerSM)
	r.WastedShared = r.Carveout - r.Blocks*r.BlockShared
	r.Configured = r.Carveout
	if g.Carveout == 0 {
		r.Configured = nextCarveout(a, r.Blocks*r.BlockShared)
	}
	return r, nil
}

// threadLimit returns the blocks that the warp slots hold.
func threadLimit(a *gpu.Arch, threads, warps int) int {
	if threads > a.ThreadsPerBlock {
		return 0
	}
	return a.WarpsPerSM / warps
}

// barrierLimit returns the blocks that the barriers of the SM suffice for. From
// compute capability 9.0 on an SM has two for each block slot and a block takes
// as many as its kernel uses; before, a block slot comes with all of its own.
func barrierLimit(a *gpu.Arch, barriers int) int {
	if barriers > hardware.BarriersPerBlock {
		return 0
	}
	if barriers == 0 || a.Major < 9 {
		return Unlimited
	}
	return 2 * a.BlocksPerSM / barriers
}

// maxBarriers returns the most barriers with which that many blocks run, at least 1.
func maxBarriers(a *gpu.Arch, blocks int) int {
	if a.Major < 9 {
		return hardware.BarriersPerBlock
	}
	return max(1, min(hardware.BarriersPerBlock, 2*a.BlocksPerSM/blocks))
}

// absurd is more threads or bytes than any block will ever have. Demands are
// counted up to it, so that sums don't overflow.
const absurd = 1 << 25

// warpsOf returns the warps that so many threads of a block make.
func warpsOf(threads int) int { return ceilDiv(min(threads, absurd), hardware.WarpSize) }

func ceilDiv(x, y int) int { return (x + y - 1) / y }

// roundUp returns the least multiple of unit that is not less than x; a unit of 0 or
// 1 leaves x as it is.
func roundUp(x, unit int) int {
	if unit <= 1 {
		return x
	}
	return ceilDiv(x, unit) * unit
}

// roundDown returns the greatest multiple of unit that is at most x.
func roundDown(x, unit int) int {
	if unit <= 1 {
		return x
	}
	return x / unit * unit
}

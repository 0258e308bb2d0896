package occupancy

import (
	"sort"

	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/model/hardware"
)

// sharedLimit returns the blocks that fit a carve-out, where each takes block bytes, rounding and reserve included.
func sharedLimit(a *gpu.Arch, block, carveout int) int {
	if block == 0 {
		return Unlimited
	}
	if block > sharedPerBlock(a)+a.SharedReserved {
		return 0
	}
	return carveout / block
}

// sharedPerBlock returns the most shared bytes that a kernel can ask for.
func sharedPerBlock(a *gpu.Arch) int { return max(a.SharedPerBlock, a.SharedPerBlockOptin) }

// carveout returns the shared bytes that an SM of g has for blocks that take block bytes each. A carve-out that was
// asked for is a preference: one too small for a single block gives way, from compute capability 7.0 on to the next
// that holds it, on 3.x to the largest. On 2.x it would, too; but who sets a board of that age to 16 kB has the
// published experiments in mind, which keep within them, so there it is a bound.
func carveout(g *gpu.GPU, block int) int {
	a := &g.Arch
	if g.Carveout == 0 {
		return largestCarveout(a)
	}
	asked := nextCarveout(a, g.Carveout)
	switch {
	case asked >= block || a.Major < 3:
		return asked
	case a.Major >= 7:
		return nextCarveout(a, block)
	default:
		return largestCarveout(a)
	}
}

// nextCarveout returns the smallest carve-out that has at least that many bytes, or else the largest there is.
func nextCarveout(a *gpu.Arch, bytes int) int {
	for _, c := range a.Carveouts {
		if c >= bytes {
			return c
		}
	}
	return largestCarveout(a)
}

// largestCarveout returns all the shared memory of an SM; where the table gives no
// carve-outs, as much as a block can have.
func largestCarveout(a *gpu.Arch) int {
	if n := len(a.Carveouts); n > 0 {
		return a.Carveouts[n-1]
	}
	return sharedPerBlock(a)
}

// registerLimit returns the blocks that the register files hold.
//
// Compute capability 1.x gives registers to blocks, later ones to warps. A warp takes them from the register file of
// one of the SM's sub-partitions, and what is left over in each is of no use to a warp in another. (The calculator
// sheets round the warps that fit down to a multiple of the partitions, which is the same.)
func registerLimit(a *gpu.Arch, registers, warps int) int {
	if registers == 0 {
		return Unlimited
	}
	if registers > a.RegistersPerThread {
		return 0
	}
	block := blockRegisters(a, registers, warps)
	if block > a.RegistersPerBlock {
		return 0
	}
	if a.RegistersByBlock {
		return a.RegistersPerSM / block
	}
	parts := partitions(a)
	perPart := a.RegistersPerSM / parts / warpRegisters(a, registers)
	return perPart * parts / warps
}

// blockRegisters returns the registers that the hardware checks a block against: it
// counts the block's warps as though each of LaunchPartitions held equally many.
func blockRegisters(a *gpu.Arch, registers, warps int) int {
	if a.RegistersByBlock {
		return roundUp(roundUp(warps, a.WarpGranularity)*hardware.WarpSize*registers, a.RegisterGranularity)
	}
	parts := a.LaunchPartitions
	if parts == 0 { // as in a board that is not of the table
		parts = partitions(a)
	}
	return roundUp(warps, parts) * warpRegisters(a, registers)
}

// warpRegisters returns the registers that a warp takes.
func warpRegisters(a *gpu.Arch, registers int) int {
	return roundUp(registers*hardware.WarpSize, a.RegisterGranularity)
}

// partitions returns the register files of the SM; a table that leaves them out means one.
func partitions(a *gpu.Arch) int { return max(a.SubPartitions, 1) }

// MaxRegisters returns the most registers per thread with which the register files of an SM hold that many blocks of
// that many threads; 0 where they don't even with 1.
func MaxRegisters(g *gpu.GPU, threads, blocks int) int {
	a := &g.Arch
	warps := warpsOf(threads)
	return sort.Search(a.RegistersPerThread, func(n int) bool {
		return registerLimit(a, n+1, warps) < blocks
	})
}

// MaxShared returns the most shared bytes per block (without what the system reserves) with which the shared memory
// of an SM holds that many blocks; -1 where it doesn't even with none.
//
// Where the board's carve-out is set, a block that is larger than it gets a
// larger one, so that smaller blocks need not fit as often.
func MaxShared(g *gpu.GPU, blocks int) int {
	most := sharedWithin(&g.Arch, carveout(g, 0), blocks)
	for _, c := range g.Arch.Carveouts {
		bytes := sharedWithin(&g.Arch, c, blocks)
		if bytes <= most {
			continue
		}
		block := bytes + g.Arch.SharedReserved
		if sharedLimit(&g.Arch, block, carveout(g, block)) >= blocks {
			most = bytes
		}
	}
	return most
}

// sharedWithin returns the most shared bytes per block with which one carve-out holds
// that many blocks, -1 where it doesn't with none.
func sharedWithin(a *gpu.Arch, carveout, blocks int) int {
	block := min(carveout/max(blocks, 1), sharedPerBlock(a)+a.SharedReserved)
	return max(-1, roundDown(block, a.SharedGranularity)-a.SharedReserved)
}

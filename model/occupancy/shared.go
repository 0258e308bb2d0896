package occupancy

import "github.com/smux-cuda/smux/model/gpu"

// sharedLimit returns the blocks that fit a carve-out, where each takes block
// bytes, rounding and reserve included.
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

// carveout returns the shared bytes that an SM of g has for blocks that take block
// bytes each. A carve-out that was asked for is a preference: one too small for
// a single block gives way, from compute capability 7.0 on to the next that
// holds it, on 3.x to the largest. On 2.x it would, too; but who sets a board of
// that age to 16 kB has the published experiments in mind, which keep within
// them, so there it is a bound.
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

// nextCarveout returns the smallest carve-out that has at least that many bytes, or
// else the largest there is.
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

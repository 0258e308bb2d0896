package occupancy

import (
	"sort"

	"github.com/smux-cuda/smux/model/gpu"
)

// MaxRegisters returns the most registers per thread with which the register files
// of an SM hold that many blocks of that many threads; 0 where they don't even
// with 1.
func MaxRegisters(g *gpu.GPU, threads, blocks int) int {
	a := &g.Arch
	warps := warpsOf(threads)
	return sort.Search(a.RegistersPerThread, func(n int) bool {
		return registerLimit(a, n+1, warps) < blocks
	})
}

// MaxShared returns the most shared bytes per block (without what the system
// reserves) with which the shared memory of an SM holds that many blocks; -1
// where it doesn't even with none.
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

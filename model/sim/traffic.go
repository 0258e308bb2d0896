package sim

import (
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/model/workload"
)

// Traffic counts what the accesses of a thread block to global memory move, in bytes.
type Traffic struct {
	Loads float64 // that loads ask for
	L2    float64 // of these, what the L1 has not
	DRAM  float64 // of these, what the L2 has not
	// Stores counts what its stores move.
	Stores float64
}

// TrafficOf returns what a thread block of a kernel moves where so many are on each SM of g.
func TrafficOf(g *gpu.GPU, k *workload.Kernel, blocks int) Traffic {
	pl, err := Place(g, k, Policy{})
	if err != nil {
		return Traffic{}
	}
	c := newCosts(g, k, blocks, g.Arch.UnifiedBytes-pl.Static.Configured, defaultILP)
	work, _ := workload.Total(k.Body)
	b := builder{costs: c}
	warps := float64(warpsOf(k.Threads))
	t := Traffic{Stores: work.Stores * warps}
	if work.Loads > 0 {
		o := b.bytes(opLoad, work)
		t.Loads, t.L2, t.DRAM = work.Loads*warps, o.amount*warps, o.dram*warps
	}
	return t
}

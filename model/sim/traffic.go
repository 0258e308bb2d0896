package sim

import (
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/model/workload"
)

// Traffic is what the global loads of a thread block move, in bytes.
type Traffic struct {
	Loads float64 // that they ask for
	L2    float64 // of these, what the L1 has not
	DRAM  float64 // of these, what the L2 has not
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
	if work.Loads <= 0 {
		return Traffic{}
	}
	o := b.bytes(opLoad, work)
	warps := float64(warpsOf(k.Threads))
	return Traffic{Loads: work.Loads * warps, L2: o.amount * warps, DRAM: o.dram * warps}
}

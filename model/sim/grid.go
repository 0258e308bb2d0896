package sim

import (
	"fmt"

	"github.com/smux-cuda/smux/internal/prose"
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/model/workload"
)

// AboutGrid says what Run takes for the grid of a kernel where that decides what more thread
// blocks on an SM are good for: it is not known, and taken to fill the GPU, or it is too small to.
// Else it is "".
func AboutGrid(g *gpu.GPU, k *workload.Kernel) string {
	base, err := Place(g, k, Policy{})
	switch {
	case err != nil:
		return ""
	case k.Blocks == 0:
		return "the number of launched thread blocks is unknown: assuming as many as fill the GPU"
	case k.Blocks < base.Resident*g.SMs:
		return fmt.Sprintf("the launch has %s, and %s runs %d at once: more of them on an SM gain nothing", prose.Count(k.Blocks, "thread block"), g, base.Resident*g.SMs)
	}
	return ""
}

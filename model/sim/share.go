package sim

import (
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/model/workload"
)

// RegionShare returns the part of a thread block's cycles that lies in regions when it
// has an SM of g for itself, from 0 to 1: what turns with one copy of the shared memory
// can't overlap (PACT'12 §3 reports 25.6 % for its ten benchmarks).
func RegionShare(g *gpu.GPU, k *workload.Kernel) (float64, error) {
	r, err := Run(g, k, Policy{}, Options{Blocks: 1, Timeline: true})
	if err != nil {
		return 0, err
	}
	in := 0.0
	for _, s := range r.Timeline {
		if s.Kind == Region {
			in += s.End - s.Start
		}
	}
	return in / r.Cycles, nil
}

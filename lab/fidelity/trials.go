package fidelity

import (
	"errors"

	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/model/sim"
	"github.com/smux-cuda/smux/model/workload"
)

// column is a variant that the trials were written in.
type column struct {
	name   string
	policy string
}

var columns = []column{
	{"vtb block", "vtb:block:N=2"},
	{"vtb-pipe", "vtb-pipe:block:N=2"},
	{"vtb named", "vtb:named:N=2"},
	{"dyn N=4", "dyn:lock:N=4:M=1"},
	{"co-vtb block", "co-vtb:block:N=2:P=0.6667"}, // 16 of 24 rows
	{"co-vtb named", "co-vtb:named:N=2:P=0.6667"},
}

// measured is the trials' speed-up over the original, in the order of columns; 0
// where there was none. FFT is over the original that knows its block shape: what
// the other forms gain by that alone, a factor of 1.23, is not a matter of policy.
var measured = map[string][]float64{
	"FFT": {1.14, 1.05, 1.62, 1.83, 0, 0},
	"MV":  {0.76, 0.76, 1.09, 1.14, 0, 0},
	"SP":  {0.81, 0.75, 1.04, 0.92, 0, 0},
	"MC":  {1.08, 1.04, 1.07, 1.02, 1.30, 1.50},
}

// TrialBlocks is the grid that the trial programs launch by default. It is small:
// an SM of a GTX480 gets six or seven blocks, so that what a policy rounds up to
// whole launched blocks counts.
const TrialBlocks = 96

// Cell is one variant of one kernel.
type Cell struct {
	Kernel, Variant     string
	Measured, Simulated float64 // speed-up over the original
}

// Trials simulates the trials for a grid of so many thread blocks; 0 is a grid
// without end.
func Trials(blocks int, opt sim.Options) ([]Cell, error) {
	g, err := gpu.Lookup("gtx480@16")
	if err != nil {
		return nil, err
	}
	var cells []Cell
	for _, k := range trials {
		w, err := k.workload()
		if err != nil {
			return nil, err
		}
		w.Blocks = blocks
		for i, c := range columns {
			if measured[k.name][i] == 0 {
				continue
			}
			ratio, err := speedup(g, w, c.policy, opt)
			if err != nil {
				return nil, err
			}
			cells = append(cells, Cell{k.name, c.name, measured[k.name][i], ratio})
		}
	}
	return cells, nil
}

// speedup returns the original's time over a policy's; 1 where the policy is
// unavailable, since the original runs then.
func speedup(g *gpu.GPU, w *workload.Kernel, policy string, opt sim.Options) (float64, error) {
	p, err := sim.ParsePolicy(policy)
	if err != nil {
		return 0, err
	}
	base, err := sim.Run(g, w, sim.Policy{}, opt)
	if err != nil {
		return 0, err
	}
	r, err := sim.Run(g, w, p, opt)
	var illegal *sim.IllegalError
	if errors.As(err, &illegal) {
		return 1, nil
	}
	if err != nil {
		return 0, err
	}
	return base.CyclesPerBlock / r.CyclesPerBlock, nil
}

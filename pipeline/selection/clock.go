package selection

import (
	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/cost"
	"github.com/smux-cuda/smux/model/sim"
	"github.com/smux-cuda/smux/model/workload"
)

// Clock is how many cycles an SM takes for each thread block of the original
// launch, on average, where the blocks run under a policy.
type Clock func(Place, sim.Policy) (float64, error)

// Simulated returns the Clock of model/sim.
func Simulated(p Place, policy sim.Policy) (float64, error) {
	r, err := sim.Run(p.GPU, p.Work, policy, sim.Options{})
	if err != nil {
		return 0, err
	}
	return r.CyclesPerBlock, nil
}

// workOf returns the work of a thread block of the original, from static counts or,
// where there are any, a compiler's, with what a rewrite moves out of regions. Its registers are put in for each GPU.
func workOf(k *analysis.Kernel, in *analysis.Instance, lines []cost.Line, moved cost.Moved) (*workload.Kernel, error) {
	return cost.Of(k, in, cost.Options{Registers: unknownRegisters, Lines: lines, Moved: moved})
}

// unknownRegisters keeps package cost from estimating them.
const unknownRegisters = 1

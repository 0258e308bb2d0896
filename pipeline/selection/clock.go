package selection

import (
	"sync"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/cost"
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/model/sim"
	"github.com/smux-cuda/smux/model/workload"
)

// Clock returns the cycles that an SM takes for each thread block of the original
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

// Once returns a clock that asks another one once for equal work: the kernels of a generated file
// differ in little, and so do the forms of one kernel. It is safe for concurrent use.
func Once(clock Clock) Clock {
	type asked struct {
		gpu    *gpu.GPU
		policy sim.Policy
		work   string
	}
	var mu sync.Mutex
	known := map[asked]float64{}
	return func(p Place, policy sim.Policy) (float64, error) {
		key := asked{p.GPU, policy, p.Work.Key()}
		mu.Lock()
		cycles, ok := known[key]
		mu.Unlock()
		if ok {
			return cycles, nil
		}
		cycles, err := clock(p, policy)
		if err == nil { // an error names the kernel
			mu.Lock()
			known[key] = cycles
			mu.Unlock()
		}
		return cycles, err
	}
}

// workOf returns the work of a thread block of the original, from static counts or,
// where there are any, a compiler's, with what a rewrite moves out of regions. Its registers are put in for each GPU.
// Static counts are made once: GPUs have no part in them, and callers change copies.
func workOf(k *analysis.Kernel, in *analysis.Instance, lines []cost.Line, moved cost.Moved) (*workload.Kernel, error) {
	count := func() (w counts) {
		w.work, w.err = cost.Of(k, in, cost.Options{Registers: unknownRegisters, Lines: lines, Moved: moved})
		return w
	}
	if len(lines) > 0 {
		w := count()
		return w.work, w.err
	}
	type key struct {
		k     *analysis.Kernel
		in    *analysis.Instance
		grid  [3]int64
		moved cost.Moved
	}
	w := analysis.Once(&k.Prog.Memo, key{k, in, in.UsualGrid, moved}, count)
	return w.work, w.err
}

// unknownRegisters keeps package cost from estimating them.
const unknownRegisters = 1

package papers

import (
	"fmt"
	"strings"

	"github.com/smux-cuda/smux/lab/fidelity"
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/model/sim"
	"github.com/smux-cuda/smux/model/workload"
)

// throughput is one of PACT'12's Figures 12 and 13: floating-point operations per second
// over the size of the problem.
type throughput struct {
	figure, kernel, size string
	sizes                []int
	blocks               func(size int) int     // thread blocks of the grid
	flop                 func(size int) float64 // operations of the whole problem
}

var throughputs = []throughput{
	{"Figure 12", "MV", "rows of 1024 columns", []int{8 << 10, 16 << 10, 32 << 10, 64 << 10, 128 << 10},
		func(rows int) int { return rows / 32 }, func(rows int) float64 { return 2 * 1024 * float64(rows) }},
	{"Figure 13", "FFT", "transforms of 1024 points", []int{128, 256, 512, 1024, 2048},
		func(batch int) int { return batch }, func(batch int) float64 { return 5 * 1024 * 10 * float64(batch) }},
}

// machines and policies are the labels of the figures.
var (
	machines = []string{"gtx480@16", "gtx480@48"}
	policies = []string{"baseline", "vtb-pipe:block:N=2:even"}
)

// gflops simulates one point.
func (f throughput) gflops(k *workload.Kernel, machine, policy string, size int) (float64, error) {
	g, err := gpu.Lookup(machine)
	if err != nil {
		return 0, err
	}
	p, err := sim.ParsePolicy(policy)
	if err != nil {
		return 0, err
	}
	w := *k
	w.Registers = min(w.Registers, g.Arch.RegistersPerThread)
	perSM := (f.blocks(size) + g.SMs - 1) / g.SMs
	r, err := sim.Run(g, &w, p, sim.Options{Blocks: perSM})
	if err != nil {
		return 0, err
	}
	return f.flop(size) / (r.Cycles / (g.ClockMHz * 1e6)) / 1e9, nil
}

func writeThroughput(out *strings.Builder) error {
	kernels, err := fidelity.Kernels()
	if err != nil {
		return err
	}
	for _, f := range throughputs {
		fmt.Fprintf(out, "### PACT'12, %s: %s on a GTX 480, simulated GFLOPS\n\n| %s | 16K_BL | 16K_VTB_pipe | 48K_BL | 48K_VTB_pipe |\n|---|---:|---:|---:|---:|\n", f.figure, f.kernel, f.size)
		var sums [4]float64
		most := 0.0
		for _, size := range f.sizes {
			var row [4]float64
			for i := range row {
				for _, k := range kernels {
					if k.Name == f.kernel {
						if row[i], err = f.gflops(k, machines[i/2], policies[i%2], size); err != nil {
							return err
						}
					}
				}
				sums[i] += row[i] / float64(len(f.sizes))
			}
			most = max(most, row[3]/row[2])
			fmt.Fprintf(out, "| %d | %.1f | %.1f | %.1f | %.1f |\n", size, row[0], row[1], row[2], row[3])
		}
		fmt.Fprintf(out, "| mean | %.1f | %.1f | %.1f | %.1f |\n\n48K_VTB_pipe over 48K_BL: %.2f on average, %.2f at most.\n\n", sums[0], sums[1], sums[2], sums[3], sums[3]/sums[2], most)
	}
	return nil
}

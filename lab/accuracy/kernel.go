package accuracy

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"slices"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/cost"
	"github.com/smux-cuda/smux/analysis/instance"
	"github.com/smux-cuda/smux/analysis/passes"
	"github.com/smux-cuda/smux/analysis/summary"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/model/occupancy"
	"github.com/smux-cuda/smux/nvcc"
	"github.com/smux-cuda/smux/parser"
)

// assumedThreads are those of a block that no launch in view gives.
const assumedThreads = 256

// kernel is an instance of a kernel: registers as estimated, and as nvcc gives them.
type kernel struct {
	name     string
	at       diag.Position
	estimate int
	nvcc     int
	limited  bool // by registers, as estimated
	truly    bool // by registers, as nvcc reports
	same     bool // as many thread blocks run at once with either
}

func (k kernel) off() int { return k.estimate - k.nvcc }

// heldOut reports in which part a kernel is.
func (k kernel) heldOut() bool {
	h := fnv.New32a()
	h.Write([]byte(k.name))
	return h.Sum32()%4 == 3
}

func (k kernel) String() string {
	wrong := ""
	switch {
	case k.limited && !k.truly:
		wrong = " falsely limited"
	case k.truly && !k.limited:
		wrong = " limit missed"
	}
	return fmt.Sprintf("%+4d %4d %4d %s %s:%d%s", k.off(), k.estimate, k.nvcc, k.name, k.at.File, k.at.Line, wrong)
}

// compare returns the kernels of a program that nvcc made code of.
func compare(prog *parser.Program, compiled []nvcc.Kernel, g *gpu.GPU) []kernel {
	var out []kernel
	for _, k := range passes.NewProgram(prog, [3]int{}).Kernels() {
		instances := k.Instances
		if len(instances) == 0 {
			instances = []*analysis.Instance{{}}
		}
		var all []kernel
		for _, in := range instances {
			if c := instance.Compiled(compiled, k, in); c != nil {
				all = append(all, compareInstance(k, in, c, g))
			}
		}
		if len(all) > 0 {
			slices.SortFunc(all, func(a, b kernel) int { return cmp.Compare(a.off(), b.off()) })
			out = append(out, all[len(all)/2])
		}
	}
	return out
}

func compareInstance(k *analysis.Kernel, in *analysis.Instance, c *nvcc.Kernel, g *gpu.GPU) kernel {
	out := kernel{name: k.Name, at: summary.Position(k), estimate: cost.Registers(k, in, 0), nvcc: c.Registers}
	d := occupancy.Demand{Threads: assumedThreads, Shared: c.StaticShared + in.DynamicBytes}
	if shape, ok := in.BlockShape(); ok {
		d.Threads = shape[0] * shape[1] * shape[2]
	}
	var guessed, real int
	out.limited, guessed = limitedByRegisters(g, d, out.estimate)
	out.truly, real = limitedByRegisters(g, d, out.nvcc)
	out.same = guessed == real
	return out
}

// limitedByRegisters reports whether fewer registers alone let more thread blocks run,
// and how many run now.
func limitedByRegisters(g *gpu.GPU, d occupancy.Demand, registers int) (bool, int) {
	d.Registers = registers
	now, _ := occupancy.Compute(g, d) // with an error none runs
	steps, _ := occupancy.RegisterSteps(g, d)
	return len(steps) > 0, now.Blocks
}

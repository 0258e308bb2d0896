package modelcheck

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/cost"
	"github.com/smux-cuda/smux/analysis/passes"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/model/hardware"
	"github.com/smux-cuda/smux/model/occupancy"
	"github.com/smux-cuda/smux/model/sim"
	"github.com/smux-cuda/smux/model/timing"
	"github.com/smux-cuda/smux/model/workload"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/tune/record"
)

// Predictor says by the model how many thread blocks of a configuration run at once, how long the kernel runs, and how often the
// hardware's counters count. It analyses the source with the configuration's macros, and counts its work (analysis/cost).
// Registers are those of the record, or an estimate. Equal configurations have equal predictions. Goroutines may share it.
type Predictor struct {
	Name   string // of the source file
	Source []byte
	Parse  parser.Options // Defines are those besides the configuration's
	Shapes Shapes
	Closed bool // predict by the closed form of the time model, not by the simulation

	mu     sync.Mutex
	worked map[string]func() worked
}

type worked struct {
	work *workload.Kernel
	own  int // bytes of static shared memory
	err  error
}

// Prediction holds what the model says of a configuration.
type Prediction struct {
	Launch    record.Grid
	Registers int
	Recorded  bool // Registers are those of the record
	Shared    int
	Static    occupancy.Result
	// Impossible says why no thread block of it can run; the rest is then 0.
	Impossible   string
	Milliseconds float64
	Counts       Counts
}

// Of predicts a variant on a GPU. With an error nothing is known of its time, and of what fits only with a prediction.
func (k *Predictor) Of(v *record.MeasuredVariant, g *gpu.GPU) (*Prediction, error) {
	constants, ok := v.Configuration().Constants()
	if !ok {
		return nil, fmt.Errorf("%q is not a configuration", v.Configuration())
	}
	launch, noGrid, err := k.Shapes.launch(v, constants)
	if err != nil {
		return nil, err
	}
	w := k.work(v, constants, launch, g.Arch.RegistersPerSM/g.Arch.ThreadsPerSM)
	if w.err != nil {
		return nil, w.err
	}
	work := *w.work
	p := &Prediction{Launch: launch, Registers: work.Registers, Shared: work.Shared}
	if v.Registers > 0 {
		p.Registers, p.Recorded = v.Registers, true
	}
	work.Registers = p.Registers
	work.Grid = launch.Grid
	work.Blocks = launch.Grid[0] * launch.Grid[1] * launch.Grid[2]
	p.Static, err = occupancy.Compute(g, occupancy.Demand{Threads: work.Threads, Registers: work.Registers, Shared: work.Shared})
	switch {
	case w.own > g.Arch.SharedPerBlock: // whatever its registers are
		p.Impossible = fmt.Sprintf("%d bytes of static shared memory; a thread block gets at most %d", w.own, g.Arch.SharedPerBlock)
	case err != nil:
		p.Impossible = err.Error()
	}
	if p.Impossible != "" {
		p.Static = occupancy.Result{}
		return p, nil
	}
	if noGrid != nil {
		return p, noGrid
	}
	return p, p.time(g, &work, k.Closed)
}

// work returns the work of a thread block, counted once for all configurations with the same macros in the source.
func (k *Predictor) work(v *record.MeasuredVariant, constants []record.Constant, launch record.Grid, full int) worked {
	defines, used := k.defines(v.Subject, constants, launch)
	opt := cost.Options{Full: full}
	if v.Registers > 0 {
		opt = cost.Options{Registers: 1} // any number: it is not estimated then, which takes as long as all else
	}
	key := fmt.Sprint(v.Subject.Kernel, used, launch.Block, opt.Registers, opt.Full)
	k.mu.Lock()
	if k.worked == nil {
		k.worked = map[string]func() worked{}
	}
	w := k.worked[key]
	if w == nil {
		w = sync.OnceValue(func() worked { return k.count(v.Subject.Kernel, defines, launch.Block, opt) })
		k.worked[key] = w
	}
	k.mu.Unlock()
	return w()
}

// defines returns the macros of a configuration, also Kernel Tuner's own, and those that the source (or an #include) may use.
func (k *Predictor) defines(of record.Subject, constants []record.Constant, launch record.Grid) (all, used []string) {
	all = slices.Clone(k.Parse.Defines)
	for _, c := range constants {
		all = append(all, c.Name+"="+c.Value)
	}
	if of.Tuner == "Kernel Tuner" {
		all = append(all, "kernel_tuner=1", fmt.Sprint("grid_size_x=", launch.Grid[0]), fmt.Sprint("grid_size_y=", launch.Grid[1]), fmt.Sprint("grid_size_z=", launch.Grid[2]))
	}
	named := map[string]bool{}
	for _, word := range parser.Words(string(k.Source)) {
		named[word] = true
	}
	if named["include"] {
		return all, all
	}
	for _, d := range all {
		if name, _, _ := strings.Cut(d, "="); named[name] {
			used = append(used, d)
		}
	}
	return all, used
}

func (k *Predictor) count(kernel string, defines []string, block [3]int, opt cost.Options) (w worked) {
	parse := k.Parse
	parse.Defines = defines
	f, err := parser.Parse(k.Name, k.Source, parse)
	if err != nil {
		return worked{err: err}
	}
	at := slices.IndexFunc(f.Functions, func(f *parser.Function) bool { return f.IsKernel() && f.Body != nil && f.Name == kernel })
	if at < 0 {
		return worked{err: diag.Usagef("name the file that has it, or choose records with --kernel", "--source %s has no kernel %s", k.Name, kernel)}
	}
	program := passes.NewProgram(parser.NewProgram([]*parser.File{f}, parse), block)
	program.Skip = []string{"regions"} // nothing is merged here, and of a kernel with shared arrays they take a quarter of the time
	a := program.Kernel(f, f.Functions[at])
	in := &analysis.Instance{}
	if at := slices.IndexFunc(a.Instances, func(in *analysis.Instance) bool { return in.Told }); at >= 0 {
		in = a.Instances[at]
	} else if len(a.Instances) > 0 {
		in = a.Instances[0]
	}
	var impossible *cost.ImpossibleError
	if w.work, err = cost.Of(a, in, opt); errors.As(err, &impossible) {
		err = errors.New(impossible.Reason)
	}
	if w.err = err; err == nil {
		w.own = w.work.Shared - in.DynamicBytes
	}
	return w
}

// Counts hold what the hardware counts over a run of the kernel, as the model has it. Sectors have 32 bytes.
type Counts struct {
	Instructions float64 // of warps
	Wavefronts   float64 // of shared memory
	L2Read       float64 // sectors that loads ask of the L2: what the L1 does not have
	L2Write      float64 // sectors that stores pass to the L2
	DRAM         float64 // sectors that go to or come from the DRAM
}

const sector = 32

// time fills in how long the kernel runs and what is counted.
func (p *Prediction) time(g *gpu.GPU, w *workload.Kernel, closed bool) error {
	r, err := sim.Run(g, w, sim.Policy{}, sim.Options{})
	if err != nil {
		return err
	}
	perSM := float64(w.Blocks) / float64(g.SMs)
	cycles := r.CyclesPerBlock * perSM
	if closed {
		t := timing.Estimate(g, w, p.Static.Blocks)
		cycles = t.Total
	}
	p.Milliseconds = cycles / (g.ClockMHz * 1e3)

	work, _ := workload.Total(w.Body)
	warps := float64((w.Threads + hardware.WarpSize - 1) / hardware.WarpSize * w.Blocks)
	// As in package sim: loads hit the L1 again in so far as the footprints of all resident thread blocks fit.
	l1 := float64(g.Arch.UnifiedBytes - r.Static.Configured)
	near := w.Kept(r.Resident, w.Footprint*float64(r.Resident), l1)
	p.Counts = Counts{
		Instructions: work.Issue * warps, Wavefronts: work.Shared * warps,
		L2Read: (work.Loads - near*work.Again) * warps / sector, L2Write: work.Stores * warps / sector,
		DRAM: r.Memory * r.Cycles * g.BytesPerCycle() / sector / float64(r.Blocks) * float64(w.Blocks),
	}
	return nil
}

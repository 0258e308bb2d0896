package space

import (
	"cmp"
	"fmt"
	"sync"

	"github.com/smux-cuda/smux/acc"
	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/cost"
	"github.com/smux-cuda/smux/analysis/usual"
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/model/occupancy"
	"github.com/smux-cuda/smux/model/sim"
	"github.com/smux-cuda/smux/model/timing"
	"github.com/smux-cuda/smux/model/workload"
	"github.com/smux-cuda/smux/rewrite"
)

// count adds what the model says of a kernel for a mapping, and for what is staged of it, if that can be counted.
func (f *found) count(k *analysis.Kernel, m acc.Mapping, staged rewrite.Variant, gpus []*gpu.GPU) {
	if f.uncounted != "" {
		return
	}
	fail := func(why string) {
		if staged.Rewriter == "" {
			f.uncounted = why
		}
	}
	in := usual.Counted(k)[0]
	work, err := cost.Of(k, in, cost.Options{Registers: 1, Large: true}) // registers are put in by GPU
	switch {
	case err != nil:
		fail("it can't be counted: " + err.Error())
		return
	case work.Guessed:
		fail("it can't be counted: how often a loop in it runs depends on data")
		return
	case work.Blocks == 0:
		fail("it can't be counted: the number of launched thread blocks is unknown")
		return
	}
	p := &point{Mapping: m, staged: staged, blocks: work.Blocks}
	p.rows = make([]Row, len(gpus))
	errs := make([]error, len(gpus))
	var all sync.WaitGroup // simulating takes most of the time, and one GPU knows nothing of another
	for i, g := range gpus {
		w := *work
		w.Registers = f.registersOf(k, in, m, staged, g)
		all.Go(func() { p.rows[i], errs[i] = f.time(g, &w, m) })
	}
	all.Wait()
	for i := range gpus {
		if errs[i] != nil {
			fail(errs[i].Error())
			return
		}
		p.rows[i].Block, p.rows[i].Scheme, p.rows[i].Grid = m.Block, scheme(staged), m.Blocks
		for _, l := range m.Loops {
			p.rows[i].Along = append(p.rows[i].Along, f.Loops[l])
		}
	}
	f.points = append(f.points, p)
}

// registersOf estimates the registers of a thread, which the sizes of a block don't change.
func (f *found) registersOf(k *analysis.Kernel, in *analysis.Instance, m acc.Mapping, staged rewrite.Variant, g *gpu.GPU) int {
	a := &g.Arch
	full := a.RegistersPerSM / a.ThreadsPerSM
	at := fmt.Sprint(m.Loops, full, staged.Array, staged.Scheme, staged.Rewriter)
	n, ok := f.registers[at]
	if !ok {
		n = cost.Registers(k, in, full)
		f.registers[at] = n
	}
	return min(n, a.RegistersPerThread)
}

// time returns the model's time of a kernel on a GPU. Grids that follow from assumed sizes fill the GPU many times if
// they fill it once. Those that don't are launched as they are: a kernel with a row for each thread has an L1 nearly
// for itself then, and tiles that were chosen for a full SM made one 2.2 times slower on an H100.
func (f *found) time(g *gpu.GPU, w *workload.Kernel, m acc.Mapping) (Row, error) {
	row := Row{Registers: w.Registers, Shared: w.Shared}
	fits, err := occupancy.Compute(g, occupancy.Demand{Threads: w.Threads, Registers: w.Registers, Shared: w.Shared})
	if err != nil {
		row.Impossible = err.Error()
		return row, nil
	}
	row.Blocks, row.Limiters, row.Occupancy = fits.Blocks, fits.Limiters, fits.Occupancy
	launched := float64(w.Blocks)
	one := *w
	full := launched >= float64(fits.Blocks*g.SMs)
	if !f.Known && full && launched >= f.wanted(m) { // as many as the sizes ask for: more of them are the same
		one.Blocks = 0
	}
	run, err := sim.Run(g, &one, sim.Policy{}, sim.Options{Steps: stepsOfWarp})
	if err != nil {
		return row, err
	}
	row.Time = run.CyclesPerBlock * launched / float64(g.SMs) / g.ClockMHz
	one.Blocks = cmp.Or(one.Blocks, manyWaves*fits.Blocks*g.SMs)
	t := timing.Estimate(g, &one, fits.Blocks)
	each := launched / float64(one.Blocks) / g.ClockMHz
	row.Comp, row.Mem, row.L1Hit, row.L2Hit = t.Comp*each, t.Mem*each, t.L1Hit, t.L2Hit
	return row, nil
}

// stepsOfWarp is as many as the simulator takes for a warp: smaller blocks come out within 3 % of four times as many steps.
const stepsOfWarp = 40

// manyWaves is the number of times that a grid of unknown size fills the GPU.
const manyWaves = 20

// wanted returns the number of thread blocks that the iterations of a nest ask for, of one each.
func (f *found) wanted(m acc.Mapping) float64 {
	n := 1.0
	for _, trips := range f.Trips[:f.Gangs] {
		n *= float64(trips)
	}
	if f.Gangs > 0 {
		return n
	}
	for d, l := range m.Loops {
		n *= float64((f.Trips[l] + int64(m.Block[d]) - 1) / int64(m.Block[d]))
	}
	return n
}

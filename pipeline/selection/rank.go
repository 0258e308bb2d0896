package selection

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/cost"
	"github.com/smux-cuda/smux/internal/parallel"
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/model/sim"
	"github.com/smux-cuda/smux/model/workload"
	"github.com/smux-cuda/smux/rewrite"
)

// ranker ranks the variants of one group of kernels.
type ranker struct {
	req    Request
	places []Place    // with the resources of the original in their work
	base   []Standing // by place
	asIs   []float64  // cycles of the original as it is, by place
	cycles []float64  // of its best form
	best   []string   // that form, "" for the original as it is

	looked []*rewrite.Chain // texts with rewritten kernels that were analysed, see forget

	known sync.Map // see memo
}

// timed holds what a simulated time depends on: registers and shared bytes count
// only through the blocks that they leave room for.
type timed struct {
	place, blocks int
	way           Variant
	listed        bool // by a compiler's listing of its own
}

// newRanker times the original in every place. A place in which it can't run
// proves nothing and is left out; why is the reason of the last one.
func newRanker(req Request, places []Place) (r *ranker, why error) {
	if req.Clock == nil {
		req.Clock = Simulated
	}
	if req.Analysis == nil {
		req.Analysis = &sync.Mutex{}
	}
	r = &ranker{req: req}
	for _, p := range places {
		if err := r.add(p); err != nil {
			why = fmt.Errorf("on %s: %w", p.GPU.String(), err)
		}
	}
	return r, why
}

func (r *ranker) add(p Place) error {
	p, s, err := settled(p, r.req.Source)
	if err != nil {
		return err
	}
	cycles, err := r.clock(p, sim.Policy{})
	if err != nil {
		return err
	}
	r.places = append(r.places, p)
	r.base = append(r.base, s)
	r.asIs = append(r.asIs, cycles)
	r.cycles = append(r.cycles, cycles)
	r.best = append(r.best, "")
	return nil
}

// settled puts the resources of the original into the work of a place, and returns how the original stands there.
func settled(p Place, source Source) (Place, Standing, error) {
	fail := func(err error) (Place, Standing, error) { return p, Standing{}, err }
	res, err := source.Original(p)
	if err != nil {
		return fail(fmt.Errorf("its resources are not known: %w", err))
	}
	if p, err = p.counted(res); err != nil {
		return fail(err)
	}
	work := *p.Work
	work.Registers, work.Shared = res.Registers, res.Shared
	p.Work, p.lines, res.Lines = &work, res.Lines, nil
	s, err := p.stand(sim.Policy{}, res)
	return p, s, err
}

// counted is the place with the instructions that a compiler made of the kernel, where
// it was asked, and with what a rewrite moves out of regions.
func (p Place) counted(res Resources) (Place, error) {
	if len(res.Lines) == 0 && p.moved == (cost.Moved{}) || p.Kernel == nil {
		return p, nil
	}
	lines := res.Lines
	if len(lines) == 0 {
		lines = p.lines
	}
	work, err := workOf(p.Kernel, p.Instance, lines, p.moved)
	if err != nil {
		return p, err
	}
	own := *work
	own.Registers, own.Shared = p.Work.Registers, p.Work.Shared
	p.Work = &own
	return p, nil
}

// counted counts a place's kernel while nobody else asks the analysis.
func (r *ranker) counted(p Place, res Resources) (Place, error) {
	r.req.Analysis.Lock()
	defer r.req.Analysis.Unlock()
	return p.counted(res)
}

func (r *ranker) clock(p Place, policy sim.Policy) (float64, error) {
	cycles, err := r.req.Clock(p, policy)
	if err == nil && !(cycles > 0) {
		err = errors.New("the model gives it no time")
	}
	return cycles, err
}

// rank predicts every variant, in the order given.
func (r *ranker) rank(ways []Variant) []RankedVariant {
	out := make([]RankedVariant, len(ways))
	ask := r.req.Source.Variant
	if r.req.Source.Costly() {
		ask = r.asOriginal
	}
	all(len(ways), func(i int) { out[i] = r.stands(ways[i], ask) })
	r.exclude(out)
	all(len(ways), func(i int) { r.time(&out[i]) })
	if r.req.Source.Costly() {
		r.refine(out)
	}
	return out
}

// together is the number of rewrites that are compiled before the rest is looked at anew:
// the same on every machine, so that the result is.
const together = 4

// refine replaces the registers of the original by those of the rewrites, for what may win: as a rewrite seldom needs
// fewer, what it would gain with the original's is taken for the most that it can gain. The most promising come
// first, and the rest is left when it can't reach what has been found.
func (r *ranker) refine(ranked []RankedVariant) {
	var open []int
	for i := range ranked {
		if ranked[i].eligible(r.req.MinGain) {
			open = append(open, i)
		}
	}
	slices.SortStableFunc(open, func(a, b int) int { return cmp.Compare(ranked[b].Gain, ranked[a].Gain) })
	best := 0.0
	for len(open) > 0 && ranked[open[0]].Gain >= best*(1-Tie) {
		batch := open[:min(len(open), together)]
		all(len(batch), func(i int) {
			w := &ranked[batch[i]]
			*w = r.stands(w.Variant, r.req.Source.Variant)
			r.time(w)
		})
		for _, i := range batch {
			if ranked[i].eligible(r.req.MinGain) {
				best = max(best, ranked[i].Gain)
			}
		}
		open = open[len(batch):]
	}
}

// asOriginal supposes that a rewrite needs as many registers as the original.
func (r *ranker) asOriginal(p Place, _ Variant) (Resources, error) {
	return Resources{Registers: p.Work.Registers, Source: "as the original"}, nil
}

// all runs f for 0 … n-1, as many at a time as there are processors.
func all(n int, f func(int)) {
	parallel.Each(context.Background(), n, runtime.GOMAXPROCS(0), func(i int) error { f(i); return nil })
}

// stands computes how a variant stands in every place, side by side where that takes a compiler.
// After a place that excludes it no more are looked at.
func (r *ranker) stands(w Variant, resources func(Place, Variant) (Resources, error)) RankedVariant {
	places, excluded := make([]Prediction, len(r.places)), make([]*RankedVariant, len(r.places))
	jobs := 1
	if r.req.Source.Costly() {
		jobs = runtime.GOMAXPROCS(0)
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	_ = parallel.Each(ctx, len(places), jobs, func(i int) error { // in this order, so that the first that excludes it has been looked at
		if places[i], excluded[i] = r.standsIn(i, w, resources); excluded[i] != nil {
			stop()
		}
		return nil
	})
	for _, why := range excluded {
		if why != nil {
			return *why
		}
	}
	return RankedVariant{Variant: w, Places: places}
}

// standsIn computes how a variant stands in one place, or what excludes it there.
func (r *ranker) standsIn(i int, w Variant, resources func(Place, Variant) (Resources, error)) (Prediction, *RankedVariant) {
	original := r.places[i]
	p, policy, err := original.as(w)
	if err != nil {
		return Prediction{}, &RankedVariant{Variant: w, Excluded: err.Error()}
	}
	not := func(format string, args ...any) (Prediction, *RankedVariant) {
		return Prediction{}, &RankedVariant{Variant: w, Excluded: fmt.Sprintf("on %s ", p.GPU.String()) + fmt.Sprintf(format, args...)}
	}
	res, err := resources(original, w)
	if err != nil {
		return not("its resources are not known: %s", err)
	}
	res = r.holding(i, w, original.needing(w, res))
	if more := res.Spills - r.base[i].Spills; more > 0 {
		_, why := not("the compiler spills %d bytes per thread more", more)
		why.Spills = true
		return Prediction{}, why
	}
	after, err := p.stand(p.with(policy, res), res)
	if err != nil {
		return not("it can't run: %s", sim.Cause(err))
	}
	return Prediction{
		GPU: p.GPU.String(), Block: p.block(), Before: r.base[i], After: after, kernel: p.name(),
		Traffic: original.traffic(w, r.base[i].Blocks, after.Blocks),
		few:     p.Work.Blocks < wavesLeft*after.Blocks*p.GPU.SMs,
	}, nil
}

// wavesLeft is the least number of waves of a coarsened grid: with fewer, SMs run out of thread blocks too early.
const wavesLeft = 2

// starts reports whether the original takes no longer in a place than its thread blocks take to start, one after the other.
func (r *ranker) starts(place int) bool {
	g := r.places[place].GPU
	return r.cycles[place] <= 1.05*g.Arch.BlockInterval*float64(g.SMs)
}

// exclude drops variants that bring no more thread blocks anywhere than the same
// rewrite with a smaller factor does, and for which it does not count how many start: they only wait for more.
func (r *ranker) exclude(ranked []RankedVariant) {
	for i := range ranked {
		for _, o := range ranked[:i] {
			a := ranked[i]
			if a.Excluded != "" || o.Excluded != "" || a.Factor <= o.Factor || !butFactor(a.Variant, o.Variant) {
				continue
			}
			more := false
			for j := range a.Places {
				more = more || a.Places[j].After.Blocks > o.Places[j].After.Blocks || r.starts(j)
			}
			if !more {
				ranked[i] = RankedVariant{Variant: a.Variant, Excluded: fmt.Sprintf("no more thread blocks per SM than with N=%d", o.Factor)}
			}
		}
	}
}

// time fills in the ratios of a variant and their mean.
func (r *ranker) time(w *RankedVariant) {
	if w.Excluded != "" || len(w.Places) == 0 {
		return
	}
	for i := range w.Places {
		cycles, err := r.cyclesOf(i, w.Variant, w.Places[i].After)
		if err != nil {
			*w = RankedVariant{Variant: w.Variant, Excluded: fmt.Sprintf("on %s: %s", w.Places[i].GPU, sim.Cause(err))}
			return
		}
		p := &w.Places[i]
		p.Ratio, p.Against, p.starts = rounded(r.cycles[i]/cycles), r.best[i], r.starts(i) && w.Factor > 1
		p.correct(r.req.Corrections, w.Variant)
		w.Places[i].After.Lines = nil
	}
	w.Gain = rounded(geomean(w.Places))
}

func (r *ranker) cyclesOf(place int, w Variant, after Standing) (float64, error) {
	return memo(&r.known, timed{place, after.Blocks, w, len(after.Lines) > 0}, func() (float64, error) {
		p, policy, err := r.places[place].as(w)
		if err != nil {
			return 0, err
		}
		if _, anew := r.places[place].formOf(w); !anew {
			if p.moved = movedBy(w); len(after.Lines) == 0 && p.moved != (cost.Moved{}) {
				p.Work, err = r.movedWork(place, p.moved)
			} else {
				p, err = r.counted(p, after.Resources)
			}
			p.Work = waitsAsOften(p.Work, r.places[place].Work)
		}
		if err != nil {
			return 0, err
		}
		cycles, err := r.clock(p, p.with(policy, after.Resources))
		return r.places[place].scale(w, cycles, r.asIs[place]), err
	})
}

// memo returns what is known under a key, or finds it and keeps it, unless that fails.
func memo[V any](known *sync.Map, key any, find func() (V, error)) (V, error) {
	if v, ok := known.Load(key); ok {
		return v.(V), nil
	}
	v, err := find()
	if err == nil {
		known.Store(key, v)
	}
	return v, err
}

// butFactor reports whether two variants differ in nothing but the factor, and merge thread blocks.
func butFactor(a, b Variant) bool {
	if !a.Merges() {
		return false
	}
	a.Factor = b.Factor
	return a == b
}

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
	var known sync.Map
	return func(p Place, policy sim.Policy) (float64, error) {
		return memo(&known, asked{p.GPU, policy, p.Work.Key()}, func() (float64, error) { return clock(p, policy) })
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

package selection

import (
	"slices"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/cost"
	"github.com/smux-cuda/smux/analysis/motion"
	"github.com/smux-cuda/smux/model/sim"
	"github.com/smux-cuda/smux/model/workload"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// shortened adds the forms of the variant that would be chosen in which knobs make its turns
// shorter. Of the others none is looked at: each costs a simulation, and most a compilation, and how
// long turns are is what the model errs in most, so that a knob should not be why thread blocks are
// merged. check reports what the kernels have against a form; nil allows all.
func (r *ranker) shortened(ranked []RankedVariant, check func(Variant) error) []RankedVariant {
	best := Decide(ranked, r.req.MinGain)
	if best < 0 || r.req.Plain || ranked[best].Sync == variant.SyncBlock || !hasKnobs(ranked[best].Variant) {
		return ranked
	}
	var forms []RankedVariant
	ask := r.req.Source.Variant
	if r.req.Source.Costly() {
		ask = r.asOriginal
	}
	for _, w := range r.withKnobs(ranked[best].Variant) {
		if check != nil && check(w) != nil {
			continue
		}
		o := r.stands(w, ask)
		r.time(&o)
		if r.req.Source.Costly() && o.Gain <= ranked[best].Gain*(1+Tie) {
			continue // nothing that it could gain is worth a compilation
		}
		forms = append(forms, o)
	}
	if r.req.Source.Costly() {
		r.refine(forms)
	}
	return append(ranked, forms...)
}

// computing adds to the forms of the original the one that computes what it stores before it
// stores it: what a rewrite gains by that the original may have, too.
func (r *ranker) computing(forms []Variant, check func(Variant) error) []Variant {
	r.req.Analysis.Lock()
	computes := slices.ContainsFunc(r.kernels(), func(k *analysis.Kernel) bool {
		return cost.Moved{Compute: true}.Held(k) > 0
	})
	r.req.Analysis.Unlock()
	w := Variant{Rewriter: variant.StageLoads, Compute: true}
	if !computes || r.req.Plain || check != nil && check(w) != nil {
		return forms
	}
	return append(forms, w)
}

// hasKnobs reports whether a variant has the knobs that make turns shorter, of kernels as they
// are: of what another rewrite leaves less is known.
func hasKnobs(w Variant) bool {
	r := variant.Named(w.Rewriter)
	return r != nil && r.Has(variant.KnobPin) && len(w.Steps()) == 1
}

// withKnobs are the forms of a variant that are compared: with what is for nothing (values
// pinned, numbers of barriers in registers), with all but those numbers, which reserve all barriers of a thread block, and with
// all. Knobs that change nothing of the kernels are left off.
func (r *ranker) withKnobs(w Variant) (out []Variant) {
	free, held := w, w
	r.req.Analysis.Lock()
	for _, k := range r.kernels() {
		for _, region := range k.Regions {
			_, computed := motion.ComputedStores(k, region)
			held.Compute = held.Compute || computed != nil && !Splits(w) // whose definitions stand in front already
			held.Early = held.Early || w.Stage != variant.NoStage && len(motion.EarlyLoads(k, region)) > 0
			held.Late = held.Late || len(motion.LateStatements(k, region, true)) > len(motion.LateStatements(k, region, false))
			free.Pin = free.Pin || computed != nil && !Splits(w) || len(motion.Inputs(k, region)) > 0
		}
		free.Numbered = free.Numbered || w.Sync == variant.SyncNamed && len(k.Regions) > 0
	}
	r.req.Analysis.Unlock()
	held.Pin = free.Pin
	all := held
	all.Numbered = free.Numbered
	for _, o := range []Variant{free, held, all} {
		o = variant.Named(w.Rewriter).Own(o)
		if o != w && !slices.Contains(out, o) {
			out = append(out, o)
		}
	}
	return out
}

// kernels are those of the places, each once.
func (r *ranker) kernels() (out []*analysis.Kernel) {
	for _, p := range r.places {
		if p.Kernel != nil && !slices.Contains(out, p.Kernel) {
			out = append(out, p.Kernel)
		}
	}
	return out
}

// movedBy says what a variant moves out of regions.
func movedBy(w Variant) cost.Moved {
	return cost.Moved{Early: w.Early, Compute: w.Compute, Late: w.Late}
}

// movedIn is a place and what is moved out of regions there.
type movedIn struct {
	place int
	moved cost.Moved
}

// heldIn is the same, for the registers that this takes.
type heldIn movedIn

// movedWork is the work of a thread block with what a variant moves, by static counts.
func (r *ranker) movedWork(place int, moved cost.Moved) (*workload.Kernel, error) {
	return memo(&r.known, movedIn{place, moved}, func() (*workload.Kernel, error) {
		p := r.places[place]
		p.moved = moved
		p, err := r.counted(p, Resources{})
		return p.Work, err
	})
}

// holding adds what a variant keeps in registers that no compiler counted.
func (r *ranker) holding(place int, w Variant, res Resources) Resources {
	if n := r.held(place, w); n > 0 && !res.Compiled() && !r.req.Source.Costly() {
		res.Registers = r.places[place].capped(res.Registers + n)
	}
	return res
}

// held returns the number of further registers that a thread needs for what a variant moves in front of regions, by
// the types of the values.
func (r *ranker) held(place int, w Variant) int {
	moved := movedBy(w)
	if moved == (cost.Moved{}) || r.places[place].Kernel == nil {
		return 0
	}
	words, _ := memo(&r.known, heldIn{place, moved}, func() (int, error) {
		r.req.Analysis.Lock()
		defer r.req.Analysis.Unlock()
		return moved.Held(r.places[place].Kernel), nil
	})
	return words
}

// originalForm reports whether a variant is the original in another form, with its thread blocks and shared arrays as
// they are. What it gains is not a merit of what merges blocks: a person can have it without. So it is not chosen,
// which is left to measurements, but gains are counted against it where it is faster.
func originalForm(w Variant) bool {
	return w.Rewriter == variant.StageLoads || w.Rewriter == variant.AssumeShape
}

// apart splits forms of the original off the variants.
func apart(ways []Variant) (forms, rest []Variant) {
	for _, w := range ways {
		if originalForm(w) {
			forms = append(forms, w)
		} else {
			rest = append(rest, w)
		}
	}
	return forms, rest
}

// compete times forms of the original in every place, and puts the fastest in the
// original's stead where it is faster. One that can't run or that spills more is none.
func (r *ranker) compete(forms []Variant) {
	all(len(r.places), func(i int) {
		for _, w := range forms {
			res, err := r.req.Source.Variant(r.places[i], w)
			if err != nil || res.Spills > r.base[i].Spills {
				continue
			}
			res = r.holding(i, w, res)
			p := r.places[i]
			p.moved = movedBy(w)
			p, err = r.counted(p, res)
			if err != nil {
				continue
			}
			policy := p.with(sim.Policy{Ahead: w.Rewriter == variant.StageLoads}, res)
			if policy == (sim.Policy{}) && p.Work == r.places[i].Work {
				continue // the model sees the original as it is
			}
			if cycles, err := r.clock(p, policy); err == nil && cycles < r.cycles[i] {
				r.cycles[i], r.best[i] = cycles, w.String()
			}
		}
	})
}

// waitsAsOften is the work of a rewrite, which waits for memory no less often than the original does: that a compiler
// has more loads under way is nothing that merging blocks brings, and a form of the original may have it, too.
func waitsAsOften(work, original *workload.Kernel) *workload.Kernel {
	after, _ := workload.Total(work.Body)
	before, _ := workload.Total(original.Body)
	if after.Waits >= before.Waits || after.Waits == 0 {
		return work
	}
	out := *work
	out.Body = scaledWaits(work.Body, before.Waits/after.Waits)
	return &out
}

func scaledWaits(steps []workload.Step, by float64) []workload.Step {
	out := slices.Clone(steps)
	for i := range out {
		out[i].Work.Waits *= by
		out[i].Body = scaledWaits(out[i].Body, by)
	}
	return out
}

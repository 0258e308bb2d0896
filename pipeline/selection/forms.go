package selection

import (
	"slices"

	"github.com/smux-cuda/smux/model/sim"
	"github.com/smux-cuda/smux/model/workload"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// originalForm reports whether a variant is the original in another form, with its thread blocks
// and shared arrays as they are. What it gains is not a merit of what merges blocks: a
// person can have it without. So it is not chosen, which is left to measurements, but
// gains are counted against it where it is faster.
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

// waitsAsOften is the work of a rewrite, which waits for memory no less often than the
// original does: that a compiler has more loads under way is nothing that merging blocks
// brings, and a form of the original may have it, too.
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

package space

import (
	"cmp"
	"slices"

	"github.com/smux-cuda/smux/pipeline/selection"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/rewrite/variant"
	"github.com/smux-cuda/smux/tune/record"
)

// mostCombined is the number of combinations that are listed.
const mostCombined = 8

// combined lists the most promising of what coarsens and does something else: along two axes, with arrays staged before,
// or with loads ahead or loops unrolled after that. What the model has no registers for is left out.
func (l *list) combined() {
	var ways []rewrite.Variant
	for _, o := range l.in.Group.Variants {
		if o.Rewriter == variant.Coarsen && o.Can && o.Factor <= mostAlong {
			ways = append(ways, l.combinations(o.Variant)...)
		}
	}
	ways = slices.DeleteFunc(ways, func(w rewrite.Variant) bool { return !l.asked(record.TunedVariant{Variant: w}) })
	if l.in.Report == nil || len(l.model.places) == 0 {
		for _, w := range ways[:min(len(ways), mostCombined)] {
			l.try(record.TunedVariant{Variant: w}, expectation{})
		}
		return
	}
	found := l.in.Report.Look(l.in.Group, ways)
	slices.SortStableFunc(found, func(a, b selection.RankedVariant) int { return cmp.Compare(b.Gain, a.Gain) })
	listed := 0
	for _, r := range found {
		c := record.TunedVariant{Variant: r.Variant}
		switch {
		case r.Excluded != "":
			l.leave(c, r.Excluded)
		case listed == mostCombined:
			l.leave(c, "the model expects more of other combinations")
		case l.try(c, l.model.ranked(r)) >= 0:
			listed++
		}
	}
}

// combinations returns the variants that coarsen as w does and do something else.
func (l *list) combinations(w rewrite.Variant) (out []rewrite.Variant) {
	bases := []rewrite.Variant{w}
	if w.GridAxis == "" && slices.Contains(l.axes(), "y") {
		w.FactorY = 2
		bases, out = append(bases, w), append(out, w)
	}
	stages := slices.ContainsFunc(l.in.Group.Variants, func(o rewrite.CheckedVariant) bool {
		return o.Variant == rewrite.Variant{Rewriter: variant.Stage} && o.Can
	})
	for _, base := range bases {
		add := func(change func(*rewrite.Variant)) {
			w := base
			change(&w)
			out = append(out, w)
		}
		add(func(w *rewrite.Variant) { w.Unroll = 4 })
		add(func(w *rewrite.Variant) { w.Unroll = variant.Full })
		if loads := l.loads(); loads > 0 {
			add(func(w *rewrite.Variant) { w.Stage = loads * w.Factor * max(1, w.FactorY) })
		}
		if stages {
			add(func(w *rewrite.Variant) { w.Staged = true })
		}
	}
	return out
}

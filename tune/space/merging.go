package space

import (
	"cmp"
	"slices"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/pipeline/selection"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/rewrite/kit"
	"github.com/smux-cuda/smux/rewrite/merge"
	"github.com/smux-cuda/smux/rewrite/variant"
	"github.com/smux-cuda/smux/tune/record"
)

// merged is a listed form that merges thread blocks and has its finer knobs as they are by default.
type merged struct {
	rewrite.Variant
	expectation
}

// merging lists each rewriter with each N, sync mode and M, and the model's P, in the order of the rewriters' offers. It leaves
// out what the model would not consider, but for what the compiler spills, which may pay all the same.
func (l *list) merging() (out []merged) {
	for _, o := range l.in.Group.Variants {
		if o.Merges() {
			out = append(out, l.offer(o)...)
		}
	}
	return append(out, l.splits(out)...)
}

// offer lists what the ranking has of an offer, or leaves it out with what is against it.
func (l *list) offer(o rewrite.CheckedVariant) []merged {
	if o.Can {
		return l.offered(o.Variant)
	}
	why := "it can't be rewritten that way"
	if len(o.Refused) > 0 {
		why = o.Refused[0].Text
	}
	l.leave(record.TunedVariant{Variant: o.Variant}, why)
	return nil
}

// offered lists what the ranking has of an offer.
func (l *list) offered(w rewrite.Variant) (out []merged) {
	ranked := l.ranking(w)
	if len(ranked) == 0 { // there is no model
		for _, p := range l.privates(w)[:1] {
			ranked = append(ranked, selection.RankedVariant{Variant: with(w, p)})
		}
	}
	for _, r := range ranked {
		c, e := record.TunedVariant{Variant: r.Variant}, l.model.ranked(r)
		if r.Excluded != "" && !r.Spills {
			l.leave(c, r.Excluded)
			continue
		}
		if l.try(c, e) >= 0 {
			out = append(out, merged{r.Variant, e})
		}
	}
	return out
}

// ranking returns what the report has of a variant, and of those with other private rows, the most rows first.
func (l *list) ranking(w rewrite.Variant) (out []selection.RankedVariant) {
	if l.in.Report == nil {
		return nil
	}
	out = lists.Filter(l.in.Report.Ranking, func(r selection.RankedVariant) bool {
		return r.Variant == w || w.PrivateRows == 0 && with(r.Variant, 0) == w
	})
	slices.SortStableFunc(out, func(a, b selection.RankedVariant) int { return b.PrivateRows - a.PrivateRows })
	return out
}

func with(w rewrite.Variant, private int) rewrite.Variant {
	w.PrivateRows = private
	return w
}

// splits lists the best co-vtb with other numbers of private rows than the model's: half of the rows, and a quarter.
func (l *list) splits(listed []merged) (out []merged) {
	best := -1
	for i, m := range listed {
		if selection.Splits(m.Variant) && (best < 0 || m.ratio > listed[best].ratio) {
			best = i
		}
	}
	if best < 0 || l.in.Options.PrivateRows != 0 {
		return nil
	}
	for _, p := range l.privates(with(listed[best].Variant, 0)) {
		w := with(listed[best].Variant, p)
		if slices.ContainsFunc(listed, func(m merged) bool { return m.Variant == w }) {
			continue
		}
		e, ok := l.model.capped(w, expectation{}, listed[best].Registers)
		if !ok && len(l.model.places) > 0 {
			l.leave(record.TunedVariant{Variant: w}, "it can't run, by the model")
			continue
		}
		if l.try(record.TunedVariant{Variant: w}, e) >= 0 {
			out = append(out, merged{w, e})
		}
	}
	return out
}

// privates returns the private rows that are tried of a variant besides the model's, or those that it says or needs.
func (l *list) privates(w rewrite.Variant) []int {
	if !selection.Splits(w) || w.PrivateRows != 0 {
		return []int{w.PrivateRows}
	}
	rows, _, _, _, reasons := merge.Partition(l.in.Group.Kernels[0])
	if len(reasons) > 0 || rows < 2 {
		return []int{0}
	}
	out := []int{rows / 2}
	if rows >= 4 {
		out = append(out, rows/4)
	}
	return out
}

// mostPromising is the number of best forms for which the finer knobs are tried.
const mostPromising = 3

// promising returns the forms of which most is expected: the best of each rewriter first, then the next.
func (l *list) promising(listed []merged) (out []merged) {
	sorted := slices.Clone(listed)
	slices.SortStableFunc(sorted, func(a, b merged) int { return cmp.Compare(b.ratio, a.ratio) })
	var rest []merged
	seen := map[string]bool{}
	for _, m := range sorted {
		if seen[m.Rewriter] {
			rest = append(rest, m)
			continue
		}
		seen[m.Rewriter] = true
		out = append(out, m)
	}
	out = append(out, rest...)
	return out[:min(len(out), mostPromising)]
}

// behind lists a promising form with the finer knobs (and shorter's), one at a time; for the first also pairs of them.
func (l *list) behind(m merged, first bool) {
	r, free := rewriterOf(m.Rewriter), l.in.Options
	try := func(change func(*record.TunedVariant)) {
		c := record.TunedVariant{Variant: m.Variant}
		change(&c)
		l.try(c, m.alike())
	}
	assume := r.Has(variant.KnobAssume) && !free.Assume
	if assume {
		try(func(c *record.TunedVariant) { c.Assume = true })
	}
	if loads := l.loads(); r.Has(variant.KnobStage) && free.Stage == 0 && loads > 0 {
		try(func(c *record.TunedVariant) { c.Stage = variant.NoStage })
		if first && loads > 1 {
			try(func(c *record.TunedVariant) { c.Stage = loads / 2 })
		}
		if first && assume {
			try(func(c *record.TunedVariant) { c.Stage, c.Assume = variant.NoStage, true })
		}
	}
	if r.Has(variant.KnobGridAxis) && free.GridAxis == "" {
		for _, axis := range l.axes() {
			try(func(c *record.TunedVariant) { c.GridAxis = axis })
		}
	}
	l.shorter(m)
	l.caps(record.TunedVariant{Variant: m.Variant}, m.expectation, furtherSteps)
	l.carveouts(record.TunedVariant{Variant: m.Variant}, m.expectation)
	if first && assume {
		w := m.Variant
		w.Assume = true
		l.carveouts(record.TunedVariant{Variant: w}, m.expectation)
	}
}

// axes returns the dimensions of the grid besides x that the kernels look at: others are one block deep, most likely.
func (l *list) axes() (out []string) {
	for _, axis := range []string{"y", "z"} {
		if slices.ContainsFunc(l.in.Group.Kernels, func(k *analysis.Kernel) bool { return kit.Axes(k, "blockIdx")[axis] }) {
			out = append(out, axis)
		}
	}
	return out
}

// shorter lists a promising form with the knobs that make turns shorter, and with blocks that stay: all together, and of the first
// such form also each alone. They take time from different parts of a turn, so these n + 1 of the 2^n sets tell enough.
func (l *list) shorter(m merged) {
	var alone []rewrite.Variant
	union := m.Variant
	for _, knob := range append(variant.OfTurns(), variant.KnobPersistent) {
		w := m.Variant
		if !rewriterOf(w.Rewriter).Has(knob) || *w.Switch(knob) {
			continue
		}
		*w.Switch(knob) = true
		c := record.TunedVariant{Variant: w}
		if !asked(l.in.Options, c) {
			continue
		}
		if text, err := l.write(c); err != nil || l.texts[text] != "" { // it has no text of its own
			continue
		}
		*union.Switch(knob) = true
		alone = append(alone, w)
	}
	if l.shortened {
		alone = nil
	}
	l.shortened = l.shortened || union != m.Variant
	if union != m.Variant && !slices.Contains(alone, union) {
		alone = append(alone, union)
	}
	for _, w := range alone {
		launched := w
		launched.Persistent = m.Persistent
		e := m.alike()
		says := func(r selection.RankedVariant) bool { return r.Variant == launched && r.Excluded == "" }
		if ranked := l.ranking(launched); slices.ContainsFunc(ranked, says) {
			e = l.model.ranked(ranked[slices.IndexFunc(ranked, says)])
		}
		if w.Persistent && !m.Persistent {
			e = l.model.staying(launched, e, m.Registers)
		}
		l.try(record.TunedVariant{Variant: w}, e)
	}
}

// mostCombined is the number of combinations that are listed.
const mostCombined = 8

// combined lists the most promising of what coarsens and also coarsens another axis, stages, loads ahead or unrolls.
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

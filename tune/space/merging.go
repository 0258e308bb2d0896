package space

import (
	"cmp"
	"slices"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/pipeline/selection"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/rewrite/kit"
	"github.com/smux-cuda/smux/rewrite/merge"
	"github.com/smux-cuda/smux/rewrite/variant"
	"github.com/smux-cuda/smux/tune/record"
)

// merged is a listed form that merges thread blocks and has its finer knobs as they
// are by default.
type merged struct {
	rewrite.Variant
	expectation
}

// merging lists each rewriter with each value of N, the sync mode and M, and P as
// the model chooses it, in the order in which the rewriters offer them. What the
// model would not consider is left out, but for what the compiler spills, which may
// pay all the same.
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

// ranking returns what the report has of a variant, and of those that differ from it in the
// private rows alone, the most first.
func (l *list) ranking(w rewrite.Variant) (out []selection.RankedVariant) {
	if l.in.Report == nil {
		return nil
	}
	for _, r := range l.in.Report.Ranking {
		if r.Variant == w || w.PrivateRows == 0 && with(r.Variant, 0) == w {
			out = append(out, r)
		}
	}
	slices.SortStableFunc(out, func(a, b selection.RankedVariant) int { return b.PrivateRows - a.PrivateRows })
	return out
}

// with returns a variant with so many private rows.
func with(w rewrite.Variant, private int) rewrite.Variant {
	w.PrivateRows = private
	return w
}

// splits lists the best co-vtb with other numbers of private rows than the model's:
// half of the rows, and a quarter.
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

// privates returns the private rows that are tried of a variant, besides the model's: none
// but its own where it splits nothing, or says how many.
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

// promising returns the forms of which most is expected: the best of each rewriter
// first, so that they are not all alike, then the next.
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

// behind lists a promising form with the finer knobs, one at a time; for the first
// also two of them together. Of what makes turns shorter see shorter.
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

// axes returns the dimensions of the grid besides x that the kernels look at: a grid is
// one block deep in the others, most likely.
func (l *list) axes() (out []string) {
	for _, axis := range []string{"y", "z"} {
		if slices.ContainsFunc(l.in.Group.Kernels, func(k *analysis.Kernel) bool { return kit.Axes(k, "blockIdx")[axis] }) {
			out = append(out, axis)
		}
	}
	return out
}

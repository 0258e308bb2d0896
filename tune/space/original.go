package space

import (
	"cmp"
	"slices"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/motion"
	"github.com/smux-cuda/smux/analysis/usual"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/pipeline/selection"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/rewrite/reshape"
	"github.com/smux-cuda/smux/rewrite/stage"
	"github.com/smux-cuda/smux/rewrite/variant"
	"github.com/smux-cuda/smux/tune/record"
)

// How many steps of the occupancy the registers are capped for.
const (
	originalSteps = 3 // of the original
	furtherSteps  = 2 // of other forms
)

// originals lists the original, and what is available without merging thread blocks.
func (l *list) originals() {
	var now expectation
	for _, p := range l.model.places {
		if is, err := p.Expect(rewrite.Variant{}, p.Work.Registers); err == nil {
			now = expectation{is.Before, 1}
			break
		}
	}
	l.try(record.TunedVariant{}, now)
	forms := []rewrite.Variant{{Rewriter: variant.StageLoads}}
	if k := l.loads() / 2; k > 0 {
		forms = append(forms, rewrite.Variant{Rewriter: variant.StageLoads, Stage: k})
	}
	forms = append(forms, rewrite.Variant{Rewriter: variant.StageLoads, Compute: true}, rewrite.Variant{Rewriter: variant.AssumeShape}, rewrite.Variant{Rewriter: variant.StageLoads, Assume: true})
	fullest := record.TunedVariant{}
	for _, w := range forms {
		c := record.TunedVariant{Variant: w}
		if l.try(c, expectation{}) >= 0 {
			fullest = c // the last one has most
		}
	}
	l.footprints()
	l.caps(record.TunedVariant{}, now, originalSteps)
	l.carveouts(record.TunedVariant{}, expectation{Standing: now.Standing})
	if !fullest.IsOriginal() {
		l.caps(fullest, now, furtherSteps)
		l.carveouts(fullest, expectation{Standing: now.Standing})
	}
}

// mostAlong is the largest factor of coarsen along y and z: these extents are smaller.
const mostAlong = 4

// footprints lists what merges no thread blocks and has each take other shared bytes, as it is offered.
func (l *list) footprints() {
	for _, o := range l.in.Group.Variants {
		switch r := rewriterOf(o.Rewriter); {
		case !r.Footprint:
		case o.Rewriter == variant.Stage && o.Can:
			l.stagings(o.Variant)
		case o.Rewriter == variant.Coarsen && o.Can:
			l.offered(o.Variant)
			for _, axis := range l.axes() {
				w := o.Variant
				if w.GridAxis == "" && w.Factor <= mostAlong {
					w.GridAxis = axis
					l.try(record.TunedVariant{Variant: w}, expectation{})
				}
			}
		default:
			l.offer(o)
		}
	}
}

// byName lists with each factor what only a measurement tells the gain of: what is offered by name, without a recipe.
func (l *list) byName() {
	for _, r := range variant.Rewriters {
		if !r.Searched || r.Has(variant.KnobRecipe) {
			continue
		}
		shapes := []string{l.in.Options.Extents} // of thread blocks
		switch {
		case !r.Has(variant.KnobShape):
			shapes = []string{""}
		case shapes[0] == "":
			shapes = reshape.Shapes(l.in.Group.Kernels[0])
		}
		for _, factor := range r.Factors {
			for _, shape := range shapes {
				c := record.TunedVariant{Variant: rewrite.Variant{Rewriter: r.Name, Factor: factor, Extents: shape}}
				if at := l.try(c, expectation{}); at >= 0 && shape != "" {
					l.stands(&l.entries[at])
				}
			}
		}
	}
}

// stands says how a form stands whose thread blocks have other threads, with the original's registers.
func (l *list) stands(e *ListedVariant) {
	d := l.drafts[record.TunedVariant{Variant: e.Variant}]
	for _, p := range l.model.places {
		k, err := d.Kernel(p.Kernel)
		i := slices.Index(usual.Counted(p.Kernel), p.Instance)
		if err != nil || i < 0 || i >= len(usual.Counted(k)) {
			continue
		}
		if shape, known := usual.Counted(k)[i].BlockShape(); known {
			work := *p.Work
			work.Threads, p.Work = shape[0]*shape[1]*shape[2], &work
			if now, err := p.Expect(rewrite.Variant{}, work.Registers); err == nil {
				of := expectation{Standing: now.Before}
				e.Registers, e.Shared, e.VTBs, e.Limiter = of.Registers, of.Shared, of.Blocks, of.limiter()
				return
			}
		}
	}
}

// loads returns how many global loads per thread can be made ahead of a region.
func (l *list) loads() int {
	most := 0
	for _, k := range l.in.Group.Kernels {
		for _, r := range k.Regions {
			n := 0
			for _, s := range motion.Splits(k, r) {
				n += max(1, s.Count)
			}
			most = max(most, n)
		}
	}
	return most
}

// caps lists a form capped for the next steps of registers: by launch bounds, or else by the compiler's flag.
func (l *list) caps(c record.TunedVariant, before expectation, most int) {
	first := c
	first.Blocks = 1
	steps, why := l.model.steps(before)
	if why != "" {
		first.Blocks = before.Blocks/max(1, c.Factor) + 1
		l.leave(first, why)
		return
	}
	for _, s := range steps[:min(len(steps), most)] {
		e, more := l.model.capped(c.Variant, before, s.Registers)
		bounds := c
		bounds.Blocks = s.Blocks
		if !more {
			l.leave(bounds, "no more thread blocks per SM than without")
			continue
		}
		_, err := l.add(bounds, e)
		if err == nil || err == errUnasked {
			continue
		}
		l.leave(bounds, err.Error())
		bounded := func(k *analysis.Kernel) bool { return k.View.LaunchBounds != nil } // which the flag does not reach
		if flag := c; !slices.ContainsFunc(l.in.Group.Kernels, bounded) {
			flag.Registers = s.Registers
			l.try(flag, e)
		}
	}
}

// carveouts lists a form with launches that prefer a carve-out. As to its time the model sees no difference.
func (l *list) carveouts(c record.TunedVariant, e expectation) {
	percents, why := l.model.carveouts(e)
	if why != "" {
		c.Carveout = 100
		l.leave(c, why)
		return
	}
	for _, percent := range percents {
		c.Carveout = percent
		if l.try(c, e) < 0 {
			return
		}
	}
}

// stagings lists the forms of stage: those that the model compared, or else all schemes. A form with knobs stands alone.
func (l *list) stagings(w rewrite.Variant) {
	forms := []rewrite.Variant{w}
	switch {
	case w != (rewrite.Variant{Rewriter: variant.Stage}):
	case l.in.Report == nil:
		forms = append(forms, stage.Forms(l.in.Group.Kernels[0])...)
	default:
		for _, r := range l.in.Report.Ranking {
			if r.Rewriter == w.Rewriter && r.Variant != w {
				forms = append(forms, r.Variant)
			}
		}
	}
	for _, o := range forms {
		l.offered(o)
	}
}

// mostOfSteps is the number of forms of several steps that are listed; each of their steps is listed alone.
const mostOfSteps = 3

// ofSteps lists the most promising forms in which blocks are merged of what another rewrite left.
func (l *list) ofSteps() {
	if l.in.Report == nil {
		return
	}
	found := lists.Filter(l.in.Report.Ranking, func(r selection.RankedVariant) bool { return len(r.Steps()) > 1 && r.Excluded == "" })
	slices.SortStableFunc(found, func(a, b selection.RankedVariant) int { return cmp.Compare(b.Gain, a.Gain) })
	for _, r := range found[:min(len(found), mostOfSteps)] {
		l.try(record.TunedVariant{Variant: r.Variant}, l.model.ranked(r))
	}
}

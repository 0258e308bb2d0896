package space

import (
	"cmp"
	"slices"

	"github.com/smux-cuda/smux/pipeline/selection"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/rewrite/stage"
	"github.com/smux-cuda/smux/rewrite/variant"
	"github.com/smux-cuda/smux/tune/record"
)

// stagings lists the forms of stage: those that the model compared, with their tiles, else what is copied
// in other schemes and alone. A form with knobs stands alone.
func (l *list) stagings(w rewrite.Variant) {
	forms := []rewrite.Variant{w}
	if w == (rewrite.Variant{Rewriter: variant.Stage}) {
		if l.in.Report != nil {
			for _, r := range l.in.Report.Ranking {
				if r.Rewriter == w.Rewriter && r.Variant != w {
					forms = append(forms, r.Variant)
				}
			}
		} else {
			forms = append(forms, stage.Forms(l.in.Group.Kernels[0])...)
		}
	}
	for _, o := range forms {
		l.offered(o)
	}
}

// mostOfSteps is the number of forms of several steps that are listed: the model has compared all, and each of their
// steps is listed alone.
const mostOfSteps = 3

// ofSteps lists the most promising forms in which blocks are merged of what another rewrite left.
func (l *list) ofSteps() {
	if l.in.Report == nil {
		return
	}
	var found []selection.RankedVariant
	for _, r := range l.in.Report.Ranking {
		if len(r.Steps()) > 1 && r.Excluded == "" {
			found = append(found, r)
		}
	}
	slices.SortStableFunc(found, func(a, b selection.RankedVariant) int { return cmp.Compare(b.Gain, a.Gain) })
	for _, r := range found[:min(len(found), mostOfSteps)] {
		l.try(record.TunedVariant{Variant: r.Variant}, l.model.ranked(r))
	}
}

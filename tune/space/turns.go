package space

import (
	"slices"

	"github.com/smux-cuda/smux/pipeline/selection"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/rewrite/variant"
	"github.com/smux-cuda/smux/tune/record"
)

// shorter lists a promising form with the knobs that make turns shorter, and with blocks that
// stay for all turns: all together that
// change its text, each by itself, and for the first that has any also each of them alone. Of n knobs that is n + 1 of
// their 2^n sets: they take time from different parts of a turn, so that what two of them
// bring is about the sum, and what a set costs in registers shows with all of them.
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

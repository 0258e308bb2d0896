package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/prose"
	"github.com/smux-cuda/smux/model/occupancy"
	"github.com/smux-cuda/smux/model/sim"
	"github.com/smux-cuda/smux/pipeline/selection"
	"github.com/smux-cuda/smux/report/finding"
)

// known reports what limits a kernel and what would move it, or why that is not known,
// and why it can't be rewritten.
func (p speaker) known(k Kernel) []finding.Finding {
	var out []finding.Finding
	if text := limiterText(k.Model, k.Request); text != "" {
		out = append(out, p.about(k, diag.Message{Pos: k.Position, Code: CodeLimiter, Text: text}, finding.Note))
	}
	out = append(out, p.refusedPin(k)...)
	refusals := p.refusals(k)
	if k.Model != nil && k.Model.Unranked != "" && len(k.Shared) > 0 && len(refusals) == 0 {
		out = append(out, p.about(k, diag.Message{Pos: k.Position, Code: selection.CodeNotRanked, Text: k.Model.Summary()}, finding.Note))
	}
	return append(out, refusals...)
}

// limiterText returns, for each GPU that a kernel does not fill, what limits it there
// and the least change that puts more on an SM, then what a rewrite would do; "" where
// every GPU is full or nothing is known.
func limiterText(m *selection.Report, w *Request) string {
	if m == nil {
		return ""
	}
	var texts []string
	gpus := map[string][]string{} // that a text holds for
	for i, o := range m.Originals {
		if o.Occupancy >= 1 {
			continue
		}
		text := o.Limit() + fmt.Sprintf(" (occupancy %.0f %%)", 100*o.Occupancy)
		if step := nextStep(m.Places()[i]); step != "" {
			text += ", " + step
		}
		name := o.GPU
		if slices.ContainsFunc(m.Originals, func(other selection.Original) bool { return other.GPU == o.GPU && other.Block != o.Block }) {
			name += " block " + o.Block
		}
		if gpus[text] == nil {
			texts = append(texts, text)
		}
		if !slices.Contains(gpus[text], name) {
			gpus[text] = append(gpus[text], name)
		}
	}
	for i, text := range texts {
		texts[i] = strings.Join(gpus[text], ", ") + ": " + text
	}
	for _, measured := range m.Profile {
		texts = append(texts, measured.String())
	}
	if len(texts) == 0 {
		return ""
	}
	if w.Decides() {
		texts = append(texts, w.Text())
	} else if text := rewriteText(m); text != "" {
		texts = append(texts, text)
	}
	return strings.Join(texts, "; ")
}

// nextStep returns the smallest change with which more thread blocks fit, "" for none.
func nextStep(p selection.Place) string {
	placed, err := sim.Place(p.GPU, p.Work, sim.Policy{})
	if err != nil {
		return ""
	}
	steps := occupancy.Next(p.GPU, placed.Demand)
	if len(steps) == 0 {
		return ""
	}
	return steps[0].String()
}

// rewriteText reports what the chosen rewrite would do, or the one from which most is
// expected if it runs more thread blocks.
func rewriteText(m *selection.Report) string {
	for _, r := range m.Ranking {
		if r.Excluded != "" || m.Choice != nil && r.Variant != *m.Choice {
			continue
		}
		more := slices.ContainsFunc(r.Places, func(p selection.Prediction) bool { return p.After.Blocks > p.Before.Blocks })
		if m.Choice == nil && (!more || r.Gain <= 1) {
			return "" // the others are expected to do worse
		}
		text := fmt.Sprintf("%s would run %s", r.Variant, blocksText(r))
		if text += fmt.Sprintf(", predicted %.2fx", r.Gain); len(r.Places) > 1 {
			text += " on average"
		}
		if m.Choice != nil {
			text += ": smux rewrite applies it"
		}
		return text
	}
	return ""
}

// blocksText is "8 virtual TBs", or from how many to how many.
func blocksText(r selection.RankedVariant) string {
	least, most := r.Places[0].After.Blocks, r.Places[0].After.Blocks
	for _, p := range r.Places {
		least, most = min(least, p.After.Blocks), max(most, p.After.Blocks)
	}
	if least < most {
		return fmt.Sprintf("%d to %d %ss", least, most, r.Unit())
	}
	return prose.Count(most, r.Unit())
}

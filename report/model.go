package report

import (
	"fmt"
	"strings"

	"github.com/smux-cuda/smux/internal/prose"
	"github.com/smux-cuda/smux/pipeline/selection"
)

// mostRanked is the number of rewrites that the text report shows; the JSON form has all.
const mostRanked = 3

// resourceRows show what a thread block takes, and how many an SM runs, per GPU
// and form of launch.
func (k Kernel) resourceRows() section {
	s := section{label: "resources"}
	if k.Model == nil {
		return s
	}
	for _, o := range k.Model.Originals {
		s.row(o.GPU, "block "+o.Block, fmt.Sprintf("%s (%s)", prose.Count(o.Registers, "register"), o.Source), prose.Count(o.Shared, "byte")+" shared",
			fmt.Sprintf("%s per SM, occupancy %.0f %%", prose.Count(o.Blocks, "thread block"), 100*o.Occupancy), "limited by "+o.Limiters.String())
	}
	if k.Model.Unranked != "" {
		s.row("not known: " + k.Model.Unranked)
	}
	return s
}

// assumedRows list what the model had to guess.
func (k Kernel) assumedRows() section {
	s := section{label: "assumed"}
	if k.Model != nil && len(k.Model.Ranking) > 0 {
		for _, a := range k.Model.Assumptions {
			s.row(a)
		}
	}
	return s
}

// rankingRows show the rewrites from which most is expected, a row for each
// place, and why others are not considered.
func (k Kernel) rankingRows() section {
	s := section{label: "ranking"}
	if k.Model == nil || len(k.Model.Ranking) == 0 {
		return s
	}
	shown, more := 0, 0
	for _, r := range k.Model.Ranking {
		switch {
		case r.Excluded != "":
		case shown == mostRanked:
			more++
		default:
			shown++
			rankedRows(&s, r)
		}
	}
	if more > 0 {
		s.row(fmt.Sprintf("%d more expected to do no better; --json shows all", more))
	}
	for _, e := range k.Model.Exclusions() {
		s.row(strings.Join(e.Ways, ", ") + ": " + e.Why)
	}
	return s
}

// rankedRows is a rewrite in all places; the mean stands beside the first.
func rankedRows(s *section, r selection.RankedVariant) {
	way, mean := r.Variant.String(), fmt.Sprintf("%.2fx", r.Gain)
	for _, p := range r.Places {
		limit := p.Before.Limiters.String()
		if after := p.After.Limiters.String(); after != limit {
			limit += " -> " + after
		}
		cells := []string{way, mean, p.GPU, limit, fmt.Sprintf("%d -> %d %ss per SM", p.Before.Blocks, p.After.Blocks, r.Unit())}
		if p.After.Registers != p.Before.Registers {
			cells = append(cells, fmt.Sprintf("%d -> %d registers", p.Before.Registers, p.After.Registers))
		} else {
			cells = append(cells, "")
		}
		if len(r.Places) > 1 {
			cells = append(cells, fmt.Sprintf("%.2fx", p.Ratio))
		}
		s.row(cells...)
		way, mean = "", ""
	}
}

// limitRows show what limits the kernel as it is.
func (k Kernel) limitRows() section {
	s := section{label: "limits"}
	if k.Model != nil && len(k.Model.Originals) > 0 {
		s.row(k.Model.Limits())
		for _, m := range k.Model.Profile {
			s.row(m.String())
		}
	}
	return s
}

// choiceRows show what smux rewrite would do.
func (k Kernel) choiceRows() section {
	s := section{label: "choice"}
	switch {
	case k.Request.Decides():
		s.row(k.Request.Text())
	case k.Model == nil || k.Unread:
	case k.Model.Unranked != "" || k.Model.Choice != nil:
		s.row(k.Model.Verdict())
	case len(k.Model.Ranking) > 0:
		s.row("none: " + k.Model.Verdict())
	}
	return s
}

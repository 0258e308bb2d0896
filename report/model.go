package report

import (
	"fmt"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/sizes"
	"github.com/smux-cuda/smux/analysis/summary"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/internal/prose"
	"github.com/smux-cuda/smux/pipeline/selection"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// mostRanked is the number of rewrites that the text report shows; the JSON form has all.
const mostRanked = 3

// resourceRows show what a thread block takes, and how many an SM runs, per GPU and form of launch.
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

// rankingRows show the rewrites from which most is expected, a row for each place, and why others are not considered.
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

// reuseRows describe each array that stage copies, and what the ranking expects of that.
func (k Kernel) reuseRows() section {
	s := section{label: "reuse"}
	for _, c := range k.Reuse {
		s.row(reuseText(c))
	}
	if verdict := k.stagingVerdict(); len(k.Reuse) > 0 && verdict != "" {
		s.row(verdict)
	}
	return s
}

// stagingVerdict returns the ranking's verdict on the best form of stage, "" where it has none.
func (k Kernel) stagingVerdict() string {
	if k.Model == nil {
		return ""
	}
	for _, r := range k.Model.Ranking {
		if r.Rewriter != variant.Stage || r.Excluded != "" {
			continue
		}
		places := lists.Map(r.Places, func(p selection.Prediction) string { return fmt.Sprintf("%.2fx on %s", p.Ratio, p.GPU) })
		text := r.Variant.String() + ", " + diag.AndList(places)
		if r.Gain < 1 {
			return "by the ranking, staging is not expected to pay: at best " + text
		}
		return "by the ranking, staging is best as " + text
	}
	return ""
}

// reuseText is: vec, read at 40:12 in the loop at line 38: each element 64 times by a thread block; 1024 bytes of shared
// memory, in tiles of 32 iterations.
func reuseText(c rewrite.Staged) string {
	text := c.Array
	for i, p := range c.Places {
		text += fmt.Sprintf("%s %d:%d", map[bool]string{true: ", read at", false: ","}[i == 0], p.Line, p.Column)
	}
	if c.Loop != nil {
		text += fmt.Sprintf(" in the loop at line %d", c.Loop.Line)
	}
	text += fmt.Sprintf(": each element %.3g times by a thread block; %s of shared memory", c.Reuse, prose.Count(c.Bytes, "byte"))
	if c.Tile > 0 {
		text += ", in tiles of " + prose.Count(c.Tile, "iteration")
	}
	return text
}

// SizeConstant is a constant of the program that sets sizes of a kernel.
type SizeConstant struct {
	Name     string        `json:"name"`
	Position diag.Position `json:"position"` // of the number
	Value    int64         `json:"value"`
	Sets     []string      `json:"sets"`   // "block shape", "shared array tile"
	Values   []int64       `json:"values"` // that smux tune --sizes would try
}

// AddSizes notes by which constants a program sets the sizes of its kernels.
func (p *Program) AddSizes(prog *analysis.Program, names []string) error {
	kernels := lists.Filter(prog.Kernels(), func(k *analysis.Kernel) bool { return rewrite.Matches(names, k.Name) })
	found, err := sizes.Find(prog, kernels...)
	if err != nil {
		return err
	}
	for i := range p.Kernels {
		of := &p.Kernels[i]
		of.Sizes = []SizeConstant{}
		for _, k := range kernels {
			if summary.Position(k) != of.Position {
				continue
			}
			for _, c := range found {
				if sets := c.Of(k); len(sets) > 0 {
					of.Sizes = append(of.Sizes, SizeConstant{c.Name, c.Position(), c.Value, sets, c.Values()})
				}
			}
		}
	}
	return nil
}

func (k Kernel) sizeRows() section {
	s := section{label: "sizes"}
	if k.Sizes != nil && len(k.Sizes) == 0 {
		s.row("no constant in view sets them")
	}
	for _, c := range k.Sizes {
		s.row(fmt.Sprintf("%s = %d", c.Name, c.Value), c.Position.String(), strings.Join(c.Sets, ", "))
	}
	return s
}

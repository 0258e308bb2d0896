package report

import (
	"fmt"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/reuse"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/plural"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// reuseOf finds the candidates of a kernel as its first known launch runs it.
func reuseOf(k *analysis.Kernel) []reuse.Candidate {
	if found := reuse.Candidates(k, firstKnown(k)); found != nil {
		return found
	}
	return []reuse.Candidate{}
}

// firstKnown returns the first instance whose block shape is known, else the first.
func firstKnown(k *analysis.Kernel) *analysis.Instance {
	for _, in := range k.Counted() {
		if _, ok := in.BlockShape(); ok {
			return in
		}
	}
	if len(k.Instances) > 0 {
		return k.Counted()[0]
	}
	return nil
}

// reuseRows describe each candidate, and what the ranking expects of staging.
func (k Kernel) reuseRows() section {
	s := section{label: "reuse"}
	for _, c := range k.Reuse {
		s.row(reuseHeading(c))
		s.row("  " + reuseSaving(c))
		for _, r := range c.Needs {
			s.row("  needs: " + r.String())
		}
		for _, r := range c.Refused {
			s.row("  not possible: " + r.String())
		}
	}
	if verdict := k.stagingVerdict(); len(k.Reuse) > 0 && verdict != "" {
		s.row(verdict)
	}
	return s
}

// stagingVerdict is what the ranking has of the best form of stage, "" where it has none.
func (k Kernel) stagingVerdict() string {
	if k.Model == nil {
		return ""
	}
	for _, r := range k.Model.Ranking {
		if r.Rewriter != variant.Stage || r.Excluded != "" {
			continue
		}
		var places []string
		for _, p := range r.Places {
			places = append(places, fmt.Sprintf("%.2fx on %s", p.Ratio, p.GPU))
		}
		text := r.Variant.String() + ", " + diag.AndList(places)
		if r.Gain < 1 {
			return "by the ranking, staging is not expected to pay: at best " + text
		}
		return "by the ranking, staging is best as " + text
	}
	return ""
}

// reuseHeading is: vec: vector, read at 40:12 in the loop at line 38 (n iterations).
func reuseHeading(c reuse.Candidate) string {
	var places []string
	for _, p := range c.Places {
		places = append(places, fmt.Sprintf("%d:%d", p.Line, p.Column))
	}
	text := fmt.Sprintf("%s: %s, read at %s", c.Array, c.Kind, strings.Join(places, ", "))
	if c.Loop != nil {
		text += fmt.Sprintf(" in the loop at line %d", c.Loop.Pos.Line)
		if c.Loop.Trip != "" {
			text += fmt.Sprintf(" (%s iterations)", c.Loop.Trip)
		}
	}
	return text
}

// reuseSaving returns what staging saves, for the tile that stands for the candidate.
func reuseSaving(c reuse.Candidate) string {
	t := c.Typical()
	text := "per thread block"
	if t.Tile > 0 {
		text += fmt.Sprintf(" and tile of %s", plural.Count(t.Tile, "iteration"))
	}
	return text + fmt.Sprintf(": %s, each element read by %.3g threads; staged in %s of shared memory, %d of %d sectors (32 bytes) need not be loaded",
		plural.Count(t.Footprint, "byte"), t.Reuse(), plural.Count(t.Shared, "byte"), t.Saved(), t.Before)
}

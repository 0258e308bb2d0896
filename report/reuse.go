package report

import (
	"fmt"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/prose"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/rewrite/variant"
)

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

package pipeline

import (
	"fmt"

	"github.com/smux-cuda/smux/rewrite/regreduce"
)

// attemptLines tell what was tried for a kernel and with what result, a line each.
func attemptLines(r *regreduce.Report) []string {
	var out []string
	for i, a := range r.Attempts {
		name := a.Recipe
		if a.Rung == "" {
			name = "as it is"
		}
		if a.Failed != "" {
			out = append(out, fmt.Sprintf("%s: %s", name, a.Failed))
			continue
		}
		text := fmt.Sprintf("%s: %d registers, %d bytes spilled, %d bytes shared, %d instructions, %d thread blocks per SM on %s",
			name, a.Figures.Registers, a.Figures.Spills(), a.Figures.Shared, a.Figures.Instructions, a.Occupancy.Blocks*r.Stacked, r.GPU)
		switch {
		case i == r.Chosen:
			text += "; taken"
		case a.Rejected != "":
			text += "; " + a.Rejected
		}
		out = append(out, text)
	}
	return out
}

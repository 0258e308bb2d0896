package ladder

import (
	"cmp"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/model/occupancy"
)

// Order is the predictor's order of a report's attempts, as indices: the one that
// it takes for the fastest first. Attempts that it knows nothing of are left out.
func Order(r *Report) []int {
	order := []int{}
	for i, a := range r.Attempts {
		if a.Predicted > 0 {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(r.Attempts[a].Predicted, r.Attempts[b].Predicted)
	})
	return order
}

// predicted scales the stall cycles of a warp by how many warps share the SM:
// what one waits the others use (RegDem §4).
func predicted(f Figures, r occupancy.Result) float64 {
	if r.Occupancy == 0 {
		return 0
	}
	return f.Stall / r.Occupancy
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}

package regreduce

import (
	"cmp"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/model/occupancy"
	"github.com/smux-cuda/smux/model/stall"
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
		x, y := r.Attempts[a], r.Attempts[b]
		return cmp.Or(cmp.Compare(x.Predicted, y.Predicted), cmp.Compare(x.Figures.Stall, y.Figures.Stall))
	})
	return order
}

// predicted scales the stall cycles of a warp by how many warps share the SM
// (as package stall does it after RegDem §4); 0 where they are not known.
func predicted(f Figures, r occupancy.Result) float64 {
	if f.Stall == 0 || r.Warps == 0 {
		return 0
	}
	return stall.Variant{Cycles: f.Stall, Warps: float64(r.Warps), Busy: f.Busy}.Cost()
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}

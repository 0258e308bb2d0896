package ladder

import (
	"cmp"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/model/gpu"
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
		return cmp.Compare(r.Attempts[a].Predicted, r.Attempts[b].Predicted)
	})
	return order
}

// predicted is what a warp costs an SM: what one waits the others use (RegDem §4).
func predicted(f Figures, g *gpu.GPU, r occupancy.Result) float64 {
	if r.Warps == 0 || f.Stall == 0 {
		return 0
	}
	return stall.Variant{Cycles: f.Stall, Warps: float64(r.Warps), Busy: f.Mix.Busy(&g.Arch)}.Cost()
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}

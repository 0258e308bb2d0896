package report

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	"github.com/smux-cuda/smux/internal/prose"
	"github.com/smux-cuda/smux/pipeline/selection"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// mostGains is the number of kernels that a summary names.
const mostGains = 10

// SummaryText prints, per GPU, what limits how many kernels, then the kernels whose
// rewrites are expected to gain most, and how many kernels nothing can be said of.
func (r Report) SummaryText(out *bytes.Buffer) {
	var gpus []string
	unknown := 0
	for _, k := range r.Kernels {
		if k.Model == nil || len(k.Model.Originals) == 0 {
			unknown++
			continue
		}
		for _, o := range k.Model.Originals {
			if !slices.Contains(gpus, o.GPU) {
				gpus = append(gpus, o.GPU)
			}
		}
	}
	limits := section{label: "limits"}
	for _, g := range gpus {
		limits.rows = append(limits.rows, r.limitCells(g))
	}
	limits.print(out)
	gains := section{label: "gains"}
	more := 0
	for i, g := range r.gains() {
		if i >= mostGains {
			more++
			continue
		}
		verdict := ""
		if g.chosen {
			verdict = "chosen"
		}
		gains.row(fmt.Sprintf("%.2fx", g.gain), g.way.String(), g.kernel.Name, g.kernel.Position.String(), verdict)
	}
	if len(gains.rows) == 0 {
		gains.row("no rewrite is expected to gain")
	}
	if more > 0 {
		gains.row("and " + prose.Count(more, "more kernel"))
	}
	gains.print(out)
	if unknown > 0 {
		fmt.Fprintf(out, "  %-10s%s, whose resources or block shape are not known\n", "unknown", prose.Count(unknown, "kernel"))
	}
	if len(r.Lost) > 0 {
		fmt.Fprintf(out, "  %-10s%s could not be parsed\n", "lost", prose.Count(len(r.Lost), "kernel"))
	}
}

// limitCells returns a GPU and what limits how many kernels there, the most frequent first.
// A kernel that is launched in several shapes counts once for each limit.
func (r Report) limitCells(gpu string) []string {
	counts := map[string]int{}
	for _, k := range r.Kernels {
		if k.Model == nil {
			continue
		}
		var seen []string
		for _, o := range k.Model.Originals {
			limit := o.Limiters.String()
			if o.Occupancy >= 1 {
				limit = "full"
			}
			if o.GPU == gpu && !slices.Contains(seen, limit) {
				seen = append(seen, limit)
				counts[limit]++
			}
		}
	}
	var names []string
	for n := range counts {
		names = append(names, n)
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b)) })
	cells := []string{prose.Printable(gpu)}
	for _, n := range names {
		cells = append(cells, fmt.Sprintf("%d %s", counts[n], n))
	}
	return cells
}

// gain is a rewrite of a kernel and what is expected of it.
type gain struct {
	kernel Kernel
	way    rewrite.Variant
	gain   float64 // time of the original over that of the rewrite
	chosen bool
}

// gains returns the rewrites that would be chosen, and of other kernels the best that gain
// anything, the largest gain first. A grid that is coarsened may leave SMs without work where it isn't chosen.
func (r Report) gains() []gain {
	var out []gain
	for _, k := range r.Kernels {
		if k.Model == nil {
			continue
		}
		i := slices.IndexFunc(k.Model.Ranking, func(o selection.RankedVariant) bool {
			if k.Model.Choice == nil {
				return o.Excluded == "" && o.Rewriter != variant.Coarsen
			}
			return o.Variant == *k.Model.Choice
		})
		if i < 0 {
			continue
		}
		if best := k.Model.Ranking[i]; k.Model.Choice != nil || best.Gain >= selection.LeastGain {
			out = append(out, gain{k, best.Variant, best.Gain, k.Model.Choice != nil})
		}
	}
	slices.SortStableFunc(out, func(a, b gain) int { return cmp.Compare(b.gain, a.gain) })
	return out
}

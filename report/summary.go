package report

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/lists"
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
			gpus = lists.Add(gpus, o.GPU)
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
	cells := []string{prose.Printable(gpu)}
	order := func(a, b string) int { return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b)) }
	for _, n := range slices.SortedFunc(maps.Keys(counts), order) {
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

// Told returns what is said of a kernel. Figures of nvcc are told verbosely, or where there is nothing else: what is
// worse than before has codes of its own.
func Told(k rewrite.KernelResult, verbose bool) (out []diag.Message) {
	for _, m := range k.Refused {
		m.Text = fmt.Sprintf("kernel %q left alone: %s", k.Name, m.Text)
		m.Help = cmp.Or(m.Help, diag.Help(m.Code))
		out = append(out, m)
	}
	for _, m := range k.Notes {
		if m.Code == selection.CodeRegisters && !verbose && len(k.Notes) > 1 {
			continue
		}
		m.Text = fmt.Sprintf("kernel %q: %s", k.Name, m.Text)
		out = append(out, m)
	}
	return out
}

// Folded returns what is said of a kernel as one message: the first of each code, and in how many places it holds.
func Folded(told []diag.Message) diag.Message {
	out, text := told[0], ""
	for i, m := range told {
		same := func(o diag.Message) bool { return o.Code == m.Code }
		if slices.ContainsFunc(told[:i], same) {
			continue
		}
		if i > 0 {
			_, about, _ := strings.Cut(m.Text, ": ") // the kernel, which has been named
			m.Text = fmt.Sprintf("; %s: %s", m.Code, about)
		}
		if text += m.Text; slices.ContainsFunc(told[i+1:], same) {
			places := slices.DeleteFunc(slices.Clone(told), func(o diag.Message) bool { return !same(o) })
			text += fmt.Sprintf(" (%d places)", len(places))
		}
	}
	out.Text = text
	return out
}

// Advice returns help for the messages on kernels, once for all.
func Advice(kernels []rewrite.KernelResult) string {
	var told []diag.Message
	var codes []string
	for _, k := range kernels {
		for _, m := range Told(k, false) {
			if !slices.Contains(codes, string(m.Code)) {
				told, codes = append(told, m), append(codes, string(m.Code))
			}
		}
	}
	switch len(told) {
	case 0:
		return ""
	case 1:
		return told[0].Advice()
	}
	return fmt.Sprintf("run \"smux explain CODE\" with %s; smux rewrite -v tells more", strings.Join(codes, ", "))
}

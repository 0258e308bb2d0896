package print

import (
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/model/sim"
	"github.com/smux-cuda/smux/model/sim/fidelity"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/pipeline/selection"
	"github.com/smux-cuda/smux/rewrite"
)

// minGain is the percentage from which on smux rewrites.
const minGain = 5

// choices are what the model expects of the ten programs on a GPU, by the source alone,
// and behind them, without a name, the geometric mean of those that were measured; texts
// name the variants.
func choices(folder, board string, opt sim.Options) (out []fidelity.Choice, texts []string, err error) {
	g, err := gpu.Lookup(board)
	if err != nil {
		return nil, nil, err
	}
	mean, measured := fidelity.Choice{Best: 1, Chosen: 1, Bound: 1}, 0.0
	for _, name := range names {
		group, err := groupOf(folder, name)
		if err != nil {
			return nil, nil, err
		}
		group.Variants = slices.DeleteFunc(slices.Clone(group.Variants), func(o rewrite.CheckedVariant) bool {
			return o.Rewriter == "slice" // not among what was measured
		})
		clock := func(p selection.Place, policy sim.Policy) (float64, error) {
			work := *p.Work
			work.Blocks = 0 // a large grid, not the few blocks of a self-check
			r, err := sim.Run(p.GPU, &work, policy, opt)
			if err != nil {
				return 0, err
			}
			return r.CyclesPerBlock, nil
		}
		r := selection.Group(group, selection.Request{GPUs: []*gpu.GPU{g}, MinGain: minGain, Source: selection.Estimates{}, Clock: clock})
		c := fidelity.Choice{Kernel: strings.ToUpper(name), Best: 1, Chosen: 1}
		best, chosen := "-", "-"
		for _, ranked := range r.Ranking {
			if ranked.Excluded == "" && ranked.Gain > c.Best {
				c.Best, best = ranked.Gain, ranked.Variant.String()
			}
			if r.Choice != nil && ranked.Variant == *r.Choice {
				c.Chosen, chosen = ranked.Gain, ranked.Variant.String()
			}
		}
		if c.Bound, err = bound(r, clock); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", name, err)
		}
		out, texts = append(out, c), append(texts, best+"; "+chosen)
		if measuredOf("gtx480@16", c.Kernel).Best > 0 {
			mean.Best, mean.Chosen, mean.Bound = mean.Best*c.Best, mean.Chosen*c.Chosen, mean.Bound*c.Bound
			measured++
		}
	}
	for _, x := range []*float64{&mean.Best, &mean.Chosen, &mean.Bound} {
		*x = math.Pow(*x, 1/measured)
	}
	return append(out, mean), append(texts, ""), nil
}

// bound is the time of the original's best form over that of the original with shared
// memory for as many thread blocks as there is room for otherwise.
func bound(r *selection.Report, clock selection.Clock) (float64, error) {
	if len(r.Places()) == 0 {
		return 0, fmt.Errorf("%s", r.Unranked)
	}
	p := r.Places()[0]
	least := math.Inf(1)
	for _, policy := range []sim.Policy{{}, {Ahead: true}} {
		cycles, err := clock(p, policy)
		if err != nil {
			return 0, err
		}
		least = min(least, cycles)
	}
	work := *p.Work
	work.Shared, p.Work = 0, &work
	unlimited, err := clock(p, sim.Policy{})
	return least / unlimited, err
}

// groupOf is the first kernel of a program, with what can be done to it.
func groupOf(folder, name string) (rewrite.Group, error) {
	prog, errs := parser.LoadProgram([]string{filepath.Join(folder, name, name+".cu")}, parser.Options{})
	if len(errs) > 0 {
		return rewrite.Group{}, errs[0]
	}
	analysed := analysis.NewProgram(prog, [3]int{})
	groups := rewrite.Groups(analysed, analysed.Kernels(), rewrite.Options{})
	if len(groups) == 0 {
		return rewrite.Group{}, fmt.Errorf("%s: no kernel", name)
	}
	return groups[0], nil
}

// writeChoices writes what was measured of the ten programs beside what the model
// expects, and the cells that it gets wrong.
func writeChoices(w io.Writer, folder string, opt sim.Options) error {
	var wrong []string
	for _, board := range []string{"gtx480@16", "gtx480@48"} {
		fmt.Fprintf(w, "### The programs in examples/, as smux writes them: %s\n\nSpeed-up over the best form of the original without multiplexing: measured / model.\n\n", board)
		fmt.Fprint(w, "| | best variant | chosen | unlimited shared memory | the model's best; its choice |\n|---|---|---|---|---|\n")
		all, texts, err := choices(folder, board, opt)
		if err != nil {
			return err
		}
		for i, c := range all {
			m := measuredOf(board, c.Kernel)
			name := c.Kernel
			if name == "" {
				name = "geometric mean"
			}
			cells := []cell{{"best", m.Best, c.Best}, {"chosen", m.Chosen, c.Chosen}, {"unlimited", m.Bound, c.Bound}}
			left := c.Chosen == 1 // what was measured is another choice, which is not made any more
			fmt.Fprintf(w, "| %s | %s | %s | %s | %s |\n", name, cells[0], cells[1], cells[2], texts[i])
			for _, x := range cells {
				if x.off() && !(left && x.what == "chosen") {
					wrong = append(wrong, fmt.Sprintf("%s %s %s (%.2f)", board, name, x.what, x.model/x.measured))
				}
			}
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintf(w, "Off by more than a factor of %.2f (model over measured): %s.\n\n", fidelity.Off, strings.Join(wrong, ", "))
	return nil
}

// cell is a gain that was measured and the model's.
type cell struct {
	what            string
	measured, model float64
}

func (c cell) String() string {
	if c.measured == 0 {
		return fmt.Sprintf("- / %.2f", c.model)
	}
	return fmt.Sprintf("%.2f / %.2f", c.measured, c.model)
}

// off reports whether the model gets it wrong.
func (c cell) off() bool {
	return c.measured > 0 && math.Abs(math.Log(c.model/c.measured)) > math.Log(fidelity.Off)
}

func measuredOf(board, kernel string) fidelity.Choice {
	for _, c := range fidelity.MeasuredChoices[board] {
		if c.Kernel == kernel {
			return c
		}
	}
	return fidelity.Choice{}
}

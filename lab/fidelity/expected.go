package fidelity

import (
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis/passes"
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/model/sim"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/pipeline/selection"
	"github.com/smux-cuda/smux/rewrite"
)

// minGain is the percentage from which on smux rewrites.
const minGain = 5

// choices returns what the model expects of the ten programs on a GPU, by the source alone,
// and after them, without a name, the geometric mean of those that were measured; texts
// name the best variant and the one that is chosen. What takes fewer bytes of shared memory
// and knobs that make turns shorter were not among what was measured, and count with all.
func choices(folder, board string, all bool, opt sim.Options) (out []Choice, texts [][2]string, err error) {
	g, err := gpu.Lookup(board)
	if err != nil {
		return nil, nil, err
	}
	mean, measured := Choice{Best: 1, Chosen: 1, Bound: 1}, 0.0
	for _, name := range names {
		group, err := groupOf(folder, name)
		if err != nil {
			return nil, nil, err
		}
		group.Variants = slices.DeleteFunc(slices.Clone(group.Variants), func(o rewrite.CheckedVariant) bool {
			return o.Resizes() && !all
		})
		clock := clockOf(opt)
		r := selection.Group(group, selection.Request{GPUs: []*gpu.GPU{g}, MinGain: minGain, Source: selection.Estimates{}, Clock: clock, Plain: !all})
		c := Choice{Kernel: strings.ToUpper(name), Best: 1, Chosen: 1}
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
		out, texts = append(out, c), append(texts, [2]string{best, chosen})
		if measuredOf("gtx480@16", c.Kernel).Best > 0 {
			mean.Best, mean.Chosen, mean.Bound = mean.Best*c.Best, mean.Chosen*c.Chosen, mean.Bound*c.Bound
			measured++
		}
	}
	for _, x := range []*float64{&mean.Best, &mean.Chosen, &mean.Bound} {
		*x = math.Pow(*x, 1/measured)
	}
	return append(out, mean), append(texts, [2]string{}), nil
}

// clockOf gives the times of a large grid, not those of the few blocks of a self-check.
func clockOf(opt sim.Options) selection.Clock {
	return func(p selection.Place, policy sim.Policy) (float64, error) {
		work := *p.Work
		work.Blocks = 0
		r, err := sim.Run(p.GPU, &work, policy, opt)
		if err != nil {
			return 0, err
		}
		return r.CyclesPerBlock, nil
	}
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
	analysed := passes.NewProgram(prog, [3]int{})
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
		all, texts, err := choices(folder, board, false, opt)
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
			ways := strings.Join(texts[i][:], "; ")
			if c.Kernel == "" {
				ways = ""
			}
			fmt.Fprintf(w, "| %s | %s | %s | %s | %s |\n", name, cells[0], cells[1], cells[2], ways)
			for _, x := range cells {
				if x.off() && !(left && x.what == "chosen") {
					wrong = append(wrong, fmt.Sprintf("%s %s %s (%.2f)", board, name, x.what, x.model/x.measured))
				}
			}
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintf(w, "Off by more than a factor of %.2f (model over measured): %s.\n\n", Off, strings.Join(wrong, ", "))
	return writeReach(w, folder, opt)
}

// limited is the bound from which on shared memory limits a program: below, the share of
// what could be gained says nothing.
const limited = 1.05

// writeReach writes how much of what unlimited shared memory would gain the best of all
// variants reaches by the model, beside what was measured of texts made by hand.
func writeReach(w io.Writer, folder string, opt sim.Options) error {
	var wrong []string
	for _, board := range []string{"gtx480@16", "gtx480@48"} {
		fmt.Fprintf(w, "### What can be reached, by the model: %s\n\nSpeed-up over the best form of the original, with slice, overlay and turns after them. The share is of what unlimited shared memory would gain, where it gains.\n\n", board)
		fmt.Fprint(w, "| | unlimited shared memory | best | share | which | made by hand, measured |\n|---|---|---|---|---|---|\n")
		all, texts, err := choices(folder, board, true, opt)
		if err != nil {
			return err
		}
		for i, c := range all[:len(all)-1] { // the mean of some says nothing here
			share, hand := "-", "-"
			if c.Bound >= limited {
				share = fmt.Sprintf("%.0f %%", 100*(c.Best-1)/(c.Bound-1))
			}
			if x := (cell{c.Kernel, ByHand[c.Kernel], c.Best}); x.measured > 0 && board == "gtx480@16" {
				hand = fmt.Sprintf("%.2f", x.measured)
				if x.off() {
					wrong = append(wrong, fmt.Sprintf("%s (%.2f)", c.Kernel, x.model/x.measured))
				}
			}
			fmt.Fprintf(w, "| %s | %.2f | %.2f | %s | %s | %s |\n", c.Kernel, c.Bound, c.Best, share, texts[i][0], hand)
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintf(w, "The best by the model and what was made by hand differ by more than a factor of %.2f: %s.\n\n", Off, strings.Join(wrong, ", "))
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
	return c.measured > 0 && math.Abs(math.Log(c.model/c.measured)) > math.Log(Off)
}

func measuredOf(board, kernel string) Choice {
	for _, c := range MeasuredChoices[board] {
		if c.Kernel == kernel {
			return c
		}
	}
	return Choice{}
}

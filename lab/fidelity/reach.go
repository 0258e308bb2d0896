package fidelity

import (
	"fmt"
	"io"
	"strings"

	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/model/sim"
	"github.com/smux-cuda/smux/pipeline/selection"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// writeKnobs writes what shorter turns were measured to gain beside what the model expects.
func writeKnobs(w io.Writer, folder string, opt sim.Options) error {
	const board = "gtx480@16"
	fmt.Fprintf(w, "### Shorter turns: %s\n\nSpeed-up over the best form of the original without multiplexing and without these knobs: measured / model.\n\n| | variant | | where they differ by more than %.2f |\n|---|---|---|---|\n", board, Off)
	g, err := gpu.Lookup(board)
	if err != nil {
		return err
	}
	for _, m := range MeasuredKnobs {
		group, err := groupOf(folder, strings.ToLower(m.Kernel))
		if err != nil {
			return err
		}
		model, err := gainOf(group, m.Variant, g, opt)
		if err != nil {
			return fmt.Errorf("%s: %s: %w", m.Kernel, m.Variant, err)
		}
		c, why := (cell{"", m.Measured, model}), m.Why
		if c.off() && why == "" {
			why = "not known"
		} else if !c.off() {
			why = ""
		}
		fmt.Fprintf(w, "| %s | %s | %s | %s |\n", m.Kernel, m.Variant, c, why)
	}
	_, err = fmt.Fprintln(w)
	return err
}

// gainOf returns the gain that the model expects of a variant, and of no other.
func gainOf(group rewrite.Group, text string, g *gpu.GPU, opt sim.Options) (float64, error) {
	way, err := variant.Parse(text)
	if err != nil {
		return 0, err
	}
	ask := func(ways ...rewrite.Variant) (float64, error) {
		group.Variants = nil
		for _, w := range ways {
			group.Variants = append(group.Variants, rewrite.CheckedVariant{Variant: w, Can: true})
		}
		r := selection.Group(group, selection.Request{GPUs: []*gpu.GPU{g}, Source: selection.Estimates{}, Clock: clockOf(opt), Plain: true})
		best := 0.0
		for _, ranked := range r.Ranking {
			best = max(best, ranked.Gain)
		}
		if best == 0 {
			return 0, fmt.Errorf("nothing is predicted: %s", r.Summary())
		}
		return best, nil
	}
	staged, shaped := rewrite.Variant{Rewriter: "stage-loads"}, rewrite.Variant{Rewriter: "assume-shape"}
	if way.Merges() {
		return ask(staged, shaped, way)
	}
	// A form of the original gains what another variant loses by it.
	other := rewrite.Variant{Rewriter: "vtb", Sync: "named", Factor: 2}
	without, err := ask(staged, shaped, other)
	if err != nil {
		return 0, err
	}
	with, err := ask(staged, shaped, way, other)
	return without / with, err
}

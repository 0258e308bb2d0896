package space

import (
	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/rewrite/variant"
	"github.com/smux-cuda/smux/tune/record"
)

// rewriteAll is the first pass: what the ways say, step by step. The knob Assume of
// stage-loads asks for a second pass, since that rewriter has none of its own.
func (d *draft) rewriteAll() error {
	most := 1
	for _, c := range d.choices {
		most = max(most, len(c.Candidate.Steps()))
	}
	for i := range most {
		wanted := func(c record.TunedVariant) bool { return c.Rewriter != "" && i < len(c.Steps()) }
		err := d.pass(wanted, func(c record.TunedVariant, _ []*analysis.Kernel) (rewrite.Variant, error) {
			w := c.Steps()[i]
			if w.Rewriter == variant.StageLoads {
				w.Assume = false
			}
			return w, nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// assumeAll tells the compiler the block shape where loads were staged.
func (d *draft) assumeAll() error {
	wanted := func(c record.TunedVariant) bool { return c.Rewriter == variant.StageLoads && c.Assume }
	return d.pass(wanted, func(record.TunedVariant, []*analysis.Kernel) (rewrite.Variant, error) {
		return rewrite.Variant{Rewriter: variant.AssumeShape}, nil
	})
}

// capAll gives launch bounds to what the passes before left.
func (d *draft) capAll() error {
	wanted := func(c record.TunedVariant) bool { return c.Blocks > 0 }
	return d.pass(wanted, func(c record.TunedVariant, kernels []*analysis.Kernel) (rewrite.Variant, error) {
		threads := mostThreads(kernels)
		if threads == 0 {
			return rewrite.Variant{}, &record.Failure{Kind: record.FailedRewrite, Text: "the block size of a launch is not a constant: launch bounds could be exceeded"}
		}
		recipe := variant.Recipe{Threads: threads, Blocks: c.Blocks}
		return rewrite.Variant{Rewriter: variant.Demote, Recipe: recipe.String()}, nil
	})
}

// mostThreads returns how many threads the largest block of any launch of the kernels
// has, 0 where one is not known. What smux merged is seen as it is launched.
func mostThreads(kernels []*analysis.Kernel) int {
	most := 0
	for _, k := range kernels {
		for _, in := range k.Instances {
			d, ok := in.BlockShape()
			if !ok {
				return 0
			}
			most = max(most, d[0]*d[1]*d[2])
		}
	}
	return most
}

// carveAll lets the launches prefer a part of the SM's storage as shared memory.
func (d *draft) carveAll() error {
	buffers := carving{}
	for _, c := range d.choices {
		if c.Candidate.Carveout == 0 {
			continue
		}
		kernels, err := d.kernels(c)
		if err != nil {
			return err
		}
		if err := buffers.carve(kernels, c.Candidate.Carveout); err != nil {
			return err
		}
	}
	return d.Edit(buffers)
}

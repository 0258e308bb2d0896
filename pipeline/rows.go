package pipeline

import (
	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/pipeline/resources"
	"github.com/smux-cuda/smux/pipeline/selection"
	"github.com/smux-cuda/smux/rewrite"
)

// splitRows decides how many rows each v-TB owns where a person asks for a rewrite
// that splits an array and leaves that open: the most that cost no thread block on
// any of the GPUs. A kernel of which that can't be said is left to the rewriter.
func (j *Job) splitRows(opt *rewrite.Options) error {
	if opt.PrivateRows != 0 || !selection.Splits(opt.Variant) {
		return nil
	}
	analysed := j.Analysed()
	var groups []rewrite.Group
	var asked []*analysis.Kernel
	for _, g := range rewrite.Groups(analysed, analysed.Kernels(), *opt) {
		if rewrite.Matches(opt.Kernels, g.Kernels[0].Name) && g.Can() {
			groups = append(groups, g)
			asked = append(asked, g.Kernels...)
		}
	}
	if len(groups) == 0 {
		return nil
	}
	defer j.Silence(j.Quiet && j.Ask.Resources == resources.Auto)()
	return j.withSource(asked, "registers are estimated", func(req selection.Request) {
		opt.Decisions = map[diag.Position]rewrite.Decision{}
		for _, g := range groups {
			for _, o := range g.Variants {
				if !o.Can {
					continue
				}
				if private, err := selection.Private(g.Kernels, o.Variant, req); err == nil && private > 0 {
					way := o.Variant
					way.PrivateRows = private
					for _, k := range g.Kernels {
						opt.Decisions[k.Position()] = rewrite.Decision{Variant: way}
					}
				}
				break // the sync mode that is preferred
			}
		}
	})
}

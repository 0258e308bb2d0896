package pipeline

import (
	"context"
	"slices"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/pipeline/selection"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// harm adds, to the notes of kernels whose rewrite a person has named, what the model expects to
// be lost by it. A choice c has asked the model already, where there is one; else it is asked
// about these rewrites alone, by estimates, for the GPUs that other messages are about. What
// brings registers down is weighed by itself.
func (j *Job) harm(c *Choice, wants *Preferences, kernels []rewrite.KernelResult) error {
	var open []int
	for i, k := range kernels {
		named := j.Options.Rewriter != "" || wants.of(k.Pos).decides()
		if named && k.Rewriter != "" && k.Rewriter != variant.Demote && k.Recipe == "" {
			open = append(open, i)
		}
	}
	if len(open) == 0 {
		return nil
	}
	gpus, err := j.Ask.GPUs(true)
	if err != nil {
		return err
	}
	return j.Interruptible("weighing the rewrites", func(ctx context.Context) error {
		req := selection.Request{GPUs: gpus, Source: selection.Estimates{}, Clock: clock(ctx), Check: (&Choice{Program: j.Analysed(), Kernels: j.Analysed().Kernels()}).check(j.Options)}
		for _, i := range open {
			k := &kernels[i]
			var report *selection.Report
			if c != nil {
				report = c.Of(k.Pos)
			}
			if report == nil || len(report.Predicted(k.Variant)) == 0 {
				report = selection.Group(j.alone(k), req)
			}
			k.Notes = append(k.Notes, selection.Losses(k.Pos, report.For(k.Name), k.Variant)...)
		}
		return nil
	})
}

// alone is the group of a rewritten kernel with that rewrite alone.
func (j *Job) alone(k *rewrite.KernelResult) rewrite.Group {
	for _, group := range j.groups() {
		if slices.ContainsFunc(group, func(o *analysis.Kernel) bool { return o.Position() == k.Pos }) {
			return rewrite.Group{Kernels: group, Variants: []rewrite.CheckedVariant{{Variant: k.Variant, Can: true}}}
		}
	}
	return rewrite.Group{}
}

package pipeline

import (
	"context"
	"slices"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/summary"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/pipeline/resources"
	"github.com/smux-cuda/smux/pipeline/selection"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// feedback adds, to the notes of each rewritten kernel, what nvcc made of it and of the original. What the choice c
// has compiled is not asked for again; c may be nil. Without nvcc, or with --resources estimate, nothing is reported.
func (j *Job) feedback(c *Choice, kernels []rewrite.KernelResult) error {
	opt := j.Options
	var open []int
	for i, k := range kernels {
		switch {
		case k.Rewriter == "":
		case k.Recipe != "" && opt.Recipe == "": // the ladder has said it
		case opt.Rewriter == "" && c != nil && c.Of(k.Pos) != nil:
			kernels[i].Notes = append(k.Notes, selection.Feedback(k.Pos, c.Of(k.Pos).Predicted(k.Variant))...)
		default:
			open = append(open, i)
		}
	}
	if len(open) == 0 || !j.asksNVCC() {
		return nil
	}
	at := map[diag.Position]*analysis.Kernel{}
	for _, k := range j.Analysed().Kernels() {
		at[summary.Position(k)] = k
	}
	var asked []*analysis.Kernel
	for _, i := range open {
		if k := at[kernels[i].Pos]; k != nil {
			asked = append(asked, k)
		}
	}
	const instead = "registers are not compared"
	return j.withSource(asked, instead, func(req selection.Request) {
		for _, i := range open {
			k := &kernels[i]
			if at[k.Pos] == nil {
				continue
			}
			places, _ := selection.Compare([]*analysis.Kernel{at[k.Pos]}, k.Variant, req)
			k.Notes = append(k.Notes, selection.Feedback(k.Pos, places)...)
		}
	})
}

// asksNVCC reports whether nvcc is asked for registers: where it is to be, and is there or must be.
func (j *Job) asksNVCC() bool {
	if j.timedOut {
		return false
	}
	if j.Ask.Resources == resources.Auto {
		_, err := j.FindNVCC()
		return err == nil
	}
	return j.Ask.Resources == resources.NVCC
}

// withSource calls f with the GPUs and a source of resources for some kernels. Without --gpu the GPUs are taken
// without a remark: the messages name them. instead tells what is done where nvcc refuses a file.
func (j *Job) withSource(kernels []*analysis.Kernel, instead string, f func(selection.Request)) error {
	gpus, err := j.Ask.GPUs(true)
	if err != nil {
		return err
	}
	return j.Interruptible("asking nvcc", func(ctx context.Context) error {
		source, err := j.newSource(ctx, kernels, gpus, instead)
		if err != nil {
			return err
		}
		defer source.end()
		f(selection.Request{GPUs: gpus, Source: source})
		return nil
	})
}

// harm adds, to the notes of kernels whose rewrite a person has named, what the model expects to be lost by it. A
// choice c has asked the model already, where there is one; else it is asked about these rewrites alone, by
// estimates, for the GPUs that other messages are about. What brings registers down is weighed by itself.
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
		if slices.ContainsFunc(group, func(o *analysis.Kernel) bool { return summary.Position(o) == k.Pos }) {
			return rewrite.Group{Kernels: group, Variants: []rewrite.CheckedVariant{{Variant: k.Variant, Can: true}}}
		}
	}
	return rewrite.Group{}
}

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
						opt.Decisions[summary.Position(k)] = rewrite.Decision{Variant: way}
					}
				}
				break // the sync mode that is preferred
			}
		}
	})
}

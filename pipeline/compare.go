package pipeline

import (
	"context"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/pipeline/resources"
	"github.com/smux-cuda/smux/pipeline/selection"
	"github.com/smux-cuda/smux/rewrite"
)

// feedback adds, to the notes of each rewritten kernel, what nvcc made of it and
// of the original. What the choice c has compiled is not asked for again; c may
// be nil. Without nvcc, or with --resources estimate, nothing is reported.
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
		at[k.Position()] = k
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

// asksNVCC reports whether nvcc is asked for registers: where it is to be, and is
// there or must be.
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

// withSource calls f with the GPUs and a source of resources for some kernels.
// Without --gpu the GPUs are taken without a remark: the messages name them.
// instead tells what is done where nvcc refuses a file.
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

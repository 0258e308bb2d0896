package cmd

import (
	"context"
	"errors"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/nvcc"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/pipeline/resources"
	"github.com/smux-cuda/smux/pipeline/selection"
	"github.com/smux-cuda/smux/rewrite"
)

// feedback adds, to the notes of each rewritten kernel, what nvcc made of it and
// of the original. What the choice c has compiled is not asked for again; c may
// be nil. Without nvcc, or with --resources estimate, nothing is said.
func (s *session) feedback(prog *parser.Program, parse parser.Options, opt rewrite.Options, flags choiceFlags, c *choice, kernels []rewrite.KernelResult) error {
	var open []int
	for i, k := range kernels {
		switch {
		case k.Rewriter == "":
		case k.Recipe != "" && opt.Recipe == "": // the ladder has said it
		case opt.Rewriter == "" && c != nil && c.of(k.Pos) != nil:
			kernels[i].Notes = append(k.Notes, selection.Feedback(k.Pos, c.of(k.Pos).Predicted(k.Variant))...)
		default:
			open = append(open, i)
		}
	}
	if len(open) == 0 || !s.asksNVCC(flags.resources) {
		return nil
	}
	analysed := analysis.NewProgram(prog, opt.Block)
	at := map[diag.Position]*analysis.Kernel{}
	for _, k := range analysed.Kernels() {
		at[k.Position()] = k
	}
	var asked []*analysis.Kernel
	for _, i := range open {
		if k := at[kernels[i].Pos]; k != nil {
			asked = append(asked, k)
		}
	}
	const instead = "registers are not compared"
	return s.withSource(prog, parse, opt, flags, asked, instead, func(req selection.Request) {
		for _, i := range open {
			k := &kernels[i]
			if at[k.Pos] == nil {
				continue
			}
			places, skipped := selection.Compare([]*analysis.Kernel{at[k.Pos]}, k.Variant, req)
			k.Notes = append(k.Notes, selection.Feedback(k.Pos, places)...)
			k.Notes = append(k.Notes, uncompiled(k.Pos, skipped)...)
		}
	})
}

// asksNVCC reports whether nvcc is asked for registers: where it is to be, and is
// there or must be.
func (s *session) asksNVCC(mode string) bool {
	if mode == resources.Auto {
		_, err := s.findNVCC()
		return err == nil
	}
	return mode == resources.NVCC
}

// uncompiled tells that nvcc compiles the original and not the rewrite.
func uncompiled(pos diag.Position, errs []error) []diag.Message {
	for _, err := range errs {
		var refused *nvcc.CompileError
		if errors.As(err, &refused) {
			return []diag.Message{{Pos: pos, Code: resources.CodeNVCCRefused, Text: "nvcc does not compile the rewritten text: " + refused.Error(),
				Help: "report this, with the input, at https://github.com/smux-cuda/smux/issues"}}
		}
	}
	return nil
}

// withSource calls f with the GPUs and a source of resources for some kernels.
// Without --gpu the GPUs are taken without a remark: what is said names them.
// instead says what comes of it where nvcc refuses a file.
func (s *session) withSource(prog *parser.Program, parse parser.Options, opt rewrite.Options, flags choiceFlags, kernels []*analysis.Kernel, instead string, f func(selection.Request)) error {
	gpus, err := s.choiceGPUs(flags, true)
	if err != nil {
		return err
	}
	return s.Interruptible("asking nvcc", func(ctx context.Context) error {
		source, err := s.newChoiceSource(ctx, prog, parse, opt, flags.resources, kernels, gpus, instead)
		if err != nil {
			return err
		}
		defer source.end()
		f(selection.Request{GPUs: gpus, Source: source})
		return nil
	})
}

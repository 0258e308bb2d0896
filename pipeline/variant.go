package pipeline

import (
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/verify"
)

// VariantOf is the program that a rewrite made; ok is false where it changed
// nothing.
func VariantOf(program verify.Program, result *rewrite.Result, opt rewrite.Options) (v verify.Variant, ok bool) {
	if len(result.Files) == 0 {
		return v, false
	}
	return verify.Variant{Name: variantName(result, opt), Program: program.Replace(result.Changed()), Rewritten: RewrittenKernels(result.Kernels)}, true
}

// RewrittenKernels are those that a rewrite changed.
func RewrittenKernels(kernels []rewrite.KernelResult) (out []verify.Rewritten) {
	for _, k := range kernels {
		if k.Rewriter != "" {
			out = append(out, verify.Rewritten{Name: k.Name, Pos: k.Pos, Merged: k.Factor > 1})
		}
	}
	return out
}

// variantName is vtb named N=2, dyn lock N=4 M=2; the sync mode is left out where kernels got
// different ones, and where more differs the rewrite is called as chosen.
func variantName(result *rewrite.Result, opt rewrite.Options) string {
	var first *rewrite.KernelResult
	sameSync := true
	for i, k := range result.Kernels {
		switch {
		case k.Rewriter == "":
		case first == nil:
			first = &result.Kernels[i]
		case anySync(k.Variant) != anySync(first.Variant):
			return "as chosen"
		default:
			sameSync = sameSync && k.Sync == first.Sync
		}
	}
	switch {
	case first == nil:
		return anySync(opt.Variant).String()
	case !sameSync:
		return anySync(first.Variant).String()
	}
	return first.Variant.String()
}

// anySync is a way without its sync mode.
func anySync(w rewrite.Variant) rewrite.Variant {
	w.Sync = ""
	return w
}

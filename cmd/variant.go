package cmd

import (
	"github.com/smux-cuda/smux/choose"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/verify"
)

// variantOf is the program that a rewrite made; ok is false where it changed
// nothing.
func variantOf(program verify.Program, result *rewrite.Result, opt rewrite.Options) (v verify.Variant, ok bool) {
	if len(result.Files) == 0 {
		return v, false
	}
	texts := map[string][]byte{}
	for _, f := range result.Files {
		texts[f.Name] = f.After
	}
	return verify.Variant{Name: variantName(result, opt), Program: program.Replace(texts)}, true
}

// variantName is vtb named N=2, dyn lock N=4 M=2; the sync mode is left out where kernels got
// different ones, and where more differs the rewrite is called as chosen.
func variantName(result *rewrite.Result, opt rewrite.Options) string {
	var first *rewrite.KernelResult
	sameSync := true
	for i, k := range result.Kernels {
		switch {
		case k.Variant == "":
		case first == nil:
			first = &result.Kernels[i]
		case k.Variant != first.Variant || k.Factor != first.Factor || k.Slots != first.Slots:
			return "as chosen"
		default:
			sameSync = sameSync && k.Sync == first.Sync
		}
	}
	switch {
	case first == nil:
		return choose.Way{Variant: opt.Variant, Factor: opt.Factor, Slots: opt.Slots}.String()
	case !sameSync:
		return choose.Way{Variant: first.Variant, Factor: first.Factor, Slots: first.Slots}.String()
	}
	return choose.Way{Variant: first.Variant, Sync: first.Sync, Factor: first.Factor, Slots: first.Slots}.String()
}

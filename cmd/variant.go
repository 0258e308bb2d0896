package cmd

import (
	"fmt"

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

// variantName is vtb named N=2; the sync mode is left out where kernels got
// different ones.
func variantName(result *rewrite.Result, opt rewrite.Options) string {
	variant, sync, factor := opt.Variant, "", opt.Factor
	same := true
	for _, k := range result.Kernels {
		if k.Variant == "" {
			continue
		}
		same = same && (sync == "" || sync == k.Sync)
		variant, sync, factor = k.Variant, k.Sync, k.Factor
	}
	if !same || sync == "" {
		return fmt.Sprintf("%s N=%d", variant, factor)
	}
	return fmt.Sprintf("%s %s N=%d", variant, sync, factor)
}

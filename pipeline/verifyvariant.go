package pipeline

import (
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/verify"
)

// NewVariant returns what a rewrite made of a program.
func NewVariant(name string, program verify.Program, result *rewrite.Result) verify.Variant {
	v := verify.Variant{Name: name, Program: program.Replace(result.Changed())}
	for _, k := range result.Kernels {
		if k.Rewriter != "" {
			v.Rewritten = append(v.Rewritten, verify.Rewritten{Name: k.Name, Pos: k.Pos, Merged: k.Factor > 1})
		}
	}
	return v
}

// NameOf returns the name of the variant of a rewrite, such as "vtb named N=2" or "dyn
// lock N=4 M=2": without the sync mode where kernels got different ones, and "as chosen"
// where more differs. opt is what was asked for.
func NameOf(result *rewrite.Result, opt rewrite.Options) string {
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

// anySync returns a variant without its sync mode.
func anySync(w rewrite.Variant) rewrite.Variant {
	w.Sync = ""
	return w
}

package pipeline

import (
	"maps"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/verify"
)

// Variant returns what was decided, as a variant of the program as it is run, and what became of
// the kernels there. run is the job's program with the host side that it may lack. There is no
// variant where that changes nothing.
func (d *Decided) Variant(run *parser.Program, program verify.Program) ([]verify.Variant, *rewrite.Result, error) {
	opt, result := d.Options, d.Result
	if run != d.Job.Program {
		opt = d.pinned()
		var err error
		if result, err = d.Job.On(run).Apply(opt); err != nil {
			return nil, nil, err
		}
	}
	if len(result.Files) == 0 {
		return nil, result, nil
	}
	return []verify.Variant{NewVariant(NameOf(result, opt), program, result)}, result, nil
}

// pinned returns the options that make of each kernel what became of it: another launch in view may
// allow a sync mode that comes first.
func (d *Decided) pinned() rewrite.Options {
	opt := d.Options
	if len(opt.Then) > 0 {
		return opt
	}
	if opt.Decisions = maps.Clone(opt.Decisions); opt.Decisions == nil {
		opt.Decisions = map[diag.Position]rewrite.Decision{}
	}
	for _, k := range d.Result.Kernels {
		if _, decided := opt.Decisions[k.Pos]; !decided {
			opt.Decisions[k.Pos] = rewrite.Decision{Variant: k.Variant, Why: k.Refused}
		}
	}
	return opt
}

// NewVariant returns what a rewrite made of a program.
func NewVariant(name string, program verify.Program, result *rewrite.Result) verify.Variant {
	v := verify.Variant{Name: name, Program: program.Replace(result.Changed())}
	for _, k := range result.Kernels {
		if k.Rewriter != "" {
			v.Rewritten = append(v.Rewritten, verify.Rewritten{Name: k.Name, Pos: k.Pos, Merged: k.Merges()})
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

package space

import (
	"fmt"
	"slices"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/summary"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/rewrite/variant"
	"github.com/smux-cuda/smux/tune/record"
)

// Emit returns the program with the kernel in a form; all else is left as it is. The result has the group's kernels alone, with
// their places in the input's program. -maxrregcount changes no text: whoever compiles has to pass it. The error is a
// *record.Failure where the form is unavailable. The input's analysis is not for several goroutines at once.
func Emit(in Input, c record.TunedVariant) (*rewrite.Result, error) {
	d := newDraft(in, c)
	if err := d.each(d.resize, d.rewrite, d.cap, d.carve); err != nil {
		return nil, err
	}
	return d.result(), nil
}

// draft is a program between two rewrites on the way to a form of a kernel.
type draft struct {
	*rewrite.Chain
	in   Input
	form record.TunedVariant
}

func newDraft(in Input, c record.TunedVariant) *draft {
	return &draft{rewrite.NewChain(in.Analysed), in, c}
}

func (d *draft) each(passes ...func() error) error {
	for _, pass := range passes {
		if err := pass(); err != nil {
			return err
		}
	}
	return nil
}

func (d *draft) pass(w rewrite.Variant) error {
	opt := rewrite.Options{Runtime: d.in.Options.Runtime, Decisions: map[diag.Position]rewrite.Decision{}}
	for _, k := range d.in.Group.Kernels {
		opt.Kernels = append(opt.Kernels, k.Name)
		opt.Decisions[summary.Position(k)] = rewrite.Decision{Variant: w}
	}
	step, err := rewrite.RewriteIn(d.Chain, opt)
	if err != nil {
		return err
	}
	for _, k := range step {
		if _, decided := opt.Decisions[k.Pos]; decided && k.Rewriter == "" {
			if len(k.Refused) > 0 {
				return unavailable("%s", k.Refused[0].Text)
			}
			return unavailable("it can't be rewritten that way")
		}
	}
	return nil
}

func unavailable(format string, args ...any) error {
	return &record.Failure{Kind: record.FailedRewrite, Text: fmt.Sprintf(format, args...)}
}

func (d *draft) kernels() (out []*analysis.Kernel, err error) {
	for _, k := range d.in.Group.Kernels {
		o, err := d.Kernel(k)
		if err != nil {
			return nil, err
		}
		out = append(out, o)
	}
	return out, nil
}

// rewrite does what the variant says, step by step. Assume of stage-loads takes a pass more, as that rewriter has none.
func (d *draft) rewrite() error {
	if d.form.Rewriter == "" {
		return nil
	}
	for _, w := range d.form.Steps() {
		if w.Rewriter == variant.StageLoads {
			w.Assume = false
		}
		if err := d.pass(w); err != nil {
			return err
		}
	}
	if d.form.Rewriter == variant.StageLoads && d.form.Assume {
		return d.pass(rewrite.Variant{Rewriter: variant.AssumeShape})
	}
	return nil
}

func (d *draft) cap() error {
	if d.form.Blocks == 0 {
		return nil
	}
	kernels, err := d.kernels()
	if err != nil {
		return err
	}
	threads := mostThreads(kernels)
	if threads == 0 {
		return unavailable("the block size of a launch is not a constant: launch bounds could be exceeded")
	}
	recipe := variant.Recipe{Threads: threads, Blocks: d.form.Blocks}
	return d.pass(rewrite.Variant{Rewriter: variant.Demote, Recipe: recipe.String()})
}

// mostThreads returns the threads of the largest block of any launch, as merged by smux, 0 where one is not known.
func mostThreads(kernels []*analysis.Kernel) int {
	most := 0
	for _, k := range kernels {
		for _, in := range k.Instances {
			d, ok := in.BlockShape()
			if !ok {
				return 0
			}
			most = max(most, d[0]*d[1]*d[2])
		}
	}
	return most
}

// result returns what has become of the program, and of the group's kernels alone.
func (d *draft) result() *rewrite.Result {
	out := d.Result()
	all := out.Kernels
	out.Kernels = nil
	for _, k := range d.in.Group.Kernels {
		told := rewrite.KernelResult{Name: k.Name, Pos: summary.Position(k)}
		if at := slices.IndexFunc(all, func(o rewrite.KernelResult) bool { return o.Pos == told.Pos }); at >= 0 {
			told = all[at]
		}
		out.Kernels = append(out.Kernels, told)
	}
	return out
}

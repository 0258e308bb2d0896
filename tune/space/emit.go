package space

import (
	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/tune/record"
)

// Emit returns the program with the kernel in a form; all else is left as it is. The
// files of the result are changed against the program of the input, however
// many rewrites follow one another, and of the kernels those of the group are in
// it, with the places where they stand there, as messages have them. -maxrregcount changes no text: whoever
// compiles has to pass it.
//
// The error is a *record.Failure where the form is unavailable. The input's analysis is
// asked, which is not for several goroutines at once.
func Emit(in Input, c record.TunedVariant) (*rewrite.Result, error) {
	return EmitAll([]Choice{{in, c}})
}

// Choice is a kernel with the form that it is to get.
type Choice struct {
	Input
	Candidate record.TunedVariant
}

// EmitAll is Emit for several kernels of one program.
func EmitAll(choices []Choice) (*rewrite.Result, error) {
	if len(choices) == 0 {
		return &rewrite.Result{}, nil
	}
	d := newDraft(choices)
	if err := d.each(d.resizeAll, d.rewriteAll, d.assumeAll, d.capAll, d.carveAll); err != nil {
		return nil, err
	}
	return d.result(), nil
}

// draft is a program between two rewrites.
type draft struct {
	*rewrite.Chain
	choices []Choice
	runtime string
}

func newDraft(choices []Choice) *draft {
	in := choices[0].Input
	return &draft{Chain: rewrite.NewChain(in.Analysed), choices: choices, runtime: in.Options.Runtime}
}

// each makes passes one after another.
func (d *draft) each(passes ...func() error) error {
	for _, pass := range passes {
		if err := pass(); err != nil {
			return err
		}
	}
	return nil
}

// pass rewrites the kernels of some choices in the text as it is now; of says how.
func (d *draft) pass(wanted func(record.TunedVariant) bool, of func(record.TunedVariant, []*analysis.Kernel) (rewrite.Variant, error)) error {
	opt := rewrite.Options{Runtime: d.runtime, Decisions: map[diag.Position]rewrite.Decision{}}
	for _, c := range d.choices {
		if !wanted(c.Candidate) {
			continue
		}
		kernels, err := d.kernels(c)
		if err != nil {
			return err
		}
		w, err := of(c.Candidate, kernels)
		if err != nil {
			return err
		}
		for _, k := range c.Group.Kernels {
			opt.Kernels = append(opt.Kernels, k.Name)
			opt.Decisions[k.Position()] = rewrite.Decision{Variant: w}
		}
	}
	if len(opt.Decisions) == 0 {
		return nil
	}
	step, err := rewrite.RewriteIn(d.Chain, opt)
	if err != nil {
		return err
	}
	for _, k := range step {
		if _, decided := opt.Decisions[k.Pos]; decided && k.Rewriter == "" {
			return refused(k.Refused)
		}
	}
	return nil
}

// refused returns why a form is unavailable.
func refused(why []diag.Message) error {
	text := "it can't be rewritten that way"
	if len(why) > 0 {
		text = why[0].Text
	}
	return &record.Failure{Kind: record.FailedRewrite, Text: text}
}

// kernels returns those of a choice in the text as it is now.
func (d *draft) kernels(c Choice) ([]*analysis.Kernel, error) {
	var out []*analysis.Kernel
	for _, k := range c.Group.Kernels {
		o, err := d.Kernel(k)
		if err != nil {
			return nil, err
		}
		out = append(out, o)
	}
	return out, nil
}

// result returns what has become of the program, and of the groups' kernels alone.
func (d *draft) result() *rewrite.Result {
	out := d.Result()
	all := out.Kernels
	out.Kernels = nil
	for _, c := range d.choices {
		for _, k := range c.Group.Kernels {
			told := rewrite.KernelResult{Name: k.Name, Pos: k.Position()}
			for _, o := range all {
				if o.Pos == told.Pos {
					told = o
				}
			}
			out.Kernels = append(out.Kernels, told)
		}
	}
	return out
}

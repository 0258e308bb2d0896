package space

import (
	"errors"
	"fmt"
	"path"
	"slices"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/tune/record"
)

// Emit is the program with the kernel in a form; all else is left as it is. The
// files of the result are changed against the program of the input, however
// many rewrites follow one another, and of the kernels those of the group are in
// it, with the places where they stand there. -maxrregcount changes no text: whoever
// compiles has to pass it.
//
// The error is a *record.Failure where the form can't be had. The input's analysis is
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
	if err := d.each(d.rewriteAll, d.assumeAll, d.capAll, d.carveAll); err != nil {
		return nil, err
	}
	return d.result(), nil
}

// draft is a program between two rewrites.
type draft struct {
	choices []Choice
	opt     rewrite.Options
	parse   parser.Options
	begin   *parser.Program // as it was given
	now     *analysis.Program
	told    []rewrite.KernelResult // of the groups' kernels, with their places at the begin
}

func newDraft(choices []Choice) *draft {
	in := choices[0].Input
	d := &draft{choices: choices, parse: in.Parse, begin: in.Program, now: in.Analysed}
	d.opt = rewrite.Options{Block: in.Options.Block, Runtime: in.Options.Runtime}
	for _, c := range choices {
		for _, k := range c.Group.Kernels {
			d.told = append(d.told, rewrite.KernelResult{Name: k.Name, Pos: k.Position()})
		}
	}
	return d
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

// clone is a draft to go on with in another way.
func (d *draft) clone(choices []Choice) *draft {
	out := *d
	out.choices, out.told = choices, slices.Clone(d.told)
	return &out
}

// pass rewrites the kernels of some choices in the text as it is now; of says how.
func (d *draft) pass(wanted func(record.TunedVariant) bool, of func(record.TunedVariant, []*analysis.Kernel) (rewrite.Variant, error)) error {
	if !slices.ContainsFunc(d.choices, func(c Choice) bool { return wanted(c.Candidate) }) {
		return nil
	}
	opt := d.opt
	opt.Decisions = map[diag.Position]rewrite.Decision{}
	for _, k := range d.now.Kernels() {
		opt.Decisions[k.Position()] = rewrite.Decision{}
	}
	places := map[diag.Position]diag.Position{} // of a kernel now, where it was at the begin
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
		opt.Kernels = append(opt.Kernels, kernels[0].Name)
		for i, k := range kernels {
			opt.Decisions[k.Position()] = rewrite.Decision{Variant: w}
			places[k.Position()] = c.Group.Kernels[i].Position()
		}
	}
	result, err := rewrite.RunAnalysed(d.now, opt)
	if err != nil {
		return err
	}
	for _, k := range result.Kernels {
		if at, ok := places[k.Pos]; ok {
			if k.Rewriter == "" {
				return refused(k.Refused)
			}
			d.note(at, k)
		}
	}
	return d.take(result.Files)
}

// refused says why a form can't be had.
func refused(why []diag.Message) error {
	text := "it can't be rewritten that way"
	if len(why) > 0 {
		text = why[0].Text
	}
	return &record.Failure{Kind: record.FailedRewrite, Text: text}
}

// note adds what became of a kernel in a pass. Places in a text between two
// passes mean nothing to a reader: what is said of them is said of the kernel.
func (d *draft) note(at diag.Position, now rewrite.KernelResult) {
	i := slices.IndexFunc(d.told, func(k rewrite.KernelResult) bool { return k.Pos == at })
	k := &d.told[i]
	for _, m := range now.Notes {
		if d.now.Parsed != d.begin {
			m.Pos = at
		}
		k.Notes = append(slices.Clip(k.Notes), m)
	}
	switch {
	case k.Rewriter == "":
		k.Variant = now.Variant
	case now.Rewriter == "assume-shape":
		k.Assume = true
	default:
		k.Recipe = now.Recipe
	}
}

// take makes changed files the text that the next pass sees.
func (d *draft) take(files []rewrite.FileResult) error {
	if len(files) == 0 {
		return nil
	}
	texts := map[string][]byte{}
	for _, f := range d.now.Parsed.Files {
		texts[f.Name] = f.Src
	}
	for _, f := range files {
		texts[f.Name] = f.After
	}
	prog, err := reread(d.begin, d.parse, texts)
	if err != nil {
		return fmt.Errorf("reading what was rewritten: %w", err)
	}
	d.now = analysis.NewProgram(prog, d.opt.Block)
	return nil
}

// reread reads a program with other texts in its named files.
func reread(p *parser.Program, opt parser.Options, texts map[string][]byte) (*parser.Program, error) {
	var names []string
	byPath := map[string][]byte{}
	for _, f := range p.Files {
		names = append(names, f.Name)
		byPath[path.Clean(f.Name)] = texts[f.Name]
	}
	read := opt.ReadFile
	opt.ReadFile = func(name string) ([]byte, error) {
		if text, ok := byPath[path.Clean(name)]; ok {
			return text, nil
		}
		return readFile(read, name)
	}
	out, errs := parser.LoadProgram(names, opt)
	return out, errors.Join(errs...)
}

// kernels are those of a choice in the text as it is now.
func (d *draft) kernels(c Choice) ([]*analysis.Kernel, error) {
	var out []*analysis.Kernel
	for _, k := range c.Group.Kernels {
		o := counterpart(k, d.now)
		if o == nil {
			return nil, fmt.Errorf("kernel %s is gone after a rewrite", k.Name)
		}
		out = append(out, o)
	}
	return out, nil
}

// counterpart is the kernel of a rewritten program that stands for k: of those of
// its name in its file the one with its number. nil if there is none.
func counterpart(k *analysis.Kernel, prog *analysis.Program) *analysis.Kernel {
	alike := func(p *analysis.Program) (out []*analysis.Kernel) {
		for _, o := range p.Kernels() {
			if o.Name == k.Name && o.File.Name == k.File.Name {
				out = append(out, o)
			}
		}
		return out
	}
	number := slices.IndexFunc(alike(k.Prog), func(o *analysis.Kernel) bool { return o.View == k.View })
	if list := alike(prog); number >= 0 && number < len(list) {
		return list[number]
	}
	return nil
}

// result is what has become of the program.
func (d *draft) result() *rewrite.Result {
	out := &rewrite.Result{Kernels: d.told}
	for i, f := range d.begin.Files {
		if after := d.now.Parsed.Files[i].Src; string(after) != string(f.Src) {
			out.Files = append(out.Files, rewrite.FileResult{Name: f.Name, Before: f.Src, After: after})
		}
	}
	return out
}

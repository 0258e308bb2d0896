package cmd

import (
	"fmt"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/rewrite/regreduce"
)

// thenDemote looks for recipes for the kernels of a program as opt rewrites it,
// and has every rewrite of this session follow them from here on: first as before,
// then the registers.
func (s *session) thenDemote(prog *parser.Program, parse parser.Options, opt rewrite.Options, wants *policy, flags choiceFlags, l ladderFlags, say verbosity) error {
	first := s.rewrite
	result, err := first(prog, opt)
	if err != nil {
		return diag.Failed("rewriting", err)
	}
	middle, err := rewrittenProgram(prog, parse, result)
	if err != nil {
		return diag.Failed("reading what was rewritten", err)
	}
	again := rewrite.Options{Kernels: opt.Kernels, Runtime: opt.Runtime}
	decisions, err := s.climb(middle, parse, again, flags, l, say)
	if err != nil {
		return err
	}
	found := map[string]rewrite.Decision{}
	for _, k := range analysis.NewProgram(middle, again.Block).Kernels() {
		if d, ok := decisions[k.Position()]; ok {
			found[k.Name] = d
		}
	}
	wants.leaveOut(found, opt.Rewriter != "")
	s.rewrite = func(prog *parser.Program, opt rewrite.Options) (*rewrite.Result, error) {
		return rewriteTwice(first, prog, parse, opt, found)
	}
	return nil
}

// rewrittenProgram reads a program as a rewrite left it.
func rewrittenProgram(prog *parser.Program, parse parser.Options, result *rewrite.Result) (*parser.Program, error) {
	var files []*parser.File
	for _, f := range prog.Files {
		text := f.Src
		for _, r := range result.Files {
			if r.Name == f.Name {
				text = r.After
			}
		}
		g, err := parser.Parse(f.Name, text, parse)
		if err != nil {
			return nil, err
		}
		files = append(files, g)
	}
	return parser.NewProgram(files, parse), nil
}

// rewriteTwice follows recipes, by the kernels' names, in what a first rewrite
// made. Places in the second text mean nothing to a reader: what is said of a
// kernel there is said of its name in the first.
func rewriteTwice(first func(*parser.Program, rewrite.Options) (*rewrite.Result, error), prog *parser.Program, parse parser.Options, opt rewrite.Options, found map[string]rewrite.Decision) (*rewrite.Result, error) {
	result, err := first(prog, opt)
	if err != nil {
		return nil, err
	}
	middle, err := rewrittenProgram(prog, parse, result)
	if err != nil {
		return nil, fmt.Errorf("reading what was rewritten: %w", err)
	}
	again := rewrite.Options{Kernels: opt.Kernels, Runtime: opt.Runtime, Decisions: map[diag.Position]rewrite.Decision{}}
	for _, k := range analysis.NewProgram(middle, again.Block).Kernels() {
		again.Decisions[k.Position()] = rewrite.Decision{Variant: found[k.Name].Variant}
	}
	second, err := first(middle, again)
	if err != nil {
		return nil, err
	}
	out := &rewrite.Result{Kernels: result.Kernels}
	for i := range out.Kernels {
		k := &out.Kernels[i]
		addRecipe(k, second.Kernels, found[k.Name])
	}
	for i, f := range prog.Files {
		after := middle.Files[i].Src
		for _, r := range second.Files {
			if r.Name == f.Name {
				after = r.After
			}
		}
		if string(after) != string(f.Src) {
			out.Files = append(out.Files, rewrite.FileResult{Name: f.Name, Before: f.Src, After: after})
		}
	}
	return out, nil
}

// addRecipe tells of a kernel what became of it in the second rewrite.
func addRecipe(k *rewrite.KernelResult, second []rewrite.KernelResult, d rewrite.Decision) {
	for _, m := range d.Why {
		m.Pos = k.Pos
		if k.Rewriter == "" && d.Rewriter == "" {
			k.Refused = append(k.Refused, m)
		} else {
			k.Notes = append(k.Notes, m)
		}
	}
	for _, o := range second {
		switch {
		case o.Name != k.Name || d.Rewriter == "":
		case o.Rewriter == "":
			for _, m := range o.Refused {
				k.Notes = append(k.Notes, diag.Message{Pos: k.Pos, Code: regreduce.CodeNotDemoted, Text: m.Text})
			}
		case k.Rewriter == "":
			k.Variant, k.Refused = o.Variant, nil
		default:
			k.Recipe = o.Recipe
		}
	}
}

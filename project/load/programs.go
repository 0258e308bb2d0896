package load

import (
	"context"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/console"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/project"
	"github.com/smux-cuda/smux/project/config"
)

// Program is the files of one program, and how they are read.
type Program struct {
	Files    []string         // in order, "-" for standard input
	Sources  []string         // of C and C++, of a program that can be run
	Name     string           // of a tree's program: its first file
	Tree     bool             // it is one of a tree's, else what was named is all there is
	Settings *config.Settings // that count for it, nil for none

	how Reading
	// elsewhere has, by name, the kernels that a file which is left out of the tree names, and that file.
	elsewhere map[string]string
	alone     bool // see Options.Alone
	shares    bool // an error about its settings is one about all programs
}

// Find finds the programs that the arguments name. Files that are named one by one are one program; those of trees
// are parted. The line, which may be nil for files without a tree, says how far it is.
func Find(ctx context.Context, c *console.Console, args []string, opt Options, tree Tree, line *console.Progress) ([]Program, error) {
	args, err := Arguments(c, args)
	if err != nil {
		return nil, err
	}
	how, err := opt.reading()
	if err != nil {
		return nil, err
	}
	if !AsksTree(args, tree) {
		return []Program{{Files: args, how: how, shares: true}}, nil
	}
	settings, err := newTreeSettings(c, opt, how)
	if err != nil {
		return nil, err
	}
	w := treeWalk{ctx: ctx, console: c, opt: opt, tree: tree, settings: settings, line: line}
	return w.programs(args)
}

// Configure gives each program the settings that count for it. Programs whose settings are wrong are left out, with a
// message; the error is for what concerns all of them, and for a program that is the only one.
func Configure(c *console.Console, all []Program, opt Options) ([]Program, error) {
	if err := opt.Settings.Check(); err != nil {
		return nil, err
	}
	type outcome struct {
		how Reading
		err error
	}
	readings := map[*config.Settings]outcome{} // a message is printed once
	configure := func(p *Program) (err error) {
		if p.Settings, err = opt.Settings.For(c, p.Files); err != nil || p.Settings == nil { // else it has been read
			return err
		}
		r, known := readings[p.Settings]
		if !known {
			r.how, r.err = opt.Reading(c, p.Settings)
			readings[p.Settings] = r
		}
		p.how = r.how
		return r.err
	}
	var out []Program
	for _, p := range all {
		err := configure(&p)
		switch {
		case err == nil:
			out = append(out, p)
		case p.ConcernsAll(err):
			return nil, err
		}
	}
	return out, nil
}

// ConcernsAll reports whether an error about the settings of a program is one about
// all programs that were found with it.
func (p *Program) ConcernsAll(err error) bool { return err != diag.ErrReported || p.shares }

// Architectures returns those that a compilation database has code made for, as sm_75, ascending.
func (p *Program) Architectures() []string { return p.how.Commands.Architectures(p.Files) }

// Parse parses the files of a program, and checks that kernels that were named are in it; of a tree's programs, each
// has only some. Files that cannot be read are reported; where none can be the program is nil.
func (p *Program) Parse(c *console.Console, kernels []string) (*parser.Program, parser.Options, error) {
	prog, whole := p.Read(c)
	if len(prog.Files) == 0 {
		return nil, whole, nil
	}
	prog.Elsewhere = p.elsewhere
	if !p.Tree {
		if err := CheckKernels(prog, kernels); err != nil {
			return nil, whole, err
		}
		if noneParsed(prog) {
			c.Note(diag.ExitUsage)
		}
		RemarkOnUnread(c, prog)
	} else {
		remarkOnStrings(c, prog)
	}
	return prog, whole, nil
}

// programs parts the files of trees.
func (w *treeWalk) programs(args []string) ([]Program, error) {
	w.find(args)
	facts, err := w.facts()
	if err != nil {
		return nil, err
	}
	if err := checkNames(namesIn(facts), w.opt.Kernels); err != nil {
		return nil, err
	}
	var asked []string // what is looked at of the tree
	for _, a := range args {
		asked = append(asked, project.Resolved(project.Folder(a)))
	}
	mentions, err := w.mentions(facts)
	if err != nil {
		return nil, err
	}
	var out []Program
	part := project.Programs
	if w.tree.Runs {
		part = project.Runnable
	}
	for _, program := range part(facts) {
		p := Program{Name: facts[program[0]].Name, how: w.settings.how, Tree: true, elsewhere: elsewhere(program, mentions), shares: w.settings.named != nil}
		for _, i := range program {
			if name := facts[i].Name; w.tree.Runs && project.IsHostSource(name) {
				p.Sources = append(p.Sources, name)
			} else {
				p.Files = append(p.Files, name)
			}
		}
		if w.tree.Root == "" || slices.ContainsFunc(slices.Concat(p.Files, p.Sources), func(f string) bool { return project.Within(project.Resolved(f), asked) }) {
			out = append(out, p)
		}
	}
	switch none := "no CUDA files below " + strings.Join(args, ", "); {
	case len(out) > 0:
	case slices.ContainsFunc(args, project.IsFolder):
		w.console.Fail(diag.Usagef("name a folder with .cu or .cuh files that neither git nor exclude leaves out", "%s", none))
	default:
		w.console.Remark("%s", none)
	}
	return out, nil
}

// elsewhere returns those of the mentions that are about a program, by kernel.
func elsewhere(program []int, mentions []project.Mention) map[string]string {
	out := map[string]string{}
	for _, m := range mentions {
		if _, twice := out[m.Kernel]; !twice && slices.Contains(program, m.In) {
			out[m.Kernel] = m.File
		}
	}
	return out
}

// namesIn returns the names of kernels, each once.
func namesIn(facts []project.Facts) []string {
	var out []string
	for _, f := range facts {
		for _, k := range f.Kernels {
			out = append(out, k.Name)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

package cmd

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/console"
	"github.com/smux-cuda/smux/internal/parallel"
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/project"
	"github.com/smux-cuda/smux/project/config"
)

// part is one of the programs that a command looks at.
type part struct {
	files []string // in order
	how   reading
	tree  bool // it is one of a tree's, else what was named is all there is
	// elsewhere has, by name, the kernels that a file which is left out of the tree
	// names, and that file.
	elsewhere map[string]string

	settings *config.Settings // that count for it, nil for none
	gpus     []*gpu.GPU       // that it is looked at for, once that is settled
	settled  bool
}

// asksTree reports whether the arguments, or --root, name a tree: then files are
// parted into programs. Files that are named one by one are one program.
func asksTree(args []string, walk treeFlags) bool {
	return walk.root != "" || slices.ContainsFunc(args, func(a string) bool { return a != "-" && project.IsFolder(a) })
}

// parts are the programs that the arguments name.
func (s *session) parts(ctx context.Context, args []string, in inputFlags, walk treeFlags, line *console.Progress) ([]part, error) {
	args, err := s.fileArguments(args)
	if err != nil {
		return nil, err
	}
	how, err := in.reading()
	if err != nil {
		return nil, err
	}
	if !asksTree(args, walk) {
		return []part{{files: args, how: how}}, nil
	}
	settings, err := s.newTreeSettings(in, how)
	if err != nil {
		return nil, err
	}
	facts, err := s.treeFacts(ctx, args, walk, settings, line)
	if err != nil {
		return nil, err
	}
	if err := checkNames(namesIn(facts), in.kernels); err != nil {
		return nil, err
	}
	var asked []string // what is looked at of the tree
	for _, a := range args {
		asked = append(asked, project.Resolved(project.Folder(a)))
	}
	mentions, err := s.mentions(ctx, args, walk, settings, facts, line)
	if err != nil {
		return nil, err
	}
	var out []part
	for _, program := range project.Programs(facts) {
		p := part{how: how, tree: true, elsewhere: elsewhere(program, mentions)}
		for _, i := range program {
			p.files = append(p.files, facts[i].Name)
		}
		if walk.root == "" || slices.ContainsFunc(p.files, func(f string) bool { return project.Within(project.Resolved(f), asked) }) {
			out = append(out, p)
		}
	}
	if len(out) == 0 {
		s.Remark("no CUDA files below %s", strings.Join(args, ", "))
	}
	return out, nil
}

// readPart parses the files of a program, and checks that kernels that were named
// are in it; of a tree's programs, each has only some. Where none of its files can be
// read the program is nil.
func (s *session) readPart(p part, kernels []string) (*parser.Program, parser.Options, error) {
	prog, parse := s.loadProgram(p.files, p.how)
	if len(prog.Files) == 0 {
		return nil, parse, nil
	}
	prog.Elsewhere = p.elsewhere
	if !p.tree {
		if err := checkKernelNames(prog, kernels); err != nil {
			return nil, parse, err
		}
		s.remarkOnIncluded(prog)
	}
	return prog, parse, nil
}

// treeFacts walks the trees and reads what of each file decides to which program
// it belongs. Files that cannot be read are reported when their program is looked at.
func (s *session) treeFacts(ctx context.Context, args []string, walk treeFlags, settings *treeSettings, line *console.Progress) ([]project.Facts, error) {
	roots, named := rootsIn(args, walk)
	line.Say("looking for CUDA files")
	files, errs := project.Walk(ctx, roots, project.Options{Exclude: walk.exclude})
	for _, err := range errs {
		s.Fail(unwalked(err))
	}
	if walk.root != "" { // they are of the tree, and a hook names what it is given
		named = settings.kept(named, roots)
	}
	files, taken := withNamed(settings.kept(files, roots), named)
	how := treeReading(ctx, files, walk, settings, line)
	how.Taken = taken
	return project.Read(files, how)
}

// rootsIn are the folders that are walked, and the files that are named beside them.
func rootsIn(args []string, walk treeFlags) (roots, named []string) {
	for _, a := range args {
		if project.IsFolder(a) {
			roots = append(roots, project.Folder(a))
		} else {
			named = append(named, a) // whatever it is called
		}
	}
	if walk.root != "" {
		roots = append(roots, walk.root)
	}
	return roots, named
}

// treeReading says how the files of a tree are read.
func treeReading(ctx context.Context, files []string, walk treeFlags, settings *treeSettings, line *console.Progress) project.Reading {
	return project.Reading{
		Options: settings.options(files),
		Each: func(n int, f func(i int)) error {
			return parallel.Each(ctx, n, walk.jobs, func(i int) error {
				line.Say("reading %d of %d files", i+1, n)
				f(i)
				return nil
			})
		},
	}
}

// mentions are the kernels of a tree that files which are left out of it may launch.
func (s *session) mentions(ctx context.Context, args []string, walk treeFlags, settings *treeSettings, facts []project.Facts, line *console.Progress) ([]project.Mention, error) {
	roots, _ := rootsIn(args, walk)
	aside := project.Aside(ctx, roots, facts)
	return project.Mentions(facts, aside, treeReading(ctx, aside, walk, settings, line))
}

// elsewhere are those of the mentions that are about a program, by kernel.
func elsewhere(program []int, mentions []project.Mention) map[string]string {
	out := map[string]string{}
	for _, m := range mentions {
		if _, twice := out[m.Kernel]; !twice && slices.Contains(program, m.In) {
			out[m.Kernel] = m.File
		}
	}
	return out
}

// unwalked is the error about a place that a walk could not look at.
func unwalked(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		if errors.Is(err, fs.ErrNotExist) {
			return diag.Usagef("", "%s: there is no such folder", path.Path)
		}
		return diag.Failed("reading "+path.Path, path.Err)
	}
	return diag.Failed("looking for CUDA files", err)
}

// withNamed adds files that were named one by one, each file once: one that the walk
// has found, too, keeps the name that it has there.
func withNamed(files, named []string) (all []string, taken map[string]bool) {
	taken = map[string]bool{}
	if len(named) == 0 {
		return files, taken
	}
	at := map[string]string{}
	for _, f := range files {
		at[project.Resolved(f)] = f
	}
	for _, f := range named {
		name, twice := at[project.Resolved(f)]
		if !twice {
			name = f
			at[project.Resolved(f)] = f
			files = append(files, f)
		}
		taken[name] = true
	}
	slices.Sort(files)
	return files, taken
}

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

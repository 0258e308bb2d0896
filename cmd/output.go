package cmd

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/spf13/pflag"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/diff"
	"github.com/smux-cuda/smux/internal/disk"
	"github.com/smux-cuda/smux/internal/usage"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/pipeline/header"
	"github.com/smux-cuda/smux/project"
	"github.com/smux-cuda/smux/project/config"
	"github.com/smux-cuda/smux/project/load"
	"github.com/smux-cuda/smux/report"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/rewrite/runtime"
)

// outputFlags say where the result goes.
type outputFlags struct {
	diff, list, write bool
	file              string
	certificate       string // where what is proved of the result goes, "" for nowhere

	headers string   // the folder that smux.cuh goes to, "" where nobody says
	include []string // the folders that are searched for includes
}

func (o *outputFlags) register(f *pflag.FlagSet) {
	f.BoolVarP(&o.diff, "diff", "d", false, "print a unified diff instead of the files")
	f.BoolVarP(&o.list, "list", "l", false, "print the names of the files that would change")
	f.BoolVarP(&o.write, "write", "w", false, "write the result back to the files")
	f.StringVarP(&o.file, "output", "o", "", "write the result to this `FILE`")
	usage.Under(f, usage.Output)
}

// with returns the flags for files that settings and the input's flags are about.
func (o outputFlags) with(set *config.Settings, in load.Options) outputFlags {
	o.include = in.Includes
	if set != nil {
		o.headers = set.RuntimeFolder
	}
	return o
}

// asked reports whether the rewritten files are wanted, or what is different in them.
func (o *outputFlags) asked() bool { return o.diff || o.list || o.write || o.file != "" }

// check refuses combinations that contradict each other.
func (o *outputFlags) check(args []string) error {
	stdin := len(args) == 0 || slices.Contains(args, "-")
	switch {
	case o.write && stdin:
		return diag.Usagef("omit -w and redirect standard output", "-w cannot write to standard input")
	case o.file != "" && o.write:
		return diag.Usagef("", "-o and -w both say where to write: give one")
	case o.file != "" && (o.diff || o.list):
		return diag.Usagef("redirect standard output to keep a diff or a list", "-o cannot be combined with -d or -l")
	case o.file != "" && len(load.DistinctFiles(args)) > 1:
		return diag.Usagef("use -w, or -d for a diff of all files", "-o takes the result of one file, got %d", len(load.DistinctFiles(args)))
	}
	return nil
}

// delivered returns a result with the files as they are written.
func (s *session) delivered(prog *parser.Program, result *rewrite.Result, out outputFlags) (*rewrite.Result, error) {
	files, err := rewrite.Delivered(result, prog)
	if err != nil {
		return nil, diag.Failed("rewriting", err)
	}
	if out.diff || out.list || out.write {
		for i := range files {
			if err := s.headers.Place(&files[i], out.headers, out.include); err != nil {
				return nil, err
			}
		}
	}
	return &rewrite.Result{Files: files, Kernels: result.Kernels}, nil
}

// output prints or writes a result that is delivered, as the flags ask. The program also has files that the named ones include.
func (s *session) output(prog *parser.Program, named []string, result *rewrite.Result, out outputFlags) error {
	isNamed := func(name string) bool { return slices.Contains(named, name) || slices.Contains(named, "-") }
	changed := map[string]rewrite.FileResult{}
	for _, f := range result.Files {
		if bytes.Equal(f.Before, f.After) {
			continue
		}
		if changed[f.Name] = f; !out.diff && !out.list && !out.write && !isNamed(f.Name) {
			return diag.Usagef("use -d for a diff of all files, or -w to write them", "the rewrite also changes %s, which a named file includes", f.Name)
		}
	}
	var text bytes.Buffer
	for _, file := range prog.Files {
		f, differs := changed[file.Name]
		if !differs {
			f = rewrite.FileResult{Name: file.Name, Before: file.Original(), After: file.Original()}
		}
		switch {
		case out.file != "" && out.file != "-":
			return s.WriteOutput(out.file, f.After)
		case out.diff || out.list:
			if differs {
				s.Note(diag.ExitDiffers)
				s.show(&text, f, out)
			}
		case !out.write && isNamed(file.Name):
			text.Write(f.After)
		}
	}
	if out.write {
		if err := s.writeHeaders(); err != nil {
			return err
		}
		s.writeInPlace(prog, result)
	}
	_, err := s.Stdout.Write(text.Bytes())
	return err
}

// show prints what -l and -d tell of a changed file.
func (s *session) show(text *bytes.Buffer, f rewrite.FileResult, out outputFlags) {
	if out.list {
		fmt.Fprintln(text, f.Name)
	}
	if out.diff {
		name := project.DiffName(f.Name)
		s.printDiff(text, name, name, f.Before, f.After)
	}
}

// printDiff prints a diff, in colour where standard output has any.
func (s *session) printDiff(to io.Writer, oldName, newName string, before, after []byte) {
	unified := diff.Unified(oldName, newName, before, after)
	if s.Coloured(s.Stdout.W) {
		unified = diff.Color(unified)
	}
	to.Write(unified)
}

// writeInPlace writes every changed file back. Files that depend on each other are written all or not at all; a group
// that cannot be written does not stop the others.
func (s *session) writeInPlace(prog *parser.Program, result *rewrite.Result) {
	var groups [][]*disk.Staged
	for _, group := range rewrite.DependentFiles(prog, result) {
		var staged []*disk.Staged
		var failed []error
		for _, f := range group {
			st, err := disk.StageOver(f.Name, f.Before, f.After)
			if err != nil {
				failed = append(failed, err)
				continue
			}
			staged = append(staged, st)
		}
		if len(failed) == 0 {
			groups = append(groups, staged)
			continue
		}
		for _, st := range staged {
			st.Discard()
		}
		s.unwritten(failed, staged, len(group))
	}
	for i, failed := range s.PutInPlace(groups...) {
		s.unwritten(failed, groups[i], len(groups[i]))
	}
}

// unwritten says why a group of so many files was not written.
func (s *session) unwritten(failed []error, staged []*disk.Staged, files int) {
	for _, err := range failed {
		s.Fail(err)
	}
	if len(failed) == 0 || files < 2 {
		return
	}
	for _, st := range staged {
		if !st.Committed() {
			s.Remark("%s was not written either: it shares a kernel or an include with a file that could not be", st.Target)
		}
	}
}

// remarkOnRuntime prints where the header must be that a file includes which is written elsewhere, if it does.
func (s *session) remarkOnRuntime(programs []report.Program, out outputFlags) {
	first := ""
	for _, p := range programs {
		for _, f := range p.Changed {
			if first == "" && header.Included.Match(f.After) {
				first = f.Name
			}
		}
	}
	if first != "" && out.file != "" && out.file != "-" {
		s.Remark(`the result includes "smux.cuh", which must be on nvcc's include path: smux runtime > %s`,
			filepath.Join(filepath.Dir(out.file), header.Name))
	}
}

// orDefault returns where rewritten files get smux's device code from where nobody says: from a header where files
// are changed or a diff is read, and from their own text else, so that a file stands by itself.
func (o *outputFlags) orDefault(asked string, names []string) string {
	switch {
	case asked != "":
		return asked
	case !o.diff && !o.list && !o.write || o.file != "" || len(names) == 0 || slices.Contains(names, "-"):
		return runtime.Inline
	}
	return runtime.Included
}

// writeHeaders writes the headers that files need which are to be written: one that is there and
// of today stays as it is.
func (s *session) writeHeaders() error {
	return s.headers.Outdated(func(h *header.Header) error {
		if err := s.WriteOutput(h.Path, runtime.Header()); err != nil {
			return err
		}
		switch {
		case h.Before != nil:
			s.Remark("renewed %s, which another version of smux wrote", h.Path)
		case !s.headers.Quiet:
			s.Remark("wrote %s, which rewritten files include", h.Path)
		}
		h.Before = runtime.Header()
		return nil
	})
}

// showHeaders prints, after the files, what -l and -d tell of the headers that they need.
func (s *session) showHeaders(out outputFlags) {
	if out.write {
		return
	}
	_ = s.headers.Outdated(func(h *header.Header) error {
		if out.list {
			fmt.Fprintln(s.Stdout, h.Path)
		}
		if out.diff {
			old := project.DiffName(h.Path)
			if h.Before == nil {
				old = ""
			}
			s.printDiff(s.Stdout, old, project.DiffName(h.Path), h.Before, runtime.Header())
		}
		return nil
	})
}

// topOfTree returns the folder for the header of a tree: the first folder that is named, or that of the first
// file. It is "" where files are one program.
func topOfTree(args []string, walk load.Tree) string {
	if !load.AsksTree(args, walk) {
		return ""
	}
	for _, a := range args {
		if project.IsFolder(a) {
			return filepath.Clean(project.Folder(a))
		}
	}
	if len(args) > 0 {
		return filepath.Dir(args[0])
	}
	return "."
}

package load

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"sync"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/console"
	"github.com/smux-cuda/smux/internal/disk"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/internal/parallel"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/project"
	"github.com/smux-cuda/smux/project/config"
)

// Tree describes which files of a tree are looked at, and how many at once.
type Tree struct {
	Root    string   // the tree that the arguments belong to, "" for those that they name
	Exclude []string // globs of files that are left out, as in .gitignore
	Jobs    int      // files and programs that are looked at at once, 1 or more
	Runs    bool     // programs are those that can be run by themselves, with their sources of C and C++
}

// Arguments returns the arguments, the root of the tree where there are none: standard input is of no tree.
func (t *Tree) Arguments(args []string) []string {
	if len(args) == 0 && t.Root != "" {
		return []string{t.Root}
	}
	return args
}

// Check refuses values that cannot be meant.
func (t *Tree) Check() error {
	if t.Jobs < 1 {
		return diag.Usagef("omit -j to use all processors", "-j must be 1 or more, got %d", t.Jobs)
	}
	return nil
}

// AsksTree reports whether the arguments, or the root, name a tree: then files are
// parted into programs. Files that are named one by one are one program.
func AsksTree(args []string, tree Tree) bool {
	return tree.Root != "" || slices.ContainsFunc(args, func(a string) bool { return a != "-" && project.IsFolder(a) })
}

// treeWalk finds the files of trees, and what of each decides to which program it belongs.
type treeWalk struct {
	ctx      context.Context
	console  *console.Console
	opt      Options
	tree     Tree
	settings *treeSettings
	line     *console.Progress

	roots, named []string
}

// find settles the folders that are walked, and the files that are named beside them.
func (w *treeWalk) find(args []string) {
	for _, a := range args {
		if project.IsFolder(a) {
			w.roots = append(w.roots, project.Folder(a))
		} else {
			w.named = append(w.named, a) // whatever it is called
		}
	}
	if w.tree.Root != "" {
		w.roots = append(w.roots, w.tree.Root)
	}
}

// facts walks the trees and reads the files. Those that cannot be read are reported when their program is looked at.
func (w *treeWalk) facts() ([]project.Facts, error) {
	w.line.Say("looking for CUDA files")
	files, errs := project.Walk(w.ctx, w.roots, project.Options{Exclude: w.tree.Exclude, Host: w.tree.Runs})
	for _, err := range errs {
		w.console.Fail(unwalked(err))
	}
	named := w.named
	if w.tree.Root != "" { // they are of the tree, and a hook names what it is given
		named = w.settings.kept(named, w.roots)
	}
	files, taken := withNamed(w.settings.kept(files, w.roots), named)
	mend(w.console, files)
	how := w.reading(files)
	how.Taken = taken
	return project.Read(files, how)
}

// reading returns how the files are read.
func (w *treeWalk) reading(files []string) project.Reading {
	return project.Reading{
		Options:  w.settings.options(files),
		ReadFile: w.opt.ReadFile,
		Each: func(n int, f func(i int)) error {
			return parallel.Each(w.ctx, n, w.tree.Jobs, func(i int) error {
				w.line.Say("reading %d of %d files", i+1, n)
				f(i)
				return nil
			})
		},
	}
}

// mentions returns the kernels of a tree that files which are left out of it may launch.
func (w *treeWalk) mentions(facts []project.Facts) ([]project.Mention, error) {
	aside := project.Aside(w.ctx, w.roots, facts)
	return project.Mentions(facts, aside, w.reading(aside))
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

// looked are the folders in which this process has looked for what killed runs left.
var looked sync.Map

// mend finishes what an earlier run was cut off at while it wrote files in the folders of
// files, before these are read, and says so.
func mend(c *console.Console, files []string) {
	for _, f := range files {
		dir := filepath.Dir(f)
		if f == "-" {
			continue
		}
		if _, before := looked.LoadOrStore(dir, true); before {
			continue
		}
		for _, line := range disk.Mend(dir) {
			c.Remark("%s", line)
		}
	}
}

// treeSettings holds what settings say of the files of a tree before these are parted into programs. Settings that
// are wrong say nothing here: this is reported when their programs are looked at.
type treeSettings struct {
	in       Options
	how      Reading
	named    *config.Settings // of --config, nil for none
	finder   *config.Finder   // of the others, nil where none count
	readings map[*config.Settings]Reading
	globs    map[*config.Settings]*project.Globs
}

func newTreeSettings(c *console.Console, in Options, how Reading) (*treeSettings, error) {
	t := &treeSettings{in: in, how: how, readings: map[*config.Settings]Reading{}, globs: map[*config.Settings]*project.Globs{}}
	if err := in.Settings.Check(); err != nil || in.Settings == nil || in.Settings.None {
		return t, err
	}
	if in.Settings.File != "" {
		var err error
		t.named, err = in.Settings.fromNamed(c)
		return t, err
	}
	var err error
	t.finder, err = in.Settings.find()
	return t, err
}

// above returns the settings from a file's folder up to the root of its repository, the
// nearest first, with nil for those that are wrong.
func (t *treeSettings) above(name string) (out []*config.Settings) {
	if t.named != nil {
		return []*config.Settings{t.named}
	}
	if t.finder == nil {
		return nil
	}
	dir, err := folderOf(name)
	if err != nil {
		return nil
	}
	for _, path := range t.finder.Above(dir) {
		set, _ := t.finder.Read(path) // nil with an error
		out = append(out, set)
	}
	return out
}

// kept returns the files that no settings above them, or above the roots of the walk, exclude. All of these count,
// not the nearest alone: a folder that a team leaves out of its tree stays out whatever the folder itself says, and
// is a repository of its own for that matter.
func (t *treeSettings) kept(files, roots []string) []string {
	if t.in.Given("exclude") {
		return files
	}
	var ofRoots []*config.Settings
	for _, root := range roots {
		ofRoots = append(ofRoots, t.above(filepath.Join(root, "any"))...)
	}
	return lists.Filter(files, func(name string) bool { return !t.excluded(name, slices.Concat(t.above(name), ofRoots)) })
}

// excluded reports whether any of some settings excludes a file.
func (t *treeSettings) excluded(name string, by []*config.Settings) bool {
	for _, set := range by {
		if set == nil || len(set.Exclude) == 0 {
			continue
		}
		globs := t.globs[set]
		if globs == nil {
			globs = project.NewGlobs(set.Exclude)
			t.globs[set] = globs
		}
		abs, err := filepath.Abs(name)
		if err != nil {
			continue
		}
		relative, err := filepath.Rel(set.Dir, abs)
		if err == nil && filepath.IsLocal(relative) && globs.Match(filepath.ToSlash(relative)) {
			return true
		}
	}
	return false
}

// options returns what each of the files is read with. The result may be called for several files at once.
func (t *treeSettings) options(files []string) func(name string) parser.Options {
	known := map[string]Reading{}
	for _, name := range files {
		known[name] = t.reading(name)
	}
	return func(name string) parser.Options {
		how, ok := known[name]
		if !ok {
			how = t.how
		}
		return how.options(name)
	}
}

// reading returns how a file is read, by the settings nearest to it.
func (t *treeSettings) reading(name string) Reading {
	above := t.above(name)
	if len(above) == 0 || above[0] == nil {
		return t.how
	}
	set := above[0]
	how, ok := t.readings[set]
	if !ok {
		var err error
		if how, err = t.in.With(set).reading(); err != nil {
			how = t.how
		}
		t.readings[set] = how
	}
	return how
}

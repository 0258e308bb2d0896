package load

import (
	"path/filepath"
	"slices"

	"github.com/smux-cuda/smux/internal/console"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/project"
	"github.com/smux-cuda/smux/project/config"
)

// treeSettings holds what settings say of the files of a tree before these are parted
// into programs. Settings that are wrong say nothing here: this is reported when their
// programs are looked at.
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

// kept returns the files that no settings above them, or above the roots of the walk,
// exclude. All of these count, not the nearest alone: a folder that a team leaves out
// of its tree stays out whatever the folder itself says, and is a repository of its
// own for that matter.
func (t *treeSettings) kept(files, roots []string) []string {
	if t.in.Given("exclude") {
		return files
	}
	var ofRoots []*config.Settings
	for _, root := range roots {
		ofRoots = append(ofRoots, t.above(filepath.Join(root, "any"))...)
	}
	var out []string
	for _, name := range files {
		if !t.excluded(name, slices.Concat(t.above(name), ofRoots)) {
			out = append(out, name)
		}
	}
	return out
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

// options returns what each of the files is read with. The result may be called for
// several files at once.
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

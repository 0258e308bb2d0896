// Package project finds the CUDA files below folders and parts them into programs: files that have to be looked at
// together, since one launches, declares or includes what another defines.
//
// It goes by a quick look at the tokens of each file (parser.NewOutline), not by a parse, and links files where it is
// in doubt: two that are together for nothing cost time, two that are apart may leave a launch behind when a kernel
// is rewritten. Of kernels that have the same name in unrelated folders each is linked with the launches nearest to
// it.
//
// It reads what builds say of files, too: compilation databases and build files.
package project

import (
	"context"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/parser"
)

// Options say what is left out of a walk.
type Options struct {
	Exclude []string // globs of paths, as in .gitignore, relative to each root
	Host    bool     // sources of C and C++ are listed, too
}

// Walk lists the files below the roots that may hold CUDA, sorted, each once: those
// named .cu and .cuh, and headers, of which Of says whether they do.
//
// It leaves out what a .gitignore or a repository's info/exclude ignores, vendored folders, build folders of CMake
// and, in a git repository, other repositories in it. A root itself is always taken. Links to folders are not
// followed; a link to a file stands for the file that it leads to. What a person's own configuration of git ignores
// is not looked at, nor is the index: a file that is tracked though it is ignored is left out.
//
// What cannot be read is among the errors, which are *fs.PathError, and does not stop it.
func Walk(ctx context.Context, roots []string, opt Options) (files []string, errs []error) {
	w := walk{ctx: ctx, host: opt.Host, found: map[string]string{}}
	for _, root := range roots {
		w.root(root, opt)
	}
	for real, name := range w.linked {
		if _, ok := w.found[real]; !ok {
			w.found[real] = name
		}
	}
	for _, name := range w.found {
		files = append(files, name)
	}
	slices.Sort(files)
	return files, w.errs
}

// walk is one on its way.
type walk struct {
	ctx    context.Context
	host   bool
	found  map[string]string // names of files, by their absolute paths without links
	linked map[string]string // the same of files that a link leads to
	errs   []error
}

// folder is a folder on the way.
type folder struct {
	name    string  // as it is shown
	real    string  // absolute, without links
	path    string  // from the top of the ignores, with slashes
	below   string  // from the root, with slashes
	inside  bool    // of a repository
	ignored ignores // by what stands above
	exclude ignores // by those who ask
}

func (w *walk) root(root string, opt Options) {
	real, err := filepath.Abs(root)
	if err == nil {
		real, err = filepath.EvalSymlinks(real)
	}
	if err != nil {
		w.errs = append(w.errs, err)
		return
	}
	f := folder{name: filepath.Clean(root), real: real}
	var globs ignoreList
	for _, g := range opt.Exclude {
		globs.add(g)
	}
	f.exclude = f.exclude.and(globs)
	if top := Repository(real); top != "" && top != real {
		var errs []error
		f.inside = true
		f.ignored, errs = ignoresAt(top, real)
		w.errs = append(w.errs, errs...)
		if relative, err := filepath.Rel(top, real); err == nil {
			f.path = filepath.ToSlash(relative)
		}
	}
	w.enter(f)
}

// enter looks at what is in a folder.
func (w *walk) enter(f folder) {
	if w.ctx.Err() != nil {
		return
	}
	entries, err := os.ReadDir(f.real)
	if err != nil {
		w.errs = append(w.errs, &fs.PathError{Op: "open", Path: f.name, Err: cause(err)})
		return
	}
	if isRepository(f.real) && !f.inside { // its own rules, from here on
		f.inside, f.path = true, ""
		lists, errs := ignoresAt(f.real, f.real)
		f.ignored = lists
		w.errs = append(w.errs, errs...)
	}
	list, err := readIgnoreFile(f.path, filepath.Join(f.real, ".gitignore"), os.Lstat)
	if err != nil {
		w.errs = append(w.errs, &fs.PathError{Op: "open", Path: filepath.Join(f.name, ".gitignore"), Err: cause(err)})
	}
	f.ignored = f.ignored.and(list)
	for _, e := range entries {
		w.entry(f, e)
	}
}

// entry looks at one of the entries of a folder.
func (w *walk) entry(f folder, e fs.DirEntry) {
	name := e.Name()
	at := f.entry(name)
	switch {
	case e.IsDir():
		if isVendored(name) || at.isIgnored(true) || f.inside && isRepository(at.real) || isBuild(at.real) {
			return
		}
		w.enter(at)
	case kindOf(name) == other && !(w.host && IsHostSource(name)) || at.isIgnored(false):
	case e.Type().IsRegular():
		if _, twice := w.found[at.real]; !twice { // the name below the first root counts
			w.found[at.real] = shown(at.name)
		}
	case e.Type()&fs.ModeSymlink != 0:
		w.link(at)
	}
}

// entry returns what lies in a folder under a name.
func (f *folder) entry(name string) folder {
	return folder{
		name: filepath.Join(f.name, name), real: filepath.Join(f.real, name),
		path: path.Join(f.path, name), below: path.Join(f.below, name),
		inside: f.inside, ignored: f.ignored, exclude: f.exclude,
	}
}

func (f *folder) isIgnored(isDir bool) bool {
	for i := len(f.exclude) - 1; i >= 0; i-- {
		if ignored, decided := f.exclude[i].match(f.below, isDir); decided {
			return ignored
		}
	}
	return f.ignored.match(f.path, isDir)
}

// link takes the file that a link leads to, unless it leads nowhere.
func (w *walk) link(f folder) {
	real, err := filepath.EvalSymlinks(f.real)
	if err != nil {
		return
	}
	if info, err := os.Stat(real); err != nil || !info.Mode().IsRegular() {
		return
	}
	name := real
	if !filepath.IsAbs(f.name) {
		if here, err := filepath.Abs("."); err == nil {
			if here, err = filepath.EvalSymlinks(here); err == nil {
				if relative, err := filepath.Rel(here, real); err == nil {
					name = relative
				}
			}
		}
	}
	if w.linked == nil {
		w.linked = map[string]string{}
	}
	w.linked[real] = shown(name)
}

// shown returns how a file is named: "-" would mean standard input.
func shown(name string) string {
	if name == "-" {
		return "." + string(filepath.Separator) + name
	}
	return name
}

// cause returns the text after the name of a file in an error.
func cause(err error) error {
	if path, ok := err.(*fs.PathError); ok {
		return path.Err
	}
	return err
}

// vendored are the names of folders that hold what others have written.
var vendored = []string{"vendor", "third_party", "thirdparty", "3rdparty", "external", "extern", "node_modules", "_deps"}

// isVendored reports whether a folder of that name is left out, as the go command
// leaves out those that begin with a dot or an underscore.
func isVendored(name string) bool {
	return strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") || slices.Contains(vendored, strings.ToLower(name))
}

// isBuild reports whether CMake builds in a folder.
func isBuild(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, "CMakeCache.txt"))
	return err == nil
}

// kind is the kind of a file by its name.
type kind uint8

const (
	other  kind = iota
	cuda        // always taken
	header      // taken where there is CUDA in it
)

func kindOf(name string) kind {
	switch ext := filepath.Ext(name); {
	case ext == ".cu", ext == ".cuh":
		return cuda
	case parser.IsHeader(name):
		return header
	}
	return other
}

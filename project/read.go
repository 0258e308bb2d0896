package project

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sync"

	"github.com/smux-cuda/smux/parser"
)

// Reading describes how files are read.
type Reading struct {
	// Options are those that a file is compiled with.
	Options func(name string) parser.Options
	// ReadFile reads them; nil reads those on disk.
	ReadFile func(name string) ([]byte, error)
	// Each calls f for 0 to n-1, some at a time, in no order.
	Each func(n int, f func(i int)) error
	// Taken are files that are wanted whatever is in them, by name.
	Taken map[string]bool
}

// read reads a file that the parser would take.
func (how Reading) read(name string) ([]byte, error) {
	if how.ReadFile != nil {
		return how.ReadFile(name)
	}
	return readFile(name)
}

// Read returns the facts of files, in their order; headers that hold nothing of CUDA
// are marked. Of a file that cannot be read there are none but its name.
func Read(files []string, how Reading) ([]Facts, error) {
	r := &reader{Reading: how, context: map[string]*Facts{}}
	all := make([]Facts, len(files))
	err := how.Each(len(files), func(i int) { all[i] = r.file(files[i], nil) })
	if err != nil {
		return nil, err
	}
	r.index(all)
	r.resolve(all)
	if global := r.globals(all); len(global) > 0 {
		err = how.Each(len(files), func(i int) { r.again(&all[i], global) })
		r.index(all)
		r.resolve(all)
	}
	for i := range all {
		all[i].outline = nil // it is large, and no longer needed
	}
	return all, err
}

// reader reads the files of a tree, and what they include beside it.
type reader struct {
	Reading
	at      map[string]int    // files of the tree by absolute path
	context map[string]*Facts // other files that are included, by absolute path; nil for none there
	links   func() map[string]string
}

// file reads one of the tree's files.
func (r *reader) file(name string, global parser.GlobalMacros) Facts {
	f := Facts{Name: name}
	if src, err := r.read(name); err == nil {
		if r.Taken[name] {
			f = outlined(name, src, global)
		} else {
			f = of(name, src, global)
		}
	}
	f.abs = Absolute(name)
	return f
}

// again reads a file once more if a word in it stands for __global__.
func (r *reader) again(f *Facts, global parser.GlobalMacros) {
	if src, err := r.read(f.Name); err == nil && mentions(src, global) {
		*f = r.file(f.Name, global)
	}
}

func mentions(src []byte, words parser.GlobalMacros) bool {
	for w := range words {
		if bytes.Contains(src, []byte(w)) {
			return true
		}
	}
	return false
}

// index notes where the files of the tree are.
func (r *reader) index(all []Facts) {
	r.at = make(map[string]int, len(all))
	for i := range all {
		if !all[i].None {
			r.at[all[i].abs] = i
		}
	}
	r.links = sync.OnceValue(func() map[string]string {
		out := map[string]string{}
		for abs := range r.at {
			if real, err := filepath.EvalSymlinks(abs); err == nil && real != abs {
				out[real] = abs
			}
		}
		return out
	})
}

// globals returns the macros that stand for __global__, of whatever file: where one is seen is not asked.
func (r *reader) globals(all []Facts) parser.GlobalMacros {
	out := parser.GlobalMacros{}
	var defines []parser.OutlinedMacro
	var functions []*parser.Macro
	collect := func(f *Facts) {
		if f != nil && f.outline != nil {
			defines = append(defines, f.outline.Defines...)
			functions = append(functions, f.outline.Functions...)
		}
	}
	for i := range all {
		collect(&all[i])
	}
	for _, f := range r.context {
		collect(f)
	}
	leads := func(w string) bool {
		_, known := out[w]
		return known || w == "__global__"
	}
	taken := map[*parser.Macro]bool{}
	for grown := true; grown; {
		grown = false
		for _, m := range defines {
			if _, known := out[m.Name]; !known && slices.ContainsFunc(m.Words(), leads) {
				out[m.Name], grown = nil, true
			}
		}
		for _, m := range functions {
			if !taken[m] && slices.ContainsFunc(parser.OutlinedMacro{Name: m.Name, Body: m.Body}.Words(), leads) {
				out[m.Name] = append(out[m.Name], m)
				taken[m], grown = true, true
			}
		}
	}
	return out
}

// Absolute returns the absolute path of a file, or its cleaned name where there is no current folder.
func Absolute(name string) string {
	if abs, err := filepath.Abs(name); err == nil {
		return abs
	}
	return filepath.Clean(name)
}

// readFile reads a file that the parser would take.
func readFile(name string) ([]byte, error) {
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() > parser.MaxFileBytes {
		return nil, os.ErrInvalid
	}
	return os.ReadFile(name)
}

// Facts holds the facts of a file by which a tree is parted into programs.
type Facts struct {
	Name     string // as it is shown
	Kernels  []Kernel
	Launches []string // names of kernels, each once
	// Includes are the files that it includes and those that they include, as
	// far as they can be found, as absolute paths.
	Includes []string
	// None says that a header holds nothing of CUDA, so it is not a file of the tree.
	None bool

	// changes says that a merge may have to change the device functions in it: it
	// names a barrier, shared memory or what tells thread blocks apart.
	changes bool
	main    bool // it seems to define main

	abs     string
	outline *parser.Outline
}

// Kernel is a kernel that a file defines or declares.
type Kernel = parser.OutlinedKernel

// of returns the facts that the text of a file gives by itself.
func of(name string, src []byte, global parser.GlobalMacros) Facts {
	if kindOf(name) == header && !parser.MentionsCUDA(src) && !mentions(src, global) {
		return Facts{Name: name, None: true}
	}
	return outlined(name, src, global)
}

// outlined returns what of returns, for a file that is taken whatever is in it.
func outlined(name string, src []byte, global parser.GlobalMacros) Facts {
	o := parser.NewOutline(src, global)
	return Facts{Name: name, Kernels: o.Kernels, Launches: o.Launches, outline: o, changes: changing.Match(src), main: mainFunction.Match(src)}
}

var (
	changing     = regexp.MustCompile(`\b(__syncthreads\w*|__shared__|blockIdx|gridDim|sync)\b`)
	mainFunction = regexp.MustCompile(`(?m)^[\w \t]*\bmain\s*\(`) // in a comment, most often something else stands before it
)

// matters reports whether a file says anything of kernels: one that does not can be read with each that includes it.
func (f *Facts) matters() bool { return len(f.Kernels) > 0 || len(f.Launches) > 0 }

// exports reports whether it does so that another file can launch it.
func (f *Facts) exports(kernel string) bool {
	return slices.ContainsFunc(f.Kernels, func(k Kernel) bool { return k.Name == kernel && k.Defined && !k.Internal })
}

// needs returns the kernels that a file launches or declares and does not define.
func (f *Facts) needs() []string {
	var out []string
	add := func(name string) {
		if !slices.ContainsFunc(f.Kernels, func(k Kernel) bool { return k.Name == name && k.Defined }) && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	for _, name := range f.Launches {
		add(name)
	}
	for _, k := range f.Kernels {
		add(k.Name)
	}
	return out
}

// mostContext bounds how many files beside the tree's are read.
const mostContext = 5000

// resolve finds what each file includes, as the parser would: beside the file that includes it, then in the folders
// of -I. What stands in an #if counts, and of a macro that names a file each definition that was seen.
func (r *reader) resolve(all []Facts) {
	paths := map[string][]parser.OutlinedInclude{}
	note := func(o *parser.Outline) {
		for _, m := range o.Defines {
			if inc, ok := m.Include(); ok && !slices.Contains(paths[m.Name], inc) {
				paths[m.Name] = append(paths[m.Name], inc)
			}
		}
	}
	for i := range all {
		if all[i].outline != nil {
			note(all[i].outline)
		}
	}
	for i := range all {
		f := &all[i]
		if f.outline == nil {
			continue
		}
		s := search{reader: r, all: all, macros: paths, dirs: r.Options(f.Name).IncludeDirs, seen: map[string]bool{f.abs: true}}
		s.from(f.abs, f.outline)
		f.Includes = s.found
	}
}

// search follows the includes of one file.
type search struct {
	*reader
	all    []Facts
	macros map[string][]parser.OutlinedInclude
	dirs   []string
	seen   map[string]bool
	found  []string
}

// from adds what the file of an outline includes.
func (s *search) from(file string, o *parser.Outline) {
	for _, inc := range o.Includes {
		meant := []parser.OutlinedInclude{inc}
		if inc.Computed {
			meant = s.macros[inc.Path]
		}
		for _, inc := range meant {
			at, outline := s.find(filepath.Dir(file), inc)
			if at == "" || s.seen[at] {
				continue
			}
			s.seen[at] = true
			s.found = append(s.found, at)
			if outline != nil {
				s.from(at, outline)
			}
		}
	}
}

// find returns the file that an include in a folder means, "" for none.
func (s *search) find(dir string, inc parser.OutlinedInclude) (string, *parser.Outline) {
	if filepath.IsAbs(inc.Path) {
		return s.file(filepath.Clean(inc.Path))
	}
	if !inc.System {
		if at, o := s.file(filepath.Join(dir, inc.Path)); at != "" {
			return at, o
		}
	}
	for _, dir := range s.dirs {
		if at, o := s.file(Absolute(filepath.Join(dir, inc.Path))); at != "" {
			return at, o
		}
	}
	return "", nil
}

// file returns the file with an absolute path: one of the tree's or, beside it,
// one that is read for what it says and includes.
func (r *search) file(path string) (string, *parser.Outline) {
	if i, ok := r.at[path]; ok {
		return path, r.all[i].outline
	}
	f, known := r.context[path]
	if !known {
		f = r.beside(path)
		r.context[path] = f
	}
	switch {
	case f == nil:
		return "", nil
	case f.abs != path: // a link to one of the tree's
		return f.abs, r.all[r.at[f.abs]].outline
	}
	return path, f.outline
}

// beside reads a file that is not one of the tree's, nil where there is none.
func (r *search) beside(path string) *Facts {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	if real, err := filepath.EvalSymlinks(path); err == nil && real != path {
		if _, ok := r.at[real]; ok {
			return &Facts{abs: real}
		}
		if at, ok := r.links()[real]; ok {
			return &Facts{abs: at}
		}
	}
	f := &Facts{abs: path}
	if len(r.context) < mostContext {
		if src, err := r.read(path); err == nil {
			*f = outlined(path, src, nil)
			f.abs = path
		}
	}
	return f
}

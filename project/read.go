package project

import (
	"bytes"
	"os"
	"path/filepath"
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

// globals returns the macros that stand for __global__, of whatever file: where one is
// seen is not asked.
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

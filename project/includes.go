package project

import (
	"os"
	"path/filepath"
	"slices"

	"github.com/smux-cuda/smux/parser"
)

// mostContext bounds how many files beside the tree's are read.
const mostContext = 5000

// resolve finds what each file includes, as the parser would: beside the file
// that includes it, then in the folders of -I. What stands in an #if counts, and
// of a macro that names a file each definition that was seen.
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

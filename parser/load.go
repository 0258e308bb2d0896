package parser

import (
	"errors"
	"fmt"
)

// cheapHeaderBytes is the size up to which a header without a word of device
// code is parsed all the same: constants and small structures may matter.
const cheapHeaderBytes = 64 << 10

// LoadProgram reads and parses the named files, and the headers that they
// include as far as they can be found. A file that can't be read or parsed
// gives an error and leaves the others alone.
func LoadProgram(paths []string, opt Options) (*Program, []error) {
	l := newLoader(opt)
	var files []*File
	var errs []error
	for _, path := range paths {
		src, err := l.read(path)
		if err == nil {
			var f *File
			if f, err = l.parse(path, src); err == nil {
				files = append(files, f)
				continue
			}
		}
		var input *InputError
		if !errors.As(err, &input) {
			err = fmt.Errorf("reading %s: %w", path, err)
		}
		errs = append(errs, err)
	}
	return l.program(files), errs
}

// NewProgram makes a program of files that are parsed already, and reads the
// headers that they include.
func NewProgram(files []*File, opt Options) *Program {
	return newLoader(opt).program(files)
}

// program parses the headers of files. One that can't be parsed is left out,
// and so is a big one that does not mention device code: its macros are known.
func (l *loader) program(files []*File) *Program {
	p := &Program{Files: files, Headers: map[string]*File{}}
	named := map[string]bool{}
	for _, f := range files {
		named[cleanPath(f.Name)] = true
	}
	for _, f := range files {
		for _, path := range f.reached {
			if named[path] || p.Headers[path] != nil {
				continue
			}
			h := l.header(path)
			if h == nil || len(h.src) > cheapHeaderBytes && !mentionsDevice(h.src) {
				continue
			}
			if parsed, err := l.parse(path, h.src); err == nil {
				p.Headers[path] = parsed
			}
		}
	}
	return p
}

// Reach returns f and all files of the program that it includes, directly or
// not, in the order in which they are first read.
func (p *Program) Reach(f *File) []*File {
	out := []*File{f}
	for _, path := range f.reached {
		if g := p.file(path); g != nil && g != f {
			out = append(out, g)
		}
	}
	return out
}

// Including returns the files of the program that include f, directly or not;
// f itself is not among them. Named files come first, then headers, each in a
// fixed order.
func (p *Program) Including(f *File) []*File {
	self := cleanPath(f.Name)
	var out []*File
	for _, g := range p.all() {
		if g == f {
			continue
		}
		for _, path := range g.reached {
			if path == self {
				out = append(out, g)
				break
			}
		}
	}
	return out
}

// file returns the named file or header with the cleaned path, nil if none.
func (p *Program) file(path string) *File {
	for _, f := range p.Files {
		if cleanPath(f.Name) == path {
			return f
		}
	}
	return p.Headers[path]
}

package parser

import (
	"maps"
	"slices"
)

// Options describes how to read source: where includes are searched and what the command line defines.
type Options struct {
	IncludeDirs []string                     // -I, searched after the including file's folder
	Searches    func(path string) bool       // whether a header that lies in one of these folders is looked for; nil means all
	Defines     []string                     // -D, "NAME" or "NAME=VALUE"
	Flags       []string                     // more flags of nvcc, which change nothing of how text is read here
	ReadFile    func(string) ([]byte, error) // nil means os.ReadFile
	Trees       *Trees                       // shared with other programs; may be nil
	// Closed is set if what is not defined in view is not defined: of each #if it is then known
	// which branch is compiled.
	Closed bool
	// C is set if a C compiler is asked what the text means: none of nvcc's macros is defined then.
	C bool
}

// Program is a set of files that are looked at together: those that were named
// and, for context only, the local headers that they include.
type Program struct {
	Files   []*File          // the named files, in order; only these are ever edited
	Headers map[string]*File // readable includes that are not in Files, by cleaned path
	// Elsewhere has, by name, the kernels that a file which is not part of the program
	// names, and that file: it may launch them.
	Elsewhere map[string]string
	// Beside reads the host sources in the folders of the program's files, when it is first
	// asked: they may call what launches kernels. It is nil, or returns nil, where there are none.
	Beside func() *Program
	// Usual returns what people say of the launches of a kernel whose launches don't say it, for
	// estimates. It may be nil.
	Usual func(kernel string) UsualLaunch

	load *loader // of the headers
}

// UsualLaunch says how a kernel is usually launched, by what somebody says of it.
type UsualLaunch struct {
	Block    [3]int   // threads, zero where nobody says it
	BlockBy  string   // who says it, as "a smux:bench comment"
	Grid     [3]int64 // thread blocks, zero where nobody says it
	GridBy   string
	Shared   int // bytes of dynamic shared memory, 0 where nobody says it
	SharedBy string
}

// Trees returns the store of trees that the program shares with others; it may be nil.
func (p *Program) Trees() *Trees {
	if p.load != nil {
		return p.load.opt.Trees
	}
	return nil
}

// All returns the named files, then the headers by path.
func (p *Program) All() []*File {
	out := make([]*File, 0, len(p.Files)+len(p.Headers))
	out = append(out, p.Files...)
	for _, path := range slices.Sorted(maps.Keys(p.Headers)) {
		out = append(out, p.Headers[path])
	}
	return out
}

// Texts returns the texts of the named files, by name.
func (p *Program) Texts() map[string][]byte {
	out := make(map[string][]byte, len(p.Files))
	for _, f := range p.Files {
		out[f.Name] = f.Src
	}
	return out
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

// Including returns the files of the program that include f, directly or not; f itself is not among them. Named files
// come first, then headers, each in a fixed order.
func (p *Program) Including(f *File) []*File {
	self := cleanPath(f.Name)
	var out []*File
	for _, g := range p.All() {
		if g == f {
			continue
		}
		if slices.Contains(g.reached, self) {
			out = append(out, g)
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

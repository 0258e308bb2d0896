package parser

import (
	"maps"
	"slices"
)

// Options says how to read source: where includes are searched and what the
// command line defines.
type Options struct {
	IncludeDirs []string                     // -I, searched after the including file's folder
	Defines     []string                     // -D, "NAME" or "NAME=VALUE"
	ReadFile    func(string) ([]byte, error) // nil means os.ReadFile
}

// Program is a set of files that are looked at together: those that were named
// and, for context only, the local headers that they include.
type Program struct {
	Files   []*File          // the named files, in order; only these are ever edited
	Headers map[string]*File // readable includes that are not in Files, by cleaned path
}

// all returns the named files, then the headers by path.
func (p *Program) all() []*File {
	out := make([]*File, 0, len(p.Files)+len(p.Headers))
	out = append(out, p.Files...)
	for _, path := range slices.Sorted(maps.Keys(p.Headers)) {
		out = append(out, p.Headers[path])
	}
	return out
}

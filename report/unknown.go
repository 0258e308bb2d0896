package report

import (
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/parser"
)

// Unknown is a kernel without an answer, and why.
type Unknown struct {
	Name     string        `json:"name"`
	Position diag.Position `json:"position"`
	Why      string        `json:"why"`
}

// Unparsed returns the kernels of a program that could not be parsed, those that want
// selects by name.
func Unparsed(prog *parser.Program, want func(name string) bool) []Unknown {
	var out []Unknown
	for _, f := range prog.Files {
		for _, l := range f.Lost {
			if want(l.Name) {
				out = append(out, Unknown{l.Name, f.Position(l.Mark.Start), l.Why()})
			}
		}
	}
	return out
}

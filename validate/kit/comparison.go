// Package kit has what judges of all rewrites share: two functions laid side by side (Alignment), what operations of the
// new text read and write, which variables may hold addresses of shared memory, what threads agree on, and the result.
//
// A proof of merged blocks that take one turn rests on it, on units and on turns.
package kit

import (
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/validate/units"
)

// Comparison is one file of the old program beside the one of the new program that it became.
type Comparison struct {
	Old, New *units.Source
	OldNames *Names
	NewNames *Names
	Groups   map[*ir.Func]map[string]bool

	Devices      map[string][]*parser.Function // device functions of the new program, by name
	FileOf       map[*parser.Function]*parser.File
	Declarations map[string][]Declaration // what the new program declares outside of functions, by name
	Low          map[*parser.Function]*ir.Func
	Device       map[*ir.Func]bool
	Classes      map[string]bool                       // of nothing but numbers
	sharing      map[string]bool                       // and those with shared memory of their own
	defines      bool                                  // an operator of a class
	Origin       map[*parser.Function]*parser.Function // of device functions that changed
	Apart        map[*parser.Function]bool             // those of all files that changed and are given no v-TB object
	Changed      map[string][]*Kernel                  // rewritten kernels of all files, by name

	Constant func(*Alignment, *ir.Expr) (int64, bool) // the number that an expression is in every thread

	Reshapes []Reshape // found in launches

	Sources map[*parser.File]*units.Source // what SourceOf has read for all files

	Included bool // the new text includes smux.cuh

	Kernels, Inner, Hosts, Last []func() // what is judged when all functions are laid side by side
}

// UnitsOf returns the units of a statement of the new text.
func (c *Comparison) UnitsOf(s *ir.Stmt) []units.Unit {
	return c.New.Between(s.Range.Start, s.Range.End)
}

// SourceOf returns the units of a file.
func (c *Comparison) SourceOf(f *parser.File) *units.Source {
	if c.Sources[f] == nil {
		c.Sources[f] = units.NewSource(f)
	}
	return c.Sources[f]
}

// Excerpt returns the original's text at a place, short enough for a message.
func (c *Comparison) Excerpt(as []*ir.Stmt, i int) string {
	if i >= len(as) {
		return "nothing more"
	}
	line, _, more := strings.Cut(string(c.Old.File.Src[as[i].Range.Start:as[i].Range.End]), "\n")
	if len(line) > 60 {
		line, more = line[:60], true
	}
	if more {
		line += " …"
	}
	return line
}

func (c *Comparison) Lowered(fn *parser.Function) *ir.Func {
	if c.Low[fn] == nil {
		c.Low[fn] = c.NewNames.Lower(c.FileOf[fn], fn)
		c.Device[c.Low[fn]] = true
	}
	return c.Low[fn]
}

// Declaration is one of a file.
type Declaration struct {
	File *parser.File
	Node *parser.Node
}

// Definition is a function of a file with the range of its text.
type Definition struct {
	Fn         *parser.Function
	Start, End int
}

// Reshape is a kernel that is launched in blocks with other extents along some axes: "x", "xy" or "xyz".
type Reshape struct {
	Kernel *Kernel
	Axes   string
}

func LaunchesIn(s *units.Source, d Definition) []*parser.Launch {
	return lists.Filter(s.File.Launches, func(l *parser.Launch) bool { return d.Start <= l.Open && l.Open < d.End })
}

package validate

import (
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/parser"
)

// comparison is one file of the old program beside the one of the new program that it became.
type comparison struct {
	a, b   *source
	namesA *names
	namesB *names
	groups map[*ir.Func]map[string]bool

	devices map[string][]*parser.Function // device functions of the new program, by name
	fileOf  map[*parser.Function]*parser.File
	low     map[*parser.Function]*ir.Func
	device  map[*ir.Func]bool
	classes map[string]bool                       // of nothing but numbers
	sharing map[string]bool                       // and those with shared memory of their own
	defines bool                                  // an operator of a class
	origin  map[*parser.Function]*parser.Function // of device functions that changed
	apart   map[*parser.Function]bool             // those of all files that changed and are given no v-TB object
	changed map[string]*Kernel                    // rewritten kernels of all files, by name

	constant func(*alignment, *ir.Expr) (int64, bool) // the number that an expression is in every thread

	included bool // the new text includes smux.cuh

	kernels, inner, hosts, last []func() // what is judged when all functions are laid side by side
}

// unitsOf returns the units of a statement of the new text.
func (c *comparison) unitsOf(s *ir.Stmt) []unit { return c.b.between(s.Range.Start, s.Range.End) }

// excerpt is what the original has at a place, short enough for a message.
func (c *comparison) excerpt(as []*ir.Stmt, i int) string {
	if i >= len(as) {
		return "nothing more"
	}
	line, _, more := strings.Cut(string(c.a.file.Src[as[i].Range.Start:as[i].Range.End]), "\n")
	if len(line) > 60 {
		line, more = line[:60], true
	}
	if more {
		line += " …"
	}
	return line
}

func (c *comparison) lowered(fn *parser.Function) *ir.Func {
	if c.low[fn] == nil {
		c.low[fn] = c.namesB.lower(c.fileOf[fn], fn)
		c.device[c.low[fn]] = true
	}
	return c.low[fn]
}

// definition is a function of a file with the range of its text.
type definition struct {
	fn         *parser.Function
	start, end int
}

func launchesIn(s *source, d definition) (out []*parser.Launch) {
	for _, l := range s.file.Launches {
		if d.start <= l.Open && l.Open < d.end {
			out = append(out, l)
		}
	}
	return out
}

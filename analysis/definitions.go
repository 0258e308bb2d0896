package analysis

import (
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/parser"
)

// Definition is a function in view: a definition or a declaration.
type Definition struct {
	File *parser.File
	Func *parser.Function
}

// Named returns the functions of a name that a file can see, declarations without a body included.
func (p *Program) Named(f *parser.File, name string) []Definition {
	return lists.Map(p.Unit(f).ByName[name], func(c FuncIn) Definition { return Definition{c.File, c.Fn} })
}

// View returns the files that a file sees and is seen by.
func (p *Program) View(f *parser.File) []*parser.File { return p.Unit(f).Files }

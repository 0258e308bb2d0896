package analysis

import "github.com/smux-cuda/smux/parser"

// Definition is a function in view: a definition or a declaration.
type Definition struct {
	File *parser.File
	Func *parser.Function
}

// Named returns the functions of a name that a file can see, declarations without a body included.
func (p *Program) Named(f *parser.File, name string) []Definition {
	var out []Definition
	for _, c := range p.Unit(f).ByName[name] {
		out = append(out, Definition{c.File, c.Fn})
	}
	return out
}

// View returns the files that a file sees and is seen by.
func (p *Program) View(f *parser.File) []*parser.File { return p.Unit(f).Files }

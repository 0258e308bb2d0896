package analysis

import (
	"slices"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/parser"
)

// GlobalVar returns the variable or enumerator at namespace scope that a name stands for in a function, nil where
// there is none, or the name may be a member's in a member function.
func (k *Kernel) GlobalVar(fn *ir.Func, name string) *ir.Var { return k.Prog.GlobalIn(fn, name) }

// GlobalIn is global in a function.
func (p *Program) GlobalIn(fn *ir.Func, name string) *ir.Var {
	v := p.Global(fn.File, name)
	if v == nil || fn.View == nil || fn.View.Class == "" || !p.mayBeMember(fn, name) {
		return v
	}
	return nil
}

// mayBeMember reports whether a name may be that of a member in a member function of a class: where the class has
// bases, of any class.
func (p *Program) mayBeMember(fn *ir.Func, name string) bool {
	found, derived := false, false
	for _, f := range p.Unit(fn.File).Files {
		for _, c := range f.Classes {
			if c.Name != fn.View.Class {
				continue
			}
			found = found || c.Declares(f, name)
			for n := c.Node.First; n != nil; n = n.Next {
				derived = derived || n.Kind == parser.KindBaseClassClause
			}
		}
	}
	return found || derived && slices.ContainsFunc(p.Unit(fn.File).Files, func(f *parser.File) bool {
		return slices.ContainsFunc(f.Classes, func(c *parser.Class) bool { return c.Declares(f, name) })
	})
}

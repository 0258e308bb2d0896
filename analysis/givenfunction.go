package analysis

import (
	"slices"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/parser"
)

// GivenFunctions are the device functions that a template parameter of a function stands for: those whose names
// all texts in view give for it, f<g>(x). known is false where it is given something else, or nothing.
func (p *Program) GivenFunctions(fn *ir.Func, v *ir.Var, n int) (out []*ir.Func, known bool) {
	i := slices.Index(fn.TParams, v)
	if v == nil || v.Kind != ir.VarTemplateValue || i < 0 || fn.View == nil || i >= len(fn.View.Template) || fn.View.Template[i].Default != nil {
		return nil, false
	}
	known = true
	for _, f := range p.Unit(fn.File).Files {
		f.Root.Walk(func(n2 *parser.Node) bool {
			if n2.Kind != parser.KindTemplateFunction || f.Text(n2.Child(parser.FieldName)) != fn.View.Name {
				return known
			}
			arg := n2.Child(parser.FieldArguments).FirstNamed()
			for range i {
				if arg != nil {
					arg = arg.NextNamed()
				}
			}
			if arg == nil {
				known = false
				return false
			}
			fns := p.Candidates(fn.File, f.Text(arg), n, false)
			known = known && len(fns) > 0 && len(fns) == len(p.Unit(fn.File).ByName[f.Text(arg)])
			out = append(out, fns...)
			return known
		})
	}
	return out, known && len(out) > 0
}

package hostcode

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/parser"
)

// ArgumentNodes returns the arguments in a list.
func ArgumentNodes(list *parser.Node) (out []*parser.Node) {
	for a := list.FirstNamed(); a != nil; a = a.NextNamed() {
		out = append(out, a)
	}
	return out
}

// calleeOf is the name of the function whose arguments a list holds, "" for any other list.
func calleeOf(f *parser.File, list *parser.Node) string {
	call := list.Parent
	if call == nil || call.Kind != parser.KindCallExpression {
		return ""
	}
	callee := call.Child(parser.FieldFunction)
	if callee == nil || callee.Kind != parser.KindIdentifier {
		return ""
	}
	return f.Text(callee)
}

// byValue reports whether all functions in view of a name take an argument, by its number, by
// value, or it is one of C or CUDA; a macro may do anything.
func byValue(p *analysis.Program, f *parser.File, name string, i int) bool {
	fns := p.Unit(f).ByName[name]
	if _, macro := f.Macros.Lookup(name, len(f.Src)); macro {
		return false
	}
	if len(fns) == 0 {
		return analysis.ByValue(name)
	}
	return !slices.ContainsFunc(fns, func(c analysis.FuncIn) bool {
		if i < 0 || i >= len(c.Fn.Params) {
			return true
		}
		param := c.File.Text(c.Fn.Params[i].Node)
		return strings.Contains(param, "&") || c.Fn.IsTemplate && !strings.Contains(param, "*")
	})
}

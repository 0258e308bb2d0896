package demotion

import (
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/parser"
)

// shared reports why words of a device function would not be those of the kernel alone: every kernel that reaches the
// function pays for its shared memory, and is bound to its number of threads. "" for the kernel itself.
func (x *finder) shared(fn *ir.Func) string {
	if fn == x.k.Func {
		return ""
	}
	if why, ok := x.private[fn]; ok {
		return why
	}
	x.private[fn] = "it is in a function that calls itself"
	why := x.sharedWith(fn)
	x.private[fn] = why
	return why
}

func (x *finder) sharedWith(fn *ir.Func) string {
	v := fn.View
	switch {
	case fn.File != x.k.File:
		return "it is in a function of another file"
	case len(x.k.Recursive) > 0:
		return "the kernel calls functions that call themselves"
	case v.Class != "" || strings.HasPrefix(v.Name, "operator"):
		return "it is in a member function or an operator, which may be called unseen"
	case v.IsTemplate || v.Specialization || v.Quals&(parser.QualHost|parser.QualConstexpr) != 0:
		return "it is in a template, or in a function for the host as well"
	case len(x.k.Prog.Named(fn.File, v.Name)) > 1:
		return "several functions have the name of the one that it is in"
	case len(x.k.Prog.MacroWords(fn.File)[v.Name]) > 0:
		return "it is in a function that a macro names"
	}
	why := ""
	files := append([]*parser.File{}, x.k.Prog.Parsed.Files...)
	for _, h := range x.k.Prog.Parsed.Headers {
		files = append(files, h)
	}
	for _, f := range files {
		f.Root.Walk(func(n *parser.Node) bool {
			if why != "" {
				return false
			}
			if n.Kind != parser.KindIdentifier || f.Text(n) != v.Name || f == fn.File && v.Declared != nil && v.Declared.Start <= n.Start && n.End <= v.Declared.End {
				return true
			}
			by := x.callerAt(f, n)
			switch {
			case by == nil || n.Parent == nil || n.Parent.Kind != parser.KindCallExpression || n.Field != parser.FieldFunction:
				why = "it is in a function that is called or named outside of this kernel"
			case by != fn:
				why = x.shared(by)
			}
			return false
		})
	}
	return why
}

// callerAt is the function in reach of the kernel that a node stands in.
func (x *finder) callerAt(f *parser.File, n *parser.Node) *ir.Func {
	return lists.Find(x.k.Functions, func(g *ir.Func) bool {
		return g.File == f && g.View.Body != nil && g.View.Body.Start < n.Start && n.End < g.View.Body.End
	})
}

// Package hostcode follows what host code passes to launches: settings kept in objects, arguments of calls.
package hostcode

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/parser"
)

// LaunchIn finds a launch in its host function, in the bodies of lambdas, too.
func LaunchIn(p *analysis.Program, host *ir.Func, view *parser.Launch) *ir.Expr {
	type key struct{ host *ir.Func }
	return analysis.Once(&p.Memo, key{host}, func() map[*parser.Launch]*ir.Expr {
		found := map[*parser.Launch]*ir.Expr{}
		var look func(e *ir.Expr) bool
		look = func(e *ir.Expr) bool {
			switch {
			case e.Op == ir.OpLaunch && found[e.Launch] == nil:
				found[e.Launch] = withSettings(host, e)
			case e.Op == ir.OpLambda && e.Lambda != nil:
				e.Lambda.WalkExprs(look)
			}
			return true
		}
		host.Body.WalkExprs(look)
		return found
	})[view]
}

// CallIn returns the call of a function that holds a node, nil for none.
func CallIn(caller *ir.Func, name string, node *parser.Node) (found *ir.Expr) {
	for e := range caller.Body.AllExprs() {
		if e.Op == ir.OpCall && e.Name == name && e.Range.Start <= int(node.Start) && int(node.End) <= e.Range.End {
			found = e
		}
	}
	return found
}

// InBranchOfIf reports whether a declaration stands in a branch of an #if.
func InBranchOfIf(decl *ir.Stmt) bool {
	return decl != nil && decl.Parent != nil && decl.Parent.NoScope && !decl.Parent.Macro
}

// Expr returns the launch lowered in its host function: the configuration
// arguments, then the kernel's. It is nil where the launch is in no function.
func Expr(l *analysis.Launch, p *analysis.Program) (*ir.Expr, *ir.Func) {
	if l.Lowered {
		return l.Expr, l.Host
	}
	l.Lowered = true
	if l.View.Function == nil || l.View.Function.Body == nil || l.View.Error != nil {
		return nil, nil
	}
	l.Host = p.Lower(l.File, l.View.Function)
	l.Expr = LaunchIn(p, l.Host, l.View)
	return l.Expr, l.Host
}

// Straight reports whether an assignment stands in the list of statements in which v is declared, before the launch:
// it is then executed exactly once before it.
func Straight(v *ir.Var, w, at *ir.Expr) bool {
	if v.Decl == nil || v.Decl.Parent == nil || w.Range.Start > at.Range.Start {
		return false
	}
	return slices.ContainsFunc(v.Decl.Parent.List, func(s *ir.Stmt) bool { return s.Op == ir.StmtExpr && s.Range.Contains(w.Range) })
}

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

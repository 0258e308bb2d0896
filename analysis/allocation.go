package analysis

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/parser"
)

// Allocated returns how many bytes of device memory lie behind a pointer parameter of the
// kernel, by its number, at least, in every launch in view: the host function that
// launches it allocates them, before the launch and whatever happens, by
//
//	T *p;
//	cudaMalloc(&p, 256 * sizeof(T));    // perhaps inside of a macro that checks errors
//	…
//	kernel<<<…>>>(p, …);
//
// and does nothing else with p than to hand it to the runtime or to kernels. ok is false
// for anything else. An allocation that fails, and goes on, is taken for one that did not.
func (k *Kernel) Allocated(i int) (bytes int64, ok bool) {
	for n, l := range k.Launches {
		b, is := k.allocatedAt(l, i)
		if !is {
			return 0, false
		}
		if n == 0 || b < bytes {
			bytes = b
		}
	}
	return bytes, len(k.Launches) > 0
}

func (k *Kernel) allocatedAt(l *Launch, i int) (bytes int64, ok bool) {
	host := l.View.Function
	if host == nil || host.Body == nil || l.View.Error != nil || l.View.Args == nil {
		return 0, false
	}
	arg := l.View.Args.FirstNamed()
	for range i {
		if arg != nil {
			arg = arg.NextNamed()
		}
	}
	if arg == nil || arg.Kind != parser.KindIdentifier {
		return 0, false
	}
	name := l.File.Text(arg)
	declared := 0
	var alloc *parser.Node
	fine := true
	host.Node.Walk(func(n *parser.Node) bool {
		if n.Kind == parser.KindGotoStatement {
			fine = false
		}
		if n.Kind != parser.KindIdentifier && n.Kind != parser.KindFieldIdentifier || l.File.Text(n) != name {
			return true
		}
		call := callAround(n)
		switch {
		case n.Kind == parser.KindFieldIdentifier:
		case declares(n):
			declared++
		case call != nil && call.Kind == parser.KindCallExpression && allocates(l.File, call, name):
			fine = fine && alloc == nil
			alloc = call
		case call != nil && passesOn(l.File, call, n):
		default:
			fine = false
		}
		return true
	})
	if len(k.Prog.MacroWords(l.File)[name]) > 0 || !fine || declared != 1 || alloc == nil || alloc.End > l.View.Node.Start || !always(alloc, l.View.Node) {
		return 0, false
	}
	fn := ir.LowerFor(&k.Prog.cache, l.File, host, []*parser.Node{alloc})
	var e *ir.Expr
	found := 0
	fn.Body.WalkExprs(func(t *ir.Expr) bool {
		if t.Op == ir.OpCall && slices.Contains(allocators, t.Name) && len(t.Args()) == 2 && hasName(t.Args()[0], name) {
			e = t.Args()[1]
			found++
		}
		return true
	})
	if found != 1 {
		return 0, false
	}
	v := newEvaluator(k.Prog, shape{}).newFrame(fn).eval(e)
	return v.s, v.uniform() && v.s > 0
}

var allocators = []string{"cudaMalloc", "cudaMallocManaged"}

func hasName(e *ir.Expr, name string) bool {
	return e.Any(func(t *ir.Expr) bool { return t.Op == ir.OpIdent && t.Name == name })
}

// callAround is the call, or the launch, of which a name is an argument, with & and casts
// around it at most.
func callAround(n *parser.Node) *parser.Node {
	for q := n.Parent; q != nil; q = q.Parent {
		switch q.Kind {
		case parser.KindArgumentList:
			return q.Parent
		case parser.KindPointerExpression, parser.KindCastExpression, parser.KindParenthesizedExpression:
		default:
			return nil
		}
	}
	return nil
}

// declares reports whether a name stands in "T *p;" or "T *p = nullptr;".
func declares(n *parser.Node) bool {
	q := n.Parent
	if q == nil || q.Kind != parser.KindPointerDeclarator {
		return false
	}
	q = q.Parent
	if q != nil && q.Kind == parser.KindInitDeclarator {
		q = q.Parent
	}
	return q != nil && q.Kind == parser.KindDeclaration
}

// allocates reports whether a call is cudaMalloc(&name, …).
func allocates(f *parser.File, call *parser.Node, name string) bool {
	callee, args := call.Child(parser.FieldFunction), call.Child(parser.FieldArguments)
	if callee == nil || args == nil || !slices.Contains(allocators, f.Text(callee)) {
		return false
	}
	first := args.FirstNamed()
	if first == nil || first.NextNamed() == nil || first.NextNamed().NextNamed() != nil {
		return false
	}
	text := strings.Join(strings.Fields(f.Text(first)), "")
	return text == "&"+name || text == "(void**)&"+name
}

// passesOn reports whether a name is given, by itself, to a function of the runtime or to a kernel.
func passesOn(f *parser.File, call, n *parser.Node) bool {
	if n.Parent == nil || n.Parent.Kind != parser.KindArgumentList {
		return false
	}
	callee := call.Child(parser.FieldFunction)
	if callee == nil {
		return false
	}
	name := f.Text(callee)
	if f.Launches != nil && slices.ContainsFunc(f.Launches, func(l *parser.Launch) bool { return l.Node == call || l.Args == n.Parent }) {
		return true
	}
	return slices.Contains(takers, name)
}

// takers are functions of the runtime that take an address and leave it as it is.
var takers = []string{"cudaMemcpy", "cudaMemcpyAsync", "cudaMemset", "cudaMemsetAsync", "cudaFree", "cudaFreeAsync", "cudaMemPrefetchAsync"}

// always reports whether control has come through a call when it comes to a later place: it
// stands in a statement of its own, in a block around that place.
func always(call, place *parser.Node) bool {
	for q := call.Parent; q != nil; q = q.Parent {
		switch q.Kind {
		case parser.KindArgumentList, parser.KindCallExpression, parser.KindParenthesizedExpression, parser.KindExpressionStatement,
			parser.KindInitDeclarator, parser.KindDeclaration, parser.KindAssignmentExpression:
		case parser.KindCompoundStatement:
			for p := place; p != nil; p = p.Parent {
				if p == q {
					return true
				}
			}
			return false
		default:
			return false
		}
	}
	return false
}

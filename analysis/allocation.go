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
// and nothing else sets p. ok is false for anything else. An allocation that fails, and goes on, is taken for one that did not.
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
	host, f := l.View.Function, l.File
	if host == nil || host.Body == nil || l.View.Error != nil || l.View.Args == nil {
		return 0, false
	}
	args := l.View.Arguments()
	if i < 0 || i >= len(args) || pointerIn(args[i]) == nil {
		return 0, false
	}
	name := f.Text(pointerIn(args[i]))
	if k.Prog.pointer(f, host.Body, name) != (pointerUse{1, holdsAllocation}) {
		return 0, false
	}
	var alloc *parser.Node
	fine := true
	host.Body.Walk(func(n *parser.Node) bool {
		switch n.Kind {
		case parser.KindGotoStatement:
			fine = false // it may go around the allocation
		case parser.KindAssignmentExpression: // of no address
			left := n.Child(parser.FieldLeft)
			fine = fine && (left == nil || f.Text(left) != name)
		case parser.KindCallExpression:
			if args := n.Child(parser.FieldArguments); args != nil && ownMemory[k.Prog.calleeOf(f, args)] && isAddressOf(f, args.FirstNamed(), name) {
				fine = fine && alloc == nil
				alloc = n
			}
		}
		return true
	})
	if !fine || alloc == nil || alloc.End > l.View.Node.Start || !always(alloc, l.View.Node) {
		return 0, false
	}
	fn := ir.LowerFor(&k.Prog.cache, f, host, []*parser.Node{alloc})
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

// allocators allocate what their second argument says, in bytes.
var allocators = []string{"cudaMalloc", "cudaMallocManaged"}

func hasName(e *ir.Expr, name string) bool {
	return e.Any(func(t *ir.Expr) bool { return t.Op == ir.OpIdent && t.Name == name })
}

// isAddressOf reports whether an argument is &name, perhaps cast.
func isAddressOf(f *parser.File, n *parser.Node, name string) bool {
	if n == nil {
		return false
	}
	if n.Kind == parser.KindCastExpression {
		n = n.Child(parser.FieldValue)
	}
	return n != nil && strings.Join(strings.Fields(f.Text(n)), "") == "&"+name
}

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

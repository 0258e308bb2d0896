package analysis

import (
	"slices"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/ir/effect"
	"github.com/smux-cuda/smux/parser"
)

// lambda looks for hazards in the body of a lambda. No form of it is made for merged
// blocks, nor of what it calls: these functions must not hold a word that has another
// meaning there, nor a hazard of their own.
func (h *hazards) lambda(body *ir.Stmt) {
	body.Walk(func(s *ir.Stmt) bool {
		h.stmt(s)
		return true
	})
	body.WalkExprs(func(e *ir.Expr) bool {
		if h.k.IsBarrier(h.fn, e) {
			h.add(e.Range, CodeLambda, "a barrier inside a lambda")
			return true
		}
		if (e.Op == ir.OpIdent || e.Op == ir.OpCall) && h.k.IsThreadBlock(h.fn, e) {
			h.add(e.Range, CodeLambda, "a lambda that uses a built-in whose value changes")
		}
		h.expr(e)
		for _, c := range h.k.Callees(h.fn, e) {
			h.calledUnseen(e, c)
		}
		return true
	})
}

// calledUnseen looks at a function that is called where no form of it can take its place: in a lambda, or as a
// template argument.
func (h *hazards) calledUnseen(call *ir.Expr, fn *ir.Func) {
	switch uses := h.k.Prog.usesBlock(h.k.Prog.unit(h.k.File), funcIn{file: fn.File, fn: fn.View}); {
	case !uses:
		h.called(fn)
	case call.Name == fn.View.Name:
		h.add(call.Range, CodeLambda, "a lambda that calls %s, which uses a barrier, shared memory or a built-in whose value changes", call.Name)
	default:
		h.unknown(call, call.Name+" may be "+fn.View.Name+", which uses a barrier, shared memory or a built-in whose value changes")
	}
}

// called looks for hazards in a function that a lambda calls, and in those that this calls.
// They run though no call of the kernel's own text names them.
func (h *hazards) called(fn *ir.Func) {
	if slices.Contains(h.k.Functions, fn) || slices.Contains(h.k.Implicit, fn) {
		return
	}
	h.k.Implicit = append(h.k.Implicit, fn)
	h.k.findHazardsIn(fn)
	fn.Body.WalkExprs(func(e *ir.Expr) bool {
		for _, c := range h.k.Callees(fn, e) {
			h.called(c)
		}
		return true
	})
}

// mayBeLambda refuses an object of a type that is not known, which is called or given to what may call it, where the
// host code in view has a lambda that no form can be made of: the object may be that.
func (h *hazards) mayBeLambda(object *ir.Expr) {
	u := h.k.Prog.unit(h.fn.File)
	if t := h.k.TypeOf(h.fn, object); t.Kind != 0 && t.Kind != effect.Parameter && t.Kind != effect.Foreign || len(h.k.Prog.hostLambdas(u)) == 0 {
		return
	}
	h.unknown(object, "an object may be the lambda at "+h.k.Prog.hostLambdas(u)[0]+", which uses a barrier, shared memory or a built-in whose value changes")
}

// hostLambdas are the places of lambdas in host code that use the thread block.
func (p *Program) hostLambdas(u *unit) []string {
	type key struct{ u *unit }
	return Once(&p.Memo, key{u}, func() (lambdas []string) {
		for _, f := range u.files {
			f.Root.Walk(func(n *parser.Node) bool {
				if n.Kind != parser.KindLambdaExpression {
					return !isDeviceBody(f, n)
				}
				launches := slices.ContainsFunc(f.Launches, func(l *parser.Launch) bool { return l.Node.Start >= n.Start && l.Node.End <= n.End })
				if text := f.Text(n); !launches && (mentions([]byte(text), "asm") || p.textUsesBlock(u, funcIn{file: f, fn: &parser.Function{}}, text)) {
					lambdas = append(lambdas, f.Position(int(n.Start)).String())
				}
				return true
			})
		}
		return lambdas
	})
}

// isDeviceBody reports whether a node is the body of a kernel or a device function.
func isDeviceBody(f *parser.File, n *parser.Node) bool {
	return n.Kind == parser.KindCompoundStatement && slices.ContainsFunc(f.Functions, func(fn *parser.Function) bool { return fn.Body == n && (fn.IsKernel() || onDevice(fn)) })
}

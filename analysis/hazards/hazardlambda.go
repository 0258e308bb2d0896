package hazards

import (
	"slices"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/barriers"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/ir/effect"
	"github.com/smux-cuda/smux/parser"
)

// lambda looks for hazards in the body of a lambda. No form of it is made for merged blocks, nor of what it calls:
// these functions must not hold a word that has another meaning there, nor a hazard of their own.
func (h *hazards) lambda(body *ir.Stmt) {
	for s := range body.All() {
		h.stmt(s)
	}
	for e := range body.AllExprs() {
		if barriers.IsBarrier(h.k, h.fn, e) {
			h.add(e.Range, analysis.CodeLambda, "a barrier inside a lambda")
			continue
		}
		if (e.Op == ir.OpIdent || e.Op == ir.OpCall) && barriers.IsThreadBlock(h.k, h.fn, e) {
			h.add(e.Range, analysis.CodeLambda, "a lambda that uses a built-in whose value changes")
		}
		h.expr(e)
		for _, c := range h.k.Callees(h.fn, e) {
			h.calledUnseen(e, c)
		}
	}
}

// calledUnseen looks at a function that is called where no form of it can take its place: in a lambda, or as a
// template argument.
func (h *hazards) calledUnseen(call *ir.Expr, fn *ir.Func) {
	switch uses := usesBlock(h.k.Prog, h.k.Prog.Unit(h.k.File), analysis.FuncIn{File: fn.File, Fn: fn.View}); {
	case !uses:
		h.called(fn)
	case call.Name == fn.View.Name:
		h.add(call.Range, analysis.CodeLambda, "a lambda that calls %s, which uses a barrier, shared memory or a built-in whose value changes", call.Name)
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
	findHazardsIn(h.k, fn)
	for e := range fn.Body.AllExprs() {
		for _, c := range h.k.Callees(fn, e) {
			h.called(c)
		}
	}
}

// mayBeLambda refuses an object of a type that is not known, which is called or given to what may call it, where the
// host code in view has a lambda that no form can be made of: the object may be that.
func (h *hazards) mayBeLambda(object *ir.Expr) {
	u := h.k.Prog.Unit(h.fn.File)
	if t := h.k.TypeOf(h.fn, object); t.Kind != 0 && t.Kind != effect.Parameter && t.Kind != effect.Foreign || len(hostLambdas(h.k.Prog, u)) == 0 {
		return
	}
	h.unknown(object, "an object may be the lambda at "+hostLambdas(h.k.Prog, u)[0]+", which uses a barrier, shared memory or a built-in whose value changes")
}

// hostLambdas are the places of lambdas in host code that use the thread block.
func hostLambdas(p *analysis.Program, u *analysis.Unit) []string {
	type key struct{ u *analysis.Unit }
	return analysis.Once(&p.Memo, key{u}, func() (lambdas []string) {
		for _, f := range u.Files {
			f.Root.Walk(func(n *parser.Node) bool {
				if n.Kind != parser.KindLambdaExpression {
					return !isDeviceBody(f, n)
				}
				launches := slices.ContainsFunc(f.Launches, func(l *parser.Launch) bool { return l.Node.Start >= n.Start && l.Node.End <= n.End })
				if text := f.Text(n); !launches && (analysis.Mentions([]byte(text), "asm") || textUsesBlock(p, u, analysis.FuncIn{File: f, Fn: &parser.Function{}}, text)) {
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
	return n.Kind == parser.KindCompoundStatement && slices.ContainsFunc(f.Functions, func(fn *parser.Function) bool { return fn.Body == n && (fn.IsKernel() || analysis.OnDevice(fn)) })
}

package slice

import (
	"slices"

	"github.com/smux-cuda/smux/analysis/evaluate"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/ir/effect"
	"github.com/smux-cuda/smux/analysis/named"
	"github.com/smux-cuda/smux/analysis/pointers"
	"github.com/smux-cuda/smux/rewrite/kit"
)

// sliceUse is one place where an array is used that is to be sliced, or the parameter
// that stands for it in a device function.
type sliceUse struct {
	fn    *ir.Func
	stmt  *ir.Stmt // which it stands in directly
	array *slicedArray
	name  *ir.Expr // the array's
	elem  *ir.Expr // all subscripts after the name; nil where the array is an argument
	whole *ir.Expr // elem, or a member of it
	part  int      // which component whole is of, by component; -1 for the element
	group int      // which group of rows elem is of, by array

	store *ir.Expr // the assignment to whole, nil for a read and a call
	into  *ir.Expr // what a read is assigned to, nil for a read anywhere else
	decl  *ir.Var  // which a read initialises, as the only one of its statement
	maybe bool     // a read that is under ?:, && or ||

	call *ir.Expr    // which the array is an argument of
	form *slicedFunc // of the function that is called, nil where it makes whole exchanges
}

// reads reports whether the use takes a value out of the array.
func (u *sliceUse) reads() bool {
	return u.call != nil && !u.form.stores || u.call == nil && u.store == nil
}

// index is the first subscript.
func (u *sliceUse) index() *ir.Expr {
	e := u.elem
	for e.Kids[0] != u.name {
		e = e.Kids[0]
	}
	return e.Kids[1]
}

// subscripts are those of all dimensions.
func (u *sliceUse) subscripts() (out []*ir.Expr) {
	for e := u.elem; e != u.name; e = e.Kids[0] {
		out = append(out, e.Kids[1])
	}
	return out
}

// findUses finds the uses of an array in all functions in reach, and reports whether
// each of them is one that rounds can be made of.
func (p *sliceProof) findUses(a *slicedArray) bool {
	k := p.Kernel
	before := len(p.Reasons)
	for _, fn := range k.Functions {
		for _, v := range fn.Vars {
			if pointers.MayPoint(k, v, a.Shared) {
				p.Refuse(fn.File, v.Range.Start, CodeSliceAccess, "%s may hold an address in %s, whose elements change", v.Name, a.Name)
			}
		}
	}
	fn := p.holder(a.Shared)
	if fn != k.Func && p.insideOf(fn, -1, a) == nil {
		return false
	}
	is := func(e *ir.Expr) bool { return evaluate.SharedVar(k, fn, e) == a.Shared }
	for _, u := range p.usesIn(fn, a, is, len(a.Var.Dims)) {
		if u.call == nil || u.form != nil {
			a.uses = append(a.uses, u)
		}
	}
	for _, fn := range k.Functions {
		if f := p.inside[fn]; f != nil {
			if param, called := f.params[a]; called {
				a.uses = append(a.uses, p.usesIn(fn, a, func(e *ir.Expr) bool { return e.Var == fn.Params[param] }, 1)...)
			}
		}
	}
	return len(p.Reasons) == before
}

// UsesIn finds the uses of an array under a name in a function's body.
func (p *sliceProof) usesIn(fn *ir.Func, a *slicedArray, is func(*ir.Expr) bool, dims int) (out []*sliceUse) {
	for s := range fn.Body.All() {
		s.Exprs(func(top *ir.Expr) {
			p.usesBelow(top, nil, func(name *ir.Expr, above []*ir.Expr) bool {
				if !is(name) {
					return false
				}
				if u := p.use(fn, s, a, name, above, dims); u != nil {
					out = append(out, u)
				}
				return true
			})
		})
	}
	return out
}

// usesBelow calls f for each name in an expression with what stands above it, the nearest last.
func (p *sliceProof) usesBelow(e *ir.Expr, above []*ir.Expr, f func(*ir.Expr, []*ir.Expr) bool) {
	if e.Op == ir.OpIdent && f(e, above) {
		return
	}
	inner := append(slices.Clip(above), e)
	for _, kid := range e.Kids {
		p.usesBelow(kid, inner, f)
	}
	for _, kid := range e.TArgs {
		p.usesBelow(kid, inner, f)
	}
}

// use looks at one use of an array's name. It refuses what can't be done in rounds.
func (p *sliceProof) use(fn *ir.Func, s *ir.Stmt, a *slicedArray, name *ir.Expr, above []*ir.Expr, dims int) *sliceUse {
	u := &sliceUse{fn: fn, stmt: s, array: a, name: name, part: -1}
	refuse := func(why string) *sliceUse {
		p.Refuse(fn.File, name.Range.Start, CodeSliceAccess, "%s is %s here", kit.Text(fn.File, name.Range), why)
		return nil
	}
	if name.Macro || s.Macro || slices.ContainsFunc(above, func(e *ir.Expr) bool { return e.Macro }) {
		p.Refuse(fn.File, name.Range.Start, kit.CodeMacro, "a macro spells this use of %s", a.Name)
		return nil
	}
	top, up := name, func() *ir.Expr {
		if len(above) == 0 {
			return nil
		}
		return above[len(above)-1]
	}
	for e := up(); e != nil && e.Op == ir.OpIndex && e.Kids[0] == top; e = up() {
		top, above, dims = e, above[:len(above)-1], dims-1
	}
	if call := up(); top == name && call != nil && call.Op == ir.OpCall {
		return p.useAsArgument(u, call, refuse)
	}
	if dims != 0 {
		return refuse("used by other than an element")
	}
	u.elem, u.whole = top, top
	for e := up(); e != nil && e.Op == ir.OpMember && e.Kids[0] == u.whole; e = up() {
		above = above[:len(above)-1]
		if p.byComponent() {
			if u.part = p.component(a, e.Name); u.part < 0 || u.whole != top {
				return refuse("used by a part that is not a component of its elements")
			}
		}
		u.whole = e
	}
	return p.purpose(u, above, refuse)
}

func (p *sliceProof) component(a *slicedArray, name string) int {
	return slices.IndexFunc(a.parts, func(m named.Member) bool { return m.Name == name })
}

// purpose says what an element is used for.
func (p *sliceProof) purpose(u *sliceUse, above []*ir.Expr, refuse func(string) *sliceUse) *sliceUse {
	s := u.stmt
	var e *ir.Expr
	if len(above) > 0 {
		e = above[len(above)-1]
	}
	switch {
	case e == nil:
	case e.Op == ir.OpAssign && e.Kids[0] == u.whole:
		if e.Tok != "=" || s.Op != ir.StmtExpr || s.Expr != e {
			return refuse("changed inside an expression, or updated from its old value")
		}
		u.store = e
		return u
	case e.Op == ir.OpAssign && e.Tok == "=" && s.Op == ir.StmtExpr && s.Expr == e:
		u.into = e.Kids[0]
	case e.Op == ir.OpIncDec, e.Op == ir.OpAddr, e.Op == ir.OpSizeof, effect.IsOpaque(e.Op):
		return refuse("changed, or its address taken")
	case e.Op == ir.OpCall:
		for i, arg := range e.Args() {
			if arg == u.whole && p.Kernel.MayBindReference(u.fn, e, i) {
				return refuse("passed by reference")
			}
		}
		if e.Kids[0] == u.whole || e.Kids[0].Op == ir.OpMember {
			return refuse("the object of a call")
		}
	}
	u.maybe = conditional(append(slices.Clip(above), u.whole))
	if s.Op == ir.StmtDecl {
		for _, v := range s.Vars {
			if v.Init == nil || !v.Init.Any(func(t *ir.Expr) bool { return t == u.whole }) {
				continue
			}
			if v.Type.Ref {
				return refuse("bound to a reference")
			}
			if v.Init == u.whole && len(s.Vars) == 1 && v.Type.Ptr == 0 && len(v.Dims) == 0 {
				u.decl = v
			}
		}
	}
	return u
}

// useAsArgument looks at a call that an array is an argument of: of one function in
// view, which gets a form with the round as an argument.
func (p *sliceProof) useAsArgument(u *sliceUse, call *ir.Expr, refuse func(string) *sliceUse) *sliceUse {
	callees := p.Kernel.Callees(u.fn, call)
	i := slices.Index(call.Args(), u.name)
	switch {
	case len(callees) != 1 || i < 0 || i >= len(callees[0].Params) || u.fn != p.Kernel.Func:
		return refuse("passed to a function that is not in view, or to one of several")
	case len(u.array.Var.Dims) != 1:
		return refuse("passed to a function, and has more than one dimension")
	}
	u.call = call
	if p.makesExchanges(callees[0], i, u.array) {
		if f := p.inside[callees[0]]; f != nil {
			if known, called := f.params[u.array]; called && known == i {
				return u // another call
			}
		}
		if p.insideOf(callees[0], i, u.array) == nil {
			return nil
		}
		return u
	}
	if u.stmt.Op != ir.StmtExpr || u.stmt.Expr != call {
		return refuse("passed to a function that is not called alone")
	}
	u.form = p.formOf(callees[0], i, u.array)
	if u.form == nil {
		return nil
	}
	return u
}

// conditional reports whether the last of some expressions, each of which is an operand
// of the one before, is evaluated under ?:, && or || alone.
func conditional(path []*ir.Expr) bool {
	for i, e := range path[:len(path)-1] {
		decides := e.Op == ir.OpCond || e.Op == ir.OpBinary && slices.Contains([]string{"&&", "||", "and", "or"}, e.Tok)
		if decides && path[i+1] != e.Kids[0] {
			return true
		}
	}
	return false
}

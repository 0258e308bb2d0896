package analysis

import (
	"slices"

	"github.com/smux-cuda/smux/analysis/ir"
)

// maxInline bounds the depth of calls that are followed.
const maxInline = 8

// expr computes the effect of evaluating an expression.
func (x *execution) expr(e *ir.Expr, in flow) memoryEffect {
	out := x.none()
	if e == nil || !x.k.Touches(x.fn, e) {
		return out
	}
	switch e.Op {
	case ir.OpAssign:
		if e.Tok != "=" {
			x.read(&out, e.Kids[0], in)
		} else {
			x.address(&out, e.Kids[0], in)
		}
		out.then(x.expr(e.Kids[1], in))
		x.write(&out, e.Kids[0], in)
	case ir.OpIncDec:
		x.read(&out, e.Kids[0], in)
		x.write(&out, e.Kids[0], in)
	case ir.OpCond:
		out = x.expr(e.Kids[0], in)
		yes, no := in.split(x.ev.n, x.eval(e.Kids[0]))
		known := x.eval(e.Kids[0]).known
		var a, b memoryEffect
		x.under(e.Kids[0], true, func() { a = x.exprIf(e.Kids[1], yes) })
		x.under(e.Kids[0], false, func() { b = x.exprIf(e.Kids[2], no) })
		out.then(merge(a, b, known))
	case ir.OpBinary:
		out = x.expr(e.Kids[0], in)
		rest := in
		switch e.Tok {
		case "&&", "and":
			rest, _ = in.split(x.ev.n, x.eval(e.Kids[0]))
		case "||", "or":
			_, rest = in.split(x.ev.n, x.eval(e.Kids[0]))
		}
		if rest.may.none {
			return out
		}
		if (e.Tok == "&&" || e.Tok == "||") && !x.eval(e.Kids[0]).known {
			rest.must = noThreads
		}
		switch e.Tok {
		case "&&", "and", "||", "or":
			is := e.Tok == "&&" || e.Tok == "and"
			x.under(e.Kids[0], is, func() { out.then(x.expr(e.Kids[1], rest)) })
		default:
			out.then(x.expr(e.Kids[1], rest))
		}
	case ir.OpIdent, ir.OpIndex, ir.OpDeref, ir.OpMember:
		x.read(&out, e, in)
	case ir.OpAddr:
		x.address(&out, e.Kids[0], in)
	case ir.OpCall:
		x.call(&out, e, in)
	case ir.OpLambda:
		for _, kid := range e.Kids {
			out.then(x.expr(kid, in))
		}
		x.everything(&out, x.k.touchedBy(x.fn, e))
	default:
		for _, kid := range e.Kids {
			out.then(x.expr(kid, in))
		}
	}
	return out
}

func (x *execution) exprIf(e *ir.Expr, in flow) memoryEffect {
	if in.may.none {
		return x.none()
	}
	return x.expr(e, in)
}

// read adds the use of an rvalue: the element, if e names one in shared
// memory, and whatever its subscripts read.
func (x *execution) read(out *memoryEffect, e *ir.Expr, in flow) {
	x.address(out, e, in)
	r, ok := x.resolve(e)
	if !ok || in.may.none {
		return
	}
	if x.k.pointerValue(x.fn, e) != 0 && e.Op != ir.OpMember && x.k.lvalueOnly(x.fn, e) {
		return // an address is computed, nothing is read
	}
	x.use(out, e, r, in)
}

func (x *execution) use(out *memoryEffect, e *ir.Expr, r ref, in flow) {
	add := x.none()
	for _, s := range x.k.Shared {
		if r.arrays&(1<<s.index) == 0 {
			continue
		}
		n := x.count(s)
		if r.opaque || len(r.dims) > 0 || !r.off.known || r.in != nil {
			x.ev.spend(stepsOfSet(n))
			all := x.whole(s)
			if e != nil && r.arrays == 1<<s.index && len(r.dims) == 0 {
				if some, ok := x.bounded(s, e, fill(n)); ok {
					all = some
				}
			}
			*add.use.at(s.index, len(x.k.Shared)) = all
			continue
		}
		set := add.use.at(s.index, len(x.k.Shared))
		if r.off.v == nil {
			x.ev.spend(len(set.bits) / 64)
			for i := r.off.s; i < r.off.s+int64(r.width()); i++ {
				if i >= 0 && (n < 0 || i < int64(n)) {
					set.add(int(i))
				}
			}
			continue
		}
		for t, first := range r.off.v {
			if !in.may.has(t) || first < 0 || first >= 1<<24 {
				continue
			}
			for i := first; i < first+int64(r.width()); i++ {
				if n < 0 || i < int64(n) {
					set.add(int(i))
				}
			}
		}
	}
	out.then(add)
}

// write adds the definition of the element that e names, if that is certain.
func (x *execution) write(out *memoryEffect, e *ir.Expr, in flow) {
	if e.Op == ir.OpCond {
		if cond := x.eval(e.Kids[0]); cond.known {
			yes, no := in.split(x.ev.n, cond)
			x.write(out, e.Kids[1], yes)
			x.write(out, e.Kids[2], no)
		}
		return
	}
	r, ok := x.resolve(e)
	if !ok || r.opaque || r.part || len(r.dims) > 0 || !r.off.known || r.in != nil || in.must.none {
		x.define(out, e, in)
		return
	}
	for unit := range r.width() {
		part := r
		if unit > 0 {
			part.off = binary("+", r.off, scalar(int64(unit)))
		}
		x.writeElement(out, part, in)
	}
}

// writeElement adds the definition of the one element that a reference is to.
func (x *execution) writeElement(out *memoryEffect, r ref, in flow) {
	for _, s := range x.k.Shared {
		if r.arrays != 1<<s.index || s.perInstance {
			continue
		}
		n := int64(x.count(s))
		for t := range max(1, len(r.off.v)) {
			if i := r.off.at(t); i < 0 || i >= 1<<24 || n >= 0 && i >= n {
				if len(r.off.v) == 0 || in.may.has(t) {
					return // out of bounds: the subscript is not what it seems
				}
			}
		}
		w := write{array: s.index, arrays: len(x.k.Shared), idx: r.off, must: in.must}
		add := x.none()
		if w.idx.v == nil || x.inBounds(w, n) {
			w.addTo(&add.def)
			add.writes = append(add.writes, w)
		}
		out.then(add)
	}
}

// inBounds reports whether every thread that writes for certain stays inside.
func (x *execution) inBounds(w write, n int64) bool {
	for t, i := range w.idx.v {
		if w.must.has(t) && (i < 0 || i >= 1<<24 || n >= 0 && i >= n) {
			return false
		}
	}
	return true
}

// address adds what evaluating the address of e reads: its subscripts, the
// pointers on the way.
func (x *execution) address(out *memoryEffect, e *ir.Expr, in flow) {
	if e.Op == ir.OpCond && x.isPlainElement(e.Kids[1]) && x.isPlainElement(e.Kids[2]) {
		x.addressOfEither(out, e, in)
		return
	}
	switch e.Op {
	case ir.OpIndex:
		if x.watch != nil {
			x.watch(e, in)
		}
		x.pointerMember(out, e, in)
		x.address(out, e.Kids[0], in)
		out.then(x.expr(e.Kids[1], in))
	case ir.OpMember, ir.OpDeref, ir.OpAddr:
		if e.Op == ir.OpDeref || e.Op == ir.OpMember && e.Arrow {
			x.pointerMember(out, e, in)
		}
		x.address(out, e.Kids[0], in)
	case ir.OpIdent:
	case ir.OpCast:
		for _, kid := range e.Kids {
			x.address(out, kid, in)
		}
	default:
		out.then(x.expr(e, in))
	}
}

// addressOfEither is address for one of two elements, c ? a[i] : b[j].
func (x *execution) addressOfEither(out *memoryEffect, e *ir.Expr, in flow) {
	out.then(x.expr(e.Kids[0], in))
	cond := x.eval(e.Kids[0])
	yes, no := in.split(x.ev.n, cond)
	a, b := x.none(), x.none()
	if !yes.may.none {
		x.address(&a, e.Kids[1], yes)
	}
	if !no.may.none {
		x.address(&b, e.Kids[2], no)
	}
	out.then(merge(a, b, cond.known))
}

// isPlainElement reports whether e names an element of an array, by the array's
// own name and with all its subscripts: no pointer is read on the way.
func (x *execution) isPlainElement(e *ir.Expr) bool {
	n := depth(e)
	for e.Op == ir.OpIndex {
		e = e.Kids[0]
	}
	v := e.Var
	return n > 0 && e.Op == ir.OpIdent && v != nil && v.Type.Ptr == 0 && !v.Type.Ref && len(v.Dims) == n
}

// everything uses all elements of a set of shared variables.
func (x *execution) everything(out *memoryEffect, set arraySet) {
	add := x.none()
	for _, s := range x.k.Shared {
		if set&(1<<s.index) != 0 {
			x.ev.spend(stepsOfSet(x.count(s)))
			*add.use.at(s.index, len(x.k.Shared)) = x.whole(s)
		}
	}
	out.then(add)
}

// stepsOfSet returns the cost of making a set of n elements and of joining it with
// others on its way out of the statements around it.
func stepsOfSet(n int) int { return 16 + max(0, n)/256 }

// count is the number of elements of a shared variable in this instance.
func (x *execution) count(s *Shared) int {
	if s.Dynamic {
		return -1 // however many bytes the launches in view ask for: another one may ask for more
	}
	return x.ev.extent(s).count
}

// call computes the effect of a call: the arguments, then the callee's body
// with its parameters bound, or everything that the arguments point to.
func (x *execution) call(out *memoryEffect, e *ir.Expr, in flow) {
	x.ev.spend(16)
	for _, a := range e.Args() {
		if x.k.pointerValue(x.fn, a) != 0 {
			x.address(out, a, in)
			continue
		}
		if x.k.lvalue(x.fn, a) != 0 && x.bindsReference(e, a) {
			x.address(out, a, in)
			continue
		}
		out.then(x.expr(a, in))
	}
	if obj, ok := e.IsMemberCall(); ok {
		out.then(x.expr(obj, in))
	}
	callees := x.k.Callees(x.fn, e)
	touched := x.k.touchedBy(x.fn, e)
	if touched == 0 {
		return
	}
	if len(callees) != 1 || x.depth >= maxInline || x.k.onStack(callees[0], x.frame) {
		x.everything(out, touched)
		return
	}
	run := func(inner bool) memoryEffect {
		g := &execution{frame: x.enter(callees[0], e), k: x.k, inner: inner, holds: x.holds}
		body, _ := g.stmt(callees[0].Body, in)
		return body
	}
	body := run(true)
	if returnsEarly(callees[0]) {
		// Blocks that return read nothing after it. What they don't write there they
		// may read after the call.
		body.use = run(false).use
	}
	out.then(body)
}

// returnsEarly reports whether a function may return before its last statement.
func returnsEarly(fn *ir.Func) bool {
	list := fn.Body.List
	return slices.ContainsFunc(list, func(s *ir.Stmt) bool { return containsReturn(s) && s != list[len(list)-1] })
}

// bindsReference reports whether argument a of the call is taken by reference.
func (x *execution) bindsReference(call, a *ir.Expr) bool {
	for _, c := range x.k.Callees(x.fn, call) {
		for i, arg := range call.Args() {
			if p := c.Param(i); arg == a && p != nil && p.Type.Ref {
				return true
			}
		}
	}
	return false
}

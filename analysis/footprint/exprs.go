package footprint

import (
	"slices"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/evaluate"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/pointers"
	"github.com/smux-cuda/smux/analysis/values"
)

// MaxInline bounds the depth of calls that are followed.
const MaxInline = 8

// Expr computes the effect of evaluating an expression.
func (x *Execution) Expr(e *ir.Expr, in Flow) MemoryEffect {
	out := x.none()
	if e == nil || !x.K.Touches(x.Fn, e) {
		return out
	}
	switch e.Op {
	case ir.OpAssign:
		if e.Tok != "=" {
			x.read(&out, e.Kids[0], in)
		} else {
			x.address(&out, e.Kids[0], in)
		}
		out.then(x.Expr(e.Kids[1], in))
		x.write(&out, e.Kids[0], in)
	case ir.OpIncDec:
		x.read(&out, e.Kids[0], in)
		x.write(&out, e.Kids[0], in)
	case ir.OpCond:
		out = x.Expr(e.Kids[0], in)
		yes, no := in.Split(x.Ev.N, x.Eval(e.Kids[0]))
		known := x.Eval(e.Kids[0]).Known
		var a, b MemoryEffect
		x.under(e.Kids[0], true, func() { a = x.exprIf(e.Kids[1], yes) })
		x.under(e.Kids[0], false, func() { b = x.exprIf(e.Kids[2], no) })
		out.then(merge(a, b, known))
	case ir.OpBinary:
		out = x.Expr(e.Kids[0], in)
		rest := in
		switch e.Tok {
		case "&&", "and":
			rest, _ = in.Split(x.Ev.N, x.Eval(e.Kids[0]))
		case "||", "or":
			_, rest = in.Split(x.Ev.N, x.Eval(e.Kids[0]))
		}
		if rest.May.None {
			return out
		}
		if (e.Tok == "&&" || e.Tok == "||") && !x.Eval(e.Kids[0]).Known {
			rest.Must = NoThreads
		}
		switch e.Tok {
		case "&&", "and", "||", "or":
			is := e.Tok == "&&" || e.Tok == "and"
			x.under(e.Kids[0], is, func() { out.then(x.Expr(e.Kids[1], rest)) })
		default:
			out.then(x.Expr(e.Kids[1], rest))
		}
	case ir.OpIdent, ir.OpIndex, ir.OpDeref, ir.OpMember:
		x.read(&out, e, in)
	case ir.OpAddr:
		x.address(&out, e.Kids[0], in)
	case ir.OpCall:
		x.call(&out, e, in)
	case ir.OpLambda:
		for _, kid := range e.Kids {
			out.then(x.Expr(kid, in))
		}
		x.everything(&out, pointers.TouchedBy(x.K.Kernel, x.Fn, e))
	default:
		for _, kid := range e.Kids {
			out.then(x.Expr(kid, in))
		}
	}
	return out
}

func (x *Execution) exprIf(e *ir.Expr, in Flow) MemoryEffect {
	if in.May.None {
		return x.none()
	}
	return x.Expr(e, in)
}

// read adds the use of an rvalue: the element, if e names one in shared memory, and whatever its subscripts read.
func (x *Execution) read(out *MemoryEffect, e *ir.Expr, in Flow) {
	x.address(out, e, in)
	r, ok := x.Resolve(e)
	if !ok || in.May.None {
		return
	}
	if pointers.PointerValue(x.K.Kernel, x.Fn, e) != 0 && e.Op != ir.OpMember && pointers.LvalueOnly(x.K.Kernel, x.Fn, e) {
		return // an address is computed, nothing is read
	}
	x.use(out, e, r, in)
}

func (x *Execution) use(out *MemoryEffect, e *ir.Expr, r evaluate.Ref, in Flow) {
	add := x.none()
	for _, s := range x.K.Shared {
		if r.Arrays&(1<<s.Index) == 0 {
			continue
		}
		n := x.count(s)
		if r.Opaque || len(r.Dims) > 0 || !r.Off.Known || r.In != nil {
			x.Ev.Spend(stepsOfSet(n))
			all := x.whole(s)
			if e != nil && r.Arrays == 1<<s.Index && len(r.Dims) == 0 {
				if some, ok := x.bounded(s, e, fill(n)); ok {
					all = some
				}
			}
			*add.Use.at(s.Index, len(x.K.Shared)) = all
			continue
		}
		set := add.Use.at(s.Index, len(x.K.Shared))
		if r.Off.V == nil {
			x.Ev.Spend(len(set.bits) / 64)
			for i := r.Off.S; i < r.Off.S+int64(r.Width()); i++ {
				if i >= 0 && (n < 0 || i < int64(n)) {
					set.add(int(i))
				}
			}
			continue
		}
		for t, first := range r.Off.V {
			if !in.May.Has(t) || first < 0 || first >= 1<<24 {
				continue
			}
			for i := first; i < first+int64(r.Width()); i++ {
				if n < 0 || i < int64(n) {
					set.add(int(i))
				}
			}
		}
	}
	out.then(add)
}

// write adds the definition of the element that e names, if that is certain.
func (x *Execution) write(out *MemoryEffect, e *ir.Expr, in Flow) {
	if e.Op == ir.OpCond {
		if cond := x.Eval(e.Kids[0]); cond.Known {
			yes, no := in.Split(x.Ev.N, cond)
			x.write(out, e.Kids[1], yes)
			x.write(out, e.Kids[2], no)
		}
		return
	}
	r, ok := x.Resolve(e)
	if !ok || r.Opaque || r.Part || len(r.Dims) > 0 || !r.Off.Known || r.In != nil || in.Must.None {
		x.define(out, e, in)
		return
	}
	for unit := range r.Width() {
		part := r
		if unit > 0 {
			part.Off = values.Binary("+", r.Off, values.Scalar(int64(unit)))
		}
		x.writeElement(out, part, in)
	}
}

// writeElement adds the definition of the one element that a reference is to.
func (x *Execution) writeElement(out *MemoryEffect, r evaluate.Ref, in Flow) {
	for _, s := range x.K.Shared {
		if r.Arrays != 1<<s.Index || s.PerInstance {
			continue
		}
		n := int64(x.count(s))
		for t := range max(1, len(r.Off.V)) {
			if i := r.Off.At(t); i < 0 || i >= 1<<24 || n >= 0 && i >= n {
				if len(r.Off.V) == 0 || in.May.Has(t) {
					return // out of bounds: the subscript is not what it seems
				}
			}
		}
		w := write{array: s.Index, arrays: len(x.K.Shared), idx: r.Off, must: in.Must}
		add := x.none()
		if w.idx.V == nil || x.inBounds(w, n) {
			w.addTo(&add.Def)
			add.writes = append(add.writes, w)
		}
		out.then(add)
	}
}

// inBounds reports whether every thread that writes for certain stays inside.
func (x *Execution) inBounds(w write, n int64) bool {
	for t, i := range w.idx.V {
		if w.must.Has(t) && (i < 0 || i >= 1<<24 || n >= 0 && i >= n) {
			return false
		}
	}
	return true
}

// address adds what evaluating the address of e reads: its subscripts, the pointers on the way.
func (x *Execution) address(out *MemoryEffect, e *ir.Expr, in Flow) {
	if e.Op == ir.OpCond && x.isPlainElement(e.Kids[1]) && x.isPlainElement(e.Kids[2]) {
		x.addressOfEither(out, e, in)
		return
	}
	switch e.Op {
	case ir.OpIndex:
		if x.Watch != nil {
			x.Watch(e, in)
		}
		x.pointerMember(out, e, in)
		x.address(out, e.Kids[0], in)
		out.then(x.Expr(e.Kids[1], in))
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
		out.then(x.Expr(e, in))
	}
}

// addressOfEither is address for one of two elements, c ? a[i] : b[j].
func (x *Execution) addressOfEither(out *MemoryEffect, e *ir.Expr, in Flow) {
	out.then(x.Expr(e.Kids[0], in))
	cond := x.Eval(e.Kids[0])
	yes, no := in.Split(x.Ev.N, cond)
	a, b := x.none(), x.none()
	if !yes.May.None {
		x.address(&a, e.Kids[1], yes)
	}
	if !no.May.None {
		x.address(&b, e.Kids[2], no)
	}
	out.then(merge(a, b, cond.Known))
}

// isPlainElement reports whether e names an element of an array, by the array's
// own name and with all its subscripts: no pointer is read on the way.
func (x *Execution) isPlainElement(e *ir.Expr) bool {
	n := pointers.Depth(e)
	for e.Op == ir.OpIndex {
		e = e.Kids[0]
	}
	v := e.Var
	return n > 0 && e.Op == ir.OpIdent && v != nil && v.Type.Ptr == 0 && !v.Type.Ref && len(v.Dims) == n
}

// everything uses all elements of a set of shared variables.
func (x *Execution) everything(out *MemoryEffect, set analysis.ArraySet) {
	add := x.none()
	for _, s := range x.K.Shared {
		if set&(1<<s.Index) != 0 {
			x.Ev.Spend(stepsOfSet(x.count(s)))
			*add.Use.at(s.Index, len(x.K.Shared)) = x.whole(s)
		}
	}
	out.then(add)
}

// stepsOfSet returns the cost of making a set of n elements and of joining it with
// others on its way out of the statements around it.
func stepsOfSet(n int) int { return 16 + max(0, n)/256 }

// count is the number of elements of a shared variable in this instance.
func (x *Execution) count(s *analysis.Shared) int {
	if s.Dynamic {
		return -1 // however many bytes the launches in view ask for: another one may ask for more
	}
	return x.Ev.Extent(s).Count
}

// call computes the effect of a call: the arguments, then the callee's body
// with its parameters bound, or everything that the arguments point to.
func (x *Execution) call(out *MemoryEffect, e *ir.Expr, in Flow) {
	x.Ev.Spend(16)
	for _, a := range e.Args() {
		if pointers.PointerValue(x.K.Kernel, x.Fn, a) != 0 {
			x.address(out, a, in)
			continue
		}
		if pointers.Lvalue(x.K.Kernel, x.Fn, a) != 0 && x.bindsReference(e, a) {
			x.address(out, a, in)
			continue
		}
		out.then(x.Expr(a, in))
	}
	if obj := e.Object(); obj != nil {
		out.then(x.Expr(obj, in))
	}
	callees := x.K.Callees(x.Fn, e)
	touched := pointers.TouchedBy(x.K.Kernel, x.Fn, e)
	if touched == 0 {
		return
	}
	if len(callees) != 1 || x.Depth >= MaxInline || x.OnStack(callees[0]) {
		x.everything(out, touched)
		return
	}
	run := func(inner bool) MemoryEffect {
		g := &Execution{Frame: x.Enter(callees[0], e), K: x.K, Inner: inner, holds: x.holds}
		body, _ := g.Stmt(callees[0].Body, in)
		return body
	}
	body := run(true)
	if returnsEarly(callees[0]) {
		// Blocks that return read nothing after it. What they don't write there they may read after the call.
		body.Use = run(false).Use
	}
	out.then(body)
}

// returnsEarly reports whether a function may return before its last statement.
func returnsEarly(fn *ir.Func) bool {
	list := fn.Body.List
	return slices.ContainsFunc(list, func(s *ir.Stmt) bool { return analysis.ContainsReturn(s) && s != list[len(list)-1] })
}

// bindsReference reports whether argument a of the call is taken by reference.
func (x *Execution) bindsReference(call, a *ir.Expr) bool {
	for _, c := range x.K.Callees(x.Fn, call) {
		for i, arg := range call.Args() {
			if p := c.Param(i); arg == a && p != nil && p.Type.Ref {
				return true
			}
		}
	}
	return false
}

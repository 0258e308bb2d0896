package analysis

import (
	"slices"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/polynomial"
)

// element resolves an lvalue to the subscripts of an element of one shared
// array, one for each of its dimensions; ok is false where it may be anything
// else. A pointer that is set once, to a place in an array of one dimension, is
// that array from there on.
func (f *frame) element(e *ir.Expr) (s *Shared, subs []form, ok bool) {
	var indices []*ir.Expr
	for e.Op == ir.OpIndex {
		indices = append(indices, e.Kids[1])
		e = e.Kids[0]
	}
	if e.Op == ir.OpDeref && len(indices) == 0 {
		s, at, ok := f.elementPointer(e.Kids[0])
		return s, []form{at}, ok
	}
	slices.Reverse(indices)
	if s = f.ev.kernel.shared(f.fn, e); s != nil {
		if len(indices) == 0 || len(indices) != len(s.Var.Dims) || s.mixed || !f.sameRank(s, e) {
			return nil, nil, false
		}
		for _, i := range indices {
			at, ok := f.symbolic(i)
			if !ok {
				return nil, nil, false
			}
			subs = append(subs, at)
		}
		return s, subs, true
	}
	if len(indices) != 1 {
		return nil, nil, false
	}
	s, at, ok := f.elementPointer(e)
	if !ok {
		return nil, nil, false
	}
	i, ok := f.symbolic(indices[0])
	if !ok {
		return nil, nil, false
	}
	at.Polynomial = at.Plus(i.Polynomial)
	return s, []form{at}, true
}

// elementPointer resolves an address in a shared array of one dimension to the
// number of the element.
func (f *frame) elementPointer(e *ir.Expr) (s *Shared, at form, ok bool) {
	zero := form{Polynomial: polynomial.Number(0)}
	switch e.Op {
	case ir.OpIdent:
		if s := f.ev.kernel.shared(f.fn, e); s != nil {
			return s, zero, len(s.Var.Dims) == 1 && !s.mixed && f.sameRank(s, e)
		}
		v := e.Var
		if v == nil || v.Type.Ptr != 1 || v.Type.Ref || v.Type.Volatile || len(v.Dims) > 0 || len(v.Writes) > 0 || v.AddrTaken || v.Static {
			return nil, zero, false
		}
		if arg := f.args[v]; arg != nil {
			s, at, ok = f.caller.elementPointer(arg)
		} else if v.Kind == ir.VarLocal && v.Init != nil {
			f.initialiser(v, func(init *ir.Expr) { s, at, ok = f.elementPointer(init) })
		}
		return s, at, ok && f.sameElement(s, v.Type)
	case ir.OpAddr:
		s, subs, ok := f.element(e.Kids[0])
		if !ok || len(subs) != 1 {
			return nil, zero, false
		}
		return s, subs[0], true
	case ir.OpBinary:
		if e.Tok != "+" {
			return nil, zero, false
		}
		base, by := e.Kids[0], e.Kids[1]
		if f.ev.kernel.pointerValue(f.fn, base) == 0 {
			base, by = by, base
		}
		s, at, ok := f.elementPointer(base)
		if !ok {
			return nil, zero, false
		}
		d, ok := f.symbolic(by)
		at.Polynomial = at.Plus(d.Polynomial)
		return s, at, ok
	case ir.OpCast:
		if len(e.Kids) != 1 || e.Type.Ptr != 1 || e.Type.Ref {
			return nil, zero, false
		}
		s, at, ok := f.elementPointer(e.Kids[0])
		return s, at, ok && f.sameElement(s, e.Type)
	}
	return nil, zero, false
}

// sameRank reports whether the name e of a shared variable is declared with as
// many dimensions as that: dynamic memory may have several declarations.
func (f *frame) sameRank(s *Shared, e *ir.Expr) bool {
	v := f.ev.kernel.variable(f.fn, e)
	return v != nil && len(v.Dims) == len(s.Var.Dims)
}

// sameElement reports whether a pointer of type t to a shared array's elements
// counts in elements of the array.
func (f *frame) sameElement(s *Shared, t ir.Type) bool {
	if t.IsAuto() {
		return true
	}
	if f.fn != f.ev.kernel.Func && isTypeParam(f.fn, t.Base) {
		return false // a type of the function's own, whatever its name
	}
	return s.Type == t.Base || s.Elem > 0 && f.ev.prog.sizeOf(f.fn, ir.Type{Base: t.Base}) == s.Elem
}

// generator is an unknown that takes all numbers from start on, as many as count
// says: the threads of a dimension, the iterations of a loop.
type generator struct {
	symbol *polynomial.Symbol
	start  polynomial.Polynomial // what the symbol is in its first iteration
	count  polynomial.Polynomial
}

// image is the box of all elements that are written where every thread of the
// block writes the element with these subscripts, once for each iteration of
// loops with the given counters; ok is false if they need not fill a box.
//
// In each dimension the subscript must be a number in a mixed radix: one unknown
// counts by one, the next by the count of the first, and so on; then it takes
// every value up to the product. Unknowns that share nothing take their values
// independently, so that the dimensions make a box. A loop that may have no
// iteration makes the box empty if it is in it: its count, not above 0, is then a
// factor of the length, and the others are not below 0. If it isn't in the box it
// must have an iteration.
func (x *execution) image(subs []form, loops []generator, spent []*polynomial.Symbol) (out box, ok bool) {
	used := slices.Clone(spent)
	uncertain := 0
	for _, sub := range subs {
		base := sub.Polynomial
		var parts []generator // symbol stands for nothing here, start for the step
		take := func(g generator) bool {
			coef, rest, ok := base.Linear(g.symbol)
			if !ok || slices.Contains(used, g.symbol) {
				return false
			}
			used = append(used, g.symbol)
			base = rest.Plus(coef.Times(g.start))
			parts = append(parts, generator{start: coef, count: g.count})
			return true
		}
		for {
			s := x.innermost(base)
			if s == nil {
				break
			}
			g := generator{symbol: s}
			if info := x.ev.symbols.info[s]; info.kind == symbolThread {
				g.count = x.ev.extentOf(info.dim)
			} else if i := slices.IndexFunc(loops, func(l generator) bool { return l.symbol == s }); i >= 0 {
				g = loops[i]
			} else {
				return nil, false
			}
			if !g.count.NonNegative() {
				uncertain++
			}
			if !take(g) {
				return nil, false
			}
		}
		length := polynomial.Number(1)
		for len(parts) > 0 {
			i := slices.IndexFunc(parts, func(p generator) bool { return p.start.Equal(length) })
			if i < 0 {
				return nil, false
			}
			length = length.Times(parts[i].count)
			parts = slices.Delete(parts, i, i+1)
		}
		out = append(out, interval{base, base.Plus(length)})
	}
	for _, l := range loops {
		if !slices.Contains(used, l.symbol) && !l.count.Minus(polynomial.Number(1)).NonNegative() {
			return nil, false
		}
	}
	return out, uncertain <= 1
}

// defineBox is the effect of writing every element of a box for certain.
func (x *execution) defineBox(s *Shared, b box) memoryEffect {
	e := x.none()
	if s.perInstance || len(b) == 0 {
		return e
	}
	set := e.def.at(s.index, len(x.k.Shared))
	n := x.count(s)
	dims := x.ev.extent(s).dims
	if s.Dynamic || len(dims) != len(b) {
		dims = nil
	}
	low, size := make([]int64, len(b)), make([]int64, len(b))
	total := int64(1)
	numbers := len(b) == 1 || dims != nil
	for i, iv := range b {
		l, isNumber := iv.low.Constant()
		end, ok := iv.end.Least()
		numbers = numbers && isNumber && ok && l >= 0
		if most, isNumber := iv.end.Constant(); isNumber && dims != nil && most > int64(dims[i]) || isNumber && len(b) == 1 && n >= 0 && most > int64(n) {
			return x.none() // out of bounds: the subscript is not what it seems
		}
		low[i], size[i] = l, max(0, end-l)
		if numbers && dims != nil {
			size[i] = min(size[i], max(0, int64(dims[i])-l))
		}
		if total *= size[i]; total > 1<<20 {
			numbers = false
			total = 0
		}
	}
	if numbers {
		for at := range total {
			number, rest := int64(0), at
			for i := len(b) - 1; i >= 0; i-- {
				stride := int64(1)
				for _, d := range dims[min(i+1, len(dims)):] {
					stride *= int64(d)
				}
				number += (low[i] + rest%size[i]) * stride
				rest /= size[i]
			}
			if n < 0 || number < int64(n) {
				set.add(int(number))
			}
		}
	}
	set.addBox(b)
	return e
}

// definedByLoop returns what a loop that is not enumerated defines for certain when it
// is over, if all threads of the block run it: what the stores that stand in its
// body write, taken over all threads and iterations.
//
// The iterations fill an interval where each thread counts by one from the same
// number, or where the threads begin with consecutive numbers and all step by
// how many these are. Nothing may leave the loop or cut an iteration short.
func (x *execution) definedByLoop(s *ir.Stmt, counters []*symbolicCounter, loops []generator, spent []*polynomial.Symbol) memoryEffect {
	e := x.none()
	if s.Op != ir.StmtFor || !endsByItself(s) || containsReturn(s.Body) {
		return e
	}
	i := slices.IndexFunc(counters, func(n *symbolicCounter) bool { return !n.limit.IsLost() })
	if i < 0 {
		return e
	}
	g, more, ok := x.generates(counters[i], spent)
	if !ok {
		return e
	}
	loops, spent = append(slices.Clone(loops), g), append(slices.Clone(spent), more...)
	var visit func(list []*ir.Stmt)
	visit = func(list []*ir.Stmt) {
		for _, t := range list {
			switch {
			case t.Op == ir.StmtCompound:
				visit(t.List)
			case t.Op == ir.StmtFor:
				inner, restore := x.counting(t)
				e.then(x.definedByLoop(t, inner, loops, spent))
				restore()
			case t.Op == ir.StmtExpr && t.Expr.Op == ir.OpAssign && t.Expr.Tok == "=":
				if sh, subs, ok := x.element(t.Expr.Kids[0]); ok {
					if b, ok := x.image(subs, loops, spent); ok {
						e.then(x.defineBox(sh, b))
					}
				}
			}
		}
	}
	visit(statements(s.Body))
	return e
}

// generates tells what a loop's counter ranges over, and which components of
// threadIdx are used up by that.
func (x *execution) generates(n *symbolicCounter, spent []*polynomial.Symbol) (g generator, threads []*polynomial.Symbol, ok bool) {
	varies := func(s *polynomial.Symbol) bool { return x.ev.symbols.info[s].kind != symbolFixed }
	if n.limit.IsLost() || n.limit.Has(varies) || n.start.IsLost() || !n.start.NonNegative() || !n.step.exact || n.step.Has(varies) {
		return g, nil, false
	}
	first, ok := x.image([]form{n.start}, nil, spent)
	if !ok {
		return g, nil, false
	}
	n.start.Symbols(func(s *polynomial.Symbol) {
		if varies(s) {
			threads = append(threads, s)
		}
	})
	if !n.step.Equal(first[0].end.Minus(first[0].low)) {
		return g, nil, false
	}
	return generator{n.symbol, first[0].low, n.limit.Minus(first[0].low)}, threads, true
}

// define adds what all threads of the block define by writing to e.
func (x *execution) define(out *memoryEffect, e *ir.Expr, in flow) {
	if !in.must.full() {
		return
	}
	if s, subs, ok := x.element(e); ok {
		if b, ok := x.image(subs, nil, nil); ok {
			out.then(x.defineBox(s, b))
		}
	}
}

// bounded is the set of elements of s that a read of e may be of, if bounds of
// its subscripts are known.
func (x *execution) bounded(s *Shared, e *ir.Expr, rest elements) (elements, bool) {
	x.ev.spend(32)
	for e.Op == ir.OpMember && !e.Arrow {
		e = e.Kids[0]
	}
	of, subs, ok := x.element(e)
	if !ok || of != s {
		return elements{}, false
	}
	in := []box{{}}
	for _, sub := range subs {
		var longer []box
		for _, i := range x.hulls(sub.Polynomial) {
			for _, b := range in {
				longer = append(longer, append(slices.Clone(b), i))
			}
		}
		in = longer[:min(len(longer), maxHolding)]
	}
	return elements{reads: []boundedRead{{in: in, rest: rest}}}, len(in) > 0
}

// whole is every element of a shared array.
func (x *execution) whole(s *Shared) elements {
	n := x.count(s)
	if n >= 0 || s.Dynamic || s.mixed || !slices.Contains(x.k.Func.Vars, s.Var) {
		return fill(n)
	}
	f := x.frame
	for f.caller != nil {
		f = f.caller
	}
	var b box
	for _, d := range s.Var.Dims {
		size, ok := f.symbolic(d)
		if !ok || !size.exact {
			return fill(n)
		}
		b = append(b, interval{polynomial.Number(0), size.Polynomial})
	}
	return elements{reads: []boundedRead{{in: []box{b}, rest: fill(n)}}}
}

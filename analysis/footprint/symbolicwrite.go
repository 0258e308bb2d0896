package footprint

import (
	"slices"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/evaluate"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/pointers"
	"github.com/smux-cuda/smux/analysis/polynomial"
)

// element resolves an lvalue to the subscripts of an element of one shared array, one for each of its dimensions; ok
// is false where it may be anything else. A pointer that is set once, to a place in an array of one dimension, is
// that array from there on.
func element(f *evaluate.Frame, e *ir.Expr) (s *analysis.Shared, subs []evaluate.Form, ok bool) {
	var indices []*ir.Expr
	for e.Op == ir.OpIndex {
		indices = append(indices, e.Kids[1])
		e = e.Kids[0]
	}
	if e.Op == ir.OpDeref && len(indices) == 0 {
		s, at, ok := elementPointer(f, e.Kids[0])
		return s, []evaluate.Form{at}, ok
	}
	slices.Reverse(indices)
	if s = f.Ev.Kernel.NamedShared(f.Fn, e); s != nil {
		if len(indices) == 0 || len(indices) != len(s.Var.Dims) || s.Mixed || !sameRank(f, s, e) {
			return nil, nil, false
		}
		for _, i := range indices {
			at, ok := f.Symbolic(i)
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
	s, at, ok := elementPointer(f, e)
	if !ok {
		return nil, nil, false
	}
	i, ok := f.Symbolic(indices[0])
	if !ok {
		return nil, nil, false
	}
	at.Polynomial = at.Plus(i.Polynomial)
	return s, []evaluate.Form{at}, true
}

// elementPointer resolves an address in a shared array of one dimension to the number of the element.
func elementPointer(f *evaluate.Frame, e *ir.Expr) (s *analysis.Shared, at evaluate.Form, ok bool) {
	zero := evaluate.Form{Polynomial: polynomial.Number(0)}
	switch e.Op {
	case ir.OpIdent:
		if s := f.Ev.Kernel.NamedShared(f.Fn, e); s != nil {
			return s, zero, len(s.Var.Dims) == 1 && !s.Mixed && sameRank(f, s, e)
		}
		v := e.Var
		if v == nil || v.Type.Ptr != 1 || v.Type.Ref || v.Type.Volatile || len(v.Dims) > 0 || len(v.Writes) > 0 || v.AddrTaken || v.Static {
			return nil, zero, false
		}
		if arg := f.Args[v]; arg != nil {
			s, at, ok = elementPointer(f.Caller, arg)
		} else if v.Kind == ir.VarLocal && v.Init != nil {
			f.Initialiser(v, func(init *ir.Expr) { s, at, ok = elementPointer(f, init) })
		}
		return s, at, ok && sameElement(f, s, v.Type)
	case ir.OpAddr:
		s, subs, ok := element(f, e.Kids[0])
		if !ok || len(subs) != 1 {
			return nil, zero, false
		}
		return s, subs[0], true
	case ir.OpBinary:
		if e.Tok != "+" {
			return nil, zero, false
		}
		base, by := e.Kids[0], e.Kids[1]
		if pointers.PointerValue(f.Ev.Kernel, f.Fn, base) == 0 {
			base, by = by, base
		}
		s, at, ok := elementPointer(f, base)
		if !ok {
			return nil, zero, false
		}
		d, ok := f.Symbolic(by)
		at.Polynomial = at.Plus(d.Polynomial)
		return s, at, ok
	case ir.OpCast:
		if len(e.Kids) != 1 || e.Type.Ptr != 1 || e.Type.Ref {
			return nil, zero, false
		}
		s, at, ok := elementPointer(f, e.Kids[0])
		return s, at, ok && sameElement(f, s, e.Type)
	}
	return nil, zero, false
}

// sameRank reports whether the name e of a shared variable is declared with as
// many dimensions as that: dynamic memory may have several declarations.
func sameRank(f *evaluate.Frame, s *analysis.Shared, e *ir.Expr) bool {
	v := f.Ev.Kernel.Variable(f.Fn, e)
	return v != nil && len(v.Dims) == len(s.Var.Dims)
}

// sameElement reports whether a pointer of type t to a shared array's elements counts in elements of the array.
func sameElement(f *evaluate.Frame, s *analysis.Shared, t ir.Type) bool {
	if t.IsAuto() {
		return true
	}
	if f.Fn != f.Ev.Kernel.Func && analysis.IsTypeParam(f.Fn, t.Base) {
		return false // a type of the function's own, whatever its name
	}
	return s.Type == t.Base || s.Elem > 0 && f.Ev.Prog.SizeOf(f.Fn, ir.Type{Base: t.Base}) == s.Elem
}

// generator is an unknown that takes all numbers from start on, as many as count
// says: the threads of a dimension, the iterations of a loop.
type generator struct {
	symbol *polynomial.Symbol
	start  polynomial.Polynomial // what the symbol is in its first iteration
	count  polynomial.Polynomial
}

// image is the box of all elements that are written where every thread of the block writes the element with these
// subscripts, once for each iteration of loops with the given counters; ok is false if they need not fill a box.
//
// In each dimension the subscript must be a number in a mixed radix: one unknown counts by one, the next by the count
// of the first, and so on; then it takes every value up to the product. Unknowns that share nothing take their values
// independently, so that the dimensions make a box. A loop that may have no iteration makes the box empty if it is in
// it: its count, not above 0, is then a factor of the length, and the others are not below 0. If it isn't in the box
// it must have an iteration.
func (x *Execution) image(subs []evaluate.Form, loops []generator, spent []*polynomial.Symbol) (out box, ok bool) {
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
			s := x.Innermost(base)
			if s == nil {
				break
			}
			g := generator{symbol: s}
			if info := x.Ev.Symbols.Info[s]; info.Kind == evaluate.SymbolThread {
				g.count = x.Ev.ExtentOf(info.Dim)
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
func (x *Execution) defineBox(s *analysis.Shared, b box) MemoryEffect {
	e := x.none()
	if s.PerInstance || len(b) == 0 {
		return e
	}
	set := e.Def.at(s.Index, len(x.K.Shared))
	n := x.count(s)
	dims := x.Ev.Extent(s).Dims
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

// definedByLoop returns what a loop that is not enumerated defines for certain when it is over, if all threads of the
// block run it: what the stores that stand in its body write, taken over all threads and iterations.
//
// The iterations fill an interval where each thread counts by one from the same number, or where the threads begin
// with consecutive numbers and all step by how many these are. Nothing may leave the loop or cut an iteration short.
func (x *Execution) definedByLoop(s *ir.Stmt, counters []*evaluate.SymbolicCounter, loops []generator, spent []*polynomial.Symbol) MemoryEffect {
	e := x.none()
	if s.Op != ir.StmtFor || !analysis.EndsByItself(s) || analysis.ContainsReturn(s.Body) {
		return e
	}
	i := slices.IndexFunc(counters, func(n *evaluate.SymbolicCounter) bool { return !n.Limit.IsLost() })
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
				inner, restore := x.Counting(t)
				e.then(x.definedByLoop(t, inner, loops, spent))
				restore()
			case t.Op == ir.StmtExpr && t.Expr.Op == ir.OpAssign && t.Expr.Tok == "=":
				if sh, subs, ok := element(x.Frame, t.Expr.Kids[0]); ok {
					if b, ok := x.image(subs, loops, spent); ok {
						e.then(x.defineBox(sh, b))
					}
				}
			}
		}
	}
	visit(analysis.Statements(s.Body))
	return e
}

// generates tells what a loop's counter ranges over, and which components of threadIdx are used up by that.
func (x *Execution) generates(n *evaluate.SymbolicCounter, spent []*polynomial.Symbol) (g generator, threads []*polynomial.Symbol, ok bool) {
	varies := func(s *polynomial.Symbol) bool { return x.Ev.Symbols.Info[s].Kind != evaluate.SymbolFixed }
	if n.Limit.IsLost() || n.Limit.Has(varies) || n.Start.IsLost() || !n.Start.NonNegative() || !n.Step.Exact || n.Step.Has(varies) {
		return g, nil, false
	}
	first, ok := x.image([]evaluate.Form{n.Start}, nil, spent)
	if !ok {
		return g, nil, false
	}
	n.Start.Symbols(func(s *polynomial.Symbol) {
		if varies(s) {
			threads = append(threads, s)
		}
	})
	if !n.Step.Equal(first[0].end.Minus(first[0].low)) {
		return g, nil, false
	}
	return generator{n.Symbol, first[0].low, n.Limit.Minus(first[0].low)}, threads, true
}

// define adds what all threads of the block define by writing to e.
func (x *Execution) define(out *MemoryEffect, e *ir.Expr, in Flow) {
	if !in.Must.full() {
		return
	}
	if s, subs, ok := element(x.Frame, e); ok {
		if b, ok := x.image(subs, nil, nil); ok {
			out.then(x.defineBox(s, b))
		}
	}
}

// bounded is the set of elements of s that a read of e may be of, if bounds of its subscripts are known.
func (x *Execution) bounded(s *analysis.Shared, e *ir.Expr, rest Elements) (Elements, bool) {
	x.Ev.Spend(32)
	for e.Op == ir.OpMember && !e.Arrow {
		e = e.Kids[0]
	}
	of, subs, ok := element(x.Frame, e)
	if !ok || of != s {
		return Elements{}, false
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
	return Elements{reads: []boundedRead{{in: in, rest: rest}}}, len(in) > 0
}

// whole is every element of a shared array.
func (x *Execution) whole(s *analysis.Shared) Elements {
	n := x.count(s)
	if n >= 0 || s.Dynamic || s.Mixed || !slices.Contains(x.K.Func.Vars, s.Var) {
		return fill(n)
	}
	f := x.Frame
	for f.Caller != nil {
		f = f.Caller
	}
	var b box
	for _, d := range s.Var.Dims {
		size, ok := f.Symbolic(d)
		if !ok || !size.Exact {
			return fill(n)
		}
		b = append(b, interval{polynomial.Number(0), size.Polynomial})
	}
	return Elements{reads: []boundedRead{{in: []box{b}, rest: fill(n)}}}
}

package cost

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
)

func (f *frame) unary(e *ir.Expr) value {
	a := f.eval(e.Kids[0])
	switch e.Tok {
	case "+":
		return a
	case "-":
		if a.typ.integer() {
			return f.operate("-", constant(0, a.typ), a, a.typ, 1)
		}
		return f.operate("neg", a, value{}, a.typ, 0) // part of the operation that uses it
	case "!", "not":
		out := f.operate("==", a, constant(0, a.typ), intType, 0)
		out.typ = intType
		return out
	case "~":
		return f.operate("^", a, constant(-1, a.typ), a.typ, 0) // part of a three-input logic operation
	}
	return f.operate(e.Tok, a, value{}, a.typ, 1)
}

// binary computes a binary operation. A product that is added at once and a
// logic operation on the result of one cost a single instruction together.
func (f *frame) binary(e *ir.Expr) value {
	a := f.eval(e.Kids[0])
	if shortCircuit(e.Tok) {
		return f.both(e, a)
	}
	b := f.eval(e.Kids[1])
	merged := fused(e.Tok, e.Kids[0], e.Kids[1]) || rotation(e)
	if (e.Tok == "+" || e.Tok == "-") && usual(a.typ, b.typ) == intType {
		merged = merged || sums(e)%2 == 0
	}
	return f.combine(e.Tok, a, b, merged)
}

func shortCircuit(tok string) bool { return tok == "&&" || tok == "||" || tok == "and" || tok == "or" }

// both is && or ||. The right side runs for the threads that need it.
func (f *frame) both(e *ir.Expr, a value) value {
	x := f.x
	and := e.Tok == "&&" || e.Tok == "and"
	if a.uniform() && (a.s != 0) != and {
		return a
	}
	outer := x.mask
	if a.known && a.exact {
		x.restrict(outer.and(x.n, a, and))
	}
	b := f.eval(e.Kids[1])
	x.restrict(outer)
	return f.operate(e.Tok, a, b, intType, 0) // predicates combine in the comparison
}

// combine computes a binary operation on values, vectors component by component, pointers by elements.
func (f *frame) combine(tok string, a, b value, fusedWith bool) value {
	switch {
	case a.typ.ptr > 0 && b.typ.ptr > 0:
		return f.operate(tok, a, b, longType, 1)
	case a.typ.ptr > 0 && (tok == "+" || tok == "-"):
		return f.move(a, b, tok == "-")
	case b.typ.ptr > 0 && tok == "+":
		return f.move(b, a, false)
	}
	t := usual(a.typ, b.typ)
	if t.comps > 1 {
		if v, ok := f.overloaded(tok, a, b); ok {
			return v
		}
	}
	if !t.integer() && t.comps == 1 {
		a, b = f.converted(a, t), f.converted(b, t)
	}
	cost := opCost(tok, t, b)
	if t.class == classLong && slim(a) && slim(b) && (tok == "*" || tok == "+" || tok == "-") {
		cost = 1 // one multiply and add of 32-bit numbers has a 64-bit result
	}
	if fusedWith {
		cost = 0
	}
	out := t
	if comparison(tok) {
		out = intType
	}
	if t.comps > 1 {
		cost *= float64(t.comps)
	}
	f.x.takes(scratchOf(tok, t, b), a.id, b.id)
	v := f.operate(tok, a, b, out, cost)
	if tok == "min" && !f.x.compiling {
		v = v.whole(a, b).whole(b, a)
	}
	return v
}

// whole makes the smaller of a number and of what is large and not known the number: most tiles are
// whole. What is left of an assumed size may be less than the number only since the assumption is.
func (v value) whole(number, unknown value) value {
	if number.uniform() && unknown.known && !unknown.exact && unknown.v == nil && (unknown.s >= number.s || number.isConstant() && number.s <= assumedSize) {
		v.known, v.exact, v.s, v.v = true, true, number.s, nil
	}
	return v
}

// slim reports whether a value fits 32 bits.
func slim(v value) bool { return v.narrow || v.isConstant() || v.typ.class == classInt }

func comparison(tok string) bool {
	switch tok {
	case "==", "!=", "<", ">", "<=", ">=":
		return true
	}
	return false
}

// move is a pointer plus or minus a number of elements.
func (f *frame) move(p, n value, back bool) value {
	if back {
		n = f.operate("-", constant(0, n.typ), n, n.typ, 0)
	}
	size := int64(max(1, p.typ.elem().size()))
	for i, d := range p.dims {
		if i > 0 {
			size *= d
		}
	}
	p.dims = nil
	return f.advance(p, n, size)
}

// step is ++ or --.
func (f *frame) step(e *ir.Expr) value {
	l := f.lvalue(e.Kids[0])
	old := f.read(l)
	v := f.combine(e.Tok[:1], old, constant(1, intType), false)
	f.write(l, v)
	if e.Postfix {
		return old
	}
	return v
}

// source computes the right side of an assignment, ahead of the region where a rewrite moves it there.
func (f *frame) source(e *ir.Expr) value {
	x := f.x
	if !x.splits[e] || !x.moves() {
		return f.eval(e.Kids[1])
	}
	var v value
	x.counting(x.ahead, func() { v = f.eval(e.Kids[1]) })
	return v
}

// assign is = and its compound forms.
func (f *frame) assign(e *ir.Expr) value {
	if e.Tok == "=" {
		v := f.source(e)
		store := func() {
			l := f.lvalue(e.Kids[0])
			v = f.converted(v, l.typ)
			f.write(l, v)
		}
		if x := f.x; x.stores[e] && x.moves() {
			x.inTurn = x.counting(x.inTurn, store)
		} else {
			store()
		}
		return v
	}
	v := f.eval(e.Kids[1])
	l := f.lvalue(e.Kids[0])
	tok := strings.TrimSuffix(e.Tok, "=")
	out := f.combine(tok, f.read(l), v, fused(tok, e.Kids[0], e.Kids[1]))
	out = f.converted(out, l.typ)
	f.write(l, out)
	return out
}

// fused reports whether an operation merges with one of its operands.
func fused(tok string, a, b *ir.Expr) bool {
	is := func(e *ir.Expr, toks ...string) bool {
		if e.Op != ir.OpBinary {
			return false
		}
		return slices.Contains(toks, e.Tok)
	}
	switch tok {
	case "+", "-":
		return is(a, "*") || is(b, "*") || tok == "+" && (is(a, "<<") || is(b, "<<"))
	case "&", "|", "^":
		return logic(a)%2+logic(b)%2 == 1
	case "<<", ">>":
		return false
	}
	return false
}

// logic counts the logic operations of an expression that make up one with the
// one above: two of them are a three-input instruction.
func logic(e *ir.Expr) int {
	if e.Op != ir.OpBinary || e.Tok != "&" && e.Tok != "|" && e.Tok != "^" {
		return 0
	}
	return 1 + logic(e.Kids[0]) + logic(e.Kids[1])
}

// sums counts the additions of an expression that make up one with the one above: integers are added three at a time.
func sums(e *ir.Expr) int {
	if e.Op != ir.OpBinary || e.Tok != "+" && e.Tok != "-" || e.Kids[1].Op == ir.OpInt || e.Kids[0].Op == ir.OpInt {
		return 0
	}
	return 1 + sums(e.Kids[0]) + sums(e.Kids[1])
}

// rotation reports whether an expression is x << n | x >> m: one funnel shift.
func rotation(e *ir.Expr) bool {
	return e.Tok == "|" && e.Kids[0].Op == ir.OpBinary && e.Kids[1].Op == ir.OpBinary &&
		(e.Kids[0].Tok == "<<" && e.Kids[1].Tok == ">>" || e.Kids[0].Tok == ">>" && e.Kids[1].Tok == "<<")
}

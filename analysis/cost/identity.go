package cost

import "github.com/smux-cuda/smux/model/workload"

// operate computes an operation once per identity: common subexpressions and
// what a loop does not change cost nothing the second time.
func (f *frame) operate(tok string, a, b value, t ctype, cost float64) value {
	x := f.x
	out := value{typ: t}
	if t.integer() && a.typ.ptr == 0 && b.typ.ptr == 0 {
		out.numbers(numeric(tok, a, b))
	}
	switch out = out.after(a).after(b); {
	case !t.integer():
	case tok == "&" && b.isConstant() && b.s >= 0:
		out.below = b.s + 1
	case tok == "&" && a.isConstant() && a.s >= 0:
		out.below = a.s + 1
	case tok == "%" && b.isConstant() && b.s > 0:
		out.below = b.s
	}
	if (a.isConstant() || tok == "&" || tok == "%") && b.isConstant() && out.known && out.v == nil && (a.isConstant() || residue(tok, a, b)) {
		return constant(out.s, t).after(a).after(b)
	}
	if b.isConstant() && (tok == "+" || tok == "-" || tok == "*") {
		out.modulus = a.modulus
	} else if a.isConstant() && (tok == "+" || tok == "-" || tok == "*") {
		out.modulus = b.modulus
	}
	if t.integer() {
		// Constants added to a variable, or multiplied with it, are carried along.
		switch {
		case tok == "+" && b.isConstant():
			out.id, out.add = a.id, a.add+b.s
			return out
		case tok == "+" && a.isConstant():
			out.id, out.add = b.id, b.add+a.s
			return out
		case tok == "-" && b.isConstant():
			out.id, out.add = a.id, a.add-b.s
			return out
		case tok == "-" && a.isConstant() && b.modulus > 0:
			out.id, out.add = x.once(operation{op: "-", a: 0, b: b.id}, worked(tok, t, cost)), a.s-b.add
			x.made(out.id, out.words(), b.id)
			return out
		case tok == "*" && b.isConstant():
			return f.scaled(out, a, b.s, cost)
		case tok == "*" && a.isConstant():
			return f.scaled(out, b, a.s, cost)
		case tok == "<<" && b.isConstant() && b.s >= 0 && b.s < 63:
			return f.scaled(out, a, 1<<b.s, cost)
		case tok == "+":
			out.id = x.sum(a.id, b.id, worked(tok, t, cost))
			out.add = a.add + b.add
			x.made(out.id, out.words(), a.id, b.id)
			x.shifts(out.id, a.id, b.id)
			return out
		case tok == "-":
			out.id = x.once(operation{op: tok, a: a.id, b: b.id}, worked(tok, t, cost))
			out.add = a.add - b.add
			x.made(out.id, out.words(), a.id, b.id)
			return out
		}
	}
	op := operation{op: tok, a: a.id, b: b.id, x: a.add, y: b.add}
	if t.class != classInt {
		op.op += string(rune('0' + int(t.class)))
	}
	on := t
	if comparison(tok) {
		on = a.typ
	}
	out.id = x.once(op, worked(tok, on, cost))
	switch {
	case comparison(tok) || shortCircuit(tok):
		x.made(out.id, 0, a.id, b.id) // a predicate
	case tok == "neg" || tok == "^" && cost == 0:
		x.folded(out.id, a.id, b.id)
	default:
		x.made(out.id, out.words(), a.id, b.id)
		if v := x.lives.of[out.id]; v != nil {
			v.folding = tok == "*"
		}
	}
	return out
}

// residue reports whether the compiler knows a modulo what b asks for.
func residue(tok string, a, b value) bool {
	m := b.s
	if tok == "&" {
		m++
	}
	return a.modulus > 0 && a.exact && m > 0 && m&(m-1) == 0 && a.modulus%m == 0
}

// sum counts an addition. Of p + q + r for many p the compiler adds q and r once.
func (x *walk) sum(a, b int, w workload.Work) int {
	op := operation{op: "+", a: min(a, b), b: max(a, b)}
	if id, ok := x.memo[op]; ok {
		return id
	}
	if terms, ok := x.sums[a]; ok && x.mute == 0 {
		for _, t := range terms {
			pair := operation{op: "pair", a: min(t, b), b: max(t, b)}
			if _, seen := x.memo[pair]; seen {
				w = workload.Work{}
			}
			x.memo[pair] = 1
		}
	}
	id := x.once(op, w)
	x.sums[id] = [2]int{a, b}
	return id
}

// scaled is a product with a constant: (a + c) * k is a * k + c * k.
func (f *frame) scaled(out, a value, k int64, cost float64) value {
	out.id, out.add = a.id, a.add*k
	if k != 1 {
		out.id = f.x.once(operation{op: "*", a: a.id, x: k}, worked("*", out.typ, cost))
		f.x.folded(out.id, a.id)
	}
	return out
}

// free is the identity of what costs nothing and takes no register.
func (x *walk) free(op operation) int {
	id := x.once(op, workload.Work{})
	x.folded(id)
	if x.noting() {
		x.lives.of[id].literal = true
	}
	return id
}

// once counts an operation the first time and returns its identity.
func (x *walk) once(op operation, w workload.Work) int {
	id, ok := x.memo[op]
	if !ok {
		id = x.fresh()
		if x.mute == 0 {
			x.memo[op] = id
			x.count(w, 0)
		}
	}
	return id
}

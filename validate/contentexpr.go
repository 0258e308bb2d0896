package validate

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
)

// eval evaluates an expression in one thread, and notes what it reads and writes.
func (c *content) eval(e *ir.Expr, t int) value {
	if e == nil {
		return value{}
	}
	at := e.Range.Start
	switch e.Op {
	case ir.OpInt:
		return value{kind: isInt, n: e.Int, unsigned: e.Tok == "u", wide: e.Type.Base == "long"}
	case ir.OpLiteral:
		switch e.Name {
		case "true":
			return integer(1)
		case "false":
			return integer(0)
		}
		return value{}
	case ir.OpIdent, ir.OpIndex, ir.OpDeref, ir.OpMember:
		if v, ok := c.builtin(e, t); ok {
			return v
		}
		v := c.placeOf(e, t)
		if v.kind == isPlace && (v.place.part || len(v.place.index) == len(v.place.array.dims)) {
			c.read(v.place, t, at)
			return value{}
		}
		if v.kind == isShared && e.Op != ir.OpIdent {
			c.readAny(t, at)
			return value{}
		}
		return v
	case ir.OpUnary:
		return unary(e.Tok, c.eval(e.Kids[0], t))
	case ir.OpAddr:
		v := c.placeOf(e.Kids[0], t)
		if v.kind == isPlace {
			if v.place.part {
				return value{kind: isShared}
			}
			return value{kind: isPointer, place: v.place}
		}
		return v
	case ir.OpIncDec:
		old := c.eval(e.Kids[0], t)
		op := e.Tok[:1]
		now := c.sum(op, old, integer(1))
		c.assign(e.Kids[0], now, t)
		if e.Postfix {
			return old
		}
		return now
	case ir.OpBinary:
		if e.Tok == "&&" || e.Tok == "||" {
			a := c.eval(e.Kids[0], t)
			if e.Tok == "&&" && a.isFalse() || e.Tok == "||" && a.isTrue() {
				return truth(e.Tok == "||")
			}
			return binary(e.Tok, a, c.eval(e.Kids[1], t))
		}
		return c.sum(e.Tok, c.eval(e.Kids[0], t), c.eval(e.Kids[1], t))
	case ir.OpAssign:
		v := c.eval(e.Kids[1], t)
		if e.Tok != "=" {
			v = c.sum(strings.TrimSuffix(e.Tok, "="), c.eval(e.Kids[0], t), v)
		}
		c.assign(e.Kids[0], v, t)
		return v
	case ir.OpCond:
		return c.either(e, t, c.eval)
	case ir.OpComma:
		var v value
		for _, kid := range e.Kids {
			v = c.eval(kid, t)
		}
		return v
	case ir.OpCast:
		if len(e.Kids) != 1 {
			break
		}
		switch v := c.eval(e.Kids[0], t).decayed(); {
		case v.kind == isInt && e.Type.Ptr == 0:
			return converted(v, e.Type.Base)
		case v.kind == isPointer:
			if e.Type.Ptr == 1 && e.Type.Base == v.place.array.v.Type.Base {
				return v
			}
			return value{kind: isShared}
		case v.kind == isShared:
			return v
		}
		return value{}
	case ir.OpCall:
		if g := c.callee(e); g != nil {
			act := make([]bool, c.n)
			act[t] = true
			return c.call(g, e, act)[t]
		}
		return c.unknownCall(e, t)
	case ir.OpSizeof:
		return value{}
	}
	var found bool
	for _, kid := range e.Kids {
		found = c.eval(kid, t).kind > isInt || found
	}
	if found || e.Op == ir.OpLambda && c.k.state.address(e, true) {
		c.readAny(t, at)
	}
	return value{}
}

// either evaluates one of the operands of c ? a : b, or both where the condition is not known.
func (c *content) either(e *ir.Expr, t int, eval func(*ir.Expr, int) value) value {
	switch cond := c.eval(e.Kids[0], t); {
	case cond.isTrue():
		return eval(e.Kids[1], t)
	case cond.isFalse():
		return eval(e.Kids[2], t)
	}
	if a, b := eval(e.Kids[1], t), eval(e.Kids[2], t); a.kind > isInt || b.kind > isInt {
		return value{kind: isShared}
	}
	return value{}
}

// sum computes with integers, and with an address and an integer.
func (c *content) sum(op string, a, b value) value {
	switch a, b = a.decayed(), b.decayed(); {
	case a.kind == isPointer && b.kind <= isInt && (op == "+" || op == "-"):
		sign := int64(1)
		if op == "-" {
			sign = -1
		}
		return value{kind: isPointer, place: a.place.moved(b, sign)}
	case b.kind == isPointer && a.kind <= isInt && op == "+":
		return value{kind: isPointer, place: b.place.moved(a, 1)}
	case a.kind > isInt || b.kind > isInt:
		return value{kind: isShared}
	}
	return binary(op, a, b)
}

// builtin evaluates the built-in variables, and smux's of the same names.
func (c *content) builtin(e *ir.Expr, t int) (value, bool) {
	name, axis := builtinOf(e)
	if b := c.al.obj.block; (name == "threadIdx" || name == "blockDim") && b[0]*b[1]*b[2] > 0 {
		return value{kind: isInt, unsigned: true, n: int64(numberOf(name, axis, b, t))}, true
	}
	return value{}, name != ""
}

// builtinOf is the built-in variable of which an expression is a component, and which one; "" for any other expression.
func builtinOf(e *ir.Expr) (name string, axis int) {
	axis = slices.Index([]string{"x", "y", "z"}, e.Name)
	if e.Op != ir.OpMember || e.Arrow || axis < 0 || e.Kids[0].Op != ir.OpIdent {
		return "", 0
	}
	switch name = e.Kids[0].Name; name {
	case "threadIdx", "blockDim", "blockIdx", "gridDim":
		return name, axis
	}
	return "", 0
}

// numberOf is what threadIdx or blockDim is in a thread of a block.
func numberOf(name string, axis int, block [3]int, t int) int {
	if name == "blockDim" {
		return block[axis]
	}
	return [3]int{t % block[0], t / block[0] % block[1], t / (block[0] * block[1])}[axis]
}

// placeOf evaluates an expression as a place: a variable's value where it is none in shared memory.
func (c *content) placeOf(e *ir.Expr, t int) value {
	switch e.Op {
	case ir.OpIdent:
		v := e.Var
		if v == nil {
			return value{}
		}
		if a := c.arrays[v]; a != nil {
			return value{kind: isPlace, place: &place{array: a}}
		}
		if v.Kind == ir.VarShared {
			return value{kind: isShared}
		}
		if vals, ok := c.frame.vars[v]; ok {
			return vals[t]
		}
		if c.fixed && v.Kind == ir.VarLocal && v.Init != nil && len(v.Writes) == 0 && !v.AddrTaken && !v.Type.Ref && c.stays(v) {
			return c.stored(v, c.eval(v.Init, t))
		}
		switch v.Kind {
		case ir.VarEnumerator, ir.VarGlobal, ir.VarConstant:
			if v.Init != nil && len(v.Dims) == 0 && (v.Kind == ir.VarEnumerator || v.Type.Const && v.Type.Ptr == 0) && !v.Redeclared {
				n := c.constant(v.Init)
				if v.Kind == ir.VarEnumerator {
					return n
				}
				return converted(n, v.Type.Base)
			}
		}
		if c.k.state.tainted[v] {
			return value{kind: isShared}
		}
		return value{}
	case ir.OpIndex:
		base, i := c.placeOf(indexed(e), t), value{}
		if indexed(e) != e.Kids[0] {
			c.readAny(t, e.Range.Start) // i[a]
		}
		if len(e.Kids) > 1 {
			i = c.eval(e.Kids[1], t)
		}
		if sp := c.al.inRows[e]; sp != nil && !(base.kind == isPlace && i.kind == isInt && i.n >= 0 && i.n < int64(base.place.array.dims[0])) {
			c.k.doubt(Copies, c.al.c.b.file, e.Range.Start, "it is not known that this row of %s is one of %s", sp.array, e.Kids[0].Name)
		}
		switch base.kind {
		case isPlace:
			if len(base.place.index) < len(base.place.array.dims) && !base.place.part {
				return value{kind: isPlace, place: base.place.sub(i)}
			}
			return value{kind: isPlace, place: base.place.member()}
		case isPointer:
			return value{kind: isPlace, place: base.place.moved(i, 1)}
		case isShared:
			return base
		}
		c.eval(e.Kids[0], t)
		return value{}
	case ir.OpDeref:
		switch v := c.eval(e.Kids[0], t); v.kind {
		case isPointer:
			return value{kind: isPlace, place: v.place}
		case isPlace:
			return value{kind: isPlace, place: v.place.decay()}
		case isShared:
			return v
		}
		return value{}
	case ir.OpMember:
		if v, ok := c.builtin(e, t); ok {
			return v
		}
		switch v := c.placeOf(e.Kids[0], t); v.kind {
		case isPlace, isPointer:
			return value{kind: isPlace, place: v.place.member()}
		case isShared:
			return v
		}
		return value{}
	case ir.OpCond:
		return c.either(e, t, c.placeOf)
	case ir.OpCast, ir.OpCall, ir.OpBinary, ir.OpAssign, ir.OpIncDec, ir.OpComma, ir.OpAddr:
		v := c.eval(e, t)
		if v.kind == isInt {
			return value{}
		}
		return v
	}
	if c.k.state.address(e, true) {
		return value{kind: isShared}
	}
	c.eval(e, t)
	return value{}
}

// stays reports whether nothing changes a variable of the function behind its declaration, by a reference either.
func (c *content) stays(v *ir.Var) bool {
	stays, known := c.unset[v]
	if !known {
		stays = c.al.changed(v, v.Range.End, c.al.b.Body.Range.End) < 0
		c.unset[v] = stays
	}
	return stays
}

// assign stores a value.
func (c *content) assign(target *ir.Expr, v value, t int) {
	if target.Op == ir.OpIdent && target.Var != nil && c.arrays[target.Var] == nil {
		x := target.Var
		if x.Type.Ref {
			c.store(c.placeOf(target, t), t)
			return
		}
		c.valuesOf(x)[t] = c.stored(x, v)
		return
	}
	c.store(c.placeOf(target, t), t)
}

// store notes that a thread wrote to a place.
func (c *content) store(p value, t int) {
	switch p.kind {
	case isPlace:
		c.write(p.place, t)
	case isShared:
		c.overwrites(nil)
	}
}

// callee returns the function that a call is of, nil where it is not one that is known.
func (c *content) callee(e *ir.Expr) *ir.Func {
	if e == nil || e.Op != ir.OpCall || c.depth > 8 {
		return nil
	}
	gs := c.k.state.calls[e]
	if len(gs) != 1 || len(gs[0].Problems) > 0 || len(gs[0].Params) < len(e.Args()) {
		return nil
	}
	if _, member := e.IsMemberCall(); member {
		return nil
	}
	return gs[0]
}

// call runs a device function for some threads at once.
func (c *content) call(g *ir.Func, e *ir.Expr, act []bool) []value {
	inner := newFrame(c.n)
	args := e.Args()
	for i, p := range g.Params {
		vals := make([]value, c.n)
		inner.vars[p] = vals
		c.each(act, func(t int) {
			switch {
			case i >= len(args):
			case p.Type.Ref:
				if v := c.placeOf(args[i], t); v.kind > isInt {
					vals[t] = v
				} else if p.Type.Const {
					vals[t] = c.stored(&ir.Var{Type: ir.Type{Base: p.Type.Base}}, v)
				}
			default:
				vals[t] = c.stored(p, c.eval(args[i], t))
			}
		})
	}
	for i, p := range g.TParams {
		if p.Kind == ir.VarTemplateValue && i < len(e.TArgs) {
			vals := make([]value, c.n)
			inner.vars[p] = vals
			c.each(act, func(t int) { vals[t] = converted(c.eval(e.TArgs[i], t), p.Type.Base) })
		}
	}
	outer := c.frame
	if al := c.k.state.aligned[g.View]; al != nil {
		defer func(al *alignment) { c.al = al }(c.al)
		c.al = al
	}
	c.frame = inner
	c.depth++
	c.stmt(g.Body, act)
	c.depth--
	c.frame = outer
	if inner.returned != nil {
		c.overwritesIn(g.Body)
		c.sets.both(inner.returned)
		inner.result = make([]value, c.n)
	}
	for i, p := range g.Params {
		if p.Type.Ref && !p.Type.Const && i < len(args) && args[i].Op == ir.OpIdent && args[i].Var != nil && outer.vars[args[i].Var] != nil {
			c.each(act, func(t int) { outer.vars[args[i].Var][t] = value{} })
		}
	}
	return inner.result
}

// unknownCall evaluates the arguments of a call of something that is not in view: it may read all that it
// is given the address of, and writes nothing for certain.
func (c *content) unknownCall(e *ir.Expr, t int) value {
	name := e.Name
	args := e.Args()
	if obj, member := e.IsMemberCall(); member && c.eval(obj, t).kind > isInt {
		c.readAny(t, e.Range.Start)
	}
	for i, arg := range args {
		v := c.eval(arg, t)
		switch {
		case v.kind == isPointer && i == 0 && isAtomic(e):
			c.read(v.place, t, e.Range.Start)
			c.write(v.place, t)
		case v.kind > isInt:
			c.readAny(t, e.Range.Start)
		}
		if arg.Op == ir.OpIdent && arg.Var != nil && !c.k.state.leavesArguments(e) && c.frame.vars[arg.Var] != nil {
			c.frame.vars[arg.Var][t] = value{}
		}
	}
	if len(args) == 2 && len(c.k.state.calls[e]) == 0 && (e.Calls("min") || e.Calls("max")) {
		a, b := common(c.eval(args[0], t), c.eval(args[1], t))
		if a.kind == isInt && b.kind == isInt {
			if name == "min" == (a.n < b.n) {
				return a
			}
			return b
		}
	}
	return value{}
}

package content

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/validate/kit"
)

// Eval evaluates an expression in one thread, and notes what it reads and writes.
func (c *content) Eval(e *ir.Expr, t int) Value {
	if e == nil {
		return Value{}
	}
	at := e.Range.Start
	switch e.Op {
	case ir.OpInt:
		return Value{Kind: IsInt, N: e.Int, Unsigned: e.Tok == "u", Wide: e.Type.Base == "long"}
	case ir.OpLiteral:
		switch e.Name {
		case "true":
			return Integer(1)
		case "false":
			return Integer(0)
		}
		return Value{}
	case ir.OpIdent, ir.OpIndex, ir.OpDeref, ir.OpMember:
		if v, ok := c.builtin(e, t); ok {
			return v
		}
		v := c.placeOf(e, t)
		if v.Kind == isPlace && (v.place.part || len(v.place.index) == len(v.place.array.dims)) {
			c.read(v.place, t, at)
			return Value{}
		}
		if named := e.Op == ir.OpIdent && (e.Var == nil || !e.Var.Type.Ref || e.Var.Type.Ptr > 0 || len(e.Var.Dims) > 0); v.Kind == isShared && !named {
			c.readAny(t, at)
			return Value{}
		}
		return v
	case ir.OpUnary:
		return Unary(e.Tok, c.Eval(e.Kids[0], t))
	case ir.OpAddr:
		switch v := c.placeOf(e.Kids[0], t); {
		case v.Kind == isPlace && !v.place.part:
			return Value{Kind: isPointer, place: v.place}
		case v.Kind > IsInt: // that of a pointer, too: what it leads to leads there
			return Value{Kind: isShared}
		}
		return Value{}
	case ir.OpIncDec:
		old := c.Eval(e.Kids[0], t)
		op := e.Tok[:1]
		now := c.assign(e.Kids[0], c.sum(op, old, Integer(1)), t)
		if e.Postfix {
			return old
		}
		return now
	case ir.OpBinary:
		if e.Tok == "&&" || e.Tok == "||" {
			a := c.Eval(e.Kids[0], t)
			if e.Tok == "&&" && a.IsFalse() || e.Tok == "||" && a.IsTrue() {
				return Truth(e.Tok == "||")
			}
			return Binary(e.Tok, a, c.Eval(e.Kids[1], t))
		}
		return c.sum(e.Tok, c.Eval(e.Kids[0], t), c.Eval(e.Kids[1], t))
	case ir.OpAssign:
		v := c.Eval(e.Kids[1], t)
		if e.Tok != "=" {
			v = c.sum(strings.TrimSuffix(e.Tok, "="), c.Eval(e.Kids[0], t), v)
		}
		return c.assign(e.Kids[0], v, t)
	case ir.OpCond:
		return c.either(e, t, c.Eval)
	case ir.OpComma:
		var v Value
		for _, kid := range e.Kids {
			v = c.Eval(kid, t)
		}
		return v
	case ir.OpCast:
		if len(e.Kids) != 1 {
			break
		}
		switch v := c.Eval(e.Kids[0], t).decayed(); {
		case v.Kind == IsInt && e.Type.Ptr == 0:
			return Converted(v, e.Type.Base)
		case v.Kind == isPointer:
			if e.Type.Ptr == 1 && e.Type.Base == v.place.array.v.Type.Base {
				return v
			}
			return Value{Kind: isShared}
		case v.Kind == isShared:
			return v
		}
		return Value{}
	case ir.OpCall:
		if len(e.Kids) > 0 && e.Kids[0].Op == ir.OpLambda {
			c.Eval(e.Kids[0], t)
		}
		if g := c.callee(e); g != nil {
			act := make([]bool, c.N)
			act[t] = true
			return c.call(g, e, act)[t]
		}
		return c.unknownCall(e, t)
	case ir.OpSizeof:
		return Value{}
	}
	var found bool
	for _, kid := range e.Kids {
		found = c.Eval(kid, t).Kind > IsInt || found
	}
	if found || e.Op == ir.OpLambda && c.k.State.Address(e, true) {
		c.readAny(t, at)
	}
	return Value{}
}

// either evaluates one of the operands of c ? a : b, or both where the condition is not known.
func (c *content) either(e *ir.Expr, t int, eval func(*ir.Expr, int) Value) Value {
	switch cond := c.Eval(e.Kids[0], t); {
	case cond.IsTrue():
		return c.ofBoth(e, 1, t, eval)
	case cond.IsFalse():
		return c.ofBoth(e, 2, t, eval)
	}
	if a, b := eval(e.Kids[1], t), eval(e.Kids[2], t); a.Kind > IsInt || b.Kind > IsInt {
		return Value{Kind: isShared}
	}
	return Value{}
}

// ofBoth is an operand of c ? a : b in the type of both. Outside of functions, where types are not known, both must be
// numbers of one type.
func (c *content) ofBoth(e *ir.Expr, i, t int, eval func(*ir.Expr, int) Value) Value {
	v := eval(e.Kids[i], t)
	if v.Kind != IsInt {
		return v
	}
	if c.al.New == nil {
		if o := eval(e.Kids[3-i], t); o.Kind != IsInt || o.Unsigned != v.Unsigned || o.Wide != v.Wide {
			return Value{}
		}
		return v
	}
	base, known := c.types[e]
	if !known {
		base = c.al.TypeOf(e)
		c.types[e] = base
	}
	return Converted(v, base)
}

// sum computes with integers, and with an address and an integer.
func (c *content) sum(op string, a, b Value) Value {
	switch a, b = a.decayed(), b.decayed(); {
	case a.Kind == isPointer && b.Kind <= IsInt && (op == "+" || op == "-"):
		sign := int64(1)
		if op == "-" {
			sign = -1
		}
		return Value{Kind: isPointer, place: a.place.moved(b, sign)}
	case b.Kind == isPointer && a.Kind <= IsInt && op == "+":
		return Value{Kind: isPointer, place: b.place.moved(a, 1)}
	case a.Kind > IsInt || b.Kind > IsInt:
		return Value{Kind: isShared}
	}
	return Binary(op, a, b)
}

// builtin evaluates the built-in variables, and smux's of the same names.
func (c *content) builtin(e *ir.Expr, t int) (Value, bool) {
	name, axis := BuiltinOf(e)
	if b := c.al.Obj.Block; (name == "threadIdx" || name == "blockDim") && b[0]*b[1]*b[2] > 0 {
		return Value{Kind: IsInt, Unsigned: true, N: int64(NumberOf(name, axis, b, t))}, true
	}
	return Value{}, name != ""
}

// BuiltinOf is the built-in variable of which an expression is a component, and which one; "" for any other expression.
func BuiltinOf(e *ir.Expr) (name string, axis int) {
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

// NumberOf returns the value of threadIdx or blockDim in a thread of a block.
func NumberOf(name string, axis int, block [3]int, t int) int {
	if name == "blockDim" {
		return block[axis]
	}
	return [3]int{t % block[0], t / block[0] % block[1], t / (block[0] * block[1])}[axis]
}

// placeOf evaluates an expression as a place: a variable's value where it is none in shared memory. What may be an address
// there, and is not known, is one of any place.
func (c *content) placeOf(e *ir.Expr, t int) Value {
	v := c.placed(e, t)
	if v.Kind == unknown {
		shared, asked := c.shared[e]
		if !asked {
			shared = c.k.State.Address(e, true)
			c.shared[e] = shared
		}
		if shared {
			return Value{Kind: isShared}
		}
	}
	return v
}

func (c *content) placed(e *ir.Expr, t int) Value {
	switch e.Op {
	case ir.OpIdent:
		v := e.Var
		if v == nil {
			return Value{}
		}
		if a := c.Arrays[v]; a != nil {
			return Value{Kind: isPlace, place: &place{array: a}}
		}
		if v.Kind == ir.VarShared {
			return Value{Kind: isShared}
		}
		if vals, ok := c.Frame.Vars[v]; ok {
			return vals[t]
		}
		if n, ok := c.given[v]; ok {
			return n
		}
		if c.fixed && v.Kind == ir.VarLocal && v.Init != nil && len(v.Writes) == 0 && !v.AddrTaken && !v.Type.Ref && c.stays(v) {
			return c.stored(v, c.Eval(v.Init, t))
		}
		switch v.Kind {
		case ir.VarEnumerator, ir.VarGlobal, ir.VarConstant:
			if v.Init != nil && len(v.Dims) == 0 && (v.Kind == ir.VarEnumerator || v.Type.Const && v.Type.Ptr == 0) && !v.Redeclared {
				return Converted(c.Constant(v.Init), v.Type.Base)
			}
		}
		return Value{}
	case ir.OpIndex:
		base, i := c.placeOf(kit.Indexed(e), t), Value{}
		if kit.Indexed(e) != e.Kids[0] {
			c.readAny(t, e.Range.Start) // i[a]
		}
		if len(e.Kids) > 1 {
			i = c.Eval(e.Kids[1], t)
		}
		if sp := c.al.InRows[e]; sp != nil && !(base.Kind == isPlace && i.Kind == IsInt && i.N >= 0 && i.N < int64(base.place.array.dims[0])) {
			c.k.Doubt(kit.Copies, c.al.Texts.New.File, e.Range.Start, "it is not known that this row of %s is one of %s", sp.Array, e.Kids[0].Name)
		}
		switch base.Kind {
		case isPlace:
			if len(base.place.index) < len(base.place.array.dims) && !base.place.part {
				return Value{Kind: isPlace, place: base.place.sub(i)}
			}
			return Value{Kind: isPlace, place: base.place.member()}
		case isPointer:
			return Value{Kind: isPlace, place: base.place.moved(i, 1)}
		case isShared:
			return base
		}
		c.Eval(e.Kids[0], t)
		return Value{}
	case ir.OpDeref:
		switch v := c.Eval(e.Kids[0], t); v.Kind {
		case isPointer:
			return Value{Kind: isPlace, place: v.place}
		case isPlace:
			return Value{Kind: isPlace, place: v.place.decay()}
		case isShared:
			return v
		}
		return Value{}
	case ir.OpMember:
		if v, ok := c.builtin(e, t); ok {
			return v
		}
		switch v := c.placeOf(e.Kids[0], t); v.Kind {
		case isPlace, isPointer:
			return Value{Kind: isPlace, place: v.place.member()}
		case isShared:
			return v
		}
		return Value{}
	case ir.OpCond:
		return c.either(e, t, c.placeOf)
	case ir.OpCast, ir.OpCall, ir.OpBinary, ir.OpAssign, ir.OpIncDec, ir.OpComma, ir.OpAddr:
		v := c.Eval(e, t)
		if v.Kind == IsInt {
			return Value{}
		}
		return v
	}
	c.Eval(e, t)
	return Value{}
}

// stays reports whether nothing changes a variable of the function after its declaration, by a reference either.
func (c *content) stays(v *ir.Var) bool {
	stays, known := c.unset[v]
	if !known {
		stays = c.al.Changed(v, v.Range.End, c.al.New.Body.Range.End) < 0
		c.unset[v] = stays
	}
	return stays
}

// assign stores a value, and returns it as it is kept.
func (c *content) assign(target *ir.Expr, v Value, t int) Value {
	if x := target.Var; target.Op == ir.OpIdent && x != nil && c.Arrays[x] == nil && !x.Type.Ref {
		c.valuesOf(x)[t] = c.stored(x, v)
		return c.valuesOf(x)[t]
	}
	switch p := c.placeOf(target, t); p.Kind {
	case isPlace:
		c.write(p.place, t)
	case isShared:
		c.overwrites(nil)
	}
	if v.Kind == IsInt {
		return Value{} // in the type of an element
	}
	return v
}

// callee returns the function that a call is of, nil where it is not one that is known.
func (c *content) callee(e *ir.Expr) *ir.Func {
	if e == nil || e.Op != ir.OpCall || c.depth > 8 {
		return nil
	}
	gs := c.k.State.Calls[e]
	if len(gs) != 1 || len(gs[0].Problems) > 0 || len(gs[0].Params) < len(e.Args()) {
		return nil
	}
	if e.Object() != nil {
		return nil
	}
	return gs[0]
}

// call runs a device function for some threads at once.
func (c *content) call(g *ir.Func, e *ir.Expr, act []bool) []Value {
	inner := newFrame(c.N)
	args := e.Args()
	for i, p := range g.Params {
		vals := make([]Value, c.N)
		inner.Vars[p] = vals
		c.each(act, func(t int) {
			switch {
			case i >= len(args):
			case p.Type.Ref:
				if v := c.placeOf(args[i], t); v.Kind > IsInt {
					vals[t] = v
				} else if p.Type.Const {
					vals[t] = c.stored(&ir.Var{Type: ir.Type{Base: p.Type.Base}}, v)
				}
			default:
				vals[t] = c.stored(p, c.Eval(args[i], t))
			}
		})
	}
	for i, p := range g.TParams {
		if p.Kind == ir.VarTemplateValue && i < len(e.TArgs) {
			vals := make([]Value, c.N)
			inner.Vars[p] = vals
			c.each(act, func(t int) { vals[t] = Converted(c.Eval(e.TArgs[i], t), p.Type.Base) })
		}
	}
	outer := c.Frame
	if al := c.k.State.Aligned[g.View]; al != nil {
		defer func(al *kit.Alignment) { c.al = al }(c.al)
		c.al = al
	}
	c.Frame = inner
	c.depth++
	c.stmt(g.Body, act)
	c.depth--
	c.Frame = outer
	if inner.returned != nil {
		c.overwritesIn(g.Body)
		c.sets.both(inner.returned)
		inner.result = make([]Value, c.N)
	}
	for i, p := range g.Params {
		if p.Type.Ref && !p.Type.Const && i < len(args) && args[i].Op == ir.OpIdent && args[i].Var != nil && outer.Vars[args[i].Var] != nil {
			c.each(act, func(t int) { outer.Vars[args[i].Var][t] = Value{} })
		}
	}
	return inner.result
}

// unknownCall evaluates the arguments of a call of something that is not in view: it may read all that it
// is given the address of, and writes nothing for certain.
func (c *content) unknownCall(e *ir.Expr, t int) Value {
	name := e.Name
	args := e.Args()
	if obj := e.Object(); obj != nil && c.Eval(obj, t).Kind > IsInt {
		c.readAny(t, e.Range.Start)
	}
	for i, arg := range args {
		v := c.Eval(arg, t)
		switch {
		case v.Kind == isPointer && i == 0 && kit.IsAtomic(e):
			c.read(v.place, t, e.Range.Start)
			c.write(v.place, t)
		case v.Kind > IsInt:
			c.readAny(t, e.Range.Start)
		}
		if arg.Op == ir.OpIdent && arg.Var != nil && !c.k.State.LeavesArguments(e) && c.Frame.Vars[arg.Var] != nil {
			c.Frame.Vars[arg.Var][t] = Value{}
		}
	}
	if len(args) == 2 && len(c.k.State.Calls[e]) == 0 && (e.Calls("min") || e.Calls("max")) {
		a, b := common(c.Eval(args[0], t), c.Eval(args[1], t))
		if a.Kind == IsInt && b.Kind == IsInt {
			if name == "min" == (a.N < b.N) {
				return a
			}
			return b
		}
	}
	return Value{}
}

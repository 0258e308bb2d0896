package stage

import (
	"slices"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/validate/content"
	"github.com/smux-cuda/smux/validate/kit"
	"github.com/smux-cuda/smux/validate/linear"
	"github.com/smux-cuda/smux/validate/units"
)

// eval evaluates an expression of either text, with the variables of the new one.
func (y *symbolic) eval(e *ir.Expr) known {
	if from := y.st.reads[e]; from != nil {
		return y.replaced(e, from)
	}
	switch e.Op {
	case ir.OpInt:
		kind := int32s
		switch {
		case e.Type.Base == "long" && e.Tok == "u":
			kind = uint64s
		case e.Type.Base == "long":
			kind = int64s
		case e.Tok == "u":
			kind = uint32s
		}
		return known{kind: kind, s: linear.Number(linear.Small(e.Int))}
	case ir.OpLiteral:
		switch e.Name {
		case "true":
			return known{kind: aTruth, cond: linear.Yes}
		case "false":
			return known{kind: aTruth, cond: linear.No}
		case "#if":
			return y.fresh("")
		}
		return y.typed("", "literal "+e.Name)
	case ir.OpIdent:
		return y.ident(e)
	case ir.OpMember:
		return y.member(e)
	case ir.OpIndex:
		a, i := y.eval(e.Kids[0]), y.eval(e.Kids[1])
		if a.kind != anAddress || a.base.Type.Ptr > 1 || a.base.Type.Ptr == 1 && len(a.base.Dims) > 0 {
			return y.fresh("")
		}
		if len(a.at)+1 < len(a.base.Dims) {
			if n, ok := a.s.Constant(); ok && n == 0 && y.number(i).kind.integer() {
				a.at = append(slices.Clone(a.at), y.subscript(i))
				return a
			}
			return y.fresh("")
		}
		if i = y.number(i); !i.kind.integer() {
			return y.fresh(a.base.Type.Base)
		}
		a.s = a.s.Plus(y.subscript(i), 1)
		return y.load(a, e)
	case ir.OpDeref:
		if a := y.eval(e.Kids[0]); a.kind == anAddress && len(a.at)+1 >= len(a.base.Dims) && (a.base.Type.Ptr == 1 || len(a.base.Dims) > 0 && a.base.Type.Ptr == 0) {
			return y.load(a, e)
		}
		return y.fresh("")
	case ir.OpAddr:
		if x := e.Kids[0]; x.Op == ir.OpIndex {
			a, i := y.eval(x.Kids[0]), y.number(y.eval(x.Kids[1]))
			if a.kind == anAddress && i.kind.integer() && len(a.at)+1 >= len(a.base.Dims) && (a.base.Type.Ptr == 1) != (len(a.base.Dims) > 0) {
				a.s = a.s.Plus(y.subscript(i), 1)
				return a
			}
		}
		return y.fresh("")
	case ir.OpUnary:
		v := y.eval(e.Kids[0])
		switch {
		case e.Tok == "!":
			return known{kind: aTruth, cond: y.truth(v).Not()}
		case e.Tok == "-" && y.number(v).kind.integer():
			v = y.number(v)
			return known{kind: v.kind, s: linear.Sum(nil).Plus(v.s, -1)}
		case e.Tok == "+" && v.kind.integer():
			return v
		}
		return y.atomOf(e.Tok, "", v)
	case ir.OpBinary:
		switch e.Tok {
		case "&&", "||":
			a := y.truth(y.eval(e.Kids[0]))
			if e.Tok == "&&" {
				var b linear.Formula
				y.where(a, func() { b = y.truth(perhaps(y, e.Kids[1])) })
				return known{kind: aTruth, cond: linear.Both(a, b)}
			}
			var b linear.Formula
			y.where(a.Not(), func() { b = y.truth(perhaps(y, e.Kids[1])) })
			return known{kind: aTruth, cond: linear.Either(a, b)}
		case "<", "<=", ">", ">=", "==", "!=":
			return known{kind: aTruth, cond: y.compared(e.Tok, y.eval(e.Kids[0]), y.eval(e.Kids[1]))}
		}
		return y.arithmetic(e.Tok, y.eval(e.Kids[0]), y.eval(e.Kids[1]))
	case ir.OpCond:
		c := y.truth(y.eval(e.Kids[0]))
		var a, b known
		y.where(c, func() { a = perhaps(y, e.Kids[1]) })
		y.where(c.Not(), func() { b = perhaps(y, e.Kids[2]) })
		return y.chosen(c, a, b)
	case ir.OpComma:
		var v known
		for _, kid := range e.Kids {
			v = y.eval(kid)
		}
		return v
	case ir.OpCast:
		if len(e.Kids) != 1 {
			break
		}
		v := y.eval(e.Kids[0])
		if e.Type.Ptr == 0 && !e.Type.Ref {
			return y.converted(v, e.Type.Base)
		}
		return y.atomOf("cast "+e.Type.String(), "", v)
	case ir.OpAssign, ir.OpIncDec:
		return y.assigned(e)
	case ir.OpCall:
		return y.called(e)
	case ir.OpSizeof:
		return y.fresh("size_t")
	}
	for _, kid := range e.Kids {
		y.eval(kid)
	}
	y.loses(e)
	return y.fresh("")
}

// perhaps evaluates an operand that a condition may leave out, and forgets what it may change.
func perhaps(y *symbolic, e *ir.Expr) known {
	v := y.eval(e)
	for x := range e.All() {
		y.loses(x)
	}
	return v
}

// where evaluates where a condition is so.
func (y *symbolic) where(c linear.Formula, f func()) {
	n := len(y.path)
	if c.Op != linear.IsTrue {
		y.path = append(y.path, c)
	}
	f()
	y.path = y.path[:n]
}

// chosen is c ? a : b.
func (y *symbolic) chosen(c linear.Formula, a, b known) known {
	switch {
	case c.Op == linear.IsFalse:
		return y.chosen(linear.Yes, b, a)
	case c.Op == linear.IsTrue && (a.kind == b.kind || a.kind == noNumber || a.kind == anAddress):
		return a
	case a.kind == aTruth && b.kind == aTruth:
		return known{kind: aTruth, cond: linear.Either(linear.Both(c, a.cond), linear.Both(c.Not(), b.cond))}
	}
	a, b = y.number(a), y.number(b)
	if !a.kind.integer() || !b.kind.integer() {
		return y.atomOf("?", "", known{kind: aTruth, cond: c}, a, b)
	}
	kind := commonKind(a.kind, b.kind)
	if c.Op == linear.IsTrue {
		return y.as(a, kind)
	}
	var p, q linear.Sum
	y.where(c, func() { p = y.seen(y.as(a, kind)) })
	y.where(c.Not(), func() { q = y.seen(y.as(b, kind)) })
	if slices.Equal(p, q) {
		return known{kind: kind, s: p}
	}
	s := y.choice(c, p, q)
	y.g.Unsigned[y.g.Single(s)] = kind.unsigned()
	return known{kind: kind, s: s}
}

// subscript is an index as it is added to an address.
func (y *symbolic) subscript(i known) linear.Sum {
	if i = y.number(i); i.kind == uint32s {
		return y.seen(i)
	}
	return i.s
}

func (y *symbolic) ident(e *ir.Expr) known {
	v := e.Var
	if v == nil {
		return y.typed("", "name "+e.Qual+":"+e.Name)
	}
	v = y.st.canonical(v)
	if x, ok := y.env[v]; ok && !v.AddrTaken {
		return x
	}
	if init := y.st.gone[v]; init != nil && !v.Type.Ref {
		x := y.eval(init)
		if v.Type.Ptr > 0 || v.Type.Deduced() {
			return x
		}
		return y.converted(x, v.Type.Base)
	}
	switch {
	case len(v.Dims) > 0 || v.Type.Ptr > 0 && v.Kind == ir.VarParam && len(v.Writes) == 0:
		return known{kind: anAddress, base: v}
	case v.AddrTaken || v.Type.Ref || v.Type.Ptr > 0 || v.Type.Volatile || v.Kind == ir.VarShared:
		return y.fresh("")
	case v.Kind == ir.VarParam || v.Kind == ir.VarTemplateValue:
		return y.typed(v.Type.Base, "parameter "+v.Name)
	case v.Kind == ir.VarEnumerator, (v.Kind == ir.VarGlobal || v.Kind == ir.VarConstant) && v.Type.Const && v.Init != nil:
		if n, ok := content.IntOf(y.st.c, e); ok {
			return y.converted(integerOf(int64(n)), v.Type.Base)
		}
		return y.typed(v.Type.Base, "constant "+v.Name)
	case v.Kind == ir.VarConstant:
		return y.typed(v.Type.Base, "constant "+v.Name)
	}
	return y.fresh(v.Type.Base)
}

func (y *symbolic) member(e *ir.Expr) known {
	if name, axis := content.BuiltinOf(e); name != "" && e.Kids[0].Var == nil {
		switch name {
		case "threadIdx":
			return known{kind: uint32s, s: linear.Number(int64(y.t[axis]))}
		case "blockDim":
			return known{kind: uint32s, s: linear.Number(int64(y.block[axis]))}
		}
		v := y.typed("unsigned", name+"."+e.Name)
		if name == "blockIdx" {
			v.s = v.s.Shifted(int64(y.away[axis]))
		}
		return v
	}
	v := y.eval(e.Kids[0])
	if e.Arrow || v.kind == anAddress {
		return y.fresh("")
	}
	return y.atomOf("."+e.Name, "", v)
}

// load reads an element.
func (y *symbolic) load(a known, e *ir.Expr) known {
	v := a.base
	if y.st.tiles[v] != nil {
		y.st.doubt(kit.Copies, e.Range.Start, "%s is used here in a way that is not known", v.Name)
		return y.fresh(v.Type.Base)
	}
	op := "load " + y.st.nameOf(v)
	if !y.st.stays(v) {
		op += " " + y.name + "!" + units.Itoa(y.now)
	}
	args := append(slices.Clone(a.at), a.s)
	y.st.loaded(y, op, v, args, e)
	return y.typed(v.Type.Base, op, args...)
}

func (y *symbolic) called(e *ir.Expr) known {
	args := e.Args()
	vals := lists.Map(args, y.eval)
	if len(y.st.al.Kernel.State.Calls[e]) == 0 && e.Qual == "" || e.Qual == "std" {
		switch {
		case e.Calls("__ldg") && len(vals) == 1 && vals[0].kind == anAddress:
			return y.load(vals[0], e)
		case (e.Calls("min") || e.Calls("max")) && len(vals) == 2 && y.number(vals[0]).kind.integer() && y.number(vals[1]).kind.integer():
			return y.least(e.Name, y.number(vals[0]), y.number(vals[1]))
		}
	}
	if base, pure := y.st.pure(e); pure {
		var spelled []linear.Sum
		op := "call " + e.Name
		for _, v := range vals {
			spelled = append(spelled, y.spelled(v)...)
			op += string('0' + byte(v.kind))
		}
		for _, v := range vals {
			if v.kind == anAddress {
				if !y.st.stays(v.base) {
					op += " " + y.name + "!" + units.Itoa(y.now)
				}
				y.st.loaded(y, op, v.base, spelled, e)
				break
			}
		}
		return y.typed(base, op, spelled...)
	}
	y.loses(e)
	return y.fresh("")
}

// loses forgets what an expression may change in a way that is not followed.
func (y *symbolic) loses(e *ir.Expr) {
	for _, v := range y.changed(e) {
		y.st.count++
		y.forget(v, "lost "+units.Itoa(y.st.count)+" in "+y.name)
	}
}

// assigned notes what a variable is, or a tile holds.
func (y *symbolic) assigned(e *ir.Expr) known {
	target := e.Kids[0]
	var v, was known
	switch {
	case e.Op == ir.OpIncDec:
		was = y.eval(target)
		v = y.arithmetic(e.Tok[:1], was, integerOf(1))
	case e.Tok == "=" && y.putting && y.st.element(e.Kids[1]) != nil:
	case e.Tok == "=":
		v = y.eval(e.Kids[1])
	case target.Op == ir.OpIdent:
		v = y.arithmetic(e.Tok[:len(e.Tok)-1], y.eval(target), y.eval(e.Kids[1]))
	default:
		y.eval(e.Kids[1])
	}
	if from := y.st.reads[target]; from != nil && y.st.element(target) != nil {
		t := y.st.tiles[target.Root().Var]
		if !y.st.puts[t.v] || e.Tok != "=" {
			y.st.doubt(kit.Content, e.Range.Start, "the original stores here, and what is stored stays in a tile")
		}
		y.st.placedAt(y, t.aside, t, target, from)
		return y.fresh("")
	}
	if y.putting && target.Op == ir.OpIndex {
		y.st.placedAt(y, y.st.tiles[e.Kids[1].Root().Var].back, y.st.tiles[e.Kids[1].Root().Var], e.Kids[1], target)
		return y.fresh("")
	}
	if root := target.Root(); root != nil && root.Var != nil && y.st.tiles[root.Var] != nil {
		y.st.wrote(y, target, v, e)
		return y.fresh("")
	}
	if target.Op != ir.OpIdent {
		for _, kid := range target.Kids {
			y.eval(kid) // what it reads
		}
		y.loses(e)
		return y.fresh("")
	}
	if target.Var != nil {
		y.set(target.Var, v)
		if e.Postfix {
			return was
		}
		return y.ident(target)
	}
	return y.fresh("")
}

// set notes the value of a variable.
func (y *symbolic) set(v *ir.Var, x known) {
	switch {
	case v.Type.Ptr == 1 && len(v.Dims) == 0 && !v.Type.Ref && x.kind == anAddress && x.base.Type.Base == v.Type.Base:
		y.env[v] = x
	case v.Type.Ptr > 0 || len(v.Dims) > 0 || v.Type.Ref || v.AddrTaken || v.Kind != ir.VarLocal && v.Kind != ir.VarParam:
		delete(y.env, v)
	case v.Type.Deduced():
		y.env[v] = y.number(x)
	default:
		x = y.converted(x, v.Type.Base)
		switch {
		case kindOf(v.Type.Base) == noNumber && !v.Type.Const:
			x = known{lost: true}
		case len(x.s) > 24:
			x = y.fresh(v.Type.Base)
		}
		y.env[v] = x
	}
}

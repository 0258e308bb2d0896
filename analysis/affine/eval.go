package affine

import (
	"strconv"
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/ir/effect"
	"github.com/smux-cuda/smux/model/hardware"
)

// eval executes an expression: it lists its accesses and returns its value.
func (a *activation) eval(e *ir.Expr) value {
	if e == nil {
		return value{}
	}
	if !a.charge(1) {
		return value{}
	}
	switch e.Op {
	case ir.OpInt:
		return number(Number(e.Int))
	case ir.OpIdent:
		return a.ident(e)
	case ir.OpMember, ir.OpIndex, ir.OpDeref:
		return a.load(a.place(e), e)
	case ir.OpAddr:
		v := a.place(e.Kids[0])
		if !v.isPtr {
			return value{}
		}
		v.whole = false
		return v
	case ir.OpUnary:
		v := a.eval(e.Kids[0])
		switch {
		case e.Tok == "-" && v.known && !v.isPtr:
			return number(v.form.Scale(-1))
		case e.Tok == "+":
			return v
		}
		return value{}
	case ir.OpBinary:
		return a.binary(e.Tok, a.eval(e.Kids[0]), a.eval(e.Kids[1]), e)
	case ir.OpAssign:
		return a.assign(e)
	case ir.OpIncDec:
		old, now := a.update(e, e.Tok[:1], number(Number(1)))
		if e.Postfix {
			return old
		}
		return now
	case ir.OpLiteral:
		return a.literal(e)
	case ir.OpCond:
		a.eval(e.Kids[0])
		x, y := a.eval(e.Kids[1]), a.eval(e.Kids[2])
		return a.choose(e.Kids[0], x, y, "?:")
	case ir.OpComma:
		a.eval(e.Kids[0])
		return a.eval(e.Kids[1])
	case ir.OpCall:
		return a.call(e)
	case ir.OpCast:
		return a.cast(e)
	case ir.OpSizeof:
		if n, ok := a.facts.Constant(a.fn, e); ok {
			return number(Number(n))
		}
		return value{}
	case ir.OpInitList:
		if len(e.Kids) == 1 {
			return a.eval(e.Kids[0])
		}
	}
	if effect.IsOpaque(e.Op) {
		a.out.Gaps = append(a.out.Gaps, e)
	}
	for _, k := range e.Kids {
		a.eval(k)
	}
	return value{}
}

// literal is a name that only the command line can define, or an integer that
// the lowered form has no room for: with a sign, or of more than 32 bits.
// Numbers with a point and texts make no addresses.
func (a *activation) literal(e *ir.Expr) value {
	if n, err := strconv.ParseInt(strings.TrimRight(e.Name, "uUlL"), 0, 64); err == nil {
		return number(Number(n))
	}
	if e.Name == "" || !isNameStart(e.Name[0]) || e.Name[len(e.Name)-1] == '"' {
		return value{}
	}
	return number(a.symbol(e.Name))
}

func isNameStart(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// ident is the value of a name.
func (a *activation) ident(e *ir.Expr) value {
	if s := a.facts.Shared(a.fn, e); s != nil {
		v := a.declared(Array{Var: s.Var, Space: SpaceShared, Shared: s}, s.Var)
		if len(s.Var.Dims) == 0 {
			return a.load(v, e)
		}
		return v
	}
	v := a.facts.Variable(a.fn, e)
	if v == nil {
		if e.Name == "warpSize" && e.Qual == "" {
			return number(Number(hardware.WarpSize))
		}
		if n, ok := a.facts.Constant(a.fn, e); ok {
			return number(Number(n))
		}
		return value{}
	}
	switch v.Kind {
	case ir.VarLocal, ir.VarParam:
		if x, ok := a.env[v]; ok && !v.AddrTaken {
			return x
		}
		if v.Kind == ir.VarParam && a.outer == nil {
			return a.parameter(v)
		}
		return value{}
	case ir.VarTemplateValue, ir.VarEnumerator:
		return a.uniform(e, v)
	case ir.VarConstant, ir.VarGlobal:
		if n, ok := a.facts.Constant(a.fn, e); ok {
			return number(Number(n))
		}
		space := SpaceGlobal
		if v.Kind == ir.VarConstant {
			space = SpaceConstant
		}
		x := a.declared(Array{Var: v, Space: space}, v)
		if len(v.Dims) > 0 || v.Type.Ptr > 0 {
			return x
		}
		if space == SpaceConstant || v.Type.Const {
			return a.uniform(e, v)
		}
		return a.load(x, e)
	}
	return value{}
}

// uniform is a constant, or a symbol of its own.
func (a *activation) uniform(e *ir.Expr, v *ir.Var) value {
	if n, ok := a.facts.Constant(a.fn, e); ok {
		return number(Number(n))
	}
	return number(a.symbol(v.Name))
}

// parameter is a parameter of the kernel that was not assigned to.
func (a *activation) parameter(v *ir.Var) value {
	if v.Type.Ptr == 0 && len(v.Dims) == 0 && !v.Type.Ref {
		return number(a.symbol(v.Name))
	}
	return a.declared(Array{Var: v}, v)
}

// declared is a pointer to the start of an array, by its declaration.
func (a *activation) declared(arr Array, v *ir.Var) value {
	out := value{known: true, isPtr: true, array: arr, sized: true}
	t := v.Type
	if t.Rows != nil && v.Kind == ir.VarParam {
		return a.rows(out, t)
	}
	if len(v.Dims) == 0 && t.Ptr > 0 {
		t.Ptr--
	}
	out.base = &t
	out.elem = a.facts.SizeOf(a.fn, t)
	out.whole = len(v.Dims) == 0 && v.Type.Ptr == 0
	for i, d := range v.Dims {
		// The first extent of an array is never stepped over, nor is that of a
		// parameter, which has one level of its pointer in it.
		if i == 0 {
			continue
		}
		n, ok := a.facts.Constant(a.fn, d)
		if d == nil || !ok {
			out.elem = 0
		}
		out.dims = append(out.dims, n)
	}
	return out
}

// rows has a pointer point to the arrays that its type says: subscripts go on behind a row's end.
func (a *activation) rows(p value, t ir.Type) value {
	extents := t.Rows.Extents
	t.Ptr, t.Rows = 0, nil
	p.base, p.elem, p.whole, p.dims = &t, a.facts.SizeOf(a.fn, t), false, nil
	for _, d := range extents {
		n, ok := a.facts.Constant(a.fn, d)
		if !ok || n <= 0 {
			p.elem = 0
		}
		p.dims = append(p.dims, n)
	}
	return p
}

// assign executes an assignment, plain or compound.
func (a *activation) assign(e *ir.Expr) value {
	v := a.eval(e.Kids[1])
	target := e.Kids[0]
	switch {
	case e.Tok != "=":
		_, v = a.update(e, e.Tok[:len(e.Tok)-1], v)
	case inRegister(target):
		v = a.converted(v, target.Var.Type)
		a.env[target.Var] = v
	default:
		if p := a.place(target); p.isPtr && p.whole {
			a.record(p, target, Store)
		}
	}
	return v
}

// update changes a place by an operation; its address is computed once.
func (a *activation) update(e *ir.Expr, tok string, by value) (old, now value) {
	target := e.Kids[0]
	if inRegister(target) {
		old = a.eval(target)
		now = a.converted(a.binary(tok, old, by, e), target.Var.Type)
		a.env[target.Var] = now
		return old, now
	}
	p := a.place(target)
	old = a.load(p, target)
	if p.isPtr && p.whole {
		a.record(p, target, Store)
	}
	return old, a.binary(tok, old, by, e)
}

// inRegister reports whether an lvalue is a local variable or a parameter as a whole.
func inRegister(e *ir.Expr) bool {
	return e.Op == ir.OpIdent && e.Var != nil && (e.Var.Kind == ir.VarLocal || e.Var.Kind == ir.VarParam)
}

// converted is a value as a variable of a type holds it.
func (a *activation) converted(v value, t ir.Type) value {
	switch {
	case v.isPtr && t.Ptr == 0 && !t.IsAuto():
		return value{} // an address as a number, or a struct
	case v.isPtr && t.Ptr == 1 && len(v.dims) == 0 && !t.IsAuto():
		t.Ptr--
		v.base, v.elem = &t, a.facts.SizeOf(a.fn, t)
	case !v.isPtr && (t.Ref || t.Base == "float" || t.Base == "double"):
		return value{}
	}
	return v
}

// cast executes a cast: of a pointer to a pointer of another type, of a number
// to an integer.
func (a *activation) cast(e *ir.Expr) value {
	var v value
	for _, k := range e.Kids {
		v = a.eval(k)
	}
	if len(e.Kids) != 1 {
		return value{}
	}
	switch {
	case v.isPtr && e.Type.Rows != nil:
		return a.rows(v, e.Type)
	case v.isPtr && e.Type.Ptr == 1:
		v.dims = nil
	}
	return a.converted(v, e.Type)
}

package demotion

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis/intrinsic"
	"github.com/smux-cuda/smux/analysis/ir"
)

// expr is the type of an expression of fn, of kind unknown where that takes more
// than a look at declarations.
func (x *finder) expr(fn *ir.Func, e *ir.Expr) valueType {
	switch e.Op {
	case ir.OpInt:
		return plainNumber
	case ir.OpLiteral:
		if e.Name != "" && (e.Name[0] == '\'' || e.Name[0] >= '0' && e.Name[0] <= '9' || e.Name[0] == '.' || e.Name[0] == '-') {
			return plainNumber
		}
	case ir.OpSizeof:
		return valueType{kind: number, bytes: 8}
	case ir.OpIdent:
		return x.ident(fn, e)
	case ir.OpDeref, ir.OpIndex:
		if t := x.expr(fn, e.Kids[0]); t.kind == pointer {
			return *t.elem
		}
	case ir.OpAddr:
		t := x.expr(fn, e.Kids[0])
		return valueType{kind: pointer, bytes: 8, elem: &t}
	case ir.OpUnary:
		if t := x.expr(fn, e.Kids[0]); t.kind == number || e.Tok == "!" && t.kind == pointer {
			return valueType{kind: number, bytes: max(4, t.bytes)}
		}
	case ir.OpIncDec, ir.OpAssign:
		return x.expr(fn, e.Kids[0])
	case ir.OpComma:
		return x.expr(fn, e.Kids[1])
	case ir.OpCond:
		return both(x.expr(fn, e.Kids[1]), x.expr(fn, e.Kids[2]))
	case ir.OpBinary:
		a, b := x.expr(fn, e.Kids[0]), x.expr(fn, e.Kids[1])
		switch {
		case a.kind != number && a.kind != pointer || b.kind != number && b.kind != pointer:
			return valueType{}
		case a.kind == number && b.kind == number, a.kind == b.kind, comparing(e.Tok):
			return valueType{kind: number, bytes: max(4, a.bytes, b.bytes)}
		case a.kind == pointer:
			return a
		}
		return b
	case ir.OpMember:
		return x.member(fn, e)
	case ir.OpCast:
		if e.Type.Ref {
			return valueType{}
		}
		return x.typeOf(fn, e.Type)
	case ir.OpCall:
		return x.call(fn, e)
	}
	return valueType{}
}

var plainNumber = valueType{kind: number, bytes: 4}

// both is the type of c ? a : b.
func both(a, b valueType) valueType {
	switch {
	case a.kind == number && b.kind == number:
		a.bytes = max(a.bytes, b.bytes)
		return a
	case a.kind == pointer && (b.kind == pointer || b.kind == number):
		return a
	case b.kind == pointer && a.kind == number:
		return b
	case a.kind == vector && b.kind == vector && a.name == b.name:
		return a
	}
	return valueType{}
}

func comparing(tok string) bool {
	return slices.Contains([]string{"==", "!=", "<", ">", "<=", ">=", "&&", "||"}, tok)
}

// constants are names of headers that are numbers.
var constants = map[string]bool{
	"FLT_MAX": true, "FLT_MIN": true, "FLT_EPSILON": true, "DBL_MAX": true, "DBL_MIN": true, "DBL_EPSILON": true, "INT_MAX": true, "INT_MIN": true,
	"UINT_MAX": true, "INFINITY": true, "NAN": true, "M_PI": true, "M_PI_2": true, "M_E": true, "M_SQRT2": true, "HUGE_VAL": true, "HUGE_VALF": true,
	"CUDART_INF_F": true, "CUDART_NAN_F": true, "CUDART_INF": true, "CUDART_NAN": true, "CUDART_PI_F": true, "CUDART_PI": true, "warpSize": true,
}

func (x *finder) ident(fn *ir.Func, e *ir.Expr) valueType {
	v := e.Var
	if v == nil {
		switch e.Name {
		case "threadIdx", "blockIdx":
			t, _ := builtin("uint3")
			return t
		case "blockDim", "gridDim":
			t, _ := builtin("dim3")
			return t
		}
		if constants[e.Name] {
			return plainNumber
		}
		if v = x.facts.Variable(fn, e); v == nil {
			return valueType{}
		}
	}
	t := valueType{}
	switch {
	case v.Kind == ir.VarEnumerator:
		return plainNumber
	case v.Type.Base == "auto" && v.Type.Ptr == 0 && len(v.Dims) == 0 && v.Init != nil && x.depth < maxAliases:
		x.depth++
		t = x.expr(fn, v.Init)
		x.depth--
		return t
	default:
		t = x.typeOf(fn, v.Type)
	}
	for range v.Dims {
		elem := t
		t = valueType{kind: pointer, bytes: 8, elem: &elem}
	}
	return t
}

func (x *finder) member(fn *ir.Func, e *ir.Expr) valueType {
	t := x.expr(fn, e.Kids[0])
	if e.Arrow {
		if t.kind != pointer {
			return valueType{}
		}
		t = *t.elem
	}
	if t.kind == vector {
		if i := strings.Index("xyzw", e.Name); len(e.Name) == 1 && i >= 0 && i < t.comps {
			return valueType{kind: number, bytes: t.bytes}
		}
		return valueType{}
	}
	if class := x.class(fn, e.Kids[0]); class != "" {
		return x.field(fn, class, e.Name)
	}
	return valueType{}
}

// class is the name of the class that an expression is of, or points to: read
// off the declaration of the variable at its bottom, where only subscripts and
// dereferences stand between.
func (x *finder) class(fn *ir.Func, e *ir.Expr) string {
	for e.Op == ir.OpIndex || e.Op == ir.OpDeref {
		e = e.Kids[0]
	}
	if e.Op != ir.OpIdent {
		return ""
	}
	v := e.Var
	if v == nil {
		v = x.facts.Variable(fn, e)
	}
	if v == nil || v.Type.IsAuto() {
		return ""
	}
	return v.Type.Base
}

// call is the type of what a call returns: of a function in view where all of
// that name agree, else of CUDA's own.
func (x *finder) call(fn *ir.Func, e *ir.Expr) valueType {
	args := e.Args()
	if _, member := e.IsMemberCall(); member || len(e.Kids) == 0 || e.Kids[0].Op != ir.OpIdent || e.Kids[0].Var != nil {
		return valueType{}
	}
	if view := x.k.Prog.Named(fn.File, e.Name); len(view) > 0 {
		out := valueType{}
		for i, d := range view {
			t, ref := x.returned(fn, d)
			if ref || t.kind == unknown || i > 0 && (t.kind != out.kind || t.name != out.name) {
				return valueType{}
			}
			out = t
		}
		return out
	}
	switch r := e.Intrinsic(); r.Type {
	case intrinsic.Named:
		t, _ := builtin(strings.TrimPrefix(e.Name, "make_"))
		return t
	case intrinsic.Pointee:
		if len(args) == 0 {
			return valueType{}
		}
		if t := x.expr(fn, args[0]); t.kind == pointer {
			return *t.elem
		}
	case intrinsic.Operand:
		i := 0
		if r.Kind == intrinsic.Exchange && strings.HasSuffix(e.Name, "_sync") {
			i = 1 // behind the mask
		}
		if i < len(args) {
			return x.expr(fn, args[i])
		}
	case intrinsic.Element:
		if len(e.TArgs) == 1 {
			return x.named(fn, e.TArgs[0].Name, 0)
		}
	case intrinsic.Arguments, intrinsic.Floating, intrinsic.Int, intrinsic.Long, intrinsic.Float, intrinsic.Double:
		// For those that half precision has as well, the arguments tell.
		t := plainNumber
		if !r.ByValue() {
			return valueType{}
		}
		if r.Type == intrinsic.Long || r.Type == intrinsic.Double {
			t.bytes = 8
		}
		for _, a := range args {
			o := x.expr(fn, a)
			if o.kind != number {
				return valueType{}
			}
			t.bytes = max(t.bytes, o.bytes)
		}
		return t
	}
	return valueType{}
}

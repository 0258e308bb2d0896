package kit

import (
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/ir/effect"
)

// TypeOf returns the type of an expression of numbers as text, "" where it is not known.
func (al *Alignment) TypeOf(e *ir.Expr) string {
	switch e.Op {
	case ir.OpInt:
		switch {
		case e.Type.Base != "":
			return ""
		case e.Tok == "u":
			return ir.Uint.Name
		}
		return "int"
	case ir.OpLiteral:
		if word := strings.ToLower(e.Name); word != "" && (word[0] >= '0' && word[0] <= '9' || word[0] == '.') && !strings.HasPrefix(word, "0x") {
			switch {
			case strings.HasSuffix(word, "f"):
				return "float"
			case strings.ContainsAny(word, ".e") && !strings.HasSuffix(word, "l"):
				return "double"
			}
		}
	case ir.OpIdent, ir.OpIndex, ir.OpDeref:
		// As many subscripts as the root has extents and stars.
		depth := 0
		for ; e.Op == ir.OpIndex || e.Op == ir.OpDeref || (e.Op == ir.OpBinary || e.Op == ir.OpAddr) && depth > 0; e = e.Kids[0] {
			switch {
			case e.Op == ir.OpAddr:
				depth-- // *&x is x
			case e.Op != ir.OpBinary:
				depth++
			case e.Tok != "+" || e.Kids[0].Root() != e.Root():
				return ""
			}
		}
		v := e.Var
		if e.Op != ir.OpIdent || v == nil {
			if m, ok := map[string]string{"threadIdx": "uint3", "blockIdx": "uint3", "blockDim": "dim3", "gridDim": "dim3"}[e.Name]; ok && depth == 0 && e.Op == ir.OpIdent {
				return m
			}
			return ""
		}
		levels, v := al.Kernel.State.levels(v)
		if depth == levels && !v.Type.IsAuto() {
			return PlainName(v.Type.Base)
		}
	case ir.OpCast:
		if e.Type.Ptr == 0 && !e.Type.Ref {
			return PlainName(e.Type.Base)
		}
	case ir.OpUnary:
		if e.Tok != "!" {
			return promoted(al.TypeOf(e.Kids[0]), "int")
		}
	case ir.OpBinary:
		switch e.Tok {
		case "+", "-", "*", "/", "%", "&", "|", "^":
			return promoted(al.TypeOf(e.Kids[0]), al.TypeOf(e.Kids[1]))
		case "<<", ">>":
			return promoted(al.TypeOf(e.Kids[0]), "int")
		}
	case ir.OpCond:
		a, b := al.TypeOf(e.Kids[1]), al.TypeOf(e.Kids[2])
		if a == b {
			return a
		}
		return promoted(a, b)
	case ir.OpCall:
		if args := e.Args(); e.Calls("__ldg") && len(args) == 1 {
			return al.TypeOf(&ir.Expr{Op: ir.OpDeref, Kids: args})
		}
		switch gs := al.Kernel.State.Calls[e]; len(gs) {
		case 0:
			return al.ResultType(e)
		case 1:
			return PlainName(ReturnType(gs[0]))
		}
	case ir.OpMember:
		base := al.TypeOf(e.Kids[0])
		if len(e.Name) == 1 && strings.Contains("xyzw", e.Name) && !e.Arrow {
			if base == "dim3" {
				return ir.Uint.Name
			}
			return ComponentOf(base)
		}
	}
	return ""
}

// ResultType is the type of what a function of CUDA returns, "" where it is not known.
func (al *Alignment) ResultType(e *ir.Expr) string {
	if !e.Intrinsic().Pure() {
		return ""
	}
	t := al.Scope(al.New).TypeOf(al.New, e)
	if t.Levels > 0 || t.Kind != effect.Number && t.Kind != effect.Vector {
		return ""
	}
	return PlainName(t.Base)
}

// promoted is the type in which C++ computes with two numbers, "" where that is not known.
func promoted(a, b string) string {
	m, ok := ir.NumberOf(a)
	n, also := ir.NumberOf(b)
	if !ok || !also || m.Name == "half" || n.Name == "half" {
		return ""
	}
	return ir.Usual(m, n).Name
}

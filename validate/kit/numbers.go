package kit

import (
	"slices"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/ir/effect"
)

// TypeOf returns the type of an expression of numbers or of vectors of them, in the one way in which types are compared;
// "" where it is another one, or not known. What is declared has the type that the declaration names, a T or a name of
// the program's among them. What the program's operators make of halves is not known.
func (al *Alignment) TypeOf(e *ir.Expr) string {
	if named := al.declaredType(e); named != "" {
		return named
	}
	if e.Op == ir.OpCond {
		if a := al.TypeOf(e.Kids[1]); a == al.TypeOf(e.Kids[2]) {
			return a
		}
	}
	scope := al.Scope(al.New)
	switch e.Op {
	case ir.OpUnary, ir.OpBinary, ir.OpCond:
		if slices.ContainsFunc(e.Kids, func(kid *ir.Expr) bool { return scope.TypeOf(al.New, kid).Base == "half" }) {
			return ""
		}
	}
	if t := scope.TypeOf(al.New, e); t.Levels == 0 && (t.Kind == effect.Number || t.Kind == effect.Vector) {
		return PlainName(t.Base)
	}
	return ""
}

// declaredType is the type that the text names for an element, a variable, a cast or what a function in view returns.
func (al *Alignment) declaredType(e *ir.Expr) string {
	if e.Op == ir.OpCast && e.Type.Ptr == 0 && !e.Type.Ref {
		return PlainName(e.Type.Base)
	}
	if gs := al.Kernel.State.Calls[e]; len(gs) == 1 {
		return PlainName(ReturnType(gs[0]))
	}
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
	if e.Op == ir.OpIdent && e.Var != nil {
		if levels, v := al.Kernel.State.levels(e.Var); depth == levels && !v.Type.IsAuto() {
			return PlainName(v.Type.Base)
		}
	}
	return ""
}

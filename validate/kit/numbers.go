package kit

import (
	"slices"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/ir/effect"
)

// TypeOf returns the type of an expression of numbers or of vectors of them, in the one way in which types are compared;
// "" where it is another one, or not known. An element of an array of T is a T. What the program's operators make of
// halves is not known.
func (al *Alignment) TypeOf(e *ir.Expr) string {
	scope := al.Scope(al.New)
	t := scope.TypeOf(al.New, e)
	switch e.Op {
	case ir.OpUnary, ir.OpBinary, ir.OpCond:
		if slices.ContainsFunc(e.Kids, func(kid *ir.Expr) bool { return scope.TypeOf(al.New, kid).Base == "half" }) {
			return ""
		}
	}
	if t.Levels == 0 && (t.Kind == effect.Number || t.Kind == effect.Vector) {
		return PlainName(t.Base)
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

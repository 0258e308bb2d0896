package kit

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/ir/effect"
)

// NumberType is a type of numbers.
type NumberType struct {
	name     string // the one way in which it is written to be compared
	Bits     int    // 1 of truths
	Unsigned bool
	Float    bool
}

// NumberTypeOf returns the type of numbers that is written so, false for any other type.
func NumberTypeOf(base string) (NumberType, bool) {
	n, ok := ir.NumberOf(base)
	t := NumberType{n.Name, 8 * n.Bytes, n.Unsigned, n.Float}
	if t.name == "bool" {
		t.Bits = 1
	}
	return t, ok
}

// PlainName writes a type in one way, if it is one of numbers.
func PlainName(base string) string {
	if t, ok := NumberTypeOf(base); ok {
		return t.name
	}
	return strings.TrimPrefix(base, "std::")
}

// Integer reports whether a type is one of integers that are not truths.
func (t NumberType) Integer() bool { return t.Bits > 1 && !t.Float }

// Limits are the least and the largest number of a type of integers of at most 32 bits.
func (t NumberType) Limits() (least, most int64) {
	if t.Unsigned {
		return 0, 1<<t.Bits - 1
	}
	return -1 << (t.Bits - 1), 1<<(t.Bits-1) - 1
}

// ComponentOf returns the type of the components of one of CUDA's vectors, "" for any other type.
func ComponentOf(vector string) string {
	if vector == "half2" {
		return "half"
	}
	of, _, _ := ir.VectorOf(vector)
	return of.Name
}

// PlainValue reports whether a type is one of numbers only.
func PlainValue(base string) bool {
	_, number := NumberTypeOf(base)
	return number || ComponentOf(base) != "" || slices.Contains([]string{"dim3", "__half2", "__nv_bfloat16", "nv_bfloat16", "__nv_bfloat162", "nv_bfloat162"}, base)
}

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

package rewrite

import (
	"github.com/smux-cuda/smux/analysis/ir"
)

// loadThrough is the load that p[i], *(p + i) or *p is of the array that a pointer of the kernel's
// own points into:
//
//	const float *row = a + y * w;   row[x]   is   a[y * w + x]
//
// nil for any other expression.
func (f *indexForms) loadThrough(e *ir.Expr) *stagedLoad {
	if e.Macro || len(e.Kids) == 0 || e.Op != ir.OpIndex && e.Op != ir.OpDeref {
		return nil
	}
	base, subscript := pointerAnd(e.Kids[0])
	if e.Op == ir.OpIndex {
		subscript = together(subscript, e.Kids[1])
	}
	for depth := 0; base != nil && depth < 4; depth++ {
		v := base.Var
		if v.Kind == ir.VarParam && v.Type.Ptr == 1 && subscript != nil {
			return &stagedLoad{v: v, whole: e, subscript: subscript}
		}
		into, offset := pointerInto(v)
		if into == nil || into.Var.Type.Base != v.Type.Base {
			return nil
		}
		base, subscript = into, together(offset, subscript)
	}
	return nil
}

// pointerAnd takes p + i + j apart into the variable p and what is added, nil for nothing. It is
// nil for any other expression.
func pointerAnd(e *ir.Expr) (base, offset *ir.Expr) {
	switch {
	case e.Macro:
	case e.Op == ir.OpIdent && e.Var != nil:
		return e, nil
	case e.Op == ir.OpBinary && e.Tok == "+":
		if base, offset = pointerAnd(e.Kids[0]); base != nil && base.Var.Type.Ptr > 0 {
			return base, together(offset, e.Kids[1])
		}
	}
	return nil, nil
}

// together is the sum of two offsets, of which each may be nil.
func together(a, b *ir.Expr) *ir.Expr {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return &ir.Expr{Op: ir.OpBinary, Tok: "+", Kids: []*ir.Expr{a, b}, Range: b.Range}
}

// pointerInto is the pointer that a variable holds with an offset, which is nil for none, as long
// as it lives: p = a, a + i, or &a[i]. It is nil for any other variable.
func pointerInto(v *ir.Var) (base, offset *ir.Expr) {
	if !settled(v) || v.Type.Ptr != 1 || v.Type.Ref || v.Type.Volatile || v.Macro || v.Init.Macro {
		return nil, nil
	}
	if e := v.Init; e.Op == ir.OpAddr && e.Kids[0].Op == ir.OpIndex && !e.Kids[0].Macro {
		base, offset = pointerAnd(e.Kids[0].Kids[0])
		offset = together(offset, e.Kids[0].Kids[1])
	} else {
		base, offset = pointerAnd(e)
	}
	if base == nil || base.Var.Type.Ptr != 1 {
		return nil, nil
	}
	return base, offset
}

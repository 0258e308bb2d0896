package stage

import (
	"github.com/smux-cuda/smux/analysis/ir"
)

// pointed is the target of an expression: an element of the array behind a parameter, or a
// row of it, whose elements lie one after the other.
type pointed struct {
	v      *ir.Var
	offset *ir.Expr // in elements, nil for none
	rows   []int64  // the extents of what it points to, none for an element
}

// loadThrough is the load that an expression is of the array that a pointer points into, by itself,
// by a pointer of the kernel's own, or by the rows of an array of more dimensions:
//
//	const float *row = a + y * w;   row[x]   is   a[y * w + x]
//	const float (*a)[64]            a[y][x]  is   a[y * 64 + x] of a pointer to elements
//
// nil for any other expression. A subscript beyond a row's end is the next row's, as in memory.
func (f *indexForms) loadThrough(e *ir.Expr) *stagedLoad {
	var p pointed
	ok := false
	switch {
	case e.Macro || len(e.Kids) == 0:
	case e.Op == ir.OpIndex, e.Op == ir.OpDeref:
		p, ok = f.pointsTo(e.Kids[0], mostPointers)
		if e.Op == ir.OpIndex && ok && len(p.rows) == 0 {
			p.offset = together(p.offset, e.Kids[1])
		}
	case e.Calls("__ldg") && len(e.Args()) == 1:
		p, ok = f.pointsTo(e.Args()[0], mostPointers)
	}
	if !ok || len(p.rows) > 0 || p.offset == nil {
		return nil
	}
	return &stagedLoad{v: p.v, whole: e, subscript: p.offset}
}

// mostPointers is the largest number of the kernel's own pointers that lead to an array, one by another.
const mostPointers = 4

// pointsTo finds where an expression points, as long as what it names lives; ok is false where that is not known.
func (f *indexForms) pointsTo(e *ir.Expr, depth int) (p pointed, ok bool) {
	switch {
	case e.Macro:
	case e.Op == ir.OpIdent && e.Var != nil && e.Var.Kind == ir.VarParam:
		rows, ok := f.rowsOf(e.Var.Type)
		return pointed{e.Var, nil, rows}, ok && derefsToElement(e.Var) > 0
	case e.Op == ir.OpIdent && e.Var != nil && depth > 0:
		v := e.Var
		if !settled(v) || v.Type.Ptr != 1 || v.Type.Ref || v.Type.Volatile || v.Macro || v.Init.Macro {
			return p, false
		}
		p, ok = f.pointsTo(v.Init, depth-1)
		return p, ok && len(p.rows) == 0 && p.v.Type.Base == v.Type.Base
	case e.Op == ir.OpBinary && e.Tok == "+":
		if p, ok = f.pointsTo(e.Kids[0], depth); ok {
			p.step(e.Kids[1])
		}
		return p, ok
	case e.Op == ir.OpAddr && e.Kids[0].Op == ir.OpIndex && !e.Kids[0].Macro:
		if p, ok = f.pointsTo(e.Kids[0].Kids[0], depth); ok {
			p.step(e.Kids[0].Kids[1])
		}
		return p, ok
	case e.Op == ir.OpCast && len(e.Kids) == 1 && !e.Type.Volatile:
		var rows []int64
		if p, ok = f.pointsTo(e.Kids[0], depth); ok {
			rows, ok = f.rowsOf(e.Type)
		}
		p.rows = rows
		return p, ok && e.Type.Base == p.v.Type.Base
	case e.Op == ir.OpIndex, e.Op == ir.OpDeref: // a row, which is a pointer to its first element
		if p, ok = f.pointsTo(e.Kids[0], depth); !ok || len(p.rows) == 0 {
			return p, false
		}
		if e.Op == ir.OpIndex {
			p.step(e.Kids[1])
		}
		p.rows = p.rows[1:]
		return p, true
	}
	return p, false
}

// step moves a pointer by a number of what it points to.
func (p *pointed) step(by *ir.Expr) {
	n := int64(1)
	for _, d := range p.rows {
		n *= d
	}
	if n > 1 {
		pitch := &ir.Expr{Op: ir.OpInt, Int: n, Type: ir.Type{Base: "int"}, Range: by.Range}
		by = &ir.Expr{Op: ir.OpBinary, Tok: "*", Kids: []*ir.Expr{by, pitch}, Range: by.Range}
	}
	p.offset = together(p.offset, by)
}

// mostRow is the largest number of elements of a row.
const mostRow = 1 << 30

// rowsOf are the extents of the array that a pointer of a type points to, none of an element; ok is
// false for what is no pointer to either, or where the extents are no numbers.
func (f *indexForms) rowsOf(t ir.Type) (extents []int64, ok bool) {
	if t.Rows == nil {
		return nil, t.Ptr == 1
	}
	all := int64(1)
	for _, d := range t.Rows.Extents {
		n, ok := f.constant(d)
		if !ok || n <= 0 || n > mostRow/all {
			return nil, false
		}
		all *= n
		extents = append(extents, n)
	}
	return extents, true
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

// derefsToElement counts the subscripts that lead from a variable to an element, 0 for what is no
// pointer to elements nor to rows.
func derefsToElement(v *ir.Var) int {
	if v.Type.Rows == nil && len(v.Dims) > 0 {
		return 0
	}
	return derefsOf(v.Type)
}

// derefsOf is the same of a type.
func derefsOf(t ir.Type) int {
	switch {
	case t.Rows != nil:
		return 1 + len(t.Rows.Extents)
	case t.Ptr == 1:
		return 1
	}
	return 0
}

// isElement reports whether what is assigned to is one element of what a parameter points to, by
// the parameter's type or by one that it is cast to.
func isElement(target *ir.Expr) bool {
	n := 0
	for e := target; e != nil; e = e.Kids[0] {
		switch {
		case e.Op == ir.OpIdent && e.Var != nil:
			return n > 0 && n == derefsToElement(e.Var)
		case e.Op == ir.OpCast && e.Type.Ptr > 0 && derefsOf(e.Type) > 0:
			return n == derefsOf(e.Type) && e.Kids[0].Root() != nil && e.Kids[0].Derefs() == 0
		case len(e.Kids) == 0:
			return false
		case e.Op == ir.OpIndex || e.Op == ir.OpDeref || e.Op == ir.OpMember && e.Arrow:
			n++
		}
	}
	return false
}

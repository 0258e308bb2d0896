package analysis

import (
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/parser"
)

// pointerMember adds the use of a pointer that is a member of something in
// shared memory, and through which the address of e leads: it is read, whatever
// is done to what it points to. A member that is an array is not a pointer.
func (x *execution) pointerMember(out *memoryEffect, e *ir.Expr, in flow) {
	if in.may.none {
		return
	}
	follows, base := 1, e.Kids[0]
	for base.Op == ir.OpIndex || base.Op == ir.OpDeref || base.Op == ir.OpCast && len(base.Kids) == 1 {
		if base.Op != ir.OpCast {
			follows++
		}
		base = base.Kids[0]
	}
	if base.Op != ir.OpMember || follows <= x.k.memberDims(x.fn, base) {
		return
	}
	if set := x.k.lvalue(x.fn, base); set != 0 {
		x.use(out, nil, ref{arrays: set, opaque: true}, in)
	}
}

// memberDims returns how many dimensions a member has that is an array, 0 where it
// is something else or its declaration is not found.
func (k *Kernel) memberDims(fn *ir.Func, e *ir.Expr) int {
	if r := k.record(fn, e.Kids[0]); r != nil {
		if m := r.Member(e.Name); m != nil {
			return len(m.Dims)
		}
		return 0
	}
	root := e.Kids[0]
	for root.Op == ir.OpIndex {
		root = root.Kids[0]
	}
	v := k.variable(fn, root)
	if root.Op != ir.OpIdent || v == nil {
		return 0
	}
	dims, found := 0, 0
	for _, f := range k.Prog.unit(fn.File).files {
		for _, c := range f.Classes {
			if c.Body == nil || c.Name != lastName(v.Type.Base) {
				continue
			}
			for n := c.Body.FirstNamed(); n != nil; n = n.NextNamed() {
				if n.Kind != parser.KindFieldDeclaration {
					continue
				}
				for d := n.First; d != nil; d = d.Next {
					if d.Field == parser.FieldDeclarator && declaredName(f, d) == e.Name {
						found++
						dims = arrayDims(d)
					}
				}
			}
		}
	}
	if found != 1 {
		return 0 // nowhere, or in several classes of that name
	}
	return dims
}

// record is the struct or union that the declaration of an lvalue writes out, nil for
// any other type.
func (k *Kernel) record(fn *ir.Func, e *ir.Expr) *ir.Record {
	switch e.Op {
	case ir.OpIndex:
		return k.record(fn, e.Kids[0])
	case ir.OpMember:
		if r := k.record(fn, e.Kids[0]); r != nil {
			if m := r.Member(e.Name); m != nil {
				return m.Type.Record
			}
		}
	case ir.OpIdent:
		v := k.variable(fn, e)
		switch {
		case v == nil:
		case v.Type.Ref && v.Type.IsAuto() && v.Init != nil && !v.Init.Any(func(t *ir.Expr) bool { return t.Var == v }):
			return k.record(fn, v.Init)
		default:
			return v.Type.Record
		}
	}
	return nil
}

// declaredName is the name that a member's declarator declares.
func declaredName(f *parser.File, d *parser.Node) string {
	for d != nil && d.Kind != parser.KindFieldIdentifier {
		d = d.Child(parser.FieldDeclarator)
	}
	if d == nil {
		return ""
	}
	return f.Text(d)
}

// arrayDims is the number of dimensions of a declarator that is an array's.
func arrayDims(d *parser.Node) int {
	n := 0
	for d != nil && d.Kind == parser.KindArrayDeclarator {
		n++
		d = d.Child(parser.FieldDeclarator)
	}
	if d == nil || d.Kind != parser.KindFieldIdentifier {
		return 0
	}
	return n
}

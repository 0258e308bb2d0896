package pointers

import (
	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/parser"
)

// MemberDims returns how many dimensions a member has that is an array, 0 where it
// is something else or its declaration is not found.
func MemberDims(k *analysis.Kernel, fn *ir.Func, e *ir.Expr) int {
	if r := record(k, fn, e.Kids[0]); r != nil {
		if m := r.Member(e.Name); m != nil {
			return len(m.Dims)
		}
		return 0
	}
	root := e.Kids[0]
	for root.Op == ir.OpIndex {
		root = root.Kids[0]
	}
	v := k.Variable(fn, root)
	if root.Op != ir.OpIdent || v == nil {
		return 0
	}
	dims, found := 0, 0
	for _, f := range k.Prog.Unit(fn.File).Files {
		for _, c := range f.Classes {
			if c.Body == nil || c.Name != analysis.LastName(v.Type.Base) {
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

// record is the struct or union that the declaration of an lvalue writes out, nil for any other type.
func record(k *analysis.Kernel, fn *ir.Func, e *ir.Expr) *ir.Record {
	switch e.Op {
	case ir.OpIndex:
		return record(k, fn, e.Kids[0])
	case ir.OpMember:
		if r := record(k, fn, e.Kids[0]); r != nil {
			if m := r.Member(e.Name); m != nil {
				return m.Type.Record
			}
		}
	case ir.OpIdent:
		v := k.Variable(fn, e)
		switch {
		case v == nil:
		case v.Type.Ref && v.Type.IsAuto() && v.Init != nil && !v.Init.Any(func(t *ir.Expr) bool { return t.Var == v }):
			return record(k, fn, v.Init)
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

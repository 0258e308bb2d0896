package affine

import (
	"strings"

	"github.com/smux-cuda/smux/analysis/intrinsic"
	"github.com/smux-cuda/smux/analysis/ir"
)

// member finds what x.name and x->name name: a built-in variable, a part of an
// element in memory, or a member of a parameter.
func (a *activation) member(e *ir.Expr) value {
	base := e.Kids[0]
	if base.Op == ir.OpIdent && base.Var == nil {
		if d := strings.Index("xyz", e.Name); d >= 0 && len(e.Name) == 1 {
			if v := a.builtin(base.Name, d); v.known {
				return v
			}
		}
	}
	if base.Op == ir.OpCall && a.isBlock(base) {
		if d := strings.Index("xyz", e.Name); d >= 0 && len(e.Name) == 1 {
			if m := intrinsic.BlockMember(base.Name); m != nil && m.Variable != "" {
				name := m.Variable
				return a.builtin(name, d)
			}
		}
	}
	if p := base.Var; !e.Arrow && base.Op == ir.OpIdent && p != nil && p.Kind == ir.VarParam && a.outer == nil && p.Type.Ptr == 0 && len(p.Writes) == 0 && !p.AddrTaken {
		v := number(a.symbol(p.Name + "." + e.Name))
		v.may = &Array{Var: p, Path: "." + e.Name}
		return v
	}
	var v value
	if e.Arrow {
		v = a.eval(base).pointer()
		if v.isPtr {
			v = a.subscript(v, number(Form{}), nil)
		}
	} else {
		v = a.place(base)
	}
	if !v.isPtr || !v.whole {
		return value{}
	}
	return v.part(e.Name)
}

// part is a member of an element: at its offset in CUDA's vectors, under its
// name in a struct.
func (v value) part(name string) value {
	if v.base != nil && v.elem > 0 && v.base.Ptr == 0 {
		of, n, _ := ir.VectorOf(v.base.Base)
		if d := strings.Index("xyzw", name); n > 0 && d >= 0 && d < n && len(name) == 1 {
			size := v.elem / n
			v.form = v.form.Add(Number(int64(d * size)))
			v.moves = size
			v.base = &ir.Type{Base: of.Name}
			return v
		}
	}
	v.field += "." + name
	if v.elem > 4 {
		v.moves = 4
	}
	v.base = nil
	return v
}

// builtin is a component of a built-in variable.
func (a *activation) builtin(name string, d int) value {
	extent := a.out.Shape[d]
	switch name {
	case "threadIdx":
		if extent == 1 {
			return number(Form{})
		}
		return number(along(a.thread[d]))
	case "blockIdx":
		return number(along(a.block[d]))
	case "blockDim":
		if extent > 0 {
			return number(Number(int64(extent)))
		}
		return number(a.symbol("blockDim." + "xyz"[d:d+1]))
	case "gridDim":
		return number(a.symbol("gridDim." + "xyz"[d:d+1]))
	}
	return value{}
}

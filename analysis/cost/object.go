package cost

import (
	"cmp"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/evaluate"
	"github.com/smux-cuda/smux/analysis/ir"
)

// space is a kind of memory.
type space uint8

const (
	inRegisters space = iota // a local array: registers where its subscripts are constant
	inShared
	inGlobal
	inConstant
)

// object is something a pointer can point into.
type object struct {
	space    space
	v        *ir.Var
	readOnly bool   // nothing in the kernel writes to it: loads may be moved over stores
	home     *frame // of what is in registers: the activation that it is a local variable of
}

// lvalue is a place to store to: a register cell, or memory.
type lvalue struct {
	typ  ctype
	dims []int64 // of an array that is not subscripted to the end
	cell cell
	home *frame // that the cell is in, where it is not the current one: a reference or pointer leads there
	// to is the address, for what lives in memory; its obj is nil for a cell.
	to value
	// operand is set if the load is inline assembly, whose operand the address is.
	operand bool
	// record holds the members of a struct or union in shared memory whose declaration writes them out.
	record *ir.Record
}

// object returns the object that a variable is or, for a pointer parameter, points to.
func (f *frame) object(v *ir.Var, sp space) *object {
	o := f.x.objects[v]
	if o == nil {
		o = &object{space: sp, v: v}
		if sp == inGlobal {
			o.readOnly = v.Type.Restrict && (v.Type.PtrConst || v.Type.Rows != nil && v.Type.Rows.Const)
		}
		if sp == inRegisters {
			o.home = f
		}
		f.x.objects[v] = o
	}
	return o
}

// variable resolves a name to where its value lives; ok is false for names that are not variables.
func (f *frame) variable(e *ir.Expr) (lvalue, bool) {
	v := e.Var
	if sh := evaluate.SharedVar(f.x.k, f.fn, e); sh != nil {
		return f.sharedArray(sh, v), true
	}
	if v == nil {
		if v = f.x.k.GlobalVar(f.fn, e.Name); v == nil || e.Qual != "" && v.Kind != ir.VarEnumerator {
			return lvalue{}, false
		}
	}
	if l, ok := f.alias[v]; ok {
		return l, true
	}
	t := f.typeOf(v.Type)
	switch v.Kind {
	case ir.VarGlobal, ir.VarConstant:
		if v.Type.Const && len(v.Dims) == 0 && v.Init != nil && t.ptr == 0 {
			break // a named number
		}
		sp := inGlobal
		if v.Kind == ir.VarConstant || v.Type.Const {
			sp = inConstant
		}
		o := f.object(v, sp)
		return lvalue{typ: t, dims: f.dims(v), to: value{typ: t.pointer(), known: true, exact: true, obj: o}}, true
	}
	if len(v.Dims) > 0 && v.Kind != ir.VarParam {
		o := f.object(v, inRegisters)
		return lvalue{typ: t, dims: f.dims(v), to: value{typ: t.pointer(), known: true, exact: true, obj: o}}, true
	}
	if len(v.Dims) > 0 && v.Type.Rows == nil {
		t = t.pointer()
	}
	return lvalue{typ: t, cell: cell{v: v}}, true
}

func (f *frame) sharedArray(sh *analysis.Shared, v *ir.Var) lvalue {
	v = cmp.Or(v, sh.Var)
	o := f.x.objects[sh.Var]
	if o == nil {
		o = &object{space: inShared, v: sh.Var}
		f.x.objects[sh.Var] = o
	}
	t := f.typeOf(v.Type)
	return lvalue{typ: t, dims: f.dims(v), to: value{typ: t.pointer(), known: true, exact: true, obj: o}, record: v.Type.Record}
}

// written is a member of a struct or union whose declaration writes it out. Where it lies
// in it is taken for its start: that moves all banks alike.
func (f *frame) written(l lvalue, m *ir.Var) lvalue {
	t := f.typeOf(m.Type)
	to := value{typ: t.pointer(), known: true, exact: true, obj: l.to.obj}
	return lvalue{typ: t, dims: f.dims(m), to: to, record: m.Type.Record}
}

// dims folds the dimensions of an array.
func (f *frame) dims(v *ir.Var) []int64 { return f.extents(v.Dims) }

// rows are the dimensions of the array that a pointer to arrays points into, of which the first is not known.
func (f *frame) rows(t ir.Type) []int64 {
	if t.Rows == nil {
		return nil
	}
	return append([]int64{1}, f.extents(t.Rows.Extents)...)
}

// extents folds dimensions; one that is not known counts as one.
func (f *frame) extents(dims []*ir.Expr) []int64 {
	var out []int64
	f.x.mute++
	defer func() { f.x.mute-- }()
	for _, d := range dims {
		n := int64(1)
		if d != nil {
			if c := f.eval(d); c.uniform() && c.s > 0 {
				n = c.s
			}
		}
		out = append(out, n)
	}
	return out
}

// address returns the address of an lvalue as a pointer.
func (l lvalue) address() value {
	a := l.to
	a.typ, a.dims = l.typ.pointer(), l.dims
	return a
}

// pointee returns the lvalue that a pointer points to.
func (f *frame) pointee(p value) lvalue {
	l := lvalue{typ: p.typ.elem(), to: p}
	if p.obj == nil {
		// A pointer from memory: some place of its own.
		l.to.obj = &object{space: inGlobal}
		l.to.known = false
	}
	return f.settle(l)
}

// settle turns an element of a local array whose subscript is constant into a cell.
func (f *frame) settle(l lvalue) lvalue {
	if o := l.to.obj; o != nil && o.space == inRegisters && len(l.dims) == 0 && l.to.id == 0 && l.to.known && l.to.v == nil {
		return lvalue{typ: l.typ, home: o.home, cell: cell{v: o.v, index: l.to.s / int64(max(1, l.typ.size()))}}
	}
	return l
}

// advance moves a pointer by n elements of size bytes. What varies costs one
// instruction, what is constant none: it goes into the access.
func (f *frame) advance(p, n value, size int64) value {
	x := f.x
	out := p
	bytes := constant(size, intType)
	out.numbers(numeric("+", p, numeric("*", n, bytes)))
	out.modulo = p.modulo
	if !n.known && size%128 == 0 && p.known {
		// Whatever the row is, the bank is the same.
		out.numbers(p)
		out.exact, out.modulo, out.apart = false, true, true
	}
	if !n.known {
		if out.below = 0; p.known {
			out.below = n.below * size
		}
	}
	out = out.after(n)
	out.add = p.add + n.add*size
	if n.id == 0 && n.known {
		return out
	}
	out.terms, out.within = p.terms+1, p.within+n.add*size
	cost := 1.0
	if n.typ.class == classLong && !slim(n) && p.obj != nil && p.obj.space == inGlobal {
		cost = costLong // of a 32-bit index one multiply and add has a 64-bit result
	}
	if p.obj != nil && p.obj.space == inRegisters {
		cost = 0
	}
	out.id = x.once(operation{op: "address", a: p.id, b: n.id, x: size}, worked("*", intType, cost))
	if p.id == 0 {
		x.folded(out.id, n.id) // with the array's place, a part of the access
	} else {
		x.made(out.id, value{id: out.id, typ: p.typ, obj: p.obj}.words(), p.id, n.id)
		x.shifts(out.id, p.id, n.id)
	}
	return out
}

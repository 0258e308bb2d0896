package affine

import (
	"slices"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/ir"
)

// load lists a read and returns what is known of what it reads.
func (a *activation) load(p value, e *ir.Expr) value {
	if !p.isPtr || !p.whole {
		return p // a number, or a row of an array of more dimensions
	}
	a.record(p, e, Load)
	if p.base != nil && p.base.Ptr > 0 {
		// A pointer that was loaded: where it leads is not known.
		t := *p.base
		t.Ptr--
		return value{known: true, isPtr: true, sized: true, array: Array{Space: SpaceUnknown}, elem: a.facts.SizeOf(a.fn, t), base: &t}
	}
	return a.loaded(p, e)
}

// loaded is the number that a load returns: the same for loads of one address.
func (a *activation) loaded(p value, e *ir.Expr) value {
	if p.base == nil || p.base.Base == "float" || p.base.Base == "double" || p.array.Var == nil || !p.sized {
		return value{}
	}
	l := a.k.Uniformity(a.fn, e)
	// Memory changes while a loop that stores to it runs; that is not tracked.
	var loops []*Loop
	for _, outer := range a.loops {
		if p.form.DependsOn(outer) {
			loops = append(loops, outer)
		}
	}
	key := operation{tok: "[]", field: p.field, array: p.array, f: a.formNumber(p.form), g: -1}
	if r, ok := a.results[key]; ok {
		return number(r)
	}
	address := "…"
	if p.form.length() <= maxName {
		address = p.form.String()
	}
	name := p.array.Name() + p.field + "[" + address + "]"
	if p.array.Space == SpaceConstant && p.form.Uniform() {
		return number(a.remember(key, a.newSymbol(name).form()))
	}
	x := a.newAxis(Axis{Kind: AxisData, Name: name, Level: max(l, p.form.Level()), Loops: loops, Max: largest(p.base.Base), From: p.array.Var})
	return number(a.remember(key, along(x)))
}

// largest is the largest value of an unsigned type of a byte or two, else -1.
func largest(base string) int64 {
	switch base {
	case "unsigned char", "uchar", "uint8_t", "Npp8u":
		return 255
	case "unsigned short", "ushort", "uint16_t":
		return 65535
	}
	return -1
}

// record lists an access.
func (a *activation) record(p value, e *ir.Expr, kind Kind) {
	if p.array.Var != nil && p.array.Var.Kind == ir.VarLocal {
		return
	}
	a.out.Accesses = append(a.out.Accesses, &Access{
		Array: p.array, Field: p.field, Bytes: p.size(), Address: p.form, Sized: p.sized && p.elem > 0, Kind: kind,
		Expr: e, Stmt: a.at, Func: a.fn, Calls: slices.Clone(a.calls), Loops: slices.Clone(a.loops), Active: a.active,
	})
}

// place finds what an lvalue names: a pointer to it, or a value where it is no
// memory.
func (a *activation) place(e *ir.Expr) value {
	switch e.Op {
	case ir.OpIndex:
		v := a.eval(e.Kids[0])
		i := a.eval(e.Kids[1])
		if v = v.pointer(); v.isPtr {
			return a.subscript(v, i, e.Kids[1])
		}
		return a.anywhere(e.Kids[0])
	case ir.OpDeref:
		v := a.eval(e.Kids[0]).pointer()
		if v.isPtr {
			return a.subscript(v, number(Form{}), nil)
		}
		return a.anywhere(e.Kids[0])
	case ir.OpMember:
		return a.member(e)
	case ir.OpIdent:
		if s := a.facts.Shared(a.fn, e); s != nil {
			return a.declared(Array{Var: s.Var, Space: SpaceShared, Shared: s}, s.Var)
		}
		if v := a.facts.Variable(a.fn, e); v != nil && (v.Kind == ir.VarGlobal || v.Kind == ir.VarConstant) {
			return a.declared(Array{Var: v}, v)
		}
		return a.ident(e)
	case ir.OpCast, ir.OpComma:
		if len(e.Kids) > 0 {
			return a.place(e.Kids[len(e.Kids)-1])
		}
	}
	return a.eval(e)
}

// anywhere is an element in memory that is reached through a pointer of which
// nothing is known; no memory at all for an array in registers.
func (a *activation) anywhere(base *ir.Expr) value {
	if r := base.Root(); r != nil && r.Var != nil && r.Var.Type.Ptr == 0 && !r.Var.Type.IsAuto() {
		return value{}
	}
	return value{known: true, isPtr: true, whole: true, array: Array{Space: SpaceUnknown}}
}

// subscript moves a pointer by an index and steps into what it points to.
func (a *activation) subscript(v, i value, index *ir.Expr) value {
	if !i.known || i.isPtr {
		i = a.unknownIndex(index)
	}
	v = v.advance(i)
	v.whole = len(v.dims) == 0
	if !v.whole {
		v.dims = v.dims[1:]
	}
	return v
}

// unknownIndex is an index of which only the uniformity is known.
func (a *activation) unknownIndex(e *ir.Expr) value {
	if e == nil {
		return number(Form{})
	}
	l := a.k.Uniformity(a.fn, e)
	if l == analysis.GridUniform && len(a.loops) == 0 {
		return number(a.symbol(a.source(e)))
	}
	return number(a.data(a.source(e), l))
}

// source is the text of an expression.
func (a *activation) source(e *ir.Expr) string {
	if e.Range.Start < 0 || e.Range.End > len(a.fn.File.Src) || e.Range.Start > e.Range.End {
		return "?"
	}
	return string(a.fn.File.Src[e.Range.Start:e.Range.End])
}

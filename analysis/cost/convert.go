package cost

import "github.com/smux-cuda/smux/analysis/ir"

// converted is a value as another type: integers and floats cost a conversion.
func (f *frame) converted(v value, t ctype) value {
	if t.ptr > 0 || v.typ.ptr > 0 || t.comps != v.typ.comps {
		if t.ptr > 0 || t.comps == v.typ.comps {
			v.typ = t
		}
		return v
	}
	from := v.typ
	fi, ti := from.integer(), t.integer()
	switch {
	case fi && ti, from.class == t.class:
		v.narrow = v.narrow && t.class == classLong || from.class == classInt && t.class == classLong
		if v.typ = t; t.integer() && t.size() == 1 && (v.below == 0 || v.below > byteNumbers) {
			v.below = byteNumbers
		}
		return v
	case v.isConstant():
		id := f.x.free(operation{op: "float", x: v.s})
		return value{typ: t, id: id, literal: !ti, power: !ti && v.s > 0 && v.s&(v.s-1) == 0}
	case v.literal && !ti:
		v.typ = t
		return v
	}
	out := value{typ: t, id: f.x.once(operation{op: "convert", a: v.id, x: v.add, y: int64(t.class)}, convertedTo(from, t, costConvert*float64(t.comps)))}
	f.x.made(out.id, out.words(), v.id)
	return out.after(v)
}

// byteNumbers is the number of values of a byte.
const byteNumbers = 256

func (f *frame) cast(e *ir.Expr) value {
	t := f.typeOf(e.Type)
	if len(e.Kids) != 1 {
		for _, k := range e.Kids {
			f.eval(k)
		}
		return f.x.unknown(t)
	}
	v := f.eval(e.Kids[0])
	if e.Type.Base == "void" && e.Type.Ptr == 0 {
		return v
	}
	out := f.converted(v, t)
	if t.ptr > 0 {
		out.dims = f.rows(e.Type)
	}
	return out
}

func (f *frame) sizeof(e *ir.Expr) value {
	t := e.Type
	if len(e.Kids) == 1 {
		k := e.Kids[0]
		if k.Op == ir.OpIdent && k.Var == nil {
			return constant(int64(f.typeOf(ir.Type{Base: k.Name}).size()), intType)
		}
		f.x.mute++
		v := f.eval(k)
		f.x.mute--
		n := int64(v.typ.size())
		if len(v.dims) > 0 {
			n = int64(v.typ.elem().size())
			for _, d := range v.dims {
				n *= d
			}
		}
		return constant(n, intType)
	}
	return constant(int64(f.typeOf(t).size()), intType)
}

// choose is ?:. Cheap arms are both computed and one is selected.
func (f *frame) choose(e *ir.Expr) value {
	x := f.x
	c := f.eval(e.Kids[0])
	if c.uniform() && c.isConstant() {
		if c.s != 0 {
			return f.eval(e.Kids[1])
		}
		return f.eval(e.Kids[2])
	}
	outer := x.mask
	certain := c.known && c.exact
	arm := func(k *ir.Expr, want bool) value {
		if certain {
			x.restrict(outer.and(x.n, c, want))
		}
		v := f.eval(k)
		x.restrict(outer)
		return v
	}
	if certain && c.v == nil {
		if c.s != 0 {
			return arm(e.Kids[1], true)
		}
		return arm(e.Kids[2], false)
	}
	a := arm(e.Kids[1], true)
	b := arm(e.Kids[2], false)
	t := usual(a.typ, b.typ)
	if a.typ == b.typ {
		t = a.typ
	}
	out := value{typ: t, obj: a.obj}
	switch both := a.known && b.known && a.obj == b.obj; {
	case both && certain:
		out.numbers(selected(x.n, c, a, b))
	case both && a.v == b.v:
		// Whichever it is, threads differ by the same numbers.
		out.known, out.s, out.v, out.next, out.apart = true, a.s, a.v, a.next, a.apart || b.apart || a.next != b.next
	}
	out = out.after(a).after(b).after(c)
	if out.obj != nil && a.obj != b.obj {
		out.known = false
	}
	out.id = x.once(operation{op: "select", a: a.id, b: b.id, x: a.add ^ int64(c.id)<<20, y: b.add}, worked("select", t, float64(max(1, t.comps))))
	x.made(out.id, out.words(), a.id, b.id)
	return out
}

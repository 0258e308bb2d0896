package analysis

import (
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/polynomial"
)

// layout describes how a struct or union that a declaration writes out lies in memory. Places
// in it are counted in units: the largest number of bytes that the sizes of all elements
// and all their places are multiples of. So an element of one member is the same units
// as one of another member of a union that shares its bytes, and what is written through
// the one is gone for the other.
type layout struct {
	unit    int // bytes; 0 where all elements are of one type whose size is not known: one unit each
	units   int
	align   int // bytes
	members map[string]member
}

// member is a member of a struct or union: where it begins, its dimensions, and how many
// units an element takes.
type member struct {
	off, step int
	dims      []int
	elem      ir.Type
	in        *layout // of a member that is such a type itself
}

// layoutOf lays a type out; nil if unknown. size tells the bytes of other
// types and what they are aligned to, 0 for one that is not known.
func (f *frame) layoutOf(r *ir.Record, size func(ir.Type) (bytes, align int)) *layout {
	one := sameType(r, nil)
	l := f.layRecord(r, func(t ir.Type) (int, int) {
		if n, a := size(t); n > 0 || one == nil {
			return n, a
		}
		return 1, 1
	})
	if l == nil || l.units == 0 {
		return nil
	}
	unit := 0
	l.each(func(m member) { unit = polynomial.GCD(polynomial.GCD(unit, m.off), m.step) })
	unit = polynomial.GCD(unit, l.units)
	l.count(unit)
	if one != nil {
		if n, _ := size(*one); n == 0 {
			l.forget()
		}
	}
	return l
}

// forget says that the bytes of units are not known.
func (l *layout) forget() {
	l.unit = 0
	for _, m := range l.members {
		if m.in != nil {
			m.in.forget()
		}
	}
}

// each calls f for each member, those of members included.
func (l *layout) each(f func(member)) {
	for _, m := range l.members {
		f(m)
		if m.in != nil {
			m.in.each(f)
		}
	}
}

// count makes a layout in bytes one in units.
func (l *layout) count(unit int) {
	l.unit, l.units = unit, l.units/unit
	for name, m := range l.members {
		m.off, m.step = m.off/unit, m.step/unit
		l.members[name] = m
		if m.in != nil {
			m.in.count(unit)
		}
	}
}

// sameType is the type that all elements of a record have, nil where they differ.
func sameType(r *ir.Record, t *ir.Type) *ir.Type {
	for _, m := range r.Members {
		switch {
		case m.Type.Record != nil:
			if t = sameType(m.Type.Record, t); t == nil {
				return nil
			}
		case t == nil:
			plain := ir.Type{Base: m.Type.Base, Ptr: m.Type.Ptr}
			t = &plain
		case t.Base != m.Type.Base || t.Ptr != m.Type.Ptr:
			return nil
		}
	}
	return t
}

// layRecord lays a type out in bytes.
func (f *frame) layRecord(r *ir.Record, size func(ir.Type) (bytes, align int)) *layout {
	const most = 1 << 20 // bytes
	l := &layout{unit: 1, align: 1, members: map[string]member{}}
	if r.Unclear {
		return nil
	}
	for i, v := range r.Members {
		m := member{elem: v.Type}
		var align int
		if in := v.Type.Record; in != nil && v.Type.Ptr == 0 {
			if m.in = f.layRecord(in, size); m.in == nil || len(v.Dims) > 0 {
				return nil
			}
			m.step, align = m.in.units, m.in.align
		} else {
			m.step, align = size(ir.Type{Base: v.Type.Base, Ptr: v.Type.Ptr})
		}
		x := f.fold(v.Dims)
		if _, twice := l.members[v.Name]; twice || m.step == 0 || x.count < 0 || x.count*m.step > most {
			return nil
		}
		m.dims = x.dims
		align = max(align, r.Align[i], 1)
		l.align = max(l.align, align)
		if !r.Union {
			m.off = (l.units + align - 1) / align * align
		}
		l.units = max(l.units, m.off+x.count*m.step)
		l.members[v.Name] = m
	}
	l.units = (l.units + l.align - 1) / l.align * l.align
	return l
}

// extentOfShared is the size of a shared variable as a frame sees it.
func (f *frame) extentOfShared(v *ir.Var) extent {
	if r := v.Type.Record; r != nil && v.Type.Ptr == 0 && len(v.Dims) == 0 {
		l := f.layoutOf(r, func(t ir.Type) (int, int) {
			n := f.ev.prog.sizeOf(f.fn, t)
			return n, alignment(t.Base, n)
		})
		if l == nil {
			return extent{count: -1}
		}
		return extent{count: l.units, record: l}
	}
	if k := f.ev.kernel; k != nil && !isTypeParam(f.fn, v.Type.Base) {
		if n, _ := k.levelsOf(f.fn, v.Type.Base, 0); n > 0 {
			return extent{count: -1} // the name of an array's type
		}
	}
	return f.fold(v.Dims)
}

package evaluate

import (
	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/pointers"
	"github.com/smux-cuda/smux/analysis/polynomial"
)

// LayoutOf lays a type out; nil if unknown. size tells the bytes of other
// types and what they are aligned to, 0 for one that is not known.
func (f *Frame) LayoutOf(r *ir.Record, size func(ir.Type) (bytes, align int)) *analysis.Layout {
	one := sameType(r, nil)
	l := f.layRecord(r, func(t ir.Type) (int, int) {
		if n, a := size(t); n > 0 || one == nil {
			return n, a
		}
		return 1, 1
	})
	if l == nil || l.Units == 0 {
		return nil
	}
	unit := 0
	l.Each(func(m analysis.Member) { unit = polynomial.GCD(polynomial.GCD(unit, m.Off), m.Step) })
	unit = polynomial.GCD(unit, l.Units)
	l.Count(unit)
	if one != nil {
		if n, _ := size(*one); n == 0 {
			l.Forget()
		}
	}
	return l
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
func (f *Frame) layRecord(r *ir.Record, size func(ir.Type) (bytes, align int)) *analysis.Layout {
	const most = 1 << 20 // bytes
	l := &analysis.Layout{Unit: 1, Align: 1, Members: map[string]analysis.Member{}}
	if r.Unclear {
		return nil
	}
	for i, v := range r.Members {
		m := analysis.Member{Elem: v.Type}
		var align int
		if in := v.Type.Record; in != nil && v.Type.Ptr == 0 {
			if m.In = f.layRecord(in, size); m.In == nil || len(v.Dims) > 0 {
				return nil
			}
			m.Step, align = m.In.Units, m.In.Align
		} else {
			m.Step, align = size(ir.Type{Base: v.Type.Base, Ptr: v.Type.Ptr})
		}
		x := f.fold(v.Dims)
		if _, twice := l.Members[v.Name]; twice || m.Step == 0 || x.Count < 0 || x.Count*m.Step > most {
			return nil
		}
		m.Dims = x.Dims
		align = max(align, r.Align[i], 1)
		l.Align = max(l.Align, align)
		if !r.Union {
			m.Off = (l.Units + align - 1) / align * align
		}
		l.Units = max(l.Units, m.Off+x.Count*m.Step)
		l.Members[v.Name] = m
	}
	l.Units = (l.Units + l.Align - 1) / l.Align * l.Align
	return l
}

// extentOfShared is the size of a shared variable as a frame sees it.
func (f *Frame) extentOfShared(v *ir.Var) extent {
	if r := v.Type.Record; r != nil && v.Type.Ptr == 0 && len(v.Dims) == 0 {
		l := f.LayoutOf(r, func(t ir.Type) (int, int) {
			n := f.Ev.Prog.SizeOf(f.Fn, t)
			return n, alignment(t.Base, n)
		})
		if l == nil {
			return extent{Count: -1}
		}
		return extent{Count: l.Units, Record: l}
	}
	if k := f.Ev.Kernel; k != nil && !analysis.IsTypeParam(f.Fn, v.Type.Base) {
		if n, _ := pointers.LevelsOf(k, f.Fn, v.Type.Base, 0); n > 0 {
			return extent{Count: -1} // the name of an array's type
		}
	}
	return f.fold(v.Dims)
}

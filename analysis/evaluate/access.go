// Package evaluate folds expressions: to the values of a block's threads, and to polynomials in what is fixed.
package evaluate

import (
	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/pointers"
	"github.com/smux-cuda/smux/analysis/values"
)

// Ref is the place that an lvalue or a pointer into shared memory points to, for every thread at once.
type Ref struct {
	Arrays analysis.ArraySet
	Off    values.Value // element number in the one array, unknown if opaque
	Opaque bool         // somewhere in arrays: the element is not known
	Part   bool         // a part of the element (a struct member)
	Dims   []int        // dimensions not subscripted yet
	// Of a struct or union that is laid out (layout):
	In   *analysis.Layout // whose members come next
	step int              // units per element; 0 for one
	elem ir.Type          // of an element
}

// Width counts the elements of the variable that the reference is to, which has no dimensions left.
func (r Ref) Width() int { return max(1, r.step) }

// Resolve finds where e points if it is an lvalue in, or an address of, shared memory; ok is false if it is neither.
func (f *Frame) Resolve(e *ir.Expr) (Ref, bool) {
	k := f.Ev.Kernel
	if k == nil { // the host has no shared memory
		return Ref{}, false
	}
	switch e.Op {
	case ir.OpIdent:
		if s := k.NamedShared(f.Fn, e); s != nil {
			x := f.Ev.Extent(s)
			return Ref{Arrays: 1 << s.Index, Off: values.Scalar(0), Dims: x.Dims, In: x.Record, Opaque: f.Ev.opaqueElements(s)}, true
		}
		if e.Var == nil {
			return Ref{}, false
		}
		if r, ok := f.refs[e.Var]; ok && len(e.Var.Writes) == 0 && !e.Var.AddrTaken {
			return r, true
		}
		set := pointers.Aliases(k)[e.Var]
		if set == 0 {
			return Ref{}, false
		}
		if v := e.Var; v.Init != nil && len(v.Writes) == 0 && !v.AddrTaken && len(v.Dims) == 0 {
			r, ok := f.initialRef(v)
			if ok {
				return r, true
			}
		}
		return Ref{Arrays: set, Opaque: true}, true
	case ir.OpIndex:
		r, ok := f.Resolve(e.Kids[0])
		if !ok {
			set := pointers.PointerValue(k, f.Fn, e.Kids[1]) // i[p], of types that are not known
			return Ref{Arrays: set, Opaque: true}, set != 0
		}
		return f.advance(r, f.Eval(e.Kids[1]), true), true
	case ir.OpBinary:
		if e.Tok != "+" && e.Tok != "-" {
			return Ref{}, false
		}
		r, ok := f.resolvePointer(e.Kids[0])
		d := e.Kids[1]
		if !ok && e.Tok == "+" {
			r, ok = f.resolvePointer(e.Kids[1])
			d = e.Kids[0]
		}
		if !ok {
			return Ref{}, false
		}
		x := f.Eval(d)
		if e.Tok == "-" {
			x = values.Binary("-", values.Scalar(0), values.Value{Known: x.Known, S: x.S, V: x.V})
		}
		return f.advance(r, x, false), true
	case ir.OpAddr:
		// &s[i] points to a row as a whole: one more dimension to subscript.
		r, ok := f.Resolve(e.Kids[0])
		r.Dims = append([]int{1}, r.Dims...)
		return r, ok
	case ir.OpDeref:
		r, ok := f.Resolve(e.Kids[0])
		if ok && len(r.Dims) > 0 {
			r.Dims = r.Dims[1:]
		}
		return r, ok
	case ir.OpMember:
		r, ok := f.Resolve(e.Kids[0])
		return r.member(e.Name), ok
	case ir.OpCast:
		if len(e.Kids) != 1 {
			return Ref{}, false
		}
		r, ok := f.Resolve(e.Kids[0])
		if !ok {
			return Ref{}, false
		}
		return f.retype(r, e.Type), true
	case ir.OpCond:
		a, okA := f.Resolve(e.Kids[1])
		b, okB := f.Resolve(e.Kids[2])
		return Ref{Arrays: a.Arrays | b.Arrays, Opaque: true}, okA || okB
	case ir.OpMixed:
		set := pointers.PointerValue(k, f.Fn, e) | pointers.Lvalue(k, f.Fn, e)
		return Ref{Arrays: set, Opaque: true}, set != 0
	case ir.OpComma:
		return f.Resolve(e.Kids[1])
	case ir.OpIncDec, ir.OpAssign:
		r, ok := f.Resolve(e.Kids[0])
		return Ref{Arrays: r.Arrays, Opaque: true}, ok
	case ir.OpCall:
		if v := k.Prog.SharedClass(f.Fn, e); v != nil && k.SharedOf[v] != nil {
			s := k.SharedOf[v]
			return Ref{Arrays: 1 << s.Index, Off: values.Scalar(0), Opaque: f.Ev.opaqueElements(s)}, true
		}
		if set := pointers.Lvalue(k, f.Fn, e) | pointers.PointerValue(k, f.Fn, e); set != 0 {
			return Ref{Arrays: set, Opaque: true}, true
		}
	}
	return Ref{}, false
}

// member is a member of what a reference is to.
func (r Ref) member(name string) Ref {
	if r.In == nil {
		r.Part = true
		return r
	}
	m, found := r.In.Members[name]
	if !found || r.Opaque || len(r.Dims) > 0 || !r.Off.Known {
		r.Opaque = true
		return r
	}
	r.Off = values.Binary("+", r.Off, values.Scalar(int64(m.Off)))
	r.Dims, r.In, r.step, r.elem = m.Dims, m.In, m.Step, m.Elem
	return r
}

// initialRef returns the place that the initialiser of a pointer or reference points to.
func (f *Frame) initialRef(v *ir.Var) (r Ref, ok bool) {
	if known, seen := f.inits.refs[v]; seen {
		return known.Ref, known.ok
	}
	f.Initialiser(v, func(init *ir.Expr) {
		if r, ok = f.Resolve(init); ok {
			r = f.retype(r, v.Type)
		}
		if !f.Ev.Spent() {
			f.inits.keepRef(v, initialRef{r, ok})
		}
	})
	return r, ok
}

// resolvePointer is resolve for an operand of pointer arithmetic: s[i] + 1 is not a pointer, s + 1 is.
func (f *Frame) resolvePointer(e *ir.Expr) (Ref, bool) {
	if pointers.PointerValue(f.Ev.Kernel, f.Fn, e) == 0 {
		return Ref{}, false
	}
	return f.Resolve(e)
}

// advance moves a reference by x: a subscript consumes a dimension, pointer arithmetic moves in steps of the pointee.
func (f *Frame) advance(r Ref, x values.Value, subscript bool) Ref {
	if r.Opaque || r.Part || r.In != nil {
		r.Opaque = true
		return r
	}
	stride := int64(r.Width())
	for i, d := range r.Dims {
		if i > 0 {
			stride *= int64(d)
		}
	}
	x.Unsigned = false
	if stride != 1 {
		x = values.Binary("*", x, values.Scalar(stride))
	}
	if !r.Off.Uniform() || r.Off.S != 0 {
		x = values.Binary("+", r.Off, x)
	}
	r.Off = x
	if !r.Off.Known {
		r.Opaque = true
	}
	if subscript && len(r.Dims) > 0 {
		r.Dims = r.Dims[1:]
	}
	return r
}

// retype is a reference seen through another pointer or reference type:
// elements keep their meaning only if the pointee is the array's element type.
func (f *Frame) retype(r Ref, t ir.Type) Ref {
	if r.Opaque || t.IsAuto() {
		return r
	}
	if t.Ptr > 1 || r.In != nil {
		r.Opaque = true
		return r
	}
	if r.step > 0 { // of a layout
		same := r.elem.Ptr == 0 && r.elem.Base == t.Base
		if n := f.Ev.Prog.SizeOf(f.Fn, ir.Type{Base: t.Base}); !same && (n == 0 || n != f.Ev.Prog.SizeOf(f.Fn, r.elem)) {
			r.Opaque = true
		}
		if t.Ptr == 1 {
			r.Dims = nil
		}
		return r
	}
	for _, s := range f.Ev.Kernel.Shared {
		if r.Arrays&(1<<s.Index) == 0 {
			continue
		}
		if s.Type != t.Base && (s.Elem == 0 || f.Ev.Prog.SizeOf(f.Fn, ir.Type{Base: t.Base}) != s.Elem) {
			r.Opaque = true
		}
	}
	if t.Ptr == 1 {
		r.Dims = nil // from here on it is a plain pointer to elements
	}
	return r
}

// opaqueElements reports whether elements of the array can't be told apart.
func (ev *Evaluator) opaqueElements(s *analysis.Shared) bool {
	x := ev.Extent(s)
	return x.Count < 0 && !s.Dynamic || s.Mixed || len(s.Var.Dims) > 1 && x.Dims == nil
}

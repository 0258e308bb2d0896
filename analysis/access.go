package analysis

import "github.com/smux-cuda/smux/analysis/ir"

// ref is the place that an lvalue or a pointer into shared memory points to, for every
// thread at once.
type ref struct {
	arrays arraySet
	off    value // element number in the one array, unknown if opaque
	opaque bool  // somewhere in arrays: the element is not known
	part   bool  // a part of the element (a struct member)
	dims   []int // dimensions not subscripted yet
	// Of a struct or union that is laid out (layout):
	in   *layout // whose members come next
	step int     // units per element; 0 for one
	elem ir.Type // of an element
}

// width counts the elements of the variable that the reference is to, which has no
// dimensions left.
func (r ref) width() int { return max(1, r.step) }

// arraySet is a set of shared variables by Shared.index.
type arraySet uint64

// maxShared is the number of shared variables of one kernel that can be told apart.
const maxShared = 64

// resolve finds where e points if it is an lvalue in, or an address of, shared
// memory; ok is false if it is neither.
func (f *frame) resolve(e *ir.Expr) (ref, bool) {
	k := f.ev.kernel
	if k == nil { // the host has no shared memory
		return ref{}, false
	}
	switch e.Op {
	case ir.OpIdent:
		if s := k.shared(f.fn, e); s != nil {
			x := f.ev.extent(s)
			return ref{arrays: 1 << s.index, off: scalar(0), dims: x.dims, in: x.record, opaque: f.ev.opaqueElements(s)}, true
		}
		if e.Var == nil {
			return ref{}, false
		}
		if r, ok := f.refs[e.Var]; ok && len(e.Var.Writes) == 0 && !e.Var.AddrTaken {
			return r, true
		}
		set := k.alias[e.Var]
		if set == 0 {
			return ref{}, false
		}
		if v := e.Var; v.Init != nil && len(v.Writes) == 0 && !v.AddrTaken && len(v.Dims) == 0 {
			r, ok := f.initialRef(v)
			if ok {
				return r, true
			}
		}
		return ref{arrays: set, opaque: true}, true
	case ir.OpIndex:
		r, ok := f.resolve(e.Kids[0])
		if !ok {
			set := k.pointerValue(f.fn, e.Kids[1]) // i[p], of types that are not known
			return ref{arrays: set, opaque: true}, set != 0
		}
		return f.advance(r, f.eval(e.Kids[1]), true), true
	case ir.OpBinary:
		if e.Tok != "+" && e.Tok != "-" {
			return ref{}, false
		}
		r, ok := f.resolvePointer(e.Kids[0])
		d := e.Kids[1]
		if !ok && e.Tok == "+" {
			r, ok = f.resolvePointer(e.Kids[1])
			d = e.Kids[0]
		}
		if !ok {
			return ref{}, false
		}
		x := f.eval(d)
		if e.Tok == "-" {
			x = binary("-", scalar(0), value{known: x.known, s: x.s, v: x.v})
		}
		return f.advance(r, x, false), true
	case ir.OpAddr:
		// &s[i] points to a row as a whole: one more dimension to subscript.
		r, ok := f.resolve(e.Kids[0])
		r.dims = append([]int{1}, r.dims...)
		return r, ok
	case ir.OpDeref:
		r, ok := f.resolve(e.Kids[0])
		if ok && len(r.dims) > 0 {
			r.dims = r.dims[1:]
		}
		return r, ok
	case ir.OpMember:
		r, ok := f.resolve(e.Kids[0])
		return r.member(e.Name), ok
	case ir.OpCast:
		if len(e.Kids) != 1 {
			return ref{}, false
		}
		r, ok := f.resolve(e.Kids[0])
		if !ok {
			return ref{}, false
		}
		return f.retype(r, e.Type), true
	case ir.OpCond:
		a, okA := f.resolve(e.Kids[1])
		b, okB := f.resolve(e.Kids[2])
		return ref{arrays: a.arrays | b.arrays, opaque: true}, okA || okB
	case ir.OpMixed:
		set := k.pointerValue(f.fn, e) | k.lvalue(f.fn, e)
		return ref{arrays: set, opaque: true}, set != 0
	case ir.OpComma:
		return f.resolve(e.Kids[1])
	case ir.OpIncDec, ir.OpAssign:
		r, ok := f.resolve(e.Kids[0])
		return ref{arrays: r.arrays, opaque: true}, ok
	case ir.OpCall:
		if v := k.Prog.sharedClass(f.fn, e); v != nil && k.sharedOf[v] != nil {
			s := k.sharedOf[v]
			return ref{arrays: 1 << s.index, off: scalar(0), opaque: f.ev.opaqueElements(s)}, true
		}
		if set := k.returned(f.fn, e); set != 0 {
			return ref{arrays: set, opaque: true}, true
		}
	}
	return ref{}, false
}

// member is a member of what a reference is to.
func (r ref) member(name string) ref {
	if r.in == nil {
		r.part = true
		return r
	}
	m, found := r.in.members[name]
	if !found || r.opaque || len(r.dims) > 0 || !r.off.known {
		r.opaque = true
		return r
	}
	r.off = binary("+", r.off, scalar(int64(m.off)))
	r.dims, r.in, r.step, r.elem = m.dims, m.in, m.step, m.elem
	return r
}

// initialRef returns the place that the initialiser of a pointer or reference points to.
func (f *frame) initialRef(v *ir.Var) (r ref, ok bool) {
	if known, seen := f.inits.refs[v]; seen {
		return known.ref, known.ok
	}
	f.initialiser(v, func(init *ir.Expr) {
		if r, ok = f.resolve(init); ok {
			r = f.retype(r, v.Type)
		}
		if !f.ev.spent() {
			f.inits.keepRef(v, initialRef{r, ok})
		}
	})
	return r, ok
}

// resolvePointer is resolve for an operand of pointer arithmetic: s[i] + 1 is
// not a pointer, s + 1 is.
func (f *frame) resolvePointer(e *ir.Expr) (ref, bool) {
	if f.ev.kernel.pointerValue(f.fn, e) == 0 {
		return ref{}, false
	}
	return f.resolve(e)
}

// advance moves a reference by x: a subscript consumes a dimension, pointer
// arithmetic moves in steps of the pointee.
func (f *frame) advance(r ref, x value, subscript bool) ref {
	if r.opaque || r.part || r.in != nil {
		r.opaque = true
		return r
	}
	stride := int64(r.width())
	for i, d := range r.dims {
		if i > 0 {
			stride *= int64(d)
		}
	}
	x.unsigned = false
	if stride != 1 {
		x = binary("*", x, scalar(stride))
	}
	if !r.off.uniform() || r.off.s != 0 {
		x = binary("+", r.off, x)
	}
	r.off = x
	if !r.off.known {
		r.opaque = true
	}
	if subscript && len(r.dims) > 0 {
		r.dims = r.dims[1:]
	}
	return r
}

// retype is a reference seen through another pointer or reference type:
// elements keep their meaning only if the pointee is the array's element type.
func (f *frame) retype(r ref, t ir.Type) ref {
	if r.opaque || t.IsAuto() {
		return r
	}
	if t.Ptr > 1 || r.in != nil {
		r.opaque = true
		return r
	}
	if r.step > 0 { // of a layout
		same := r.elem.Ptr == 0 && r.elem.Base == t.Base
		if n := f.ev.prog.sizeOf(f.fn, ir.Type{Base: t.Base}); !same && (n == 0 || n != f.ev.prog.sizeOf(f.fn, r.elem)) {
			r.opaque = true
		}
		if t.Ptr == 1 {
			r.dims = nil
		}
		return r
	}
	for _, s := range f.ev.kernel.Shared {
		if r.arrays&(1<<s.index) == 0 {
			continue
		}
		if s.Type != t.Base && (s.Elem == 0 || f.ev.prog.sizeOf(f.fn, ir.Type{Base: t.Base}) != s.Elem) {
			r.opaque = true
		}
	}
	if t.Ptr == 1 {
		r.dims = nil // from here on it is a plain pointer to elements
	}
	return r
}

// opaqueElements reports whether elements of the array can't be told apart.
func (ev *evaluator) opaqueElements(s *Shared) bool {
	x := ev.extent(s)
	return x.count < 0 && !s.Dynamic || s.mixed || len(s.Var.Dims) > 1 && x.dims == nil
}

package stage

import (
	"slices"

	"github.com/smux-cuda/smux/analysis/evaluate"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/polynomial"
)

// loadByCall is the load that a call is of a function which does nothing else, or has a number
// instead where a condition says so, or of a function that loadByPure takes; nil for any other expression.
//
//	__device__ float at(const float *p, int x, int y, int w, int h) {
//	    return x >= 0 && x < w && y >= 0 && y < h ? p[y * w + x] : 0;
//	}
//
// What it returns is a function of its arguments. Where these are sums of thread numbers and
// counters the call is copied as it stands, with the arguments of the place.
func (f *indexForms) loadByCall(e *ir.Expr) *stagedLoad {
	fn := f.accessor(e)
	if fn == nil {
		return nil
	}
	value := onlyReturn(fn)
	inner := f.onlyLoad(value)
	if inner == nil {
		return f.loadByPure(e, fn)
	}
	i := slices.Index(fn.Params, inner.v)
	if i < 0 {
		return nil
	}
	arg := e.Args()[i]
	if arg.Op != ir.OpIdent || arg.Macro || arg.Var == nil || arg.Var.Kind != ir.VarParam || derefsToElement(arg.Var) != 1 ||
		arg.Var.Type.Base != inner.v.Type.Base || evaluate.ReturnType(fn) != inner.v.Type.Base {
		return nil
	}
	l := &stagedLoad{v: arg.Var, whole: e, subscript: inner.subscript, chosen: map[*ir.Expr]polynomial.Polynomial{}}
	for j, p := range fn.Params {
		if j == i {
			continue
		}
		var uses []*ir.Expr
		for t := range value.All() {
			if t.Op == ir.OpIdent && t.Var == p {
				uses = append(uses, t)
			}
		}
		if len(uses) == 0 {
			continue
		}
		form := f.of(e.Args()[j])
		if form.IsLost() || !isSignedType(p.Type.Base) || isShort(p.Type.Base) || p.Type.Ptr > 0 || p.Type.Ref {
			return nil
		}
		for _, t := range uses {
			l.chosen[t] = form
		}
		l.args = append(l.args, form)
		if f.moves(form) {
			l.places = append(l.places, form)
		}
	}
	return l
}

// accessor is the function that a call is of if that is one, in view, and its arguments change nothing.
func (f *indexForms) accessor(e *ir.Expr) *ir.Func {
	if e.Op != ir.OpCall || e.Macro || len(e.TArgs) > 0 {
		return nil
	}
	fns := f.k.Callees(f.k.Func, e)
	if len(fns) != 1 || len(fns[0].TParams) > 0 || fns[0].View.Class != "" || len(fns[0].Problems) > 0 || len(fns[0].Params) != len(e.Args()) {
		return nil
	}
	if slices.ContainsFunc(e.Args(), func(a *ir.Expr) bool { return a.Macro || !f.harmless(a) }) {
		return nil
	}
	return fns[0]
}

// onlyReturn returns the value of a function whose body is one return, nil for any other: it names no thread
// and changes no parameter.
func onlyReturn(fn *ir.Func) *ir.Expr {
	if list := fn.Body.List; len(list) != 1 || list[0].Op != ir.StmtReturn || list[0].Expr == nil || list[0].Macro {
		return nil
	}
	for _, p := range fn.Params {
		if len(p.Writes) > 0 || p.AddrTaken || p.Type.Volatile {
			return nil
		}
	}
	value := fn.Body.List[0].Expr
	if value.Any(func(t *ir.Expr) bool { name, _ := builtinOf(t); return name == "threadIdx" }) {
		return nil
	}
	return value
}

// onlyLoad is the one load that a value is made of: by itself, or chosen by comparisons between it and numbers.
func (f *indexForms) onlyLoad(value *ir.Expr) *stagedLoad {
	if value == nil {
		return nil
	}
	var found *stagedLoad
	var read func(*ir.Expr) bool
	read = func(e *ir.Expr) bool {
		if l := loadAt(e); l != nil {
			if found != nil || !f.harmless(l.subscript) {
				return false
			}
			found = l
			return true
		}
		switch e.Op {
		case ir.OpInt, ir.OpLiteral:
			return true
		case ir.OpUnary:
			return read(e.Kids[0]) && e.Kids[0].Op != ir.OpIndex
		case ir.OpCond:
			return f.harmless(e.Kids[0]) && read(e.Kids[1]) && read(e.Kids[2])
		}
		return false
	}
	if !read(value) {
		return nil
	}
	return found
}

// isFilled reports whether each place of an array's boxes is that of a load: one between them may
// be no place that anything is read at where a load chooses.
func (a *stagedArray) isFilled() bool {
	volume := func(b offsetBox) int {
		n := 1
		for _, s := range b {
			n *= s.high - s.low + 1
		}
		return n
	}
	for _, box := range a.boxes {
		left := volume(box)
		for i, l := range a.loads {
			if own := a.boxOf(l); box.holds(own) && !slices.ContainsFunc(a.loads[:i], func(o *stagedLoad) bool { return slices.Equal(a.boxOf(o), own) }) {
				left -= volume(own)
			}
		}
		if left > 0 {
			return false
		}
	}
	return true
}

// sameFunction reports whether two loads are calls of one function whose arguments are the same for a place.
func (f *indexForms) sameFunction(a *stagedArray, x, y *stagedLoad) bool {
	if x.subscript != y.subscript || len(x.args) == 0 || len(x.args) != len(y.args) {
		return false
	}
	for i := range x.args {
		if p := f.ofElement(a, x, x.args[i]); p.IsLost() || !p.Equal(f.ofElement(a, y, y.args[i])) {
			return false
		}
	}
	return true
}

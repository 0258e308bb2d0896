package kit

import (
	"slices"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/intrinsic"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/ir/effect"
)

// Elsewhere asks whether what a kernel writes is other memory than that of one of its variables.
type Elsewhere struct {
	K   *analysis.Kernel
	V   *ir.Var
	But map[*ir.Expr]bool // targets that are left aside
	// First lets a target be that memory where whoever stores to it has read before all that it reads of V's.
	First bool
}

// Write returns something that may write the memory, and its function; nil if nothing does.
func (x Elsewhere) Write() (in *ir.Func, at *ir.Expr) {
	k := x.K
	for _, fn := range slices.Concat(k.Functions, k.Implicit()) {
		fn.Body.AnyExpr(func(e *ir.Expr) bool {
			writes := effect.IsOpaque(e.Op)
			switch e.Op {
			case ir.OpAssign, ir.OpIncDec:
				writes = !x.But[e.Kids[0]] && !x.is(fn, e.Kids[0])
			case ir.OpCall:
				if e.Intrinsic().IsAtomic() && len(e.Args()) > 0 && len(k.Callees(fn, e)) == 0 {
					writes = !x.is(fn, pointee(e.Args()[0]))
				} else {
					writes = !k.ChangesNothing(fn, e) && !k.IsBarrier(fn, e) && len(k.Callees(fn, e)) == 0
				}
			}
			if writes {
				in, at = fn, e
			}
			return writes
		})
		if at != nil {
			break
		}
	}
	return in, at
}

// pointee returns what a pointer points to.
func pointee(p *ir.Expr) *ir.Expr {
	if p.Op == ir.OpAddr {
		return p.Kids[0]
	}
	return &ir.Expr{Op: ir.OpDeref, Kids: []*ir.Expr{p}, Range: p.Range}
}

// is reports whether what is assigned to is a variable of the thread or of its
// block, or memory that another parameter of the kernel than v leads to.
func (x Elsewhere) is(fn *ir.Func, target *ir.Expr) bool {
	r := target.Root()
	if r == nil || r.Var == nil || r.Var == x.V {
		return false
	}
	w := r.Var
	switch {
	case w.Type.Ref:
		return false
	case w.Kind == ir.VarShared:
		return target.Derefs() <= len(w.Dims)
	case w.Kind == ir.VarParam && r == target:
		return true
	case w.Kind == ir.VarParam && fn != x.K.Func && DerefsToElement(w) == 1 && target.Derefs() == 1:
		return len(w.Writes) == 0 && !w.AddrTaken && x.isPassed(fn, w, MostCalls)
	case w.Kind == ir.VarParam && fn != x.K.Func:
		return w.Type.Ptr == 0 && target.Derefs() == 0 // an array of a parameter is a pointer, too
	case w.Kind == ir.VarParam:
		if len(w.Writes) > 0 || w.AddrTaken || !isElement(target) {
			return false
		}
		return w.Type.Restrict || x.First && readsFirst(x.K, x.V, target)
	case w.Kind == ir.VarLocal:
		return w.Type.Ptr == 0 && !w.Type.IsAuto() && target.Derefs() <= len(w.Dims)
	}
	return false
}

// readsFirst reports whether whoever stores to a target of the kernel's text has read before all that it reads of v's
// memory. Then it doesn't matter whether that is the same memory: what another thread stores where no barrier, atomic or
// fence lies between is a race in the original, too.
func readsFirst(k *analysis.Kernel, v *ir.Var, target *ir.Expr) bool {
	if in, _ := Hears(k); in != nil {
		return false
	}
	from := map[*ir.Var]bool{v: true} // pointers that v's may be in
	names := func(e *ir.Expr) bool { return e.Op == ir.OpIdent && from[e.Var] }
	for size := 0; size < len(from); {
		size = len(from)
		for _, w := range k.Func.Vars {
			if w.Type.Ptr > 0 || w.Type.Ref || w.Type.IsAuto() || w.Type.Record != nil {
				if w.Init.Any(names) || slices.ContainsFunc(w.Writes, func(e *ir.Expr) bool { return e.Any(names) }) {
					from[w] = true
				}
			}
		}
	}
	return !k.Func.Body.AnyExpr(func(e *ir.Expr) bool { return names(e) && k.Func.MayPrecede(target, e) })
}

// Hears returns where a kernel may hear of what other threads write while it runs, and in which function: an atomic, a fence, a
// volatile variable or cast. in is nil where it can't.
func Hears(k *analysis.Kernel) (in *ir.Func, at int) {
	for _, fn := range slices.Concat(k.Functions, k.Implicit()) {
		fn.Body.AnyExpr(func(e *ir.Expr) bool {
			row := intrinsic.Of(e.Name)
			if e.Op == ir.OpCall && len(k.Callees(fn, e)) == 0 && (row.IsShared() || row.Kind == intrinsic.Fence) || e.Op == ir.OpCast && e.Type.Volatile {
				in, at = fn, e.Range.Start
			}
			return in != nil
		})
		for _, v := range slices.Concat(fn.Params, fn.Vars) {
			if in == nil && v.Type.Volatile {
				in, at = fn, v.Range.Start
			}
		}
		if in != nil {
			break
		}
	}
	return in, at
}

// MostCalls bounds the depth of calls through which a pointer is followed up.
const MostCalls = 4

// isPassed reports whether all calls of a device function pass for one of its pointers a
// parameter of the kernel that is not v's, by its name.
func (x Elsewhere) isPassed(fn *ir.Func, w *ir.Var, depth int) bool {
	i := slices.Index(fn.Params, w)
	if i < 0 || depth == 0 {
		return false
	}
	calls := 0
	for _, caller := range slices.Concat(x.K.Functions, x.K.Implicit()) {
		if caller.Body.AnyExpr(func(call *ir.Expr) bool {
			if call.Op != ir.OpCall || !slices.Contains(x.K.Callees(caller, call), fn) {
				return false
			}
			calls++
			if i >= len(call.Args()) {
				return true
			}
			arg := call.Args()[i]
			if arg.Op != ir.OpIdent || arg.Var == nil || arg.Var.Kind != ir.VarParam {
				return true
			}
			if caller == x.K.Func {
				return !x.is(caller, &ir.Expr{Op: ir.OpDeref, Kids: []*ir.Expr{arg}, Range: arg.Range})
			}
			p := arg.Var
			return DerefsToElement(p) != 1 || len(p.Writes) > 0 || p.AddrTaken || !x.isPassed(caller, p, depth-1)
		}) {
			return false
		}
	}
	return calls > 0
}

// DerefsToElement counts the subscripts that lead from a variable to an element, 0 for what is no
// pointer to elements nor to rows.
func DerefsToElement(v *ir.Var) int {
	if v.Type.Rows == nil && len(v.Dims) > 0 {
		return 0
	}
	return derefsOf(v.Type)
}

// derefsOf is the same of a type.
func derefsOf(t ir.Type) int {
	switch {
	case t.Rows != nil:
		return 1 + len(t.Rows.Extents)
	case t.Ptr == 1:
		return 1
	}
	return 0
}

// isElement reports whether what is assigned to is one element of what a parameter points to, by
// the parameter's type or by one that it is cast to.
func isElement(target *ir.Expr) bool {
	n := 0
	for e := target; e != nil; e = e.Kids[0] {
		switch {
		case e.Op == ir.OpIdent && e.Var != nil:
			return n > 0 && n == DerefsToElement(e.Var)
		case e.Op == ir.OpCast && e.Type.Ptr > 0 && derefsOf(e.Type) > 0:
			return n == derefsOf(e.Type) && e.Kids[0].Root() != nil && e.Kids[0].Derefs() == 0
		case len(e.Kids) == 0:
			return false
		case e.Op == ir.OpIndex || e.Op == ir.OpDeref || e.Op == ir.OpMember && e.Arrow:
			n++
		}
	}
	return false
}

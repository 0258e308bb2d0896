// Package liveness finds which shared arrays are live at once, and which elements a warp or a thread keeps to itself.
package liveness

import (
	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/barriers"
	"github.com/smux-cuda/smux/analysis/intrinsic"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/ir/effect"
	"github.com/smux-cuda/smux/analysis/pointers"
)

// visitor receives, in an order in which they may happen, an expression's effects on shared memory.
type visitor struct {
	*analysis.Kernel
	fn *ir.Func
	// access receives a read or a write of some of the variables.
	access func(set analysis.ArraySet, write bool, at *ir.Expr)
	// call receives a call of functions in view, once its arguments are evaluated.
	call func(e *ir.Expr, callees []*ir.Func)
	// barrier receives a barrier of the thread block.
	barrier func(e *ir.Expr)
}

// expr visits an expression that is evaluated for its value.
func (v *visitor) expr(e *ir.Expr) {
	if e == nil {
		return
	}
	switch e.Op {
	case ir.OpAssign:
		v.place(e.Kids[0])
		if e.Tok != "=" {
			v.touch(pointers.Lvalue(v.Kernel, v.fn, e.Kids[0]), false, e)
		}
		v.expr(e.Kids[1])
		v.touch(pointers.Lvalue(v.Kernel, v.fn, e.Kids[0]), true, e)
	case ir.OpIncDec:
		v.place(e.Kids[0])
		set := pointers.Lvalue(v.Kernel, v.fn, e.Kids[0])
		v.touch(set, false, e)
		v.touch(set, true, e)
	case ir.OpIdent, ir.OpIndex, ir.OpDeref, ir.OpMember:
		v.place(e)
		if pointers.PointerValue(v.Kernel, v.fn, e) == 0 || !pointers.LvalueOnly(v.Kernel, v.fn, e) {
			v.touch(pointers.Lvalue(v.Kernel, v.fn, e), false, e)
		}
	case ir.OpAddr:
		v.place(e.Kids[0])
	case ir.OpCall:
		v.callExpr(e)
	default:
		if effect.IsOpaque(e.Op) {
			set := pointers.TouchedIn(v.Kernel, v.fn, e)
			v.touch(set, false, e)
			v.touch(set, true, e)
		}
		for _, kid := range e.Kids {
			v.expr(kid)
		}
	}
}

func (v *visitor) touch(set analysis.ArraySet, write bool, at *ir.Expr) {
	if set != 0 {
		v.access(set, write, at)
	}
}

// place visits what is evaluated to find out which place an lvalue names.
func (v *visitor) place(e *ir.Expr) {
	switch e.Op {
	case ir.OpIdent:
	case ir.OpIndex:
		v.place(e.Kids[0])
		v.expr(e.Kids[1])
	case ir.OpMember, ir.OpAddr:
		v.place(e.Kids[0])
	case ir.OpDeref:
		v.expr(e.Kids[0])
	case ir.OpCast:
		for _, kid := range e.Kids {
			v.place(kid)
		}
	case ir.OpCond:
		v.expr(e.Kids[0])
		v.place(e.Kids[1])
		v.place(e.Kids[2])
	default:
		v.expr(e)
	}
}

// callExpr visits a call: its arguments, and what is done with what they lead to.
func (v *visitor) callExpr(e *ir.Expr) {
	callees := v.Callees(v.fn, e)
	var through []*ir.Expr // arguments that lead to shared memory
	for _, a := range e.Args() {
		if pointers.PointerValue(v.Kernel, v.fn, a) != 0 || len(callees) > 0 && v.refersTo(callees, e, a) {
			v.place(a)
			through = append(through, a)
		} else {
			v.expr(a)
		}
	}
	if obj := e.Object(); obj != nil {
		v.place(obj)
		set := pointers.Lvalue(v.Kernel, v.fn, obj) | pointers.PointerValue(v.Kernel, v.fn, obj)
		v.touch(set, false, e)
		v.touch(set, true, e)
	}
	switch {
	case barriers.IsBarrier(v.Kernel, v.fn, e):
		v.barrier(e)
	case len(callees) > 0:
		v.call(e, callees)
	default:
		row := e.Intrinsic()
		for i, a := range e.Args() {
			set := pointers.Lvalue(v.Kernel, v.fn, a) | pointers.PointerValue(v.Kernel, v.fn, a)
			at := intrinsic.Args(1) << min(i, 7)
			reads, writes := row.Memory.Reads&at != 0, row.Memory.Writes&at != 0
			if !row.Known() || row.Params == intrinsic.Reference {
				reads, writes = true, true
			}
			if set != 0 && reads {
				v.touch(set, false, e)
			}
			if set != 0 && writes {
				v.touch(set, true, e)
			}
		}
	}
}

// refersTo reports whether an argument is taken by reference: nothing of it is read by passing it.
func (v *visitor) refersTo(callees []*ir.Func, call, arg *ir.Expr) bool {
	for i, a := range call.Args() {
		for _, c := range callees {
			if p := c.Param(i); a == arg && p != nil && p.Type.Ref && pointers.Lvalue(v.Kernel, v.fn, a) != 0 {
				return true
			}
		}
	}
	return false
}

// statement visits the expressions of a statement itself, not of those in it. Setting a pointer is no access.
func (v *visitor) statement(s *ir.Stmt) {
	for _, x := range s.Vars {
		switch {
		case x.Kind == ir.VarShared || x.Init == nil:
		case x.Type.Ref && pointers.Lvalue(v.Kernel, v.fn, x.Init) != 0:
			v.place(x.Init)
		default:
			v.expr(x.Init)
		}
	}
	for _, e := range [...]*ir.Expr{s.Cond, s.Expr, s.Post} {
		v.expr(e)
	}
}

// writtenUnder returns the shared variables that a statement may write, in functions that it calls too.
func writtenUnder(k *analysis.Kernel, fn *ir.Func, s *ir.Stmt, known map[*ir.Func]analysis.ArraySet) (set analysis.ArraySet) {
	v := &visitor{Kernel: k, fn: fn, barrier: func(*ir.Expr) {}}
	v.access = func(of analysis.ArraySet, write bool, _ *ir.Expr) {
		if write {
			set |= of
		}
	}
	v.call = func(_ *ir.Expr, callees []*ir.Func) {
		for _, c := range callees {
			if _, seen := known[c]; !seen {
				known[c] = 0 // recursion adds nothing
				known[c] = writtenUnder(k, c, c.Body, known)
			}
			set |= known[c]
		}
	}
	for t := range s.All() {
		v.statement(t)
	}
	return set
}

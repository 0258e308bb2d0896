package rewrite

import (
	"slices"

	"github.com/smux-cuda/smux/analysis/intrinsic"
	"github.com/smux-cuda/smux/analysis/ir"
)

// isLoad reports whether an expression reads memory that is not the thread's own, or may.
func (x *roundsCheck) isLoad(fn *ir.Func, e *ir.Expr) bool {
	switch e.Op {
	case ir.OpIndex, ir.OpDeref:
		r := e.Root()
		return r == nil || x.inMemory(fn, r) || r.Var != nil && r.Var.Type.Ptr > 0
	case ir.OpMember:
		return e.Arrow
	case ir.OpCall:
		return intrinsic.Of(e.Name).Kind == intrinsic.Load || slices.ContainsFunc(x.p.Kernel.Callees(fn, e), func(c *ir.Func) bool { return x.loadsIn(c, map[*ir.Func]bool{}) })
	case ir.OpIdent:
		return x.inMemory(fn, e)
	}
	return false
}

// loadsIn reports whether a function, or one that it calls, reads memory other than what
// it is called with by value.
func (x *roundsCheck) loadsIn(fn *ir.Func, seen map[*ir.Func]bool) bool {
	if seen[fn] {
		return false
	}
	seen[fn] = true
	return fn.View.Class != "" || fn.Body.AnyExpr(func(e *ir.Expr) bool {
		if e.Op == ir.OpCall && intrinsic.Of(e.Name).Kind != intrinsic.Load {
			return slices.ContainsFunc(x.p.Kernel.Callees(fn, e), func(c *ir.Func) bool { return x.loadsIn(c, seen) })
		}
		return e.Op == ir.OpUnknown || x.isLoad(fn, e)
	})
}

// inMemory reports whether a name is of a variable that other threads may change.
func (x *roundsCheck) inMemory(fn *ir.Func, name *ir.Expr) bool {
	v := name.Var
	if v == nil {
		v = x.p.Kernel.GlobalVar(fn, name.Name)
	}
	return v != nil && (v.Kind == ir.VarShared || v.Kind == ir.VarGlobal && !v.Type.Const)
}

// pure reports whether evaluating an expression changes nothing: the functions and
// overloaded operators that it calls are known to, or are in view and change none but
// variables of their own.
func (x *roundsCheck) pure(fn *ir.Func, e *ir.Expr, seen map[*ir.Func]bool) bool {
	return !e.Any(func(t *ir.Expr) bool {
		return t.Op == ir.OpAssign || t.Op == ir.OpIncDec || x.hasEffect(fn, t, seen)
	})
}

// hasEffect reports whether an operation that assigns nothing changes something all the
// same, its operands aside.
func (x *roundsCheck) hasEffect(fn *ir.Func, e *ir.Expr, seen map[*ir.Func]bool) bool {
	impure := func(tok string) bool {
		return slices.ContainsFunc(x.p.Kernel.Operators(fn, tok), func(o *ir.Func) bool { return !x.pureFunc(o, seen) })
	}
	switch e.Op {
	case ir.OpAsm, ir.OpNew, ir.OpLambda, ir.OpUnknown, ir.OpLaunch:
		return true
	case ir.OpIdent:
		return e.Var != nil && e.Var.Type.Volatile
	case ir.OpBinary, ir.OpUnary:
		return impure(e.Tok)
	case ir.OpIndex:
		return impure("[]")
	case ir.OpCall:
		return !x.pureCall(fn, e, seen)
	}
	return false
}

// pureCall reports the same of a call, its arguments aside.
func (x *roundsCheck) pureCall(fn *ir.Func, call *ir.Expr, seen map[*ir.Func]bool) bool {
	callees := x.p.Kernel.Callees(fn, call)
	for _, c := range callees {
		if !x.pureFunc(c, seen) {
			return false
		}
	}
	return len(callees) > 0 || x.p.Kernel.ChangesNothing(fn, call)
}

// pureFunc reports whether a function does nothing but compute what it returns.
func (x *roundsCheck) pureFunc(fn *ir.Func, seen map[*ir.Func]bool) bool {
	if seen[fn] {
		return true
	}
	seen[fn] = true
	own := func(e *ir.Expr) bool {
		r := e.Root()
		return r != nil && r.Var != nil && r.Var.Type.Ptr == 0 && !r.Var.Type.Ref && !r.Var.Static && !r.Var.Type.Volatile && (r.Var.Kind == ir.VarLocal || r.Var.Kind == ir.VarParam)
	}
	return !fn.Body.Any(func(s *ir.Stmt) bool {
		bad := s.Op == ir.StmtUnknown || s.Op == ir.StmtGoto
		s.Exprs(func(top *ir.Expr) {
			top.Walk(func(e *ir.Expr) bool {
				switch e.Op {
				case ir.OpAssign, ir.OpIncDec:
					bad = bad || !own(e.Kids[0])
				default:
					bad = bad || e.Op == ir.OpAddr || x.hasEffect(fn, e, seen)
				}
				return !bad
			})
		})
		return bad
	})
}

package rewrite

import (
	"slices"
	"strings"

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

// runsQuietly refuses a kernel in which code may run without a call that names it and
// change more than the object that it is about: constructors, destructors, conversions and
// assignments. Rounds repeat what declares and converts objects, and take it out of order.
func (p *sliceProof) runsQuietly() bool {
	x := &roundsCheck{p: p}
	for _, fn := range p.Kernel.Implicit() {
		if fn.View.Class == "" || !strings.HasPrefix(fn.View.Name, "operator") && !strings.HasPrefix(fn.View.Name, "~") && fn.View.Name != fn.View.Class {
			continue // of an operator or a call, see pureFunc
		}
		if !x.pureMember(fn) {
			p.refuse(fn.File, fn.View.Start, CodeSliceAccess, "%s::%s may run without a call that names it, and changes more than its object, or may", fn.View.Class, fn.View.Name)
			return false
		}
	}
	return true
}

// pureMember reports whether a member function changes nothing but members of its object,
// variables of its own and what it returns.
func (x *roundsCheck) pureMember(fn *ir.Func) bool {
	k := x.p.Kernel
	member := func(e *ir.Expr) bool {
		for e.Op == ir.OpMember && !e.Arrow || e.Op == ir.OpIndex {
			e = e.Kids[0]
		}
		switch e.Op {
		case ir.OpIdent:
			v := e.Var
			if v == nil {
				return k.GlobalVar(fn, e.Name) == nil
			}
			return (v.Kind == ir.VarLocal || v.Kind == ir.VarParam) && !v.Static && !v.Type.Ref && v.Type.Ptr == 0 && !v.Type.Volatile
		case ir.OpMember:
			return e.Kids[0].Op == ir.OpIdent && e.Kids[0].Name == "this"
		}
		return false
	}
	// Initialisers of members are text alone: they must call nothing and change nothing.
	head := string(fn.File.Src[fn.View.Start:fn.View.Body.Start])
	for _, f := range append(slices.Clone(k.Prog.Parsed.Files), fn.File) {
		for _, other := range f.Functions {
			if other.Name != fn.View.Name && other.Name != fn.View.Class && len(wordOffsets(head, other.Name)) > 0 {
				return false
			}
		}
	}
	pure := strings.HasPrefix(fn.View.Name, "operator") || !strings.Contains(head, "=") && !strings.Contains(head, "++") && !strings.Contains(head, "--")
	fn.Body.WalkExprs(func(e *ir.Expr) bool {
		switch e.Op {
		case ir.OpAssign, ir.OpIncDec:
			pure = pure && member(e.Kids[0])
		case ir.OpAddr:
			pure = false
		default:
			pure = pure && !x.hasEffect(fn, e, map[*ir.Func]bool{})
		}
		return pure
	})
	return pure
}

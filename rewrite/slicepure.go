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
		return intrinsic.Of(e.Name).Kind == intrinsic.Load || slices.ContainsFunc(x.p.Kernel.Callees(fn, e), func(c *ir.Func) bool { return c.View.Class != "" || x.p.Kernel.EffectOfCall(c).Loads() })
	case ir.OpIdent:
		return x.inMemory(fn, e)
	}
	return false
}

// inMemory reports whether a name is of a variable that other threads may change.
func (x *roundsCheck) inMemory(fn *ir.Func, name *ir.Expr) bool {
	v := name.Var
	if v == nil {
		v = x.p.Kernel.GlobalVar(fn, name.Name)
	}
	return v != nil && (v.Kind == ir.VarShared || v.Kind == ir.VarGlobal && !v.Type.Const)
}

// hasEffect reports whether an operation that assigns nothing changes something all the
// same.
func (x *roundsCheck) hasEffect(e *ir.Expr) bool {
	does := x.p.Kernel.Effect(x.fn, e)
	return does.Synchronizes() || e.Op == ir.OpCall && does.Changes()
}

// runsQuietly refuses a kernel in which code may run without a call that names it and
// change more than the object that it is about: constructors, destructors, conversions and
// assignments. Rounds repeat what declares and converts objects, and take it out of order.
func (p *sliceProof) runsQuietly() bool {
	for _, fn := range p.Kernel.Implicit() {
		if fn.View.Class == "" || !strings.HasPrefix(fn.View.Name, "operator") && !strings.HasPrefix(fn.View.Name, "~") && fn.View.Name != fn.View.Class {
			continue // of an operator or a call, see pureFunc
		}
		if does := p.Kernel.EffectOfCall(fn); does.ChangesMemory() {
			p.refuse(fn.File, fn.View.Start, CodeSliceAccess, "%s::%s may run without a call that names it, and changes more than its object, or may", fn.View.Class, fn.View.Name)
			return false
		}
	}
	return true
}

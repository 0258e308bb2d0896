package analysis

import (
	"strings"

	"github.com/smux-cuda/smux/analysis/intrinsic"
	"github.com/smux-cuda/smux/analysis/ir"
)

// IsPureCall reports whether a call is of a known function that depends on its
// arguments alone and touches no memory. A function in view of the same name
// is another one.
func (k *Kernel) IsPureCall(fn *ir.Func, call *ir.Expr) bool {
	return intrinsic.Of(call.Name).Pure() && len(k.callees(fn, call)) == 0
}

// IsPure reports whether evaluating e changes nothing: no assignment, no call
// but of pure functions.
func (k *Kernel) IsPure(fn *ir.Func, e *ir.Expr) bool {
	pure := true
	e.Walk(func(t *ir.Expr) bool {
		switch t.Op {
		case ir.OpAssign, ir.OpIncDec, ir.OpAsm, ir.OpNew, ir.OpLambda, ir.OpUnknown, ir.OpLaunch:
			pure = false
		case ir.OpCall:
			pure = pure && k.ChangesNothing(fn, t)
		}
		return pure
	})
	return pure
}

// ChangesNothing reports whether a call is of a known function that computes something, or
// loads what nobody writes. What the arguments do is another matter.
func (k *Kernel) ChangesNothing(fn *ir.Func, call *ir.Expr) bool {
	_, member := call.IsMemberCall()
	return !member && (k.IsPureCall(fn, call) || readOnlyLoad(call.Name))
}

// Implicit returns the functions that the kernel may run without a call that names them:
// constructors, destructors, conversions, overloaded operators, and what these call.
func (k *Kernel) Implicit() []*ir.Func { return k.implicit }

// readOnlyLoad reports whether an intrinsic loads what nobody writes while the
// kernel runs.
func readOnlyLoad(name string) bool {
	r := intrinsic.Of(name)
	return r.Kind == intrinsic.Load && r.Memory.ReadOnly
}

// IsGroupType reports whether a variable is a cooperative group whose making
// has no effect: the thread block, or a tile of at most a warp.
func IsGroupType(v *ir.Var) bool {
	base := lastName(v.Type.Base)
	return base == "thread_block" || strings.Contains(v.Type.Base, "thread_block_tile<") ||
		v.Type.IsAuto() && v.Init != nil && v.Init.Op == ir.OpCall && (v.Init.Name == "this_thread_block" || v.Init.Name == "tiled_partition")
}

package analysis

import (
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/ir/effect"
)

// IsPureCall reports whether a call is of a known function that depends on its arguments alone and touches no memory. A function in
// view of the same name is another one.
func (k *Kernel) IsPureCall(fn *ir.Func, call *ir.Expr) bool {
	return call.Intrinsic().Pure() && k.isGiven(fn, call)
}

// isGiven reports whether the program has no function that a call by an intrinsic's name may run.
func (k *Kernel) isGiven(fn *ir.Func, call *ir.Expr) bool {
	return len(k.Callees(fn, call)) == 0 && !k.Prog.Effects(fn.File).Elsewhere(fn, call)
}

// Effect returns the effects that evaluating an expression of a function may have.
func (p *Program) Effect(fn *ir.Func, e *ir.Expr) effect.Effect {
	return p.Effects(fn.File).Expr(fn, e)
}

// Effect is Program.Effect for a function that the kernel reaches.
func (k *Kernel) Effect(fn *ir.Func, e *ir.Expr) effect.Effect { return k.Prog.Effect(fn, e) }

// Step returns the effects that an operation of a function may have by itself, without those of its operands.
func (k *Kernel) Step(fn *ir.Func, e *ir.Expr) effect.Effect {
	return k.Prog.Effects(fn.File).Step(fn, e)
}

// TypeOf returns the type of an expression of a function.
func (k *Kernel) TypeOf(fn *ir.Func, e *ir.Expr) effect.Type {
	return k.Prog.Effects(fn.File).TypeOf(fn, e)
}

// EffectOf returns the effects that a statement of a function may have.
func (k *Kernel) EffectOf(fn *ir.Func, s *ir.Stmt) effect.Effect {
	return k.Prog.Effects(fn.File).Stmt(fn, s)
}

// MadeQuietly reports whether constructors and the destructor of a variable's type do nothing but make the variable.
func (k *Kernel) MadeQuietly(fn *ir.Func, v *ir.Var) bool {
	return !k.Prog.Effects(fn.File).Making(fn, v).Changes()
}

// EffectOfCall returns the effects that a call of a function in view may have, without those of its arguments.
func (k *Kernel) EffectOfCall(fn *ir.Func) effect.Effect { return k.Prog.Effects(fn.File).Func(fn) }

// IsPure reports whether evaluating e changes nothing, and calls no function in view.
func (k *Kernel) IsPure(fn *ir.Func, e *ir.Expr) bool {
	return !k.Effect(fn, e).Changes() && !k.CallsView(fn, e)
}

// CallsView reports whether an expression calls a function in view.
func (k *Kernel) CallsView(fn *ir.Func, e *ir.Expr) bool {
	return e.Any(func(t *ir.Expr) bool { return t.Op == ir.OpCall && len(k.Callees(fn, t)) > 0 })
}

// ChangesNothing reports whether a call is of a known function that computes something, or
// loads what nobody writes. What the arguments do is another matter.
func (k *Kernel) ChangesNothing(fn *ir.Func, call *ir.Expr) bool {
	r := call.Intrinsic()
	return (r.Pure() || r.IsReadOnly()) && k.isGiven(fn, call)
}

// IsGroupType reports whether a variable is a cooperative group whose making
// has no effect: the thread block, or a tile of at most a warp.
func IsGroupType(v *ir.Var) bool {
	base := LastName(v.Type.Base)
	return base == "thread_block" || strings.Contains(v.Type.Base, "thread_block_tile<") ||
		v.Type.IsAuto() && v.Init != nil && v.Init.Op == ir.OpCall && (v.Init.Name == "this_thread_block" || v.Init.Name == "tiled_partition")
}

package slice

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/ir/effect"
)

// isLoad reports whether an operation reads memory that is not the thread's own, or may.
func (x *roundsCheck) isLoad(fn *ir.Func, e *ir.Expr) bool {
	if e.Op == ir.OpIdent {
		return x.inMemory(fn, e)
	}
	return e.Intrinsic().IsReadOnly() || x.p.Kernel.Step(fn, e).Loads()
}

// inMemory reports whether a name is of a variable that other threads may change.
func (x *roundsCheck) inMemory(fn *ir.Func, name *ir.Expr) bool {
	v := x.p.Kernel.Variable(fn, name)
	return v != nil && (v.Kind == ir.VarShared || v.Kind == ir.VarGlobal && !v.Type.Const)
}

// setBy are the variables of the thread's own that an operation may change by itself.
func (x *roundsCheck) setBy(e *ir.Expr) []*ir.Var {
	does := x.p.Kernel.Step(x.fn, e)
	out, operands := slices.Clone(does.Writes), e.Kids
	switch {
	case effect.IsOpaque(e.Op):
		for _, kid := range e.Kids {
			for k := range kid.All() {
				if k.Op == ir.OpIdent && k.Var != nil {
					out = append(out, k.Var)
				}
			}
		}
		return out
	case e.Op == ir.OpAssign || e.Op == ir.OpAddr:
		operands = operands[:1]
	case e.Op != ir.OpIncDec && (e.Op != ir.OpCall || !does.Changes()):
		return out
	}
	for _, k := range operands {
		if r := k.Root(); r != nil && r.Var != nil && (r == k || r.Var.Type.Ptr == 0) {
			out = append(out, r.Var)
		}
	}
	return out
}

// changesOwn reports whether an operation by itself changes nothing but variables of the thread's own that nothing
// but their names leads to.
func (x *roundsCheck) changesOwn(e *ir.Expr) bool {
	does := x.p.Kernel.Step(x.fn, e)
	return !does.ChangesOthers() && !slices.ContainsFunc(does.Writes, func(v *ir.Var) bool { return !x.p.alone(x.fn, v) })
}

// target returns what an operation assigns to, the operation itself where it assigns nothing.
func target(e *ir.Expr) *ir.Expr {
	if e.Op == ir.OpAssign || e.Op == ir.OpIncDec {
		return e.Kids[0]
	}
	return e
}

// runsQuietly refuses a kernel in which code may run without a call that names it and
// change more than the object that it is about: constructors, destructors, conversions and
// assignments. Rounds repeat what declares and converts objects, and take it out of order.
func (p *sliceProof) runsQuietly() bool {
	for _, fn := range p.Kernel.Implicit {
		if fn.View.Class == "" || !strings.HasPrefix(fn.View.Name, "operator") && !strings.HasPrefix(fn.View.Name, "~") && fn.View.Name != fn.View.Class {
			continue // of an operator or a call, see pureFunc
		}
		if does := p.Kernel.EffectOfCall(fn); does.ChangesMemory() {
			p.Refuse(fn.File, fn.View.Start, CodeSliceAccess, "%s::%s may run without a call that names it, and changes more than its object, or may", fn.View.Class, fn.View.Name)
			return false
		}
	}
	return true
}

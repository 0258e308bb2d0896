package pointers

import (
	"slices"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/intrinsic"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/ir/effect"
	"github.com/smux-cuda/smux/analysis/values"
	"github.com/smux-cuda/smux/diag"
)

// FindEscapes refuses kernels in which an address into shared memory goes where smux can't follow it: into memory,
// into a struct, out of a function's sight. The alias analysis is only right without them.
func FindEscapes(k *analysis.Kernel) {
	if len(k.Shared) > analysis.MaxShared {
		k.Refuse(k.File, k.View.Start, analysis.CodeEscape, "more shared variables than can be told apart")
		return
	}
	for _, fn := range k.Functions {
		for s := range fn.Body.All() {
			for _, v := range s.Vars {
				if v.Kind == ir.VarShared && (v.Type.Ptr > 0) {
					escape(k, fn, v.Range, "shared memory that holds pointers")
				}
				if v.Init != nil {
					escapesFrom(k, fn, v.Init, holdsPointer(v))
				}
			}
			for _, e := range []*ir.Expr{s.Cond, s.Post} {
				if e != nil {
					escapesFrom(k, fn, e, true)
				}
			}
			if s.Expr != nil {
				escapesFrom(k, fn, s.Expr, s.Op == ir.StmtExpr || s.Op == ir.StmtReturn && fn != k.Func && returnsAddress(k, fn))
			}
		}
	}
}

// holdsPointer reports whether a variable is one that the alias analysis
// follows: a pointer, a reference, a deduced type, or an array of pointers.
func holdsPointer(v *ir.Var) bool {
	return v.Kind == ir.VarLocal && (v.Type.Ptr > 0 || v.Type.Ref || v.Type.IsAuto())
}

func escape(k *analysis.Kernel, fn *ir.Func, r ir.Range, text string) {
	k.Hazards = append(k.Hazards, diag.Message{Pos: fn.File.Position(r.Start), Code: analysis.CodeEscape, Text: text})
}

// escapesFrom checks an expression whose value goes to a place that can (or can't) hold an address.
func escapesFrom(k *analysis.Kernel, fn *ir.Func, e *ir.Expr, canHold bool) {
	if e == nil || !Touches(k, fn, e) {
		return
	}
	if !canHold && PointerValue(k, fn, e) != 0 {
		if t := unknownType(k, fn, e); t != "" {
			text := "the type " + t + " is not known: its values may be addresses in shared memory"
			if !slices.ContainsFunc(k.Hazards, func(m diag.Message) bool { return m.Text == text }) {
				escape(k, fn, e.Range, text)
			}
			return
		}
		escape(k, fn, e.Range, "an address in shared memory is stored in a place that smux can't follow")
		return
	}
	switch e.Op {
	case ir.OpAssign:
		escapesFrom(k, fn, e.Kids[0], true)
		escapesFrom(k, fn, e.Kids[1], e.Tok == "+=" || e.Tok == "-=" || followedTarget(e.Kids[0]))
	case ir.OpCall:
		if obj := e.Object(); obj != nil {
			escapesFrom(k, fn, obj, false)
		}
		if len(e.Kids) > 0 && e.Kids[0].Op == ir.OpLambda {
			escapesFrom(k, fn, e.Kids[0], true)
		}
		callees := k.Callees(fn, e)
		keeps := effect.Keeps(k.Prog.Effects(fn.File), e.Name)
		for i, a := range e.Args() {
			if keeps && Lvalue(k, fn, a) != 0 {
				escape(k, fn, a.Range, "an object keeps a reference to shared memory, which smux can't follow")
			}
			escapesFrom(k, fn, a, argumentFollowed(e, callees, i))
		}
	case ir.OpLambda:
		for _, a := range e.Kids {
			escapesFrom(k, fn, a, false)
		}
		if TouchedBy(k, fn, e) != 0 {
			k.Hazards = append(k.Hazards, diag.Message{Pos: fn.File.Position(e.Range.Start), Code: analysis.CodeLambda, Text: "a lambda that uses shared memory"})
		}
	case ir.OpAsm:
		for _, a := range e.Kids {
			escapesFrom(k, fn, a, false)
		}
	case ir.OpInitList:
		for _, a := range e.Kids {
			escapesFrom(k, fn, a, canHold)
		}
	case ir.OpCast:
		if values.IsInteger(e.Type.Base) && e.Type.Ptr == 0 && len(e.Kids) == 1 && PointerValue(k, fn, e.Kids[0]) != 0 {
			escape(k, fn, e.Range, "an address in shared memory is turned into a number")
			return
		}
		object := k.TypeOf(fn, e).Kind == effect.Object && e.Type.Ptr == 0 && !e.Type.Ref
		for _, a := range e.Kids {
			escapesFrom(k, fn, a, !object)
		}
	case ir.OpBinary:
		for _, a := range e.Kids {
			escapesFrom(k, fn, a, e.Tok != "<<" && e.Tok != ">>") // of numbers, or of an object that may keep it
		}
	default:
		for _, a := range e.Kids {
			escapesFrom(k, fn, a, true)
		}
	}
}

// followedTarget reports whether an address assigned to e stays in sight: e is a pointer variable itself or an
// element of a local array of pointers, not what a pointer or reference leads to.
func followedTarget(e *ir.Expr) bool {
	for e.Op == ir.OpIndex {
		e = e.Kids[0]
		if e.Op == ir.OpIdent && (e.Var == nil || len(e.Var.Dims) == 0) {
			return false
		}
	}
	v := e.Var
	if e.Op != ir.OpIdent || v == nil || v.Type.Ref {
		return false
	}
	return holdsPointer(v) || v.Kind == ir.VarParam && v.Type.Ptr > 0
}

// argumentFollowed reports whether an address given as argument i stays in sight: a function in view whose parameter
// is a pointer or reference, or an intrinsic that keeps nothing.
func argumentFollowed(call *ir.Expr, callees []*ir.Func, i int) bool {
	if len(callees) == 0 {
		r := call.Intrinsic()
		// An address that is written somewhere is out of sight.
		stored := i > 0 && (r.Kind == intrinsic.Store || r.Kind == intrinsic.Atomic)
		return r.Known() && !r.Memory.Keeps && !stored
	}
	for _, c := range callees {
		if i >= len(c.Params) {
			return false
		}
		if call.Implicit || c.View.Name == c.View.Class {
			return false // an operator is not among the functions that are looked at, and an object may keep it
		}
		p := c.Params[i]
		if p.Type.Ptr == 0 && len(p.Dims) == 0 && !p.Type.Ref && !analysis.IsTypeParam(c, p.Type.Base) && !p.Type.IsAuto() {
			return false
		}
	}
	return true
}

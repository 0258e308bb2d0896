package motion

import (
	"slices"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/intrinsic"
	"github.com/smux-cuda/smux/analysis/ir"
)

// preserves reports whether an expression of a delayed store has the same value after a run of statements, and can be
// written there: it is made of numbers and variables that are declared outside of any statement inside the run and
// that nothing in the run changes, the loop's counter aside.
func preserves(k *analysis.Kernel, e *ir.Expr, one *Delay, run ir.Range) bool {
	keeps := true
	e.Walk(func(t *ir.Expr) bool {
		switch t.Op {
		case ir.OpInt, ir.OpUnary, ir.OpBinary, ir.OpCond, ir.OpSizeof:
		case ir.OpCast:
			keeps = keeps && analysis.IsArithmetic(t.Type.Base) && t.Type.Ptr == 0 && !t.Type.Ref
		case ir.OpCall:
			keeps = keeps && k.IsPureCall(k.Func, t) && t.Kids[0].Op == ir.OpIdent
			for _, a := range t.Args() {
				keeps = keeps && preserves(k, a, one, run)
			}
			return false
		case ir.OpMember:
			base := t.Kids[0]
			keeps = keeps && base.Op == ir.OpIdent && base.Var == nil && slices.Contains(intrinsic.Merged, base.Name) && k.Prog.Global(k.File, base.Name) == nil
			return false
		case ir.OpIdent:
			keeps = keeps && (one.Counter != nil && t.Var == one.Counter || keepsName(k, t, one, run))
		default:
			keeps = false
		}
		return keeps
	})
	return keeps
}

func keepsName(k *analysis.Kernel, e *ir.Expr, one *Delay, run ir.Range) bool {
	v := k.Variable(k.Func, e)
	if v == nil || e.Qual != "" {
		return false
	}
	switch v.Kind {
	case ir.VarTemplateValue, ir.VarEnumerator, ir.VarConstant:
		return true
	case ir.VarGlobal:
		return v.Type.Const && !v.Type.Volatile
	case ir.VarLocal, ir.VarParam:
	default:
		return false
	}
	if v.AddrTaken || v.Static || v.Type.Ref || v.Type.Volatile || v.Type.Ptr > 0 || len(v.Dims) > 0 || !analysis.IsArithmetic(v.Type.Base) && !v.Type.IsAuto() {
		return false
	}
	for _, w := range v.Writes {
		if run.Start <= w.Range.Start && w.Range.Start < run.End {
			return false
		}
	}
	return v.Decl == nil || v.Decl.Range.Start < run.Start || v.Decl.Parent == one.Top.Parent
}

// quiet reports whether threads can't tell each other anything in a statement, and none leaves: no barrier, of the
// block or of a warp, no atomic operation, no volatile access, no call of a function that is out of sight.
func quiet(k *analysis.Kernel, s *ir.Stmt) bool {
	does := k.EffectOf(k.Func, s)
	return !does.Synchronizes() && does.GoesOn() && !s.Any(func(t *ir.Stmt) bool { return t.Op == ir.StmtSwitch })
}

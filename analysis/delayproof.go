package analysis

import (
	"slices"

	"github.com/smux-cuda/smux/analysis/intrinsic"
	"github.com/smux-cuda/smux/analysis/ir"
)

// keeps reports whether an expression of a delayed store has the same value
// behind a run of statements, and can be written there: it is made of numbers and
// variables that are declared outside of any statement inside the run and that
// nothing in the run changes, the loop's counter aside.
func (k *Kernel) keeps(e *ir.Expr, one *Delay, run ir.Range) bool {
	keeps := true
	e.Walk(func(t *ir.Expr) bool {
		switch t.Op {
		case ir.OpInt, ir.OpUnary, ir.OpBinary, ir.OpCond, ir.OpSizeof:
		case ir.OpCast:
			keeps = keeps && isArithmetic(t.Type.Base) && t.Type.Ptr == 0 && !t.Type.Ref
		case ir.OpCall:
			keeps = keeps && k.IsPureCall(k.Func, t) && t.Kids[0].Op == ir.OpIdent
			for _, a := range t.Args() {
				keeps = keeps && k.keeps(a, one, run)
			}
			return false
		case ir.OpMember:
			base := t.Kids[0]
			keeps = keeps && base.Op == ir.OpIdent && base.Var == nil && slices.Contains(intrinsic.Merged, base.Name) && k.Prog.global(k.File, base.Name) == nil
			return false
		case ir.OpIdent:
			keeps = keeps && (one.Counter != nil && t.Var == one.Counter || k.keepsName(t, one, run))
		default:
			keeps = false
		}
		return keeps
	})
	return keeps
}

func (k *Kernel) keepsName(e *ir.Expr, one *Delay, run ir.Range) bool {
	v := k.variable(k.Func, e)
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
	if v.AddrTaken || v.Static || v.Type.Ref || v.Type.Volatile || v.Type.Ptr > 0 || len(v.Dims) > 0 || !isArithmetic(v.Type.Base) && !v.Type.IsAuto() {
		return false
	}
	for _, w := range v.Writes {
		if run.Start <= w.Range.Start && w.Range.Start < run.End {
			return false
		}
	}
	return v.Decl == nil || v.Decl.Range.Start < run.Start || v.Decl.Parent == one.Top.Parent
}

// quiet reports whether threads can't tell each other anything in a statement of
// fn, and none leaves: no barrier, of the block or of a warp, no atomic operation,
// no volatile access, no call of a function that is out of sight.
func (k *Kernel) quiet(fn *ir.Func, s *ir.Stmt, seen map[*ir.Func]bool) bool {
	quiet := true
	s.Walk(func(t *ir.Stmt) bool {
		switch t.Op {
		case ir.StmtReturn:
			quiet = quiet && fn != k.Func
		case ir.StmtGoto, ir.StmtLabel, ir.StmtUnknown, ir.StmtSwitch, ir.StmtCase:
			quiet = false
		case ir.StmtBreak, ir.StmtContinue:
			target := t.JumpTarget()
			quiet = quiet && target != nil && target.Inside(s)
		}
		t.Exprs(func(e *ir.Expr) { quiet = quiet && k.quietExpr(fn, e, seen) })
		return quiet
	})
	return quiet
}

// implicitIsQuiet reports the same of all code that may run without a call that names
// it: operators, constructors, conversions.
func (k *Kernel) implicitIsQuiet() bool {
	for _, c := range k.Prog.unit(k.File).members {
		if c.fn.Error == nil {
			l := k.Prog.Lower(c.file, c.fn)
			if !k.quiet(l, l.Body, map[*ir.Func]bool{l: true}) {
				return false
			}
		}
	}
	return true
}

func (k *Kernel) quietExpr(fn *ir.Func, e *ir.Expr, seen map[*ir.Func]bool) bool {
	quiet := true
	e.Walk(func(t *ir.Expr) bool {
		switch t.Op {
		case ir.OpAsm, ir.OpLambda, ir.OpNew, ir.OpUnknown, ir.OpLaunch:
			quiet = false
		case ir.OpCast:
			quiet = quiet && !t.Type.Volatile
		case ir.OpIdent:
			if v := k.variable(fn, t); v != nil && v.Type.Volatile {
				quiet = false
			}
		case ir.OpCall:
			quiet = quiet && k.quietCall(fn, t, seen)
		}
		return quiet
	})
	return quiet
}

func (k *Kernel) quietCall(fn *ir.Func, call *ir.Expr, seen map[*ir.Func]bool) bool {
	callees := k.callees(fn, call)
	if len(callees) == 0 {
		_, member := call.IsMemberCall()
		return !member && (intrinsic.Of(call.Name).Pure() || readOnlyLoad(call.Name))
	}
	for _, c := range callees {
		if seen[c] {
			continue
		}
		seen[c] = true
		if !k.quiet(c, c.Body, seen) {
			return false
		}
	}
	return true
}

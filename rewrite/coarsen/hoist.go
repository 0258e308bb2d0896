package coarsen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/rewrite/edit"
)

// hoist makes loads that are the same for all copies once, before a loop whose guard would keep the compiler from that. In what is
// coarsened along another axis already, such a guard may be the condition of an if, which must hold for some copy.
func (w *writer) hoist(edits *[]edit.Edit, guard string, s *ir.Stmt, in ir.Range) (lines []string) {
	body, some := s, "" // the name of whether the condition holds for some copy
	chosen := s.Op == ir.StmtIf && s.Else == nil && s.Init == nil && w.Says(mark) && w.knows(s.Cond)
	if chosen {
		if body = s.Body; body.Op == ir.StmtCompound && len(body.List) == 1 {
			body = body.List[0]
		}
	}
	if guard == "" && !chosen && !w.ofThreads() || body.Op != ir.StmtExpr {
		return nil
	}
	k := w.Kernel
	stores := func(e *ir.Expr) bool {
		to, _ := w.accesses(&ir.Stmt{Op: ir.StmtExpr, Expr: e})
		return to != 0
	}
	if slices.ContainsFunc(body.Expr.Kids, stores) { // before a load, maybe
		return nil
	}
	named := map[string]string{}
	var visit func(e *ir.Expr) bool
	visit = func(e *ir.Expr) bool {
		switch {
		case e.Range.Start < in.Start && e.Range.End < in.Start || e.Macro:
			return false
		case e.Op == ir.OpAssign:
			e.Kids[1].Walk(visit)
			return false
		case decides(e):
			e.Kids[0].Walk(visit)
			return false
		case len(e.Args()) > 0:
			for i, a := range e.Args() {
				if !k.MayBindReference(k.Func, e, i) {
					a.Walk(visit)
				}
			}
			return false
		case e.Op == ir.OpAddr, e.Op == ir.OpIncDec, e.Op == ir.OpSizeof:
			return false
		case (e.Op == ir.OpIndex || e.Op == ir.OpDeref) && w.inMemory(e) && w.same(e) && w.elementType(e) != "" && k.Effect(k.Func, e).Repeatable():
			text := w.text(e.Range, *edits)
			*edits = slices.DeleteFunc(*edits, func(inside edit.Edit) bool { return inside.Start >= e.Range.Start && inside.End <= e.Range.End })
			if named[text] == "" {
				named[text] = w.Fresh("same_" + rootName(e))
				if chosen && some == "" {
					some = w.Fresh("any")
				}
				if !chosen {
					lines = append(lines, fmt.Sprintf("const %s %s = %s;", w.elementType(e), named[text], text))
				} else {
					lines = append(lines, fmt.Sprintf("%s %s;", w.elementType(e), named[text]), fmt.Sprintf("if (%s) %s = %s;", some, named[text], text))
				}
			}
			*edits = append(*edits, edit.Edit{Start: e.Range.Start, End: e.Range.End, New: named[text]})
			return false
		}
		return true
	}
	body.Expr.Walk(visit)
	if some == "" {
		return lines
	}
	cond := "(" + w.text(s.Cond.Range, w.copiesIn(s.Cond)) + ")"
	if s.Cond.Op == ir.OpIndex || s.Cond.Op == ir.OpIdent {
		cond = strings.Trim(cond, "()")
	}
	if guard != "" {
		cond = guard + " && " + cond
	}
	return append([]string{"bool " + some + " = false;", unroll, fmt.Sprintf("%s %s |= %s;", w.loop(""), some, cond)}, lines...)
}

// knows reports whether a condition asks for variables of the thread alone.
func (w *writer) knows(cond *ir.Expr) bool {
	stores, loads := w.accesses(&ir.Stmt{Op: ir.StmtExpr, Expr: cond})
	return stores|loads == 0 && w.Kernel.Effect(w.Kernel.Func, cond).Repeatable() && !cond.Any(func(e *ir.Expr) bool { return e.Macro })
}

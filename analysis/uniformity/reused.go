package uniformity

import (
	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/evaluate"
	"github.com/smux-cuda/smux/analysis/ir"
)

// loopVar is a variable as it is in a loop that sets it anew.
type loopVar struct {
	v    *ir.Var
	loop *ir.Stmt
}

// reused returns the loops that set a variable anew, see findReused.
func reused(k *analysis.Kernel) map[*ir.Var][]*ir.Stmt {
	type key struct{}
	return analysis.Table[*ir.Var, []*ir.Stmt](&k.Memo, key{})
}

// loopLevels returns the uniformity of these variables in these loops.
func loopLevels(k *analysis.Kernel) map[loopVar]analysis.Uniformity {
	type key struct{}
	return analysis.Table[loopVar, analysis.Uniformity](&k.Memo, key{})
}

// findReused finds the variables that a for loop's head sets before anything in the loop reads them:
//
//	int i;
//	for (i = 0; i < n; i++) …                       // the same for all threads
//	if (t == 0) for (i = first; i < last; i++) …    // another for each
//
// In the loop such a variable is one of its own, as if it was declared there: what is assigned elsewhere doesn't come
// to its uses. After the loop it is the one that all assignments make.
func findReused(k *analysis.Kernel) {
	reused := reused(k)
	for _, fn := range k.Functions {
		for s := range fn.Body.All() {
			if s.Op != ir.StmtFor || s.Macro || s.Init == nil || s.Init.Op != ir.StmtExpr || s.Init.Macro || entered(s) {
				continue
			}
			for _, a := range evaluate.CommaList(s.Init.Expr) {
				if a.Op != ir.OpAssign || a.Tok != "=" || a.Kids[0].Op != ir.OpIdent || a.Macro {
					continue
				}
				v := a.Kids[0].Var
				if v != nil && v.Kind == ir.VarLocal && !v.AddrTaken && !v.Static && !v.Type.Ref && len(v.Dims) == 0 && v.Decl != nil && !v.Decl.Inside(s) {
					reused[v] = append(reused[v], s)
				}
			}
		}
	}
}

// entered reports whether a loop may be entered elsewhere than at its head: at a
// label, or a case of a switch around it.
func entered(loop *ir.Stmt) bool {
	found := false
	loop.Body.Walk(func(s *ir.Stmt) bool {
		switch s.Op {
		case ir.StmtLabel, ir.StmtGoto:
			found = true
		case ir.StmtCase:
			p := s.Parent
			for p != nil && p != loop && p.Op != ir.StmtSwitch {
				p = p.Parent
			}
			found = found || p == nil || p == loop
		}
		return !found
	})
	return found
}

// reusedAt is the innermost loop around a name that sets its variable anew, nil if
// there is none. What the loop's head sets it to is computed before.
func reusedAt(k *analysis.Kernel, e *ir.Expr) *ir.Stmt {
	var at *ir.Stmt
	for _, loop := range reused(k)[e.Var] {
		if loop.Range.Contains(e.Range) && !loop.Init.Range.Contains(e.Range) && (at == nil || loop.Inside(at)) {
			at = loop
		}
	}
	return at
}

// levelIn returns the uniformity of a variable in a loop that sets it anew, or of all that it ever is.
func levelIn(k *analysis.Kernel, v *ir.Var, loop *ir.Stmt) analysis.Uniformity {
	if loop == nil {
		return k.Uniformity[v]
	}
	return loopLevels(k)[loopVar{v, loop}]
}

func setLevelIn(k *analysis.Kernel, v *ir.Var, loop *ir.Stmt, l analysis.Uniformity) {
	if loop == nil {
		k.Uniformity[v] = l
		return
	}
	loopLevels(k)[loopVar{v, loop}] = l
}

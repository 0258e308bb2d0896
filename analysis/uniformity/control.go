// Package uniformity finds which values and which control are the same for all threads of a block, or of a grid.
package uniformity

import (
	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/evaluate"
	"github.com/smux-cuda/smux/analysis/ir"
)

// controlWithin returns the uniformity of the control between an assignment and the
// scope in which its variable was declared.
func controlWithin(k *analysis.Kernel, fn *ir.Func, at *ir.Stmt, v *ir.Var) analysis.Uniformity {
	var stop *ir.Stmt
	if v.Decl != nil {
		stop = v.Decl.Parent
	}
	return ControlUniformity(k, fn, at, stop)
}

// ControlUniformity returns the uniformity of the control under which s runs, seen from the enclosing statement stop
// (nil: the function's body). The heads of loops and switches that enclose s count with their jumps, and so does the
// head of s itself.
func ControlUniformity(k *analysis.Kernel, fn *ir.Func, s, stop *ir.Stmt) analysis.Uniformity {
	l := analysis.GridUniform
	if stop == nil {
		l = returnsBefore(k, fn, s)
	}
	for p := s; p != nil && p != stop && l < analysis.ThreadVarying; p = p.Parent {
		// The head of a for statement runs under that loop's control too.
		l = max(l, BranchUniformity(k, fn, p))
	}
	return l
}

// controlOf returns the uniformity of the control around an expression of s that is evaluated under operands of &&,
// || and ?:. The condition of an if or a switch is not under what it decides; that of a loop is. What statements
// decide that are left out does not count.
func controlOf(k *analysis.Kernel, fn *ir.Func, s *ir.Stmt, under []*ir.Expr, leftOut map[*ir.Stmt]bool) analysis.Uniformity {
	from := s
	if s.Op == ir.StmtIf || s.Op == ir.StmtSwitch {
		from = s.Parent
	}
	l := returnsBefore(k, fn, s)
	for p := from; p != nil && l < analysis.ThreadVarying; p = p.Parent {
		if !leftOut[p] {
			l = max(l, BranchUniformity(k, fn, p))
		}
	}
	for _, c := range under {
		l = max(l, Of(k, fn, c))
	}
	return l
}

// returnsBefore returns the uniformity of the returns of a device function that stand before s: threads that took one
// do not reach s, but they have not left the kernel.
func returnsBefore(k *analysis.Kernel, fn *ir.Func, s *ir.Stmt) analysis.Uniformity {
	l := analysis.GridUniform
	if fn == k.Func {
		return l // threads that leave the kernel do not affect those that stay
	}
	fn.Body.Walk(func(t *ir.Stmt) bool {
		if t.Op == ir.StmtReturn && t.Range.Start < s.Range.Start {
			l = max(l, WayTo(k, fn, t, nil))
		}
		return l < analysis.ThreadVarying
	})
	return l
}

// BranchUniformity is the uniformity of a control statement's own decision, jumps out of it and returns included.
func BranchUniformity(k *analysis.Kernel, fn *ir.Func, s *ir.Stmt) analysis.Uniformity {
	l := decision(k, fn, s)
	if !s.IsLoop() && s.Op != ir.StmtSwitch || s.Body == nil {
		return l
	}
	for _, t := range jumpsIn(k, s) {
		if t.Op == ir.StmtReturn && fn != k.Func || t.Op == ir.StmtGoto {
			l = max(l, WayTo(k, fn, t, s))
		}
		if l == analysis.ThreadVarying {
			break
		}
	}
	return l
}

// jumpsIn lists the jumps out of a loop or a switch, and those that cut an
// iteration short: the fixpoint of the levels asks for them again and again.
func jumpsIn(k *analysis.Kernel, s *ir.Stmt) []*ir.Stmt {
	type key struct{}
	jumps := analysis.Table[*ir.Stmt, []*ir.Stmt](&k.Memo, key{})
	if out, ok := jumps[s]; ok {
		return out
	}
	var out []*ir.Stmt
	for t := range s.Body.All() {
		switch t.Op {
		case ir.StmtReturn, ir.StmtGoto:
			out = append(out, t)
		case ir.StmtBreak, ir.StmtContinue:
			if t.JumpTarget() == s {
				out = append(out, t)
			}
		}
	}
	jumps[s] = out
	return out
}

// decision returns the uniformity of a control statement's condition and of its breaks and continues.
func decision(k *analysis.Kernel, fn *ir.Func, s *ir.Stmt) analysis.Uniformity {
	if s.Op == ir.StmtIf && s.Preproc || s.Op != ir.StmtIf && s.Op != ir.StmtSwitch && !s.IsLoop() {
		return analysis.GridUniform
	}
	l := Of(k, fn, s.Cond)
	if l == analysis.BlockUniform && evaluate.EvenTrips(k, fn, s) {
		l = analysis.GridUniform
	}
	if s.Op == ir.StmtIf || s.Body == nil {
		return l
	}
	for _, t := range jumpsIn(k, s) {
		if t.Op == ir.StmtBreak || t.Op == ir.StmtContinue {
			l = max(l, WayTo(k, fn, t, s))
		}
		if l == analysis.ThreadVarying {
			break
		}
	}
	return l
}

// WayTo returns the uniformity of the decisions between s and the statement stop around it
// that decide whether a thread reaches s. Returns before s don't count.
func WayTo(k *analysis.Kernel, fn *ir.Func, s, stop *ir.Stmt) analysis.Uniformity {
	l := analysis.GridUniform
	for p := s.Parent; p != nil && p != stop && l < analysis.ThreadVarying; p = p.Parent {
		l = max(l, decision(k, fn, p))
	}
	return l
}

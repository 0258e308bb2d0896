package analysis

import "github.com/smux-cuda/smux/analysis/ir"

// controlWithin returns the uniformity of the control between an assignment and the
// scope in which its variable was declared.
func (k *Kernel) controlWithin(fn *ir.Func, at *ir.Stmt, v *ir.Var) Uniformity {
	var stop *ir.Stmt
	if v.Decl != nil {
		stop = v.Decl.Parent
	}
	return k.controlUniformity(fn, at, stop)
}

// controlUniformity returns the uniformity of the control under which s runs, seen from the
// enclosing statement stop (nil: the function's body). The heads of loops and
// switches that enclose s count with their jumps, and so does the head of s
// itself.
func (k *Kernel) controlUniformity(fn *ir.Func, s, stop *ir.Stmt) Uniformity {
	l := GridUniform
	if stop == nil {
		l = k.returnsBefore(fn, s)
	}
	for p := s; p != nil && p != stop && l < ThreadVarying; p = p.Parent {
		// The head of a for statement runs under that loop's control too.
		l = max(l, k.branchUniformity(fn, p))
	}
	return l
}

// controlOf returns the uniformity of the control around an expression of s that is
// evaluated under operands of &&, || and ?:. The condition of an if or a switch
// is not under what it decides; that of a loop is. What statements decide that
// are left out does not count.
func (k *Kernel) controlOf(fn *ir.Func, s *ir.Stmt, under []*ir.Expr, leftOut map[*ir.Stmt]bool) Uniformity {
	from := s
	if s.Op == ir.StmtIf || s.Op == ir.StmtSwitch {
		from = s.Parent
	}
	l := k.returnsBefore(fn, s)
	for p := from; p != nil && l < ThreadVarying; p = p.Parent {
		if !leftOut[p] {
			l = max(l, k.branchUniformity(fn, p))
		}
	}
	for _, c := range under {
		l = max(l, k.Uniformity(fn, c))
	}
	return l
}

// returnsBefore returns the uniformity of the returns of a device function that stand
// before s: threads that took one do not reach s, but they have not left the
// kernel.
func (k *Kernel) returnsBefore(fn *ir.Func, s *ir.Stmt) Uniformity {
	l := GridUniform
	if fn == k.Func {
		return l // threads that leave the kernel do not affect those that stay
	}
	fn.Body.Walk(func(t *ir.Stmt) bool {
		if t.Op == ir.StmtReturn && t.Range.Start < s.Range.Start {
			l = max(l, k.wayTo(fn, t, nil))
		}
		return l < ThreadVarying
	})
	return l
}

// branchUniformity is the uniformity of a control statement's own decision, jumps out of
// it and returns included.
func (k *Kernel) branchUniformity(fn *ir.Func, s *ir.Stmt) Uniformity {
	l := k.decision(fn, s)
	if !s.IsLoop() && s.Op != ir.StmtSwitch || s.Body == nil {
		return l
	}
	for _, t := range k.jumpsIn(s) {
		if t.Op == ir.StmtReturn && fn != k.Func || t.Op == ir.StmtGoto {
			l = max(l, k.wayTo(fn, t, s))
		}
		if l == ThreadVarying {
			break
		}
	}
	return l
}

// jumpsIn lists the jumps out of a loop or a switch, and those that cut an
// iteration short: the fixpoint of the levels asks for them again and again.
func (k *Kernel) jumpsIn(s *ir.Stmt) []*ir.Stmt {
	type key struct{}
	jumps := Table[*ir.Stmt, []*ir.Stmt](&k.memo, key{})
	if out, ok := jumps[s]; ok {
		return out
	}
	var out []*ir.Stmt
	s.Body.Walk(func(t *ir.Stmt) bool {
		switch t.Op {
		case ir.StmtReturn, ir.StmtGoto:
			out = append(out, t)
		case ir.StmtBreak, ir.StmtContinue:
			if t.JumpTarget() == s {
				out = append(out, t)
			}
		}
		return true
	})
	jumps[s] = out
	return out
}

// decision returns the uniformity of a control statement's condition and of its breaks and
// continues.
func (k *Kernel) decision(fn *ir.Func, s *ir.Stmt) Uniformity {
	if s.Op == ir.StmtIf && s.Preproc || s.Op != ir.StmtIf && s.Op != ir.StmtSwitch && !s.IsLoop() {
		return GridUniform
	}
	l := k.Uniformity(fn, s.Cond)
	if l == BlockUniform && k.evenTrips(fn, s) {
		l = GridUniform
	}
	if s.Op == ir.StmtIf || s.Body == nil {
		return l
	}
	for _, t := range k.jumpsIn(s) {
		if t.Op == ir.StmtBreak || t.Op == ir.StmtContinue {
			l = max(l, k.wayTo(fn, t, s))
		}
		if l == ThreadVarying {
			break
		}
	}
	return l
}

// wayTo returns the uniformity of the decisions between s and the statement stop around it
// that decide whether a thread reaches s. Returns before s don't count.
func (k *Kernel) wayTo(fn *ir.Func, s, stop *ir.Stmt) Uniformity {
	l := GridUniform
	for p := s.Parent; p != nil && p != stop && l < ThreadVarying; p = p.Parent {
		l = max(l, k.decision(fn, p))
	}
	return l
}

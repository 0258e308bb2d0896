package rewrite

import (
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/ir/effect"
)

// beside looks at a statement of the run that does not use the arrays. One that sets
// variables of the run and does nothing else can be repeated where a round needs these;
// any other runs once, in the last round.
func (x *roundsCheck) beside(s *ir.Stmt) {
	if x.repeats(s) {
		x.optional = append(x.optional, s)
		x.units = append(x.units, &unit{stmt: s, optional: true})
		s.Exprs(x.mention)
		return
	}
	switch {
	case s.Op == ir.StmtCompound && !s.Macro:
		for _, c := range s.List {
			x.beside(c)
		}
		return
	case s.Op == ir.StmtExpr && x.p.Kernel.IsBarrier(x.fn, s.Expr) && s.Parent == x.run[0].Parent && !x.p.Kernel.IsVote(x.fn, s.Expr):
		x.barriers++
		return // the exchange's own
	case x.p.isWarpBarrier(s) && s.Parent == x.run[0].Parent:
		return
	}
	if x.p.byArray() {
		x.units = append(x.units, &unit{stmt: s})
		return // see place
	}
	x.runsOnce(s)
}

// runsOnce looks at a statement that runs in the last round alone.
func (x *roundsCheck) runsOnce(s *ir.Stmt) {
	s.Walk(func(t *ir.Stmt) bool {
		switch t.Op {
		case ir.StmtReturn, ir.StmtGoto, ir.StmtLabel, ir.StmtUnknown:
			x.refuse(t.Range, "a thread may leave an exchange here")
		case ir.StmtBreak, ir.StmtContinue:
			if target := t.JumpTarget(); target == nil || !target.Inside(s) {
				x.refuse(t.Range, "a jump leaves an exchange here")
			}
		}
		for _, v := range t.Vars {
			x.others.add(v, v.Range)
		}
		t.Exprs(x.once)
		return true
	})
	if x.eachCall && len(x.effects) > 0 {
		x.refuse(x.effects[0].Range, "a function that is called with an array does something else, too, which more than one round would repeat")
	}
}

// repeats reports whether a statement sets variables that are declared in the run, and
// does nothing else.
func (x *roundsCheck) repeats(s *ir.Stmt) bool {
	pure := func(e *ir.Expr) bool { return e == nil || !x.p.Kernel.Effect(x.fn, e).Changes() }
	switch {
	case s.Macro:
		return false
	case s.Op == ir.StmtDecl:
		for _, v := range s.Vars {
			if v.Kind != ir.VarLocal || v.Static || v.Type.Ref || v.Type.Volatile || v.AddrTaken || !pure(v.Init) {
				return false
			}
		}
		return true
	case s.Op == ir.StmtExpr && (s.Expr.Op == ir.OpAssign || s.Expr.Op == ir.OpIncDec):
		to := s.Expr.Kids[0]
		if to.Op == ir.OpIndex && to.Kids[0].Op == ir.OpIdent {
			if !pure(to.Kids[1]) {
				return false
			}
			to = to.Kids[0]
		}
		if to.Op != ir.OpIdent || to.Var == nil || !x.own[to.Var] || to.Var.Static || to.Var.Type.Ref || to.Var.Type.Ptr > 0 && to != s.Expr.Kids[0] {
			return false
		}
		return s.Expr.Op == ir.OpIncDec || pure(s.Expr.Kids[1])
	}
	return false
}

// mention notes which variables an expression uses that is evaluated once.
func (x *roundsCheck) mention(e *ir.Expr) {
	e.Walk(func(t *ir.Expr) bool {
		if t.Op == ir.OpIdent && t.Var != nil {
			x.mentions.add(t.Var, t.Range)
		}
		return true
	})
}

// once notes what an expression of a statement changes that runs once.
func (x *roundsCheck) once(top *ir.Expr) {
	k := x.p.Kernel
	x.mention(top)
	does := func(e *ir.Expr) { x.effects = append(x.effects, e) }
	changes := func(to *ir.Expr) {
		r := to.Root()
		through := r == nil || r.Var == nil || r.Var.Type.Ptr > 0 && to != r
		if through || r.Var.Kind != ir.VarLocal && r.Var.Kind != ir.VarParam || r.Var.Type.Ref {
			does(to)
		}
		if !through {
			x.others.add(r.Var, to.Range)
		}
	}
	top.Walk(func(e *ir.Expr) bool {
		switch {
		case e.Op == ir.OpAssign || e.Op == ir.OpIncDec || e.Op == ir.OpAddr:
			changes(e.Kids[0])
		case effect.IsOpaque(e.Op):
			does(e)
			e.Walk(func(t *ir.Expr) bool {
				if t.Op == ir.OpIdent && t.Var != nil {
					x.others.add(t.Var, t.Range)
				}
				return true
			})
		case e.Op == ir.OpCall:
			if k.BarrierHere(x.fn, e) {
				x.refuse(e.Range, "a barrier stands inside of an exchange, or of a statement in it")
			}
			if !x.hasEffect(e) {
				break
			}
			does(e)
			for _, a := range e.Args() {
				if r := a.Root(); r != nil && r.Var != nil {
					x.others.add(r.Var, a.Range) // it may be passed by reference
				}
			}
		}
		return true
	})
}

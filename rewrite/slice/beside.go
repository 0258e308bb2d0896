package slice

import (
	"slices"

	"github.com/smux-cuda/smux/analysis/barriers"
	"github.com/smux-cuda/smux/analysis/ir"
)

// Beside looks at a statement of the run that does not use the arrays. One that sets variables of the run and does
// nothing else can be repeated where a round needs these; any other runs once, in the last round.
func (x *roundsCheck) Beside(s *ir.Stmt) {
	if x.repeats(s) {
		x.optional = append(x.optional, s)
		x.units = append(x.units, &unit{stmt: s, optional: true})
		s.Exprs(x.mention)
		return
	}
	switch {
	case s.Op == ir.StmtCompound && !s.Macro:
		for _, c := range s.List {
			x.Beside(c)
		}
		return
	case s.Op == ir.StmtExpr && barriers.IsBarrier(x.p.Kernel, x.fn, s.Expr) && s.Parent == x.run[0].Parent && !barriers.IsVote(x.p.Kernel, x.fn, s.Expr):
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
	for t := range s.All() {
		switch t.Op {
		case ir.StmtReturn, ir.StmtGoto, ir.StmtLabel, ir.StmtUnknown:
			x.Refuse(t.Range, "a thread may leave an exchange here")
		case ir.StmtBreak, ir.StmtContinue:
			if target := t.JumpTarget(); target == nil || !target.Inside(s) {
				x.Refuse(t.Range, "a jump leaves an exchange here")
			}
		}
		for _, v := range t.Vars {
			x.others.add(v, v.Range)
		}
		t.Exprs(x.once)
	}
	if x.eachCall && len(x.effects) > 0 {
		x.Refuse(x.effects[0].Range, "a function that is called with an array does something else, too, which more than one round would repeat")
	}
}

// repeats reports whether a statement sets variables that are declared in the run, and does nothing else.
func (x *roundsCheck) repeats(s *ir.Stmt) bool {
	pure := func(e *ir.Expr) bool { return e == nil || !x.p.Kernel.Effect(x.fn, e).Changes() }
	switch {
	case s.Macro:
		return false
	case s.Op == ir.StmtDecl:
		return !slices.ContainsFunc(s.Vars, func(v *ir.Var) bool {
			return v.Kind != ir.VarLocal || v.Static || v.Type.Ref || v.Type.Volatile || v.AddrTaken || !pure(v.Init)
		})
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
	for t := range e.All() {
		if t.Op == ir.OpIdent && t.Var != nil {
			x.mentions.add(t.Var, t.Range)
		}
	}
}

// once notes what an expression of a statement changes that runs once.
func (x *roundsCheck) once(top *ir.Expr) {
	x.mention(top)
	for e := range top.All() {
		if e.Op == ir.OpCall && barriers.BarrierHere(x.p.Kernel, x.fn, e) {
			x.Refuse(e.Range, "a barrier stands inside of an exchange, or of a statement in it")
		}
		if x.p.Kernel.Step(x.fn, e).ChangesOthers() {
			x.effects = append(x.effects, target(e))
		}
		for _, v := range x.setBy(e) {
			x.others.add(v, e.Range)
		}
	}
}

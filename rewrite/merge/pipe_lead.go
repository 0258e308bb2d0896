package merge

import (
	"slices"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/barriers"
	"github.com/smux-cuda/smux/analysis/evaluate"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/pointers"
)

// leadable says why a run of statements can't be a C that begins with its first one, "" if it can. That one holds no
// barrier, which the other v-TB would not meet; leaves shared memory alone; and jumps nowhere else. What the run
// declares for those after it can be declared before.
func (p *mergeProof) leadable(run []*ir.Stmt) string {
	k, s := p.Kernel, run[0]
	switch {
	case p.inRegion(s) || pointers.Accesses(k, k.Func, s):
		return "uses shared memory"
	case barriers.BarrierIn(k, k.Func, s):
		return "holds a barrier"
	case p.jumps(s):
		return "jumps"
	case declaresOutside(s) || s.Op == ir.StmtEmpty && namesType(k.File, s):
		return "declares a name for those after it"
	case s.Op == ir.StmtDecl && slices.ContainsFunc(s.Vars, func(v *ir.Var) bool { return v.Kind != ir.VarLocal || v.Static }):
		return "declares a variable that is not the thread's own"
	}
	end := run[len(run)-1].Range.End
	for _, t := range run {
		if t.Op == ir.StmtDecl && p.usedAfter(k.Func, t, end) && !p.canHoist(t, run) {
			return "declares a variable that is used after it and can't be declared before"
		}
	}
	return ""
}

// jumps reports whether a statement may go on elsewhere than after itself.
func (p *mergeProof) jumps(s *ir.Stmt) bool {
	return s.Any(func(t *ir.Stmt) bool {
		switch t.Op {
		case ir.StmtReturn, ir.StmtGoto, ir.StmtLabel, ir.StmtUnknown:
			return true
		case ir.StmtCase:
			return t == s
		case ir.StmtBreak, ir.StmtContinue:
			target := t.JumpTarget()
			return target == nil || !target.Inside(s)
		}
		return false
	})
}

// declaresOutside reports whether a branch of an #if, or a macro, declares a variable in the scope that it stands in.
func declaresOutside(s *ir.Stmt) bool {
	if s.Op == ir.StmtDecl {
		return s.Macro
	}
	if s.Op == ir.StmtIf && s.Preproc || s.Op == ir.StmtCompound && s.NoScope {
		return slices.ContainsFunc(s.Children(), func(c *ir.Stmt) bool {
			return c.Op == ir.StmtDecl || c.Op == ir.StmtEmpty && !c.Macro || declaresOutside(c)
		})
	}
	return false
}

// canHoist reports whether a declaration of a C can be taken before it.
func (p *mergeProof) canHoist(s *ir.Stmt, lead []*ir.Stmt) bool {
	c := &cutter{mergeProof: p, cut: &cut{fn: p.Kernel.Func, region: &analysis.Region{List: s.Parent, Stmts: lead}}}
	reasons := len(p.Reasons)
	defer func() { p.Reasons = p.Reasons[:reasons] }()
	switch {
	case c.constant(s) || c.movable(s):
		return !slices.ContainsFunc(s.Vars, c.captures)
	case len(s.Vars) > 1 && s.AnyExpr(func(e *ir.Expr) bool { return e.Op == ir.OpCall && len(p.Kernel.Callees(p.Kernel.Func, e)) > 0 }):
		return false // the calls may have to change as well
	}
	c.hoist(s)
	return len(p.Reasons) == reasons
}

// runAhead proves that C can run under its condition. What it declares for those after it
// is declared before the loop: a v-TB comes to them in another step.
func (c *cutter) runAhead(lead []*ir.Stmt) {
	end := lead[len(lead)-1].Range.End
	c.moved = map[*ir.Stmt]bool{}
	for _, s := range lead {
		if s.Op != ir.StmtDecl {
			continue
		}
		used := c.usedAfter(c.fn, s, end)
		if used && c.movable(s) || c.constant(s) && (used || c.sizes(s, end)) {
			c.moved[s] = true
			c.move(s)
		}
	}
	c.piece(lead, true)
	c.ahead = len(c.edits)
}

// pastRegisters returns the index of the first statement of a list, from the
// given one on, that does more than compute in registers.
func (p *mergeProof) pastRegisters(list []*ir.Stmt, from int) int {
	for from < len(list) && p.registersOnly(list[from]) {
		from++
	}
	return from
}

// maxLight is the largest number of operations in registers at the start of a C that are left outside of it.
const maxLight = 24

// pastLight returns the index of the statement from which on the statements of a
// list, from the given one on, are work.
func (p *mergeProof) pastLight(list []*ir.Stmt, from int) int {
	for n := 0; from < len(list) && p.registersOnly(list[from]); from++ {
		for e := range list[from].AllExprs() {
			switch e.Op {
			case ir.OpUnary, ir.OpBinary, ir.OpCond, ir.OpCall, ir.OpCast, ir.OpAssign, ir.OpIncDec:
				n++
			}
		}
		if n > maxLight {
			break
		}
	}
	return from
}

// registersOnly reports whether a statement is a declaration, an assignment or a condition over some that computes
// with the thread's own numbers: it is short, and touches no memory, so that barriers mean nothing to it.
func (p *mergeProof) registersOnly(s *ir.Stmt) bool {
	if s == nil {
		return true
	}
	switch s.Op {
	case ir.StmtEmpty:
		return true
	case ir.StmtDecl:
		for _, v := range s.Vars {
			number := v.Type.Ptr > 0 || analysis.IsArithmetic(v.Type.Base)
			switch {
			case v.Kind == ir.VarShared, v.Init == nil && p.Kernel.MadeQuietly(p.Kernel.Func, v), analysis.IsGroupType(v):
			case v.Init == nil, v.Kind != ir.VarLocal, v.Static, v.Type.Volatile, v.Type.Ref, !number, !p.inRegisters(v.Init):
				return false
			}
		}
		return true
	case ir.StmtExpr:
		return p.inRegisters(s.Expr)
	case ir.StmtCompound:
		return !slices.ContainsFunc(s.List, func(t *ir.Stmt) bool { return !p.registersOnly(t) })
	case ir.StmtIf:
		return p.inRegisters(s.Cond) && p.registersOnly(s.Body) && p.registersOnly(s.Else)
	}
	return false
}

// inRegisters reports whether evaluating an expression reads and writes nothing
// but the thread's own variables and what never changes.
func (p *mergeProof) inRegisters(e *ir.Expr) bool {
	k := p.Kernel
	return k.Effect(k.Func, e).InRegisters() && !e.Any(func(t *ir.Expr) bool {
		switch t.Op {
		case ir.OpAssign, ir.OpIncDec:
			return t.Kids[0].Op != ir.OpIdent
		case ir.OpCall:
			return !k.IsPureCall(k.Func, t)
		case ir.OpIdent:
			return evaluate.SharedVar(k, k.Func, t) != nil
		}
		return t.Op == ir.OpAddr // the work may begin with it
	})
}

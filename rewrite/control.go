package rewrite

import (
	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/ir"
)

// checkControl proves that every turn takes the same path through the
// skeleton: a variable that decides over a barrier and changes in the region
// is set anew in each turn, by code that all v-TBs run.
func (c *cutter) checkControl(stmts []*ir.Stmt) {
	c.control = map[*ir.Var]bool{}
	heads := map[*ir.Expr]bool{} // initialisers and steps of skeleton loops
	var collect func(list []*ir.Stmt)
	collect = func(list []*ir.Stmt) {
		for _, s := range list {
			if !c.k().BarrierIn(c.fn, s) {
				if c.leaves(s) {
					c.decides(s.Cond)
				}
				continue
			}
			if s.Op == ir.StmtIf || s.IsLoop() {
				c.decides(s.Cond)
				c.decides(s.Post)
				heads[s.Post] = true
				if s.Init != nil {
					s.Init.Exprs(func(e *ir.Expr) {
						heads[e] = true
						c.decides(e)
					})
					for _, v := range s.Init.Vars {
						c.control[v] = true
					}
				}
			}
			collect(s.Children())
		}
	}
	collect(stmts)
	inside := ir.Range{Start: stmts[0].Outer.Start, End: stmts[len(stmts)-1].Range.End}
	// What decides over a deciding variable decides too.
	for changed := true; changed; {
		changed = false
		for v := range c.control {
			for _, w := range v.Writes {
				if !inside.Contains(w.Range) || w.Op != ir.OpAssign {
					continue
				}
				n := len(c.control)
				c.decides(w.Kids[1])
				changed = changed || len(c.control) > n
			}
		}
	}
	for v := range c.control {
		c.checkControlVar(v, stmts, inside, heads)
	}
}

// decides marks the local variables in an expression that decides over a barrier.
func (c *cutter) decides(e *ir.Expr) {
	e.Walk(func(t *ir.Expr) bool {
		if t.Op == ir.OpIdent && t.Var != nil && (t.Var.Kind == ir.VarLocal || t.Var.Kind == ir.VarParam) {
			c.control[t.Var] = true
		}
		return true
	})
}

func (c *cutter) checkControlVar(v *ir.Var, stmts []*ir.Stmt, inside ir.Range, heads map[*ir.Expr]bool) {
	f := c.fn.File
	changes := false
	for _, w := range v.Writes {
		if !inside.Contains(w.Range) {
			continue
		}
		changes = true
		if inHead(w, heads) || c.skeletonWrite(w, stmts) {
			continue
		}
		c.refuse(f, w.Range.Start, CodeTurnState, "%s decides over a barrier and is changed here, where only one virtual thread block at a time runs", v.Name)
	}
	if v.AddrTaken {
		c.refuse(f, v.Range.Start, CodeTurnState, "%s decides over a barrier and its address is taken", v.Name)
	}
	if !changes || v.Decl != nil && inside.Contains(v.Range) || c.region == nil {
		return
	}
	// Declared before the region: its first mention must set it.
	var first *ir.Expr
	sets := false
	for _, s := range stmts {
		s.WalkExprs(func(e *ir.Expr) bool {
			if e.Op == ir.OpIdent && e.Var == v && (first == nil || e.Range.Start < first.Range.Start) {
				first, sets = e, false
			}
			return true
		})
	}
	for _, w := range v.Writes {
		if w.Op == ir.OpAssign && w.Tok == "=" && first != nil && w.Kids[0].Range == first.Range {
			sets = inHead(w, heads) || isStatement(w, stmts)
		}
	}
	if !sets {
		c.refuse(f, c.region.Start(), CodeTurnState, "%s decides over a barrier, changes in the region and is not set anew in each turn", v.Name)
	}
}

func inHead(w *ir.Expr, heads map[*ir.Expr]bool) bool {
	for h := range heads {
		found := false
		h.Walk(func(e *ir.Expr) bool {
			found = found || e == w
			return !found
		})
		if found {
			return true
		}
	}
	return false
}

func isStatement(w *ir.Expr, stmts []*ir.Stmt) bool {
	for _, s := range stmts {
		if s.Op == ir.StmtExpr && s.Expr == w {
			return true
		}
	}
	return false
}

// skeletonWrite reports whether an assignment is a statement of its own in a
// list that holds barriers: it then runs unguarded, for all v-TBs.
func (c *cutter) skeletonWrite(w *ir.Expr, stmts []*ir.Stmt) bool {
	if isStatement(w, stmts) {
		return true
	}
	for _, s := range stmts {
		if !c.k().BarrierIn(c.fn, s) {
			continue
		}
		for _, child := range s.Children() {
			list := []*ir.Stmt{child}
			if child.Op == ir.StmtCompound {
				list = child.List
			}
			if s.Op == ir.StmtCompound {
				list = s.List
			}
			if c.skeletonWrite(w, list) {
				return true
			}
		}
	}
	return false
}

// controls reports whether a statement only sets variables that decide over
// barriers: it belongs to the skeleton.
func (c *cutter) controls(s *ir.Stmt) bool {
	switch s.Op {
	case ir.StmtExpr:
		e := s.Expr
		if e.Op != ir.OpAssign && e.Op != ir.OpIncDec || e.Kids[0].Op != ir.OpIdent || !c.control[e.Kids[0].Var] {
			return false
		}
		c.head(s, e)
		return true
	case ir.StmtDecl:
		for _, v := range s.Vars {
			if !c.control[v] || v.Init == nil {
				return false
			}
		}
		for _, v := range s.Vars {
			c.head(s, v.Init)
		}
		return true
	case ir.StmtIf:
		if !c.leaves(s) {
			return false
		}
		c.head(s, s.Cond)
		return true
	}
	return false
}

// leaves reports whether a statement is "if (…) break;" or "if (…) continue;"
// for a loop that holds a barrier: its condition decides over that barrier.
func (c *cutter) leaves(s *ir.Stmt) bool {
	t := s.Then
	if t != nil && t.Op == ir.StmtCompound && len(t.List) == 1 {
		t = t.List[0]
	}
	if s.Op != ir.StmtIf || s.Preproc || t == nil || s.Else != nil || t.Op != ir.StmtBreak && t.Op != ir.StmtContinue {
		return false
	}
	target := analysis.JumpTarget(t)
	return target != nil && c.k().BarrierIn(c.fn, target)
}

// usedAfter reports whether a declaration's variable is named behind an offset.
func usedAfter(fn *ir.Func, s *ir.Stmt, end int) bool {
	found := false
	fn.Body.WalkExprs(func(e *ir.Expr) bool {
		if e.Op == ir.OpIdent && e.Var != nil && e.Var.Decl == s && e.Range.Start >= end {
			found = true
		}
		if e.Op == ir.OpLambda && e.Lambda != nil && e.Range.End > end {
			e.Lambda.WalkExprs(func(t *ir.Expr) bool {
				found = found || t.Op == ir.OpIdent && t.Var != nil && t.Var.Decl == s
				return !found
			})
		}
		return !found
	})
	return found
}

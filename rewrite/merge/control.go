package merge

import (
	"slices"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/barriers"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/rewrite/kit"
)

// checkControl proves that every turn takes the same path through the skeleton: a variable that decides over a
// barrier and changes in the region is set anew in each turn, by code that all v-TBs run.
func (c *cutter) checkControl(stmts []*ir.Stmt) {
	d := c.deciding(c.fn, stmts)
	c.control, c.settled = d.vars, map[*ir.Stmt]bool{}
	inside := ir.Range{Start: stmts[0].Outer.Start, End: stmts[len(stmts)-1].Range.End}
	for _, v := range kit.InOrder(c.control) {
		c.checkControlVar(v, stmts, inside, d.heads)
	}
}

// checkSettled makes sure that every declaration that sets a deciding variable went to the skeleton.
func (c *cutter) checkSettled(stmts []*ir.Stmt) {
	inside := ir.Range{Start: stmts[0].Outer.Start, End: stmts[len(stmts)-1].Range.End}
	for _, v := range kit.InOrder(c.control) {
		if v.Init == nil || v.Decl == nil || !inside.Contains(v.Range) || c.settled[v.Decl] {
			continue
		}
		if p := v.Decl.Parent; p != nil && p.Op == ir.StmtFor && p.Init == v.Decl && barriers.BarrierIn(c.k(), c.fn, p) {
			continue // the head of a loop of the skeleton
		}
		if c.constant(v.Decl) {
			continue
		}
		c.Refuse(c.fn.File, v.Range.Start, CodeTurnState, "%s decides over a barrier and is set here, where only one virtual thread block at a time runs", v.Name)
	}
}

// deciding holds what decides over the barriers of a run of statements: local
// variables, and the expressions in the heads of the loops and ifs around them.
type deciding struct {
	vars  map[*ir.Var]bool
	heads map[*ir.Expr]bool
}

// add marks the local variables in an expression that decides over a barrier.
func (d *deciding) add(e *ir.Expr) {
	for t := range e.All() {
		if t.Op == ir.OpIdent && t.Var != nil && (t.Var.Kind == ir.VarLocal || t.Var.Kind == ir.VarParam) {
			d.vars[t.Var] = true
		}
	}
}

// deciding collects what decides over the barriers in stmts of fn, and what that is computed from.
func (p *mergeProof) deciding(fn *ir.Func, stmts []*ir.Stmt) *deciding {
	d := &deciding{vars: map[*ir.Var]bool{}, heads: map[*ir.Expr]bool{}}
	p.collectDeciding(d, fn, stmts, map[*ir.Func]bool{fn: true})
	inside := ir.Range{Start: stmts[0].Outer.Start, End: stmts[len(stmts)-1].Range.End}
	for changed := true; changed; {
		before := len(d.vars)
		for v := range d.vars {
			if v.Init != nil && inside.Contains(v.Range) {
				d.add(v.Init)
			}
			for _, w := range v.Writes {
				if inside.Contains(w.Range) && w.Op == ir.OpAssign {
					d.add(w.Kids[1])
				}
			}
		}
		changed = len(d.vars) > before
	}
	return d
}

// decidingIn returns what decides over the barriers of a function that is called,
// found once however often it is called.
func (p *mergeProof) decidingIn(fn *ir.Func) *deciding {
	d := p.decides[fn]
	if d == nil {
		if p.decides == nil {
			p.decides = map[*ir.Func]*deciding{}
		}
		d = p.deciding(fn, fn.Body.List)
		p.decides[fn] = d
	}
	return d
}

func (p *mergeProof) collectDeciding(d *deciding, fn *ir.Func, stmts []*ir.Stmt, seen map[*ir.Func]bool) {
	for _, s := range stmts {
		if !barriers.BarrierIn(p.Kernel, fn, s) {
			if p.leaves(fn, s) {
				d.add(s.Cond)
			}
			continue
		}
		if s.Op == ir.StmtIf || s.IsLoop() {
			d.add(s.Cond)
			d.add(s.Post)
			d.heads[s.Post] = true
			if s.Init != nil {
				s.Init.Exprs(func(e *ir.Expr) {
					d.heads[e] = true
					d.add(e)
				})
				for _, v := range s.Init.Vars {
					d.vars[v] = true
				}
			}
		}
		s.Exprs(func(top *ir.Expr) {
			for e := range top.All() {
				p.decidingArguments(d, fn, e, seen)
			}
		})
		p.collectDeciding(d, fn, s.Children(), seen)
	}
}

// decidingArguments marks what a call passes for parameters that decide over barriers in the function called.
func (p *mergeProof) decidingArguments(d *deciding, fn *ir.Func, call *ir.Expr, seen map[*ir.Func]bool) {
	for _, callee := range p.Kernel.Callees(fn, call) {
		if !barriers.HasBarrier(p.Kernel, callee) || seen[callee] || len(callee.Body.List) == 0 {
			continue
		}
		seen[callee] = true
		inner := p.decidingIn(callee)
		delete(seen, callee)
		for i, a := range call.Args() {
			if i < len(callee.Params) && inner.vars[callee.Params[i]] {
				d.add(a)
			}
		}
	}
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
		c.Refuse(f, w.Range.Start, CodeTurnState, "%s decides over a barrier and is changed here, where only one virtual thread block at a time runs", v.Name)
	}
	c.checkWhole(v, stmts)
	if v.AddrTaken {
		c.Refuse(f, v.Range.Start, CodeTurnState, "%s decides over a barrier and its address is taken", v.Name)
	}
	if !changes || v.Decl != nil && inside.Contains(v.Range) || c.region == nil {
		return
	}
	// Declared before the region: its first mention must set it.
	var first *ir.Expr
	sets := false
	for _, s := range stmts {
		for e := range s.AllExprs() {
			if e.Op == ir.OpIdent && e.Var == v && (first == nil || e.Range.Start < first.Range.Start) {
				first, sets = e, false
			}
		}
	}
	for _, w := range v.Writes {
		if w.Op == ir.OpAssign && w.Tok == "=" && first != nil && w.Kids[0].Range == first.Range {
			sets = isStatement(w, stmts) || startsLoop(w, stmts)
		}
	}
	if !sets {
		c.Refuse(f, c.region.Start(), CodeTurnState, "%s decides over a barrier, changes in the region and is not set anew in each turn", v.Name)
	}
}

// checkWhole refuses arrays and classes that decide over a barrier and change,
// in whole or in part, or are passed on in the region.
func (c *cutter) checkWhole(v *ir.Var, stmts []*ir.Stmt) {
	if len(v.Dims) == 0 && v.Type.Ptr == 0 && analysis.IsArithmetic(v.Type.Base) {
		return
	}
	part := func(e *ir.Expr) bool {
		r := e.Root()
		return r != nil && r.Var == v
	}
	for _, s := range stmts {
		for e := range s.AllExprs() {
			changed := (e.Op == ir.OpAssign || e.Op == ir.OpIncDec) && part(e.Kids[0]) && e.Kids[0].Op != ir.OpIdent
			if e.Op == ir.OpCall && !c.k().IsPureCall(c.fn, e) && !barriers.BarrierHere(c.k(), c.fn, e) {
				for _, a := range e.Args() {
					changed = changed || a.Op == ir.OpIdent && a.Var == v && len(v.Dims) > 0
				}
			}
			if changed {
				c.Refuse(c.fn.File, e.Range.Start, CodeTurnState, "%s decides over a barrier and is changed here, where only one virtual thread block at a time runs", v.Name)
			}
		}
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
	return slices.ContainsFunc(stmts, func(s *ir.Stmt) bool { return s.Op == ir.StmtExpr && s.Expr == w })
}

// startsLoop reports whether an assignment stands in the first part of the head
// of a for loop that is itself one of stmts: it always runs.
func startsLoop(w *ir.Expr, stmts []*ir.Stmt) bool {
	return slices.ContainsFunc(stmts, func(s *ir.Stmt) bool { return s.Op == ir.StmtFor && s.Init != nil && s.Init.Range.Contains(w.Range) })
}

// skeletonWrite reports whether an assignment is a statement of its own in a
// list that holds barriers: it then runs unguarded, for all v-TBs.
func (c *cutter) skeletonWrite(w *ir.Expr, stmts []*ir.Stmt) bool {
	if isStatement(w, stmts) {
		return true
	}
	for _, s := range stmts {
		if !barriers.BarrierIn(c.k(), c.fn, s) {
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

// controls reports whether a statement only sets variables that decide over barriers: it belongs to the skeleton.
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
		decides, others := false, false
		for _, v := range s.Vars {
			decides = decides || c.control[v] && v.Init != nil
			others = others || !c.control[v] && v.Init != nil
		}
		if decides && others {
			c.Refuse(c.fn.File, s.Range.Start, CodeTurnState, "a declaration of variables that decide over barriers and others that do not")
		}
		if !decides {
			return false
		}
		c.settled[s] = true
		for _, v := range s.Vars {
			c.head(s, v.Init)
		}
		return true
	case ir.StmtIf:
		if !c.leaves(c.fn, s) {
			return false
		}
		c.head(s, s.Cond)
		return true
	}
	return false
}

// leaves reports whether a statement is "if (…) break;" or "if (…) continue;"
// for a loop that holds a barrier: its condition decides over that barrier.
func (p *mergeProof) leaves(fn *ir.Func, s *ir.Stmt) bool {
	t := s.Body
	if t != nil && t.Op == ir.StmtCompound && len(t.List) == 1 {
		t = t.List[0]
	}
	if s.Op != ir.StmtIf || s.Preproc || t == nil || s.Else != nil || t.Op != ir.StmtBreak && t.Op != ir.StmtContinue {
		return false
	}
	target := t.JumpTarget()
	return target != nil && barriers.BarrierIn(p.Kernel, fn, target)
}

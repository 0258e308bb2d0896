// Package motion finds which statements may move, split or be computed again.
package motion

import (
	"slices"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/evaluate"
	"github.com/smux-cuda/smux/analysis/footprint"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/pointers"
)

// Computed is a statement at the start of a region that does nothing but compute values and
// store them in shared memory, so that all values can be computed, into registers, before the
// first is stored: an assignment, or a counted loop around assignments and what they need.
type Computed struct {
	Stmt   *ir.Stmt
	Stores []*ir.Expr // the assignments, in the order in which they are made
	Types  []string   // of their elements

	// Loop is the statement if it is a loop: each of its stores needs a register for each
	// trip. Trips is how many trips a thread makes at most; Uneven is set if some make fewer.
	Loop   *ir.Stmt
	Trips  int
	Uneven bool
	Rolled bool // it stands under no #pragma unroll, and needs one
}

// ComputedStores returns the leading statements of a region that are computed before the first of
// their values is stored, with the declarations between them left out, and the last of them.
// There are none where the splits of the region do as much.
//
// Nothing but these stores to shared memory stands between the old place of a computation and
// its new one: no barrier, and no store to memory that it could see.
func ComputedStores(k *analysis.Kernel, r *analysis.Region) (all []Computed, last *ir.Stmt) {
	if r.Func != k.Func || r.List.Op != ir.StmtCompound || r.List.Macro {
		return nil, nil
	}
	gains := false
	for _, s := range r.Stmts {
		c, ok := computed(k, s)
		if !ok {
			break
		}
		if len(c.Stores) == 0 {
			continue
		}
		if c.Loop != nil {
			_, split := splitLoop(k, s)
			gains = gains || !split && s.Body.AnyExpr(func(e *ir.Expr) bool {
				return e.Op == ir.OpAssign && (computes(e.Kids[1]) || loadsGlobal(e.Kids[1]))
			})
		} else {
			value := c.Stores[0].Kids[1]
			gains = gains || computes(value) && !loadsGlobal(value)
		}
		all, last = append(all, c), s
	}
	if !gains {
		return nil, nil
	}
	return all, last
}

// computed looks at one statement; it has no stores where the statement is a declaration.
func computed(k *analysis.Kernel, s *ir.Stmt) (Computed, bool) {
	c := Computed{Stmt: s}
	switch {
	case s.Macro:
		return c, false
	case s.Op == ir.StmtDecl:
		for _, v := range s.Vars {
			if v.Kind != ir.VarLocal || v.Static || v.Extern || v.Macro || v.Type.Ref || v.Type.Ptr > 0 || !plain(k, v.Type.Base) || v.Init != nil && !movable(k, v.Init) {
				return c, false
			}
		}
		return c, true
	case s.Op == ir.StmtFor:
		return c, computedLoop(k, s, &c)
	}
	return c, computedStore(k, s, nil, &c)
}

// computedStore adds an assignment to a shared element, whose subscripts are the same before and
// after other stores: made of variables from outside of the loop around it, and its counter.
func computedStore(k *analysis.Kernel, s, loop *ir.Stmt, c *Computed) bool {
	if s.Op != ir.StmtExpr || s.Macro || s.Expr.Op != ir.OpAssign || s.Expr.Tok != "=" || s.Expr.Macro {
		return false
	}
	target, value := s.Expr.Kids[0], s.Expr.Kids[1]
	typ := elementType(k, target)
	if typ == "" || !movable(k, value) || value.Op == ir.OpInitList || analysis.IsTypeParam(k.Func, typ) && loop != nil {
		return false
	}
	for i := target; i.Op == ir.OpIndex; i = i.Kids[0] {
		inside := func(t *ir.Expr) bool {
			return t.Op == ir.OpIdent && t.Var != nil && loop != nil && t.Var.Decl != nil && t.Var.Decl != loop.Init && t.Var.Decl.Inside(loop)
		}
		if !isSteady(k, i.Kids[1]) || callsIn(i.Kids[1]) || i.Kids[1].Any(inside) {
			return false
		}
	}
	c.Stores, c.Types = append(c.Stores, s.Expr), append(c.Types, typ)
	return true
}

// computedLoop looks at a loop.
func computedLoop(k *analysis.Kernel, s *ir.Stmt, c *Computed) bool {
	unroll, ok := unrolled(k, s)
	if !ok || s.Init == nil || s.Init.Op != ir.StmtDecl || s.Init.Macro || len(s.Init.Vars) != 1 || s.Init.Vars[0].Macro || s.Init.Vars[0].Type.IsAuto() || !keepsToItself(k, s) {
		return false
	}
	c.Loop, c.Rolled = s, !unroll
	for _, t := range analysis.Statements(s.Body) {
		if t.AnyExpr(func(e *ir.Expr) bool { return pointers.Touches(k, k.Func, e) }) && !computedStore(k, t, s, c) {
			return false
		}
	}
	bytes := 0
	for _, typ := range c.Types {
		size := k.Prog.SizeOf(k.Func, ir.Type{Base: typ})
		if size == 0 {
			return false
		}
		bytes += size
	}
	return len(c.Stores) > 0 && tripsOf(k, s, c) && bytes*c.Trips <= maxSplitBytes
}

// tripsOf finds how often a loop runs. Where threads run it unequally often its condition is
// asked in each trip: so it must not become true again.
func tripsOf(k *analysis.Kernel, s *ir.Stmt, c *Computed) bool {
	var last *ir.Expr
	for _, in := range k.Instances {
		cs := footprint.New(k, evaluate.FrameUnder(in, k, k.Func)).Counters(s)
		if len(cs) != 1 || s.Post != cs[0].Step || !movable(k, s.Cond) || s.Cond.Macro || s.Post.Macro {
			return false
		}
		if last = cs[0].Step; last.Op == ir.OpAssign && !movable(k, last.Kids[1]) {
			return false
		}
		trips, ok := footprint.Trips(k, in, k.Func, s)
		if !ok || len(trips) == 0 {
			return false
		}
		most, least := slices.Max(trips), slices.Min(trips)
		if most < 1 || most > maxSplitBytes {
			return false
		}
		c.Uneven = c.Uneven || most != least || c.Trips > 0 && int(most) != c.Trips
		c.Trips = max(c.Trips, int(most))
	}
	return c.Trips > 0 && (!c.Uneven || countsUp(k, s, last))
}

// countsUp reports whether a loop counts up by a constant to less than something that stays.
func countsUp(k *analysis.Kernel, s *ir.Stmt, step *ir.Expr) bool {
	v := s.Init.Vars[0]
	if s.Cond.Op != ir.OpBinary || s.Cond.Tok != "<" && s.Cond.Tok != "<=" || s.Cond.Kids[0].Op != ir.OpIdent || s.Cond.Kids[0].Var != v || !isSteady(k, s.Cond.Kids[1]) {
		return false
	}
	if s.Cond.Kids[1].Any(func(t *ir.Expr) bool {
		return t.Op == ir.OpIdent && t.Var != nil && (t.Var == v || len(t.Var.Writes) > 0)
	}) {
		return false
	}
	if step.Op == ir.OpIncDec {
		return step.Tok == "++"
	}
	return step.Tok == "+=" && !slices.ContainsFunc(k.Instances, func(in *analysis.Instance) bool {
		by, ok := evaluate.Constant(k, in, k.Func, step.Kids[1])
		return !ok || by < 1
	})
}

// keepsToItself reports whether a loop changes nothing but variables of its own and shared
// memory, says nothing to other threads, and makes all of its body in each trip.
func keepsToItself(k *analysis.Kernel, s *ir.Stmt) bool {
	if s.Macro || s.Body.Macro || !quiet(k, s) {
		return false
	}
	leaves := s.Any(func(t *ir.Stmt) bool {
		return (t.Op == ir.StmtBreak || t.Op == ir.StmtContinue) && t.JumpTarget() == s || t.Op == ir.StmtWhile || t.Op == ir.StmtDo || t.Macro
	})
	return !leaves && !s.AnyExpr(func(e *ir.Expr) bool {
		switch e.Op {
		case ir.OpAssign, ir.OpIncDec:
			v := e.Kids[0].Root()
			if v == nil || v.Var == nil {
				return true
			}
			own := v.Var.Kind == ir.VarLocal && v.Var.Type.Ptr == 0 && !v.Var.Type.Ref && !v.Var.Static && v.Var.Decl != nil && v.Var.Decl.Inside(s)
			return !own && elementType(k, e.Kids[0]) == ""
		case ir.OpCall:
			return !k.ChangesNothing(k.Func, e)
		}
		return false
	})
}

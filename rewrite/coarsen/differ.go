package coarsen

import (
	"slices"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/barriers"
	"github.com/smux-cuda/smux/analysis/evaluate"
	"github.com/smux-cuda/smux/analysis/intrinsic"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/ir/effect"
	"github.com/smux-cuda/smux/analysis/pointers"
	"github.com/smux-cuda/smux/rewrite/merge"
)

// copies tells what copies of a thread block may have different values of, and what is the same for all of them.
type copies struct {
	*merge.Coarsened
	differs map[*ir.Var]bool  // variables of which copies may have different values
	split   map[*ir.Stmt]bool // loops and switches that copies may leave at different times
}

// findDiffering finds the variables of which copies may have different values. What a statement does is the same
// for all copies where control gets to it alike and its operands are the same: elements of global memory,
// too, since a thread block that wrote one which others read would race with them.
func (p *copies) findDiffering() {
	for changed := true; changed; {
		before := len(p.differs) + len(p.split)
		p.differing(p.Kernel.Func.Body, nil)
		changed = len(p.differs)+len(p.split) > before
	}
}

// differing looks at a statement that runs where the conditions of some statements say so, which differ.
func (p *copies) differing(s *ir.Stmt, under []*ir.Stmt) {
	if s == nil || p.aborts(s) {
		return
	}
	inside := under
	if s.Cond != nil && !p.same(s.Cond) || p.split[s] {
		inside = append(slices.Clip(under), s)
	}
	p.visit(s, under)
	if s.IsLoop() {
		for _, e := range [...]*ir.Expr{s.Cond, s.Post} {
			if e != nil {
				p.effects(e, inside)
			}
		}
	}
	if (s.Op == ir.StmtBreak || s.Op == ir.StmtContinue) && s.JumpTarget() != nil {
		target := s.JumpTarget()
		if slices.ContainsFunc(under, func(c *ir.Stmt) bool { return c.Inside(target) }) {
			p.split[target] = true
		}
	}
	for _, c := range s.Children() {
		p.differing(c, inside)
	}
}

// visit looks at what a statement declares and changes itself.
func (p *copies) visit(s *ir.Stmt, under []*ir.Stmt) {
	for _, v := range s.Vars {
		if v.Init != nil && !p.same(v.Init) {
			p.mark(v)
		}
		if v.Type.Ref && v.Init != nil {
			p.store(v.Init, true, nil)
		}
	}
	if !s.IsLoop() {
		s.Exprs(func(e *ir.Expr) { p.effects(e, under) })
	}
}

// aborts reports whether a block of statements prints something and ends the program: any copy that comes there
// does that for all.
func (p *copies) aborts(s *ir.Stmt) bool {
	return s.Op == ir.StmtCompound && len(s.List) > 0 && !slices.ContainsFunc(s.List, func(t *ir.Stmt) bool {
		return t.Op != ir.StmtExpr || t.Expr.Op != ir.OpCall || t.Expr.Intrinsic().Kind != intrinsic.Debug ||
			slices.ContainsFunc(t.Expr.Args(), func(a *ir.Expr) bool { return !p.same(a) || p.changesOutside(a) })
	}) && s.List[len(s.List)-1].Expr.Name == "__trap"
}

// effects looks at what an expression changes.
func (p *copies) effects(e *ir.Expr, under []*ir.Stmt) {
	if e.Any(func(t *ir.Expr) bool { return decides(t) && !p.same(t.Kids[0]) }) {
		under = append(slices.Clip(under), nil)
	}
	for t := range e.All() {
		switch t.Op {
		case ir.OpAssign:
			p.store(t.Kids[0], !p.same(t.Kids[1]), under)
		case ir.OpIncDec:
			p.store(t.Kids[0], false, under)
		case ir.OpAddr: // of which somebody else may change the object
			if v := t.Root(); v != nil && v.Var != nil && !p.inMemory(t) {
				p.store(t.Kids[0], true, nil)
			}
		case ir.OpCall:
			if p.Kernel.Step(p.Kernel.Func, t).Changes() && !p.once(t) {
				p.given(t)
			}
		case ir.OpIdent:
		default: // an operator of the program's
			if p.does(t).Changes() {
				for _, operand := range t.Kids {
					p.store(operand, true, nil)
				}
			}
		}
	}
}

// given looks at what a call that changes something is given: it may change what a pointer leads to, and what it has a
// reference to.
func (p *copies) given(call *ir.Expr) {
	k := p.Kernel
	if obj := call.Object(); obj != nil && !barriers.IsWarpCall(k, k.Func, call) {
		if root := obj.Root(); root == nil || root.Var == nil || len(k.Callees(k.Func, call)) == 0 || k.Effect(k.Func, call).MayWrite(root.Var) {
			p.store(obj, true, nil)
		}
		if call.Kids[0].Arrow {
			p.pointees(obj.Root())
		}
	}
	if v := call.Kids[0].Var; v != nil && (v.Kind == ir.VarLocal || v.Kind == ir.VarParam) && !v.Type.Function {
		p.mark(v) // a function object
	}
	for i, a := range call.Args() {
		if k.TypeOf(k.Func, a).Levels > 0 {
			if root := a.Root(); root != nil && root.Var != nil && !p.throughPointer(a) && !isPointer(root.Var) {
				p.mark(root.Var) // an array, or the address of an object
			} else {
				p.pointees(root)
			}
		} else if !call.Intrinsic().ByValue() && !barriers.IsWarpCall(k, k.Func, call) && k.MayBindReference(k.Func, call, i) {
			p.store(a, true, nil)
		}
	}
}

// decides reports whether the first operand decides which of the others are evaluated.
func decides(e *ir.Expr) bool {
	return e.Op == ir.OpCond || e.Op == ir.OpBinary && (e.Tok == "&&" || e.Tok == "||")
}

// store looks at a store to what e names. Under a condition that differs it differs, unless the variable is
// declared there, too: nil stands for a condition inside of the expression.
func (p *copies) store(e *ir.Expr, differs bool, under []*ir.Stmt) {
	differs = differs || !p.same(e)
	outside := func(v *ir.Var) bool {
		return slices.ContainsFunc(under, func(c *ir.Stmt) bool {
			return c == nil || v == nil || v.Decl == nil || v.Kind == ir.VarShared || !v.Decl.Inside(c)
		})
	}
	root := e.Root()
	switch {
	case root != nil && root.Var != nil && !p.throughPointer(e):
		if differs || outside(root.Var) {
			p.mark(root.Var)
		}
	case differs || outside(nil):
		p.pointees(root)
	}
}

// pointees marks the objects of the thread and of its block that a pointer, nil for an unknown one, may lead to.
func (p *copies) pointees(root *ir.Expr) {
	if p.global(root) {
		return
	}
	for _, s := range p.Kernel.Shared {
		if root == nil || root.Var == s.Var || pointers.MayPoint(p.Kernel, root.Var, s) {
			p.mark(s.Var)
		}
	}
	for _, v := range p.Kernel.Func.Vars {
		if p.reachable(v) {
			p.mark(v)
		}
	}
}

// reachable reports whether a pointer may lead to a variable of the thread, or to an array that is part of it.
func (p *copies) reachable(v *ir.Var) bool {
	return v.Kind == ir.VarLocal && !analysis.IsGroupType(v) && (v.AddrTaken || len(v.Dims) > 0 || !p.plain(v))
}

// global reports whether a pointer is known to lead to global memory: a parameter, as it was passed or as it was moved
// on.
func (p *copies) global(root *ir.Expr) bool {
	switch {
	case root == nil:
		return false
	case root.Var == nil || root.Var.Kind == ir.VarGlobal:
		return true
	case root.Var.Kind != ir.VarParam:
		return false
	}
	return len(root.Var.Writes) == 0 || !slices.ContainsFunc(p.Kernel.Func.Vars, p.reachable) &&
		!slices.ContainsFunc(p.Kernel.Shared, func(s *analysis.Shared) bool { return pointers.MayPoint(p.Kernel, root.Var, s) })
}

// throughPointer reports whether an object that an expression names is one that a pointer leads to.
func (p *copies) throughPointer(e *ir.Expr) bool {
	k := p.Kernel
	switch e.Op {
	case ir.OpIndex, ir.OpDeref:
		return k.TypeOf(k.Func, e.Kids[0]).Array == 0 || p.throughPointer(e.Kids[0])
	case ir.OpMember:
		return e.Arrow || p.throughPointer(e.Kids[0])
	case ir.OpAddr, ir.OpCast:
		return len(e.Kids) != 1 || p.throughPointer(e.Kids[0])
	case ir.OpIdent:
		return false
	}
	return true
}

func isPointer(v *ir.Var) bool { return v.Type.Ptr > 0 && len(v.Dims) == 0 }

// same reports whether an expression has the same value for all copies that evaluate it.
func (p *copies) same(e *ir.Expr) bool {
	same := true
	e.Walk(func(t *ir.Expr) bool {
		switch {
		case !same:
		case t.Op == ir.OpMember && isBuiltin(t.Kids[0]):
			same = t.Kids[0].Name != p.place() || t.Name != p.Axis()
			return false
		case isBuiltin(t) && t.Name == p.place():
			same = false
		case t.Op == ir.OpIdent && t.Var != nil:
			same = !p.differs[t.Var]
		case t.Op == ir.OpCall && barriers.IsTileNumber(p.Kernel, p.Kernel.Func, t):
		case t.Op == ir.OpCall && !p.once(t):
			same = p.Kernel.Step(p.Kernel.Func, t).Repeatable()
		}
		return same
	})
	return same
}

func isBuiltin(e *ir.Expr) bool { return e.Op == ir.OpIdent && e.Var == nil }

// once reports whether a call does for all copies what it does for one: it lets a thread wait for others, orders
// its accesses, or makes the group of its thread block.
func (p *copies) once(call *ir.Expr) bool {
	k := p.Kernel
	of := call.Intrinsic()
	return barriers.IsBarrier(k, k.Func, call) || barriers.IsGroupSync(k, k.Func, call) || of.Kind == intrinsic.Fence || of.Kind == intrinsic.Barrier ||
		of.Kind == intrinsic.Group && of.Scope == intrinsic.Block && of.Waits == intrinsic.Nobody
}

// inMemory reports whether an expression names an object that a pointer leads to.
func (p *copies) inMemory(e *ir.Expr) bool {
	root := e.Root()
	return root == nil || root.Var == nil || p.throughPointer(e) || root.Var.Kind == ir.VarShared ||
		root.Var.Kind == ir.VarGlobal || root.Var.Kind == ir.VarConstant
}

// changesOutside reports whether an expression may change more than what a copy has for itself: its variables and
// shared arrays.
func (p *copies) changesOutside(e *ir.Expr) bool {
	return e.Any(func(t *ir.Expr) bool {
		switch t.Op {
		case ir.OpAssign, ir.OpIncDec:
			return !p.own(t.Kids[0])
		case ir.OpIdent:
			return false
		}
		return p.does(t).Changes() && !(t.Op == ir.OpCall && p.once(t))
	})
}

// does returns the effect of an operation by itself. Volatile objects that a kernel names are shared arrays (isOrdered), of which
// each copy has one; a function may name others.
func (p *copies) does(e *ir.Expr) effect.Effect {
	does := p.Kernel.Step(p.Kernel.Func, e)
	if e.Op != ir.OpCall {
		does = does.Without(effect.Volatile)
	}
	return does
}

// own reports whether an expression names an object of one copy. Threads share the arrays of their block.
func (p *copies) own(e *ir.Expr) bool {
	root := e.Root()
	return root != nil && root.Var != nil && root.Var.Kind != ir.VarGlobal && !(p.ofThreads() && root.Var.Kind == ir.VarShared) && !p.throughPointer(e)
}

// loadsHere reports whether an operation reads memory at a place that differs.
func (p *copies) loadsHere(e *ir.Expr) bool {
	switch e.Op {
	case ir.OpIndex, ir.OpDeref:
		return p.inMemory(e) && !p.same(e)
	case ir.OpCall:
		return p.Kernel.Step(p.Kernel.Func, e).Loads()
	}
	return false
}

// plain reports whether making a variable without a value does nothing.
func (p *copies) plain(v *ir.Var) bool {
	t := p.Kernel.TypeOf(p.Kernel.Func, &ir.Expr{Op: ir.OpIdent, Name: v.Name, Var: v, Range: v.Range})
	return t.IsBuiltin() && (!t.Volatile || v.Kind == ir.VarShared)
}

// record reports whether a variable is of a class of nothing but data: it is made, copied and set as its members are.
func (p *copies) record(v *ir.Var) bool {
	k := p.Kernel
	return !v.Type.Volatile && len(k.Instances) > 0 && !slices.ContainsFunc(k.Instances, func(in *analysis.Instance) bool { return !evaluate.FactsOf(k, in).Trivial(k.Func, v.Type) })
}

// mark notes that copies may have different values of a variable. A group is made of threads, and not of the place of their
// block: it is the same for all, as the shared arrays of a block are for its threads.
func (p *copies) mark(v *ir.Var) {
	if !analysis.IsGroupType(v) && !(p.ofThreads() && v.Kind == ir.VarShared) {
		p.differs[v] = true
	}
}

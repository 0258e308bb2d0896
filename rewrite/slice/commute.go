package slice

import (
	"slices"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/evaluate"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/uniformity"
)

// movable reports whether a statement may run in an earlier round: it changes variables of the thread's own and,
// through parameters of the kernel, global memory, and nothing in it tells other threads more than that.
func (x *roundsCheck) movable(t *unit) bool {
	fine := !t.stmt.Macro
	t.stmt.Walk(func(s *ir.Stmt) bool {
		switch s.Op {
		case ir.StmtReturn, ir.StmtGoto, ir.StmtLabel, ir.StmtUnknown, ir.StmtSwitch, ir.StmtCase:
			fine = false
		case ir.StmtBreak, ir.StmtContinue:
			target := s.JumpTarget()
			fine = fine && target != nil && target.Inside(t.stmt)
		}
		for _, v := range s.Vars {
			fine = fine && !v.Static && !v.Type.Ref && !v.Type.Volatile && !v.AddrTaken
		}
		s.Exprs(func(top *ir.Expr) {
			top.Walk(func(e *ir.Expr) bool {
				to := target(e)
				fine = fine && e.Op != ir.OpAddr && (x.changesOwn(e) || to != e && x.globalPointer(to) != nil)
				return fine
			})
		})
		return fine
	})
	return fine
}

// globalPointer is the parameter of the kernel through which an expression accesses
// global memory, one step after it; nil for any other expression.
func (x *roundsCheck) globalPointer(e *ir.Expr) *ir.Var {
	r := e.Root()
	if r == nil || r == e || r.Var == nil || x.fn != x.p.Kernel.Func {
		return nil
	}
	v := r.Var
	if v.Kind != ir.VarParam || v.Type.Ptr != 1 || len(v.Writes) > 0 || v.AddrTaken || v.Type.Volatile || v.Type.Ref || e.Derefs() != 1 {
		return nil
	}
	return v
}

// commutes reports whether a statement that runs in a round before the last one may change
// places with those before it, after it and around it that run in other rounds.
func (x *roundsCheck) commutes(t *unit) bool {
	loads, stores := x.accesses(t.stmt)
	apart := func(a, b []*ir.Expr) bool {
		return !slices.ContainsFunc(a, func(one *ir.Expr) bool {
			return slices.ContainsFunc(b, func(other *ir.Expr) bool { return !x.apart(one, other) })
		})
	}
	for _, l := range x.loads {
		if l.round != t.home && !apart(stores, []*ir.Expr{l.Expr}) {
			return false
		}
	}
	for _, o := range x.units {
		if o == t || o.rooted() && o.home == t.home {
			continue
		}
		if l, s := x.accesses(o.stmt); !apart(stores, l) || !apart(stores, s) || !apart(s, loads) {
			return false
		}
	}
	return true
}

// accesses are the loads of a statement from memory that is not the thread's own, and its
// stores there; what may be either is a store. Those of the arrays aside.
func (x *roundsCheck) accesses(s *ir.Stmt) (loads, stores []*ir.Expr) {
	ours := func(e *ir.Expr) bool {
		r := e.Root()
		return r != nil && slices.ContainsFunc(x.uses, func(u *sliceUse) bool { return u.name == r })
	}
	for e := range s.AllExprs() {
		switch to := target(e); {
		case !x.changesOwn(e):
			if to == e || !ours(to) {
				stores = append(stores, to)
			}
		case x.isLoad(x.fn, e) && !ours(e):
			loads = append(loads, e)
		}
	}
	return loads, stores
}

// apart reports whether what one expression stores can't be what another one accesses, in this thread or in others:
// one is in shared memory and the other in global memory, the other is of memory that nobody writes, or both are
// after the exchange's barrier, where other threads' accesses have no order, and go through different parameters of
// the kernel of which one is restricted.
func (x *roundsCheck) apart(store, other *ir.Expr) bool {
	k := x.p.Kernel
	sharedOf := func(e *ir.Expr) *analysis.Shared {
		if r := e.Root(); r != nil {
			return evaluate.SharedVar(k, x.fn, r)
		}
		return nil
	}
	q := x.globalPointer(store)
	if store.Op == ir.OpCall || q == nil && sharedOf(store) == nil {
		return false
	}
	if other.Op == ir.OpCall {
		return other.Intrinsic().IsReadOnly() && len(k.Callees(x.fn, other)) == 0
	}
	r := other.Root()
	if r == nil {
		return false
	}
	p := x.globalPointer(other)
	if s := sharedOf(store); s != nil {
		return p != nil || sharedOf(other) != nil && sharedOf(other) != s
	}
	if sharedOf(other) != nil || r.Var != q && r.Var != nil && !r.Var.Type.Volatile && uniformity.LoadsUnchanging(k, x.fn, other) {
		return true
	}
	return p != nil && p != q && (p.Type.Restrict || q.Type.Restrict) && min(store.Range.Start, other.Range.Start) > x.barrierAt
}

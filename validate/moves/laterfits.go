package moves

import (
	"slices"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/validate/content"
	"github.com/smux-cuda/smux/validate/kit"
)

// partedFits checks the two stores that one became: each thread makes one of them.
func (al moves) partedFits(b *ir.Stmt, l *kit.Later) {
	c := content.Evaluator(al.Alignment, max(1, al.Obj.Threads()))
	for t := range c.N {
		one, other := c.Eval(l.Guard, t), c.Eval(l.When, t)
		if one.Kind != content.IsInt || other.Kind != content.IsInt || one.IsTrue() == other.IsTrue() {
			al.doubtMove(l.Store.Range.Start, "it is not known that each thread makes one of the stores to the parts of an array")
			return
		}
	}
}

// laterFits checks a store that waits.
func (al moves) laterFits(b *ir.Stmt, l *kit.Later) {
	at := b.Range.Start
	name := l.Temp.Name
	root := l.Put.Kids[0].Root()
	if root == nil || root.Var == nil || root.Var.Kind != ir.VarShared && al.Kernel.State.Copies[root.Name] == nil {
		al.doubtMove(l.Put.Range.Start, "what waits in %s is not stored to a shared array", name)
		return
	}
	if l.Loop == nil {
		if l.Guard != nil {
			al.partedFits(b, l)
		}
		al.passes(l, root)
		return
	}
	body := kit.Statements(l.Loop.Body)
	if in := al.CountsMore(l.Loop); in != nil {
		body = kit.Statements(in.Body)
	}
	if l.Inner != nil && l.Guard != nil || !slices.Contains(body, b) || l.Loop.Body.Any(func(s *ir.Stmt) bool { return kit.Leaves(s, l.Loop.Body) }) {
		al.doubtMove(at, "it is not known that each iteration puts something aside in %s", name)
	}
	if kept := kit.PlainName(l.Temp.Var.Type.Base); kept == "" || al.TypeOf(l.Put.Kids[0]) != kept && al.TypeOf(l.Set.Kids[1]) != kept {
		al.doubtMove(at, "it is not known that %s has the type of what it holds", name)
	}
	used := 0
	al.New.Body.WalkExprs(func(e *ir.Expr) bool {
		if e.Op == ir.OpIdent && e.Var == l.Temp.Var {
			used++
		}
		return e.Qual != "smux"
	})
	if used != 2 {
		al.doubtMove(at, "%s is used elsewhere, too", name)
	}
	al.passes(l, root)
	if !al.sameStores(l) {
		al.doubtMove(l.Store.Range.Start, "it is not known that this stores all that waits in %s, once and in its order", name)
	}
}

// passes checks what a store that waits passes: no barrier, nothing that uses its place, nothing that changes where that
// is, and no jump. Stores that wait and stood before it may use its place.
func (al moves) passes(l *kit.Later, root *ir.Expr) {
	name, from := l.Temp.Name, l.From
	if al.droppedBetween(al.Dropped[l.Gone:], from, l.Store.Range.Start) {
		al.doubtMove(l.Store.Range.Start, "a store that waits passes a barrier of the original that is gone")
	}
	al.New.Body.Walk(func(s *ir.Stmt) bool {
		if s.Range.Start < from || s.Range.Start >= l.Store.Range.Start {
			return s.Range.End > from
		}
		for _, other := range al.Later {
			if other.Store == s && other.From < from {
				return false
			}
		}
		if kit.Leaves(s, l.Store.Parent) {
			al.doubtMove(s.Range.Start, "what waits in %s is not stored where this jumps", name)
		}
		if r := al.Roles[s]; r == kit.RoleBarrier || r == kit.RoleTurnEnd || r == kit.RoleRelease || al.Kept[s] {
			al.doubtMove(s.Range.Start, "a store that waits passes this")
		}
		if al.Roles[s] == kit.RoleErased {
			return false // the choice of a slot
		}
		s.Exprs(func(e *ir.Expr) {
			for x := range e.All() {
				if al.Kernel.State.HasBarrier(al.Kernel.State.Calls[x]...) || kit.WaitsInWarp(x) || x.Op == ir.OpAsm {
					al.doubtMove(x.Range.Start, "a store that waits passes this, where threads may wait for each other")
				}
				if x.Op == ir.OpIdent && x.Var != nil && al.Kernel.State.Tainted[x.Var] && (x.Var == root.Var || x.Var.Kind != ir.VarShared && al.Kernel.State.Copies[x.Name] == nil) {
					al.doubtMove(x.Range.Start, "this may use what waits in %s", name)
				}
			}
		})
		return true
	})
	heads := map[*ir.Var]bool{}
	for _, loop := range []*ir.Stmt{l.Loop, l.Store} {
		if loop != nil && loop.Init != nil {
			for _, v := range loop.Init.Vars {
				heads[v] = true
			}
		}
	}
	places := []*ir.Expr{l.Put.Kids[0]}
	if l.Set != nil {
		places = append(places, l.Set.Kids[0])
	}
	for _, e := range places {
		for x := range e.All() {
			if x.Op == ir.OpIdent && x.Var != nil && x.Var != root.Var && x.Var != l.Temp.Var && !heads[x.Var] && al.Kernel.State.Copies[x.Name] == nil {
				if x.Var.AddrTaken || x.Var.Range.Start > from || al.Changed(x.Var, from, l.Store.Range.End) >= 0 {
					al.doubtMove(x.Range.Start, "%s may change before what waits in %s is stored", x.Name, name)
				}
			}
		}
	}
}

// countedFits checks that a loop that counts its iterations makes as many as the original's: for each thread that is
// run.
func (al moves) countedFits(a, b *ir.Stmt) {
	old := moves{al.Original()}
	body := a.Body.Any(func(s *ir.Stmt) bool { return kit.Leaves(s, a.Body) && s.Op != ir.StmtContinue })
	for t := range old.threadsOf(a) {
		rows, ok := old.iterations(a, t, nil, nil, true)
		if !ok || !al.goesOn(b, t, int64(len(rows))) || body || al.Changed(b.Init.Vars[0], b.Body.Range.Start, b.Body.Range.End) >= 0 {
			al.doubtMove(b.Range.Start, "it is not known that the original's loop makes %d iterations", b.Cond.Kids[1].Int)
			return
		}
	}
}

// sameStores reports whether for each thread the iterations that put something aside are, in their order, those that
// store it, and each has an element of its own: both loops are run.
func (al moves) sameStores(l *kit.Later) bool {
	cond, on := l.Guard, l.Guard == nil
	if l.Inner != nil {
		cond, on = l.Inner, true
	}
	for t := range al.threadsOf(l.Loop, l.Put, l.Set.Kids[0], cond, l.When) {
		aside, ok := al.iterations(l.Loop, t, l.Set.Kids[0].Kids[1], cond, on)
		stored, also := al.iterations(l.Store, t, l.Put.Kids[1].Kids[1], l.When, true)
		if !ok || !also || !slices.EqualFunc(aside, stored, slices.Equal[[]int64]) || !al.apart(aside, l.Temp.Var) {
			return false
		}
	}
	return sameCounters(l.Loop, l.Store)
}

// goesOn reports whether a loop that counts makes a number of iterations for a thread, and does nothing in any more.
func (al moves) goesOn(b *ir.Stmt, t int, n int64) bool {
	in := al.CountsMore(b)
	if in == nil {
		return n == b.Cond.Kids[1].Int
	}
	rows, ok := al.iterations(b, t, nil, in.Cond, true)
	for i, row := range rows {
		ok = ok && row[1] == int64(i) // the first ones
	}
	return ok && int64(len(rows)) == n
}

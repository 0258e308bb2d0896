package validate

import (
	"slices"

	"github.com/smux-cuda/smux/analysis/ir"
)

// partedFits checks the two stores that one became: each thread makes one of them.
func (al moves) partedFits(b *ir.Stmt, l *later) {
	c := evaluator(al.alignment, max(1, al.obj.threads()))
	for t := range c.n {
		one, other := c.eval(l.guard, t), c.eval(l.when, t)
		if one.kind != isInt || other.kind != isInt || one.isTrue() == other.isTrue() {
			al.doubtMove(l.store.Range.Start, "it is not known that each thread makes one of the stores to the parts of an array")
			return
		}
	}
}

// laterFits checks a store that waits.
func (al moves) laterFits(b *ir.Stmt, l *later) {
	at := b.Range.Start
	name := l.temp.name
	root := l.put.Kids[0].Root()
	if root == nil || root.Var == nil || root.Var.Kind != ir.VarShared && al.k.state.copies[root.Name] == nil {
		al.doubtMove(l.put.Range.Start, "what waits in %s is not stored to a shared array", name)
		return
	}
	if l.loop == nil {
		if l.guard != nil {
			al.partedFits(b, l)
		}
		al.passes(l, root)
		return
	}
	body := statements(l.loop.Body)
	if in := al.countsMore(l.loop); in != nil {
		body = statements(in.Body)
	}
	if l.inner != nil && l.guard != nil || !slices.Contains(body, b) || l.loop.Body.Any(func(s *ir.Stmt) bool { return leaves(s, l.loop.Body) }) {
		al.doubtMove(at, "it is not known that each iteration puts something aside in %s", name)
	}
	if kept := plainName(l.temp.v.Type.Base); kept == "" || al.typeOf(l.put.Kids[0]) != kept && al.typeOf(l.set.Kids[1]) != kept {
		al.doubtMove(at, "it is not known that %s has the type of what it holds", name)
	}
	used := 0
	al.b.Body.WalkExprs(func(e *ir.Expr) bool {
		if e.Op == ir.OpIdent && e.Var == l.temp.v {
			used++
		}
		return e.Qual != "smux"
	})
	if used != 2 {
		al.doubtMove(at, "%s is used elsewhere, too", name)
	}
	al.passes(l, root)
	if !al.sameStores(l) {
		al.doubtMove(l.store.Range.Start, "it is not known that this stores all that waits in %s, once and in its order", name)
	}
}

// passes checks what a store that waits passes: no barrier, nothing that uses its place, nothing that changes where that
// is, and no jump. Stores that wait and stood before it may use its place.
func (al moves) passes(l *later, root *ir.Expr) {
	name, from := l.temp.name, l.from
	if al.droppedBetween(al.dropped[l.gone:], from, l.store.Range.Start) {
		al.doubtMove(l.store.Range.Start, "a store that waits passes a barrier of the original that is gone")
	}
	al.b.Body.Walk(func(s *ir.Stmt) bool {
		if s.Range.Start < from || s.Range.Start >= l.store.Range.Start {
			return s.Range.End > from
		}
		for _, other := range al.later {
			if other.store == s && other.from < from {
				return false
			}
		}
		if leaves(s, l.store.Parent) {
			al.doubtMove(s.Range.Start, "what waits in %s is not stored where this jumps", name)
		}
		if r := al.roles[s]; r == roleBarrier || r == roleTurnEnd || r == roleRelease || al.kept[s] {
			al.doubtMove(s.Range.Start, "a store that waits passes this")
		}
		if al.roles[s] == roleErased {
			return false // the choice of a slot
		}
		s.Exprs(func(e *ir.Expr) {
			e.Walk(func(x *ir.Expr) bool {
				if al.k.state.hasBarrier(al.k.state.calls[x]...) || waitsInWarp(x) || x.Op == ir.OpAsm {
					al.doubtMove(x.Range.Start, "a store that waits passes this, where threads may wait for each other")
				}
				if x.Op == ir.OpIdent && x.Var != nil && al.k.state.tainted[x.Var] && (x.Var == root.Var || x.Var.Kind != ir.VarShared && al.k.state.copies[x.Name] == nil) {
					al.doubtMove(x.Range.Start, "this may use what waits in %s", name)
				}
				return true
			})
		})
		return true
	})
	heads := map[*ir.Var]bool{}
	for _, loop := range []*ir.Stmt{l.loop, l.store} {
		if loop != nil && loop.Init != nil {
			for _, v := range loop.Init.Vars {
				heads[v] = true
			}
		}
	}
	places := []*ir.Expr{l.put.Kids[0]}
	if l.set != nil {
		places = append(places, l.set.Kids[0])
	}
	for _, e := range places {
		e.Walk(func(x *ir.Expr) bool {
			if x.Op == ir.OpIdent && x.Var != nil && x.Var != root.Var && x.Var != l.temp.v && !heads[x.Var] && al.k.state.copies[x.Name] == nil {
				if x.Var.AddrTaken || x.Var.Range.Start > from || al.changed(x.Var, from, l.store.Range.End) >= 0 {
					al.doubtMove(x.Range.Start, "%s may change before what waits in %s is stored", x.Name, name)
				}
			}
			return true
		})
	}
}

// countedFits checks that a loop that counts its iterations makes as many as the original's: for each thread that is
// run.
func (al moves) countedFits(a, b *ir.Stmt) {
	old := moves{al.original()}
	body := a.Body.Any(func(s *ir.Stmt) bool { return leaves(s, a.Body) && s.Op != ir.StmtContinue })
	for t := range old.threadsOf(a) {
		rows, ok := old.iterations(a, t, nil, nil, true)
		if !ok || !al.goesOn(b, t, int64(len(rows))) || body || al.changed(b.Init.Vars[0], b.Body.Range.Start, b.Body.Range.End) >= 0 {
			al.doubtMove(b.Range.Start, "it is not known that the original's loop makes %d iterations", b.Cond.Kids[1].Int)
			return
		}
	}
}

// sameStores reports whether for each thread the iterations that put something aside are, in their order, those that
// store it, and each has an element of its own: both loops are run.
func (al moves) sameStores(l *later) bool {
	cond, on := l.guard, l.guard == nil
	if l.inner != nil {
		cond, on = l.inner, true
	}
	for t := range al.threadsOf(l.loop, l.put, l.set.Kids[0], cond, l.when) {
		aside, ok := al.iterations(l.loop, t, l.set.Kids[0].Kids[1], cond, on)
		stored, also := al.iterations(l.store, t, l.put.Kids[1].Kids[1], l.when, true)
		if !ok || !also || !slices.EqualFunc(aside, stored, slices.Equal[[]int64]) || !al.apart(aside, l.temp.v) {
			return false
		}
	}
	return sameCounters(l.loop, l.store)
}

// goesOn reports whether a loop that counts makes a number of iterations for a thread, and does nothing in any more.
func (al moves) goesOn(b *ir.Stmt, t int, n int64) bool {
	in := al.countsMore(b)
	if in == nil {
		return n == b.Cond.Kids[1].Int
	}
	rows, ok := al.iterations(b, t, nil, in.Cond, true)
	for i, row := range rows {
		ok = ok && row[1] == int64(i) // the first ones
	}
	return ok && int64(len(rows)) == n
}

package slice

import (
	"slices"

	"github.com/smux-cuda/smux/analysis/ir"
)

// unit is a statement of the run that is run as a whole: one that holds uses, one that
// can be repeated (optional), or any other.
type unit struct {
	stmt     *ir.Stmt
	uses     []*sliceUse
	optional bool
	home     int       // the round that it runs in, of those that are neither optional nor write an array
	of       roundSet  // the rounds whose reads it computes something from
	sets     []*ir.Var // which it may change
}

// roundSet is a set of rounds.
type roundSet uint

func (s roundSet) has(round int) bool { return round >= 0 && s&(1<<round) != 0 }

// writes reports whether a unit stores into one of the arrays.
func (u *unit) writes() bool {
	return len(u.uses) > 0 && u.uses[0].store != nil
}

// rooted reports whether a unit runs once, in one round.
func (u *unit) rooted() bool { return !u.optional && !u.writes() }

// names calls f with each name of a variable in a unit.
func (u *unit) names(f func(v *ir.Var, at ir.Range)) {
	for e := range u.stmt.AllExprs() {
		if e.Op == ir.OpIdent && e.Var != nil {
			f(e.Var, e.Range)
		}
	}
}

// place decides, by array, in which round each statement runs. What is read in a round before the last one
//
//   - is assigned to its variable there, where that is what the statement does and nothing
//     before it needs what the variable was,
//   - or the statements run in that round that compute something from it: loops around
//     them are parted (see findHomes),
//   - or waits in registers for the last round.
func (x *roundsCheck) place() {
	x.last = 0
	for _, u := range x.uses {
		x.last = max(x.last, u.round())
	}
	into := map[*sliceUse]*ir.Var{}
	for _, u := range x.uses {
		if u.reads() && u.round() < x.last {
			if v := x.target(u); v != nil {
				into[u] = v
				x.assigned = append(x.assigned, v)
			}
		}
	}
	for _, t := range x.units {
		for s := range t.stmt.All() {
			t.sets = append(t.sets, s.Vars...)
		}
		for e := range t.stmt.AllExprs() {
			t.sets = append(t.sets, x.setBy(e)...)
		}
	}
	x.keep()
	for {
		x.findHomes(into)
		wrong := x.assignedTooEarly(into)
		if wrong == nil {
			break
		}
		delete(into, wrong)
	}
	for _, t := range x.units {
		if !t.rooted() {
			continue
		}
		if t.home < x.last {
			for _, e := range expressionsIn(t.stmt) {
				x.needUnit(t, e)
			}
			continue
		}
		direct := false
		for _, u := range t.uses {
			switch v, ok := into[u]; {
			case ok:
				x.changed.add(v, u.whole.Range)
				x.direct[u], direct = true, true
			case u.round() < x.last:
				x.stage(u)
			}
		}
		if !direct {
			x.runsOnce(t.stmt)
			for _, v := range t.sets {
				x.others.add(v, t.stmt.Range)
			}
		}
	}
	x.keep()
	x.checkMoved()
	x.findInFront()
}

// expressionsIn are those directly in a statement and in the statements inside it.
func expressionsIn(s *ir.Stmt) (out []*ir.Expr) {
	for t := range s.All() {
		t.Exprs(func(e *ir.Expr) { out = append(out, e) })
	}
	return out
}

// needUnit notes what a statement needs that runs in an earlier round: all that it names and does not set itself.
func (x *roundsCheck) needUnit(t *unit, e *ir.Expr) {
	for k := range e.All() {
		if k.Op != ir.OpIdent || k.Var == nil || k.Var.Kind != ir.VarLocal && k.Var.Kind != ir.VarParam || countsIn(t.stmt, k.Var) {
			continue
		}
		// Of what it sets it needs the declaration, where that is part of the run.
		if x.own[k.Var] || !slices.Contains(t.sets, k.Var) {
			x.needsIn[t.home].add(k.Var, k.Range)
		}
	}
}

// countsIn reports whether a variable is the counter of a loop around a statement that the loop's head sets.
func countsIn(s *ir.Stmt, v *ir.Var) bool {
	for ; s != nil; s = s.Parent {
		if s.Op == ir.StmtFor && s.Init != nil && s.Init.Op == ir.StmtExpr && s.Init.Expr.Op == ir.OpAssign && s.Init.Expr.Kids[0].Var == v {
			return true
		}
	}
	return false
}

// spread finds out which rounds' reads each unit computes something from, those aside
// that are assigned to variables in their rounds.
func (x *roundsCheck) spread(into map[*sliceUse]*ir.Var) map[*ir.Var]roundSet {
	from := map[*ir.Var]roundSet{}
	for _, t := range x.units {
		t.of = 0
		for _, u := range t.uses {
			if _, direct := into[u]; !direct && u.reads() {
				t.of |= 1 << u.round()
			}
		}
	}
	for again := true; again; {
		again = false
		for _, t := range x.units {
			of := t.of
			t.names(func(v *ir.Var, _ ir.Range) { of |= from[v] })
			t.of = of
			for _, v := range t.sets {
				if from[v]|of != from[v] {
					from[v] |= of
					again = true
				}
			}
		}
	}
	return from
}

// findHomes finds the rounds before the last one in which statements can run that compute
// something from what is read there, and sets the homes of all statements.
func (x *roundsCheck) findHomes(into map[*sliceUse]*ir.Var) {
	from := x.spread(into)
	rounds := roundSet(0)
	for r := range x.last {
		if x.barriers < 2 {
			rounds |= 1 << r
		}
	}
	for again := true; again; {
		again = false
		for _, t := range x.units {
			if t.home = x.last; !t.rooted() {
				continue
			}
			for r := range x.last {
				if rounds.has(r) && t.of == 1<<r {
					t.home = r
				}
			}
		}
		for r := range x.last {
			if rounds.has(r) && !x.canMove(r, from) {
				rounds &^= 1 << r
				again = true
			}
		}
	}
}

// canMove reports whether the statements that compute something from what a round reads
// can run in that round, before all of the later ones.
func (x *roundsCheck) canMove(r int, from map[*ir.Var]roundSet) bool {
	for v, of := range from {
		if !of.has(r) {
			continue
		}
		if x.needs.has(v) || x.own[v] && x.namedBehind(v) && !x.keepsFrom(v) {
			return false
		}
		for other, in := range x.needsIn {
			if other != r && in.has(v) {
				return false
			}
		}
	}
	for _, t := range x.units {
		switch {
		case !t.rooted() || !t.of.has(r):
		case t.home != r || slices.ContainsFunc(t.uses, func(u *sliceUse) bool { return u.round() != r }):
			return false
		case !x.movable(t) || !x.commutes(t):
			return false
		}
	}
	return true
}

// keepsFrom reports whether a variable that the run declares can be declared in front of it.
func (x *roundsCheck) keepsFrom(v *ir.Var) bool {
	t := x.unitOf(v.Decl)
	return t != nil && t.optional && t.of == 0 && slices.Contains(x.run, v.Decl) && x.fixed(v.Decl)
}

// namedBehind reports whether a variable that the run declares is named after it.
func (x *roundsCheck) namedBehind(v *ir.Var) bool {
	end := x.run[len(x.run)-1].Range.End
	return x.fn.Body.AnyExpr(func(e *ir.Expr) bool { return e.Op == ir.OpIdent && e.Var == v && e.Range.Start >= end })
}

// assignedTooEarly returns a read that can't be assigned to its variable in its round:
// another round may need what the variable was before, or a statement of the last one.
func (x *roundsCheck) assignedTooEarly(into map[*sliceUse]*ir.Var) *sliceUse {
	for _, u := range x.uses {
		v := into[u]
		if v == nil {
			continue
		}
		here := []ir.Range{u.whole.Range}
		wrong := false
		// use is one of the variable in a round: in a later one it must stand after
		// the read, in an earlier one before it.
		use := func(round int, at ir.Range) {
			_, before := x.follows(here, []ir.Range{at})
			_, behind := x.follows([]ir.Range{at}, here)
			switch {
			case round == eachRound:
				wrong = true
			case round > u.round():
				wrong = wrong || before
			case round < u.round():
				wrong = wrong || behind
			}
		}
		for _, at := range x.needs[v] {
			use(eachRound, at)
		}
		for r, in := range x.needsIn {
			for _, at := range in[v] {
				use(r, at)
			}
		}
		for _, t := range x.units {
			switch {
			case slices.Contains(t.uses, u), t.writes():
			case t.optional: // each round may repeat it
				t.names(func(w *ir.Var, at ir.Range) {
					if w == v {
						use(0, at)
						use(x.last, at)
					}
				})
			default:
				round := t.home
				if len(t.uses) == 1 && into[t.uses[0]] != nil {
					round = t.uses[0].round()
				}
				t.names(func(w *ir.Var, at ir.Range) {
					if w == v {
						use(round, at)
					}
				})
			}
		}
		if wrong {
			return u
		}
	}
	return nil
}

// checkMoved refuses what would use a variable in one round that statements set which run in another one.
func (x *roundsCheck) checkMoved() {
	for _, t := range x.units {
		if !t.rooted() || t.home == x.last {
			continue
		}
		for _, v := range t.sets {
			for r, in := range append([]places{x.needs}, x.needsIn...) {
				if r-1 != t.home && in.has(v) {
					x.crosses(in[v][0], "%s is set in another round than this", v.Name)
				}
			}
			for _, o := range x.units {
				if o.rooted() && o.home != t.home {
					o.names(func(w *ir.Var, at ir.Range) {
						if w == v {
							x.crosses(at, "%s is set in another round than this", v.Name)
						}
					})
				}
			}
		}
	}
}

package stage

import (
	"maps"
	"slices"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/validate/kit"
	"github.com/smux-cuda/smux/validate/linear"
	"github.com/smux-cuda/smux/validate/units"
)

// list runs statements, and returns under which condition the thread comes to their end.
func (y *symbolic) list(list []*ir.Stmt) linear.Formula {
	n, all := len(y.path), linear.Yes
	for _, s := range list {
		if s.Op == ir.StmtCase || s.Op == ir.StmtLabel {
			all = linear.Yes // what jumps here does not come by what stands before
		}
		if all.Op == linear.IsFalse {
			continue
		}
		f := y.stmt(s)
		all = linear.Both(all, f)
		if f.Op != linear.IsFalse && f.Op != linear.IsTrue {
			y.path = append(y.path, f)
		}
	}
	y.path = y.path[:n]
	return all
}

// stmt runs a statement, and returns under which condition the thread comes after it.
func (y *symbolic) stmt(s *ir.Stmt) linear.Formula {
	y.now++
	if y.st.skips[s] {
		return linear.Yes
	}
	if y.st.copies[s] != nil && y.copying == nil {
		y.copying, y.phase = s, y.phase+1
		defer func() { y.copying = nil }()
	}
	if y.st.isMeeting(s) {
		y.met++
	}
	if y.st.putbacks[s] && !y.putting {
		y.putting = true
		defer func() { y.putting = false }()
	}
	switch s.Op {
	case ir.StmtCompound, ir.StmtCase, ir.StmtLabel:
		if s.Op != ir.StmtCompound {
			y.changes(s.Parent, "in ")
			y.path = append(y.path, y.maybe()) // taken back by the list that this stands in
		}
		return y.list(s.List)
	case ir.StmtDecl:
		for _, v := range s.Vars {
			delete(y.env, v)
			switch {
			case v.Init != nil && len(v.Dims) == 0:
				x := y.eval(v.Init)
				if y.set(v, x); v.AddrTaken || v.Type.Ref {
					delete(y.env, v)
				}
			case v.Kind == ir.VarLocal && len(v.Dims) == 0:
				y.forget(v, "declared")
			case v.Init != nil:
				y.eval(v.Init)
			}
		}
		y.st.declared(y, s)
	case ir.StmtExpr:
		if s.Expr != nil {
			y.eval(s.Expr)
		}
	case ir.StmtReturn:
		if s.Expr != nil {
			y.eval(s.Expr)
		}
		return linear.No
	case ir.StmtBreak, ir.StmtContinue, ir.StmtGoto:
		return linear.No
	case ir.StmtIf:
		if s.Preproc || s.Init != nil {
			y.lost(s)
			return linear.Yes
		}
		c := y.truth(y.eval(s.Cond))
		before := maps.Clone(y.env)
		var a, b linear.Formula
		if a = linear.No; c.Op != linear.IsFalse {
			y.where(c, func() { a = y.stmt(s.Body) })
		}
		then := y.env
		y.env = before
		if b = linear.Yes; s.Else != nil && c.Op != linear.IsTrue {
			y.where(c.Not(), func() { b = y.stmt(s.Else) })
		}
		switch {
		case c.Op == linear.IsTrue || b.Op == linear.IsFalse:
			y.env = then
		case c.Op != linear.IsFalse && a.Op != linear.IsFalse:
			y.join(then, s)
		}
		return linear.Either(linear.Both(c, a), linear.Both(c.Not(), b))
	case ir.StmtFor:
		return y.loop(s)
	case ir.StmtEmpty:
	default:
		y.lost(s)
	}
	return linear.Yes
}

// join leaves what two ways through a branch have in common.
func (y *symbolic) join(other map[*ir.Var]known, s *ir.Stmt) {
	for v, x := range y.env {
		if z, ok := other[v]; !ok || z.kind != x.kind || x.lost || z.base != x.base || z.fits != x.fits || !slices.EqualFunc(z.at, x.at, slices.Equal[linear.Sum]) || x.kind == aTruth && !z.cond.Equal(x.cond) || z.s.Key() != x.s.Key() {
			y.forget(v, "joined "+units.Itoa(s.Range.Start))
		}
	}
}

// maybe is a condition of which nothing is known.
func (y *symbolic) maybe() linear.Formula {
	return linear.Formula{Op: linear.IsAtom, Atom: y.g.Single(y.fresh("int").s)}
}

// forget makes a variable one of which nothing is known. Threads that agree in it agree in the atom.
func (y *symbolic) forget(v *ir.Var, where string) {
	if v.Type.Ptr > 0 || len(v.Dims) > 0 || v.Type.Ref || v.AddrTaken {
		delete(y.env, v)
		return
	}
	if kindOf(v.Type.Base) == noNumber {
		y.env[v] = known{lost: true}
		return
	}
	op := "variable " + v.Name + "@" + units.Itoa(v.Range.Start) + " " + where + y.trip
	switch y.st.levels.Levels[v] {
	case kit.PerThread:
		op += " of " + y.name
	case kit.PerBlock:
		if y.away != [3]int{} {
			op += " of " + units.Itoa(y.away[0]) + "," + units.Itoa(y.away[1]) + "," + units.Itoa(y.away[2])
		}
	}
	y.env[v] = y.typed(v.Type.Base, op)
}

// changes forgets what a statement may change.
func (y *symbolic) changes(s *ir.Stmt, where string) {
	kit.Walk(s, func(e *ir.Expr) bool {
		for _, v := range y.changed(e) {
			y.forget(v, where+units.Itoa(s.Range.Start))
		}
		return true
	})
}

// changed are the variables that an expression may change by itself.
func (y *symbolic) changed(e *ir.Expr) (out []*ir.Var) {
	does := y.st.al.Step(e)
	for v := range y.env {
		if does.MayWrite(v) {
			out = append(out, v)
		}
	}
	slices.SortFunc(out, func(v, w *ir.Var) int { return v.Range.Start - w.Range.Start })
	return out
}

// lost runs a statement whose way is not followed: once, with what it changes unknown.
func (y *symbolic) lost(s *ir.Stmt) {
	y.changes(s, "in ")
	y.where(y.maybe(), func() {
		s.Exprs(func(e *ir.Expr) { y.eval(e) })
		for _, t := range s.Children() {
			y.where(y.maybe(), func() { y.stmt(t) })
		}
	})
	y.changes(s, "behind ")
}

// loop runs a loop: each iteration where it has a number of them that is known, or at most so many and reads tiles; and
// else once, for any.
func (y *symbolic) loop(s *ir.Stmt) linear.Formula {
	if s.Init != nil {
		y.stmt(s.Init)
	}
	after := linear.Yes
	if s.LeavesEarly() {
		after = y.maybe()
	}
	if y.copying == nil {
		if !y.st.looking && !y.st.copiesIn(s) && y.st.copies[s] == nil {
			y.changes(s, "behind ")
			return after // nothing is copied in it
		}
		y.st.entered(y, s)
	}
	v, step := y.counter(s)
	if v == nil {
		y.lost(&ir.Stmt{Op: ir.StmtWhile, Cond: s.Cond, Body: &ir.Stmt{Op: ir.StmtCompound, List: []*ir.Stmt{s.Body, {Op: ir.StmtExpr, Expr: s.Post}}}, Range: s.Range})
		return after
	}
	first := y.env[v]
	if n := y.st.ring(s); n > 0 && step != 0 && after.Op == linear.IsTrue && y.copying == nil && y.st.levels.Levels[v] != kit.PerThread {
		y.around(s, v, step, n)
		return linear.Yes
	}
	if n := y.iterations(s, v, first, step); n >= 0 {
		left, trip := len(y.path), y.trip
		for i := range n {
			y.trip = trip + "." + units.Itoa(i)
			y.env[v] = known{kind: first.kind, s: first.s.Shifted(step * int64(i))}
			c := y.truth(y.eval(s.Cond))
			if c.Op == linear.IsFalse {
				break
			}
			y.path = append(y.path, c)
			turn(y, s)
			if after.Op != linear.IsTrue {
				y.path = append(y.path, after)
			}
		}
		y.path, y.trip = y.path[:left], trip
		y.changes(s, "behind ")
		return after
	}
	y.changes(s, "in ")
	if step != 0 {
		q, fresh := y.g.Of("iteration of " + units.Itoa(s.Range.Start) + y.trip)
		if fresh {
			y.g.Know(q, linear.Natural(q))
		}
		if y.st.levels.Levels[v] == kit.PerThread {
			q = y.env[v].s // no number that others share
		} else {
			y.env[v] = known{kind: first.kind, s: first.s.Plus(q, step)}
		}
	}
	y.where(y.st.onward(y, s, v, first), func() {
		c := y.truth(y.eval(s.Cond))
		y.st.goesOn(y, s, v, c)
		y.where(c, func() {
			if after.Op != linear.IsTrue {
				y.path = append(y.path, y.maybe())
			}
			y.st.begun(y, s, v, first)
			y.stmt(s.Body)
		})
	})
	y.changes(s, "behind ")
	return after
}

// turn runs one of several iterations; after a continue, what the loop changes is unknown in the next.
func turn(y *symbolic, s *ir.Stmt) {
	if f := y.stmt(s.Body); f.Op != linear.IsTrue {
		y.changes(s, "in ")
	}
}

// counter returns the variable that a loop counts, and by how much: 0 where that is not one number. It is nil where
// something else changes it.
func (y *symbolic) counter(s *ir.Stmt) (*ir.Var, int64) {
	defer y.asking()()
	if s.Cond == nil || s.Post == nil || len(s.Post.Kids) == 0 || s.Post.Kids[0].Op != ir.OpIdent {
		return nil, 0
	}
	v := s.Post.Kids[0].Var
	if v == nil {
		return nil, 0
	}
	_, wraps := narrow(v.Type.Base)
	if x, ok := y.env[v]; wraps || !ok || !x.kind.integer() || v.AddrTaken || !y.st.countedBy(v, s) {
		return nil, 0
	}
	return v, y.stepOf(s.Post)
}

func (y *symbolic) stepOf(post *ir.Expr) int64 {
	n, sign := int64(1), int64(1)
	if post.Op == ir.OpAssign {
		m, ok := y.number(y.eval(post.Kids[1])).s.Constant()
		if !ok || post.Tok != "+=" && post.Tok != "-=" {
			return 0
		}
		n = m
	} else if post.Op != ir.OpIncDec {
		return 0
	}
	if post.Tok[0] == '-' {
		sign = -1
	}
	return sign * n
}

const maxIterations = 4096

// iterations returns the most that a loop has, -1 where it is run once for any.
func (y *symbolic) iterations(s *ir.Stmt, v *ir.Var, first known, step int64) int {
	c := s.Cond
	if step == 0 || c.Op != ir.OpBinary || y.st.copiesIn(s) {
		return -1
	}
	defer y.asking()()
	last := func(n int64) linear.Formula { // the condition of iteration n
		return y.truthAt(c, v, known{kind: first.kind, s: first.s.Shifted(step * n)})
	}
	reads := y.copying != nil || y.st.readsTiles(s)
	if f := last(0); f.Op == linear.IsTrue || f.Op == linear.IsFalse {
		n := 0
		for last(int64(n)).Op == linear.IsTrue {
			if n++; n > maxIterations {
				return -1
			}
		}
		if last(int64(n)).Op == linear.IsFalse && (reads || n <= 64) {
			return n
		}
		return -1
	}
	if !reads {
		return -1
	}
	for _, n := range y.st.extents {
		if y.g.Follows(y.path, last(int64(n)).Not()) {
			return n
		}
	}
	return -1
}

// around runs a loop in which one more of n planes is copied in each iteration, over the one that is read no more, and
// the planes in front of the first iteration's last before the loop. An iteration finds what the n - 1 before it copied,
// and itself: so the first n - 1 are run as they are; and any n - 1 in a row, from a multiple of n on, of which nothing
// is asked, and the n after them, which are any other iteration. What is copied may be read first in one of the n - 1
// that follow.
func (y *symbolic) around(s *ir.Stmt, v *ir.Var, step int64, n int) {
	first := y.env[v]
	left, trip := len(y.path), y.trip
	part := 0
	run := func(from linear.Sum, asked, until int) {
		part++
		for i := range until + n - 1 {
			y.trip = trip + "." + units.Itoa(part) + "." + units.Itoa(i)
			y.env[v] = known{kind: first.kind, s: from.Shifted(step * int64(i))}
			c := y.truth(y.eval(s.Cond))
			if c.Op == linear.IsFalse {
				break
			}
			if c.Op != linear.IsTrue {
				y.path = append(y.path, c)
			}
			y.blind, y.ahead = i < asked, i >= until
			turn(y, s)
		}
		y.path, y.blind, y.ahead, y.trip = y.path[:left], false, false, trip
	}
	run(first.s, 0, n-1)
	y.changes(s, "in ")
	round, fresh := y.g.Of("round of " + units.Itoa(s.Range.Start) + y.trip)
	if fresh {
		y.g.Know(round, linear.Natural(round))
	}
	y.floor = y.phase
	run(first.s.Plus(round, step*int64(n)), n-1, 2*n-1)
	y.changes(s, "behind ")
	y.floor = y.phase
}

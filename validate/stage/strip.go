package stage

import (
	"slices"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/validate/kit"
	"github.com/smux-cuda/smux/validate/linear"
	"github.com/smux-cuda/smux/validate/units"
)

// entered checks that a loop over tiles begins where the original's loop does.
func (s *staging) entered(y *symbolic, b *ir.Stmt) {
	st := s.strips[b]
	if st == nil || !s.looking {
		return
	}
	init := startOf(st.from, st.old)
	if init == nil || !slices.Equal(y.converted(y.eval(init), st.old.Type.Base).s, y.env[st.first].s) {
		s.doubt(kit.Moves, b.Range.Start, "the original's loop begins elsewhere")
	}
}

// onward is that a loop over tiles goes on from where it began, by what begun shows of each tile.
func (s *staging) onward(y *symbolic, b *ir.Stmt, v *ir.Var, first known) linear.Formula {
	st := s.strips[b]
	if st == nil || v != st.first {
		return linear.Yes
	}
	return linear.Natural(y.env[v].s.Plus(first.s, -1).Times(min(1, max(-1, y.stepOf(st.from.Post)))))
}

// truthAt is a condition for a value of a variable.
func (y *symbolic) truthAt(c *ir.Expr, v *ir.Var, k known) linear.Formula {
	was, had := y.env[v]
	y.env[v] = k
	f := y.truth(y.eval(c))
	if delete(y.env, v); had {
		y.env[v] = was
	}
	return f
}

// startOf returns the value that the head of a loop sets its counter to, nil if it sets none.
func startOf(loop *ir.Stmt, v *ir.Var) *ir.Expr {
	switch in := loop.Init; {
	case in == nil:
	case in.Op == ir.StmtDecl && in.Vars[0] == v:
		return v.Init
	case in.Op == ir.StmtExpr && in.Expr.Op == ir.OpAssign && in.Expr.Tok == "=" && in.Expr.Kids[0].Var == v:
		return in.Expr.Kids[1]
	}
	return nil
}

// goesOn checks that a loop over tiles goes on where the original's loop does.
func (s *staging) goesOn(y *symbolic, b *ir.Stmt, v *ir.Var, c linear.Formula) {
	defer y.asking()()
	if st := s.strips[b]; st != nil && s.looking && (v != st.first || !y.alike(c, y.truthAt(st.from.Cond, st.v, y.env[st.first]))) {
		s.doubt(kit.Moves, b.Range.Start, "this does not go on where the original's loop does")
	}
}

// begun checks, at the beginning of a tile, that its iterations are the next ones of the original's loop: of L from k0
// on, L is at least one, the last one is an iteration of the original's, and the next tile begins after it.
func (s *staging) begun(y *symbolic, b *ir.Stmt, v *ir.Var, first known) {
	st := s.strips[b]
	if st == nil {
		return
	}
	fail := func(at int, format string, args ...any) {
		if s.looking {
			s.doubt(kit.Moves, at, format, args...)
		}
	}
	defer y.asking()()
	step := y.stepOf(st.from.Post)
	if v != st.first || step == 0 || !s.countedInOld(st) || step < 0 && first.kind.unsigned() {
		fail(b.Range.Start, "how the original's loop counts is not known")
		return
	}
	sign := int64(1)
	if step < 0 {
		sign = -1
	}
	k0 := y.env[st.first]
	cond := func(s linear.Sum) linear.Formula { return y.truthAt(st.from.Cond, st.v, known{kind: k0.kind, s: s}) }
	length := y.lengthOf(b, st)
	if length == nil || b.Post.Op != ir.OpAssign || b.Post.Kids[0].Var != st.first || (b.Post.Tok == "+=") != (sign > 0) || b.Post.Tok != "+=" && b.Post.Tok != "-=" {
		fail(b.Range.Start, "how many iterations a tile has is not known")
		return
	}
	some, last := linear.Natural(length.Shifted(-1)), cond(k0.s.Plus(length.Shifted(-1), sign))
	if !s.looking {
		y.path = append(y.path, some, last)
		return
	}
	if !y.g.Follows(y.path, some) {
		fail(b.Range.Start, "a tile may have no iterations")
	}
	if !y.g.Follows(y.path, last) {
		fail(b.Range.Start, "a tile may have iterations that the original's loop has not")
	}
	y.path = append(y.path, some, last) // shown, and so known
	if n := step * sign; n > 1 {
		goesOn := append(slices.Clone(y.path), cond(k0.s.Plus(length, sign)))
		whole := false
		for _, m := range s.extents {
			for _, size := range []int64{int64(m) * n, int64(m)} {
				whole = whole || size%n == 0 && y.g.Follows(goesOn, linear.Zero(length.Shifted(-size)))
			}
		}
		if !whole {
			fail(b.Range.Start, "the next tile may begin between two iterations of the original")
		}
	}
	// for (k = k0; k < k0 + L; k++)
	in := st.inner
	init := startOf(in, st.v)
	if init == nil || !slices.Equal(y.eval(init).s, k0.s) || in.Cond == nil || y.stepOf(in.Post) != step || in.Cond.Op != ir.OpBinary {
		fail(in.Range.Start, "these are not the iterations of a tile")
		return
	}
	if names := st.lengthVar(b); names != nil {
		was := y.env[names]
		y.env[names] = known{kind: was.kind, s: length}
		defer func() { y.env[names] = was }()
	}
	j, fresh := y.g.Of("iteration of a tile")
	if fresh {
		y.g.Know(j, linear.Natural(j))
	}
	y.path = append(y.path, linear.Natural(length.Plus(j, -1))) // and after the last one
	c := y.truthAt(in.Cond, st.v, known{kind: k0.kind, s: k0.s.Plus(j, sign)})
	if !y.alike(c, linear.Natural(length.Plus(j, -1).Shifted(-1))) {
		fail(in.Range.Start, "these are not the iterations of a tile")
	}
	y.path = y.path[:len(y.path)-1]
}

// asking evaluates without running, until what it returns is called.
func (y *symbolic) asking() func() {
	quiet := y.quiet
	y.quiet = true
	return func() { y.quiet = quiet }
}

// lengthVar is the variable that holds how many iterations a tile has, nil where that is a number.
func (st *strip) lengthVar(b *ir.Stmt) *ir.Var {
	if len(b.Init.Vars) == 2 {
		return b.Init.Vars[1]
	}
	return nil
}

// lengthOf returns the number of iterations of a tile: what a statement of the body sets, or the number that the head adds.
func (y *symbolic) lengthOf(b *ir.Stmt, st *strip) linear.Sum {
	if len(b.Post.Kids) != 2 {
		return nil
	}
	v, by := st.lengthVar(b), b.Post.Kids[1]
	if v == nil {
		if n, ok := y.eval(by).s.Constant(); ok && n > 0 {
			return linear.Number(n)
		}
		return nil
	}
	if by.Op != ir.OpIdent || by.Var != v || len(v.Writes) != 1 || v.AddrTaken {
		return nil
	}
	for _, t := range kit.Statements(b.Body) {
		if t.Op == ir.StmtExpr && t.Expr == v.Writes[0] {
			e := t.Expr.Kids[1]
			// What is subtracted must not overflow where the original subtracts nothing.
			if !first64(y, st) && e.Any(func(x *ir.Expr) bool { return x.Op == ir.OpBinary && x.Tok == "-" && y.eval(x).kind == int32s }) {
				return nil
			}
			x := y.converted(y.eval(e), v.Type.Base)
			return y.seen(x)
		}
	}
	return nil
}

// first64 reports whether the first iteration of a tile is not negative.
func first64(y *symbolic, st *strip) bool {
	k0 := y.env[st.first]
	return k0.kind.unsigned() || y.natural(k0.s)
}

// countedInOld reports whether nothing in the original's loop changes what its head asks or counts, or ends it early.
func (s *staging) countedInOld(st *strip) bool {
	return s.countedBy(st.old, st.from) && !st.from.LeavesEarly() && !st.old.AddrTaken && s.harmless(st.from.Cond)
}

// stripOf recognises a loop over tiles, in which a loop has the original's counter.
func (s *staging) stripOf(a, b *ir.Stmt, guard *ir.Var) *strip {
	st := &strip{from: a}
	if b.Init == nil || b.Init.Op != ir.StmtDecl || len(b.Init.Vars) == 0 || a.Init == nil || a.Post == nil || len(a.Post.Kids) == 0 || a.Cond == nil || b.Cond == nil || b.Post == nil {
		return nil
	}
	st.first = b.Init.Vars[0]
	if a.Post.Kids[0].Op != ir.OpIdent || a.Post.Kids[0].Var == nil {
		return nil
	}
	if st.old = a.Post.Kids[0].Var; st.old.Name == st.first.Name {
		return nil
	}
	for _, it := range s.items(kit.Statements(b.Body), guard) {
		if in := it.s; in.Op == ir.StmtFor && !s.isCopy(in) && in.Post != nil && len(in.Post.Kids) > 0 && in.Post.Kids[0].Op == ir.OpIdent && in.Post.Kids[0].Name == st.old.Name {
			if st.inner != nil {
				return nil
			}
			st.inner, st.v = in, in.Post.Kids[0].Var
		}
	}
	if st.inner == nil {
		return nil
	}
	return st
}

// strip lays the body of a loop over tiles beside that of the original's loop.
func (s *staging) strip(a, b *ir.Stmt, st *strip, guard *ir.Var, guarded bool) bool {
	inner := passed(guard, guarded)
	if guarded {
		return s.differ(b, "a loop over tiles that not all threads go through")
	}
	if inner != nil && (!s.harmless(a.Cond) || !s.harmlessInit(b.Init)) {
		return s.differ(b, "threads that the original leaves out come by this")
	}
	s.strips[b] = st
	st.local = a.Init.Op == ir.StmtDecl
	if len(b.Init.Vars) > 2 || len(b.Init.Vars) == 2 && b.Init.Vars[1].Init != nil {
		return s.differ(b, "more than the first iteration and their number is declared here")
	}
	var kids []*ir.Stmt
	for _, it := range s.items(kit.Statements(b.Body), guard) {
		t := it.s
		switch {
		case t == st.inner:
			if inner != nil && !it.guarded {
				return s.differ(t, "threads that the original leaves out come by this")
			}
			kids = append(kids, t)
		case it.guarded:
			return s.differ(t, "the original has nothing like this")
		case s.isCopy(t):
			s.copies[t] = t
		case s.al.IsBarrier(s.c.New, t):
			s.added = append(s.added, t)
		case s.isLength(t, b):
		default:
			return s.differ(t, "the original has nothing like this")
		}
	}
	if st.local {
		if len(a.Init.Vars) != 1 || st.inner.Init == nil || st.inner.Init.Op != ir.StmtDecl || len(st.inner.Init.Vars) != 1 {
			return s.differ(b, "the original's loop declares something else")
		}
		ua, ub := s.c.Old.Between(a.Init.Range.Start, st.old.Range.Start), s.c.New.Between(st.inner.Init.Range.Start, st.v.Range.Start)
		uc := s.c.New.Between(b.Init.Range.Start, st.first.Range.Start)
		if !units.Same(ua, ub) {
			return s.differ(st.inner, "the counter has another type than the original's")
		}
		if !units.Same(ua, uc) {
			return s.differ(b, "the counter has another type than the original's")
		}
		s.pairs[st.old] = st.v
	} else if s.canonical(st.old) != st.v || st.first.Type.Base != st.v.Type.Base || !s.onlyIn(st.old, a) {
		return s.differ(b, "the original's counter is used elsewhere, too")
	}
	return s.lists(kit.Statements(a.Body), kit.Statements(st.inner.Body), nil)
}

// isLength reports whether a statement is "k_len = …;", the number of iterations of a tile.
func (s *staging) isLength(t, b *ir.Stmt) bool {
	return t.Op == ir.StmtExpr && !t.Macro && t.Expr.Op == ir.OpAssign && t.Expr.Tok == "=" && len(b.Init.Vars) == 2 && t.Expr.Kids[0].Op == ir.OpIdent && t.Expr.Kids[0].Var == b.Init.Vars[1] && s.harmless(t.Expr.Kids[1])
}

// onlyIn reports whether a variable of the original is used in one statement alone.
func (s *staging) onlyIn(v *ir.Var, in *ir.Stmt) bool {
	return !kit.Some(s.a.Body, func(e *ir.Expr) bool { return e.Op == ir.OpIdent && e.Var == v && !in.Range.Contains(e.Range) })
}

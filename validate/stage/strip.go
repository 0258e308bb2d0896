package stage

import (
	"slices"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/validate/kit"
	"github.com/smux-cuda/smux/validate/linear"
)

// entered checks that a loop over tiles begins where the original's loop does.
func (s *staging) entered(y *symbolic, b *ir.Stmt) {
	st := s.strips[b]
	if st == nil || !s.looking {
		return
	}
	var init *ir.Expr
	switch in := st.from.Init; {
	case in.Op == ir.StmtDecl:
		init = in.Vars[0].Init
	case in.Op == ir.StmtExpr && in.Expr.Op == ir.OpAssign && in.Expr.Tok == "=" && in.Expr.Kids[0].Var == st.old:
		init = in.Expr.Kids[1]
	}
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

// condAt is the condition of the original's loop for an iteration.
func (y *symbolic) condAt(st *strip, k known) linear.Formula {
	defer y.asking()()
	was, had := y.env[st.v]
	y.env[st.v] = k
	f := y.truth(y.eval(st.from.Cond))
	if delete(y.env, st.v); had {
		y.env[st.v] = was
	}
	return f
}

// goesOn checks that a loop over tiles goes on where the original's loop does.
func (s *staging) goesOn(y *symbolic, b *ir.Stmt, v *ir.Var, c linear.Formula) {
	if st := s.strips[b]; st != nil && s.looking && (v != st.first || !y.alike(c, y.condAt(st, y.env[st.first]))) {
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
	cond := func(s linear.Sum) linear.Formula { return y.condAt(st, known{kind: k0.kind, s: s}) }
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
	var init *ir.Expr
	switch {
	case in.Init == nil:
	case in.Init.Op == ir.StmtDecl && len(in.Init.Vars) == 1:
		init = in.Init.Vars[0].Init
	case in.Init.Op == ir.StmtExpr && in.Init.Expr.Op == ir.OpAssign && in.Init.Expr.Tok == "=" && in.Init.Expr.Kids[0].Var == st.v:
		init = in.Init.Expr.Kids[1]
	}
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
	was, had := y.env[st.v]
	y.env[st.v] = known{kind: k0.kind, s: k0.s.Plus(j, sign)}
	c := y.truth(y.eval(in.Cond))
	if delete(y.env, st.v); had {
		y.env[st.v] = was
	}
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

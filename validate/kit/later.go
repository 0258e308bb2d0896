package kit

import (
	"github.com/smux-cuda/smux/analysis/ir"
)

// Later is a store to a shared array that a loop of the original makes, and that the new text makes in a loop of its
// own, in the turn: in between values wait in an array of the thread. Of a split array the private rows need not wait.
//
//	for (r…) {                                           for (r…) {
//	    x[r][t] = E;                                         if (r < 16) x_private[r][t] = E; else v[r - 16] = E;
//	}                              -->                   }
//	                                                     vtb.acquire();
//	                                                     for (r…) { if (r >= 16) x_public[r - 16][t] = v[r - 16]; }
//
// A store that is in no loop may wait, too: x[t] = E becomes const T v = E and x[t] = v further on.
type Later struct {
	Temp  *Temp
	From  int      // where the original's store would stand
	Gone  int      // how many barriers are gone that stand before it
	Loop  *ir.Stmt // in which values are put aside
	Inner *ir.Expr // the condition of each iteration of a loop that counts more of them, nil without
	Set   *ir.Expr // v[…] = E
	Guard *ir.Expr // of the store to private rows, nil without
	Store *ir.Stmt // the loop that stores what waits
	Put   *ir.Expr // x_public[…] = v[…]
	When  *ir.Expr // its condition, nil without
}

// single returns the assignment that is all that a statement does, and its condition.
func single(s *ir.Stmt) (e, cond *ir.Expr) {
	if s.Op == ir.StmtIf && s.Else == nil && !s.Preproc {
		if in := Only(s.Body); in != nil && in.Op != ir.StmtIf {
			e, _ = single(in)
			return e, s.Cond
		}
	}
	if s.Op == ir.StmtExpr && s.Expr.Op == ir.OpAssign && s.Expr.Tok == "=" {
		return s.Expr, nil
	}
	return nil, nil
}

// putBy finds the loop that stores what waits in an array.
func (al *Alignment) putBy(t *Temp) (l *Later) {
	for s := range al.New.Body.All() {
		if l == nil && s.Op == ir.StmtFor && s.Range.Start > t.Decl.Range.Start {
			if in := Only(s.Body); in != nil {
				if e, cond := single(in); e != nil && al.tempOf(e.Kids[1]) == t {
					l = &Later{Temp: t, Store: s, Put: e, When: cond}
				}
			}
		}
	}
	return l
}

// alikeLater compares a store of the original with one that puts its value aside.
func (al *Alignment) alikeLater(a, b *ir.Stmt) bool {
	want, _ := single(a)
	if al.New.View.Error != nil || want == nil || a.Op != ir.StmtExpr || b.Parent == nil {
		return false
	}
	set, _ := single(b)
	guard, private := (*ir.Expr)(nil), (*ir.Expr)(nil)
	if b.Op == ir.StmtIf && b.Else != nil && !b.Preproc {
		if body, other := Only(b.Body), Only(b.Else); body != nil && other != nil {
			private, _ = single(body)
			set, _ = single(other)
			guard = b.Cond
		}
		if private == nil {
			return false
		}
	}
	if set == nil || b.Op == ir.StmtIf && guard == nil {
		return false
	}
	t := al.tempOf(set.Kids[0])
	if t == nil || t.Def != nil || len(t.Var.Dims) != 1 {
		return false
	}
	l := al.putBy(t)
	if l == nil || !al.Equal(want.Kids[1], set.Kids[1]) || !al.Equal(want.Kids[0], l.Put.Kids[0]) {
		return false
	}
	if private != nil && !(al.Equal(want.Kids[1], private.Kids[1]) && al.Equal(want.Kids[0], private.Kids[0])) {
		return false
	}
	for l.Loop = b.Parent; l.Loop != nil && l.Loop.Op != ir.StmtFor; l.Loop = l.Loop.Parent {
	}
	l.Set, l.Guard, l.Gone = set, guard, len(al.Dropped)
	if l.Loop == nil {
		return false
	}
	if in := al.CountsMore(l.Loop); in != nil {
		l.Inner = in.Cond
	}
	l.From = l.Loop.Range.Start
	al.Later[b] = l
	return true
}

// waits reports whether a store of the original stands further on in a list of the new text than at an index.
func (al *Alignment) waits(a *ir.Stmt, bs []*ir.Stmt, j int) bool {
	want, _ := single(a)
	if al.New.View.Error != nil || want == nil || a.Op != ir.StmtExpr {
		return false
	}
	for _, b := range bs[j:] {
		put, _ := single(b)
		if put == nil || b.Op != ir.StmtExpr || al.Puts(b) {
			continue
		}
		if t := al.tempOf(put.Kids[1]); t != nil && t.Def == t.Decl && al.Later[t.Decl] == nil && al.Equal(want.Kids[1], put.Kids[1]) && al.Equal(want.Kids[0], put.Kids[0]) {
			al.Later[t.Decl] = &Later{Temp: t, From: bs[j].Range.Start, Gone: len(al.Dropped), Store: b, Put: put}
			return true
		}
	}
	return false
}

// alikeParted compares a store of the original with one to private rows, where another to public rows follows:
//
//	const float v = E;  if (t < 16) x_private[t] = v;  …  if (t >= 16) x_public[t - 16] = v;
func (al *Alignment) alikeParted(a, b *ir.Stmt) bool {
	want, _ := single(a)
	set, guard := single(b)
	if al.New.View.Error != nil || want == nil || set == nil || guard == nil || a.Op != ir.StmtExpr {
		return false
	}
	t := al.tempOf(set.Kids[1])
	if t == nil || t.Def != t.Decl {
		return false
	}
	l := &Later{Temp: t, From: b.Range.Start, Gone: len(al.Dropped), Set: set, Guard: guard}
	al.New.Body.Walk(func(s *ir.Stmt) bool {
		if e, cond := single(s); e != nil && cond != nil && s.Range.Start > b.Range.End && al.tempOf(e.Kids[1]) == t {
			l.Store, l.Put, l.When = s, e, cond
		}
		return l.Store == nil
	})
	if l.Store == nil || !al.Equal(want.Kids[1], set.Kids[1]) || !al.Equal(want.Kids[0], set.Kids[0]) || !al.Equal(want.Kids[1], l.Put.Kids[1]) || !al.Equal(want.Kids[0], l.Put.Kids[0]) {
		return false
	}
	al.Later[b] = l
	return true
}

// Puts reports whether a statement is one that stores what waits.
func (al *Alignment) Puts(s *ir.Stmt) bool {
	for _, l := range al.Later {
		if l.Store == s {
			return true
		}
	}
	return false
}

// alikeCounted compares the head of a loop with that of one that counts its iterations:
//
//	for (int i = t; i < 1024; i += 64)  -->  for (int i = t, n = 0; n < 16; i += 64, ++n)
//	for (int i = t; i < 1000; i += 64)  -->  for (int i = t, n = 0; n < 16; i += 64, ++n) if (i < 1000)
func (al *Alignment) alikeCounted(a, b *ir.Stmt) bool {
	if al.New.View.Error != nil || a.Op != ir.StmtFor || b.Op != ir.StmtFor || a.Init == nil || b.Init == nil || len(a.Init.Vars) != 1 || len(b.Init.Vars) != 2 || a.Cond == nil || a.Post == nil || b.Post == nil {
		return false
	}
	v, w, n := a.Init.Vars[0], b.Init.Vars[0], b.Init.Vars[1]
	counts := n.Init != nil && n.Init.Op == ir.OpInt && n.Init.Int == 0 && (n.Type.Base == "int" || PlainName(n.Type.Base) == ir.Uint.Name) && len(n.Writes) == 1 && isNumbered(n.Name, "smux_n") &&
		b.Cond.Op == ir.OpBinary && b.Cond.Tok == "<" && b.Cond.Kids[0].Var == n && b.Cond.Kids[1].Op == ir.OpInt &&
		b.Post.Op == ir.OpComma && b.Post.Kids[1].Op == ir.OpIncDec && b.Post.Kids[1].Tok == "++" && b.Post.Kids[1].Kids[0].Var == n
	if !counts || v.Name != w.Name || v.Type.String() != w.Type.String() || !al.Equal(v.Init, w.Init) || !al.Equal(a.Post, b.Post.Kids[0]) {
		return false
	}
	al.CountedLoops[b] = a
	return true
}

// CountsMore returns the condition that is all of an iteration of a loop that counts, and the original's loop's; nil
// for other loops.
func (al *Alignment) CountsMore(b *ir.Stmt) *ir.Stmt {
	a, in := al.CountedLoops[b], Statements(b.Body)
	if a == nil || len(in) != 1 || in[0].Op != ir.StmtIf || in[0].Else != nil || in[0].Preproc || !al.Equal(a.Cond, in[0].Cond) {
		return nil
	}
	if own := Statements(a.Body); len(own) == 1 && own[0].Op == ir.StmtIf {
		return nil // the original may have it
	}
	return in[0]
}

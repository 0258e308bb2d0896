package stage

import (
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/validate/kit"
	"github.com/smux-cuda/smux/validate/units"
)

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

package stage

import (
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/validate/kit"
	"github.com/smux-cuda/smux/validate/units"
)

// isGuard reports whether "const bool inside = …;" stands where the original leaves threads out: by returning, or by
// a condition around all that follows.
func (s *staging) isGuard(b, a *ir.Stmt) bool {
	us := s.c.UnitsOf(b)
	return b.Op == ir.StmtDecl && !b.Macro && len(b.Vars) == 1 && len(us) > 4 && units.Is(us[:2], "const bool") && us[3].Text == "=" && b.Vars[0].Init != nil && !b.Vars[0].AddrTaken &&
		a.Op == ir.StmtIf && a.Else == nil && !a.Macro && !a.Preproc && a.Init == nil
}

// returns reports whether a statement is "if (…) return;".
func returns(a *ir.Stmt) bool {
	if a.Op != ir.StmtIf || a.Else != nil || a.Macro || a.Preproc || a.Init != nil {
		return false
	}
	in := kit.Only(a.Body)
	return in != nil && in.Op == ir.StmtReturn && in.Expr == nil
}

// behind goes on after a guard.
func (s *staging) behind(as []*ir.Stmt, items []item) bool {
	b := items[0].s
	if returns(as[0]) && as[0].Parent == s.a.Body {
		i := 0
		for i < len(as) && returns(as[i]) {
			c := as[i].Cond
			s.guards[b] = append(s.guards[b], c)
			i++
		}
		return s.guardStays(b, as[:i]) && s.lists(as[i:], stmtsOf(items[1:]), b.Vars[0])
	}
	if returns(as[0]) {
		return s.differ(b, "the original returns from within a statement here")
	}
	s.guards[b] = []*ir.Expr{{Op: ir.OpUnary, Tok: "!", Kids: []*ir.Expr{as[0].Cond}}}
	rest := stmtsOf(items[1:])
	// Copies and barriers may stand before what the condition is around.
	for len(rest) > 0 && (s.isCopy(rest[0]) || s.al.IsBarrier(s.c.New, rest[0])) {
		if s.isCopy(rest[0]) {
			s.copies[rest[0]] = rest[0]
		} else {
			s.added = append(s.added, rest[0])
		}
		rest = rest[1:]
	}
	switch {
	case len(rest) > 0 && rest[0].Op == ir.StmtCompound && !rest[0].NoScope:
	case len(rest) > 0 && len(as) == 1: // without its braces, up to the end
		return s.guardStays(b, as) && s.lists(kit.Statements(as[0].Body), rest, b.Vars[0])
	default:
		return s.differ(b, "what the original has under this condition does not follow")
	}
	return s.guardStays(b, as[:1]) && s.lists(kit.Statements(as[0].Body), kit.Statements(rest[0]), b.Vars[0]) && s.lists(as[1:], rest[1:], nil)
}

// guardStays checks that a condition of the original does nothing, so that it may be computed once.
func (s *staging) guardStays(b *ir.Stmt, as []*ir.Stmt) bool {
	for _, a := range as {
		if s.al.Scope(s.a).Expr(s.a, a.Cond).Changes() || a.Cond.Any(func(e *ir.Expr) bool { return e.Op == ir.OpCall }) {
			return s.differ(b, "the original's condition does more than compute")
		}
	}
	return true
}

func stmtsOf(items []item) (out []*ir.Stmt) {
	for _, it := range items {
		out = append(out, it.s)
	}
	return out
}

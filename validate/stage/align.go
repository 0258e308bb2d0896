package stage

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/validate/content"
	"github.com/smux-cuda/smux/validate/kit"
	"github.com/smux-cuda/smux/validate/units"
)

// strip is a loop over tiles, with the original's loop that it is.
type strip struct {
	from  *ir.Stmt // the original's
	inner *ir.Stmt // over the iterations of a tile
	first *ir.Var  // the first iteration of a tile, k0
	v     *ir.Var  // the counter, of the new text
	old   *ir.Var  // and of the original
	local bool     // it is declared in the head of the loop
}

// erase lays the kernel beside the original.
func (s *staging) erase(a, b *parser.Function) {
	if len(s.a.Problems)+len(s.b.Problems) > 0 || s.b.View.Error != nil {
		s.doubt(kit.Erasure, s.b.Body.Range.Start, "this can't be read")
		return
	}
	if !s.c.HeadFits(s.k, s.c.Head(s.c.Old, a), s.c.Head(s.c.New, b), b) {
		return
	}
	s.b.Body.List = slices.DeleteFunc(s.b.Body.List, func(t *ir.Stmt) bool { return !t.Macro && kit.IsCheck(s.c.UnitsOf(t)) })
	if at := s.directive(); at >= 0 {
		s.doubt(kit.Erasure, at, "a directive stands in the kernel, which is not followed")
		return
	}
	for i, p := range s.a.Params {
		s.pairs[p] = s.b.Params[i]
	}
	for i, p := range s.a.TParams {
		s.pairs[p] = s.b.TParams[i]
	}
	s.c.ReachFrom(s.k, s.b)
	s.calls(s.a)
	s.lists(kit.Statements(s.a.Body), kit.Statements(s.b.Body), nil)
	s.newNames()
	for t := range s.b.Body.All() {
		if t.Post.Any(func(e *ir.Expr) bool { return s.reads[e] != nil }) {
			s.doubt(kit.Erasure, t.Range.Start, "a tile is read where a loop counts on, which is not followed")
		}
	}
}

// directive returns the place of a directive in the kernel that does more than unroll a loop, -1 without one.
func (s *staging) directive() int {
	for _, src := range []*units.Source{s.c.Old, s.c.New} {
		body := s.b.Body
		if src == s.c.Old {
			body = s.a.Body
		}
		for _, u := range src.Between(body.Range.Start, body.Range.End) {
			if what, _ := strings.CutPrefix(u.Text, "# pragma "); strings.HasPrefix(u.Text, "#") && !content.Unrolls(what) || u.Text == "_Pragma" {
				return max(0, s.b.Body.Range.Start)
			}
		}
	}
	return -1
}

// calls notes what calls of the original may be of: functions are the same in both texts, or not shown.
func (s *staging) calls(fn *ir.Func) {
	kit.Walk(fn.Body, func(e *ir.Expr) bool {
		if e.Op == ir.OpCall {
			for _, g := range s.c.Devices[e.Name] {
				s.k.State.Calls[e] = append(s.k.State.Calls[e], s.c.Lowered(g))
			}
		}
		return true
	})
}

// newNames checks that no name of the new text's own hides one that the original uses.
func (s *staging) newNames() {
	mine := map[*ir.Var]bool{}
	for _, v := range s.pairs {
		mine[v] = true
	}
	used := map[string]bool{}
	for _, u := range s.c.Old.Between(s.a.View.Start, int(s.a.View.Body.End)) {
		used[u.Text] = true
	}
	for _, f := range s.c.NewNames.Prog.All() {
		for _, u := range s.c.SourceOf(f).Units {
			if strings.HasPrefix(u.Text, "# define") {
				for _, w := range units.Words(u.Text)[2:] {
					used[w] = true
				}
			}
		}
	}
	for _, v := range s.b.Vars {
		inCopy := false
		for p := v.Decl; p != nil; p = p.Parent {
			inCopy = inCopy || s.copies[p] != nil
		}
		if !mine[v] && !inCopy && used[v.Name] {
			s.doubt(kit.Erasure, v.Range.Start, "the original has the name %s for something else", v.Name)
		}
	}
}

// item is a statement of the new text, and whether threads outside of the original's condition leave it out.
type item struct {
	s       *ir.Stmt
	guarded bool
}

// items are the statements of a list, those that a guard leaves out by themselves.
func (s *staging) items(bs []*ir.Stmt, guard *ir.Var) (out []item) {
	for _, b := range bs {
		if guard != nil && b.Op == ir.StmtIf && b.Else == nil && b.Init == nil && !b.Macro && !b.Preproc && b.Cond.Op == ir.OpIdent && b.Cond.Var == guard {
			for _, t := range kit.Statements(b.Body) {
				out = append(out, item{t, true})
			}
			continue
		}
		out = append(out, item{b, false})
	}
	return out
}

// lists lays two lists of statements side by side, after or in a guard of the new text where that is not nil.
func (s *staging) lists(as, bs []*ir.Stmt, guard *ir.Var) bool {
	items := s.items(bs, guard)
	i := 0
	for j := 0; j < len(items); j++ {
		b := items[j].s
		switch {
		case s.isTile(b):
			s.skips[b] = true
			continue
		case s.isCopy(b):
			if items[j].guarded {
				return s.differ(b, "a copy that not all threads make")
			}
			s.copies[b] = b
			continue
		case s.isPut(b):
			if items[j].guarded {
				return s.differ(b, "stores that not all threads make")
			}
			s.putbacks[b] = true
			continue
		}
		for i < len(as) && s.dropped(as[i], items[j:]) {
			i++
		}
		var a *ir.Stmt
		if i < len(as) {
			a = as[i]
		}
		switch {
		case s.al.IsBarrier(s.c.New, b) && (a == nil || !s.al.IsBarrier(s.c.Old, a)):
			if items[j].guarded {
				return s.differ(b, "a barrier that not all threads reach")
			}
			s.added = append(s.added, b)
			continue
		case a != nil && s.isGuard(b, a):
			if guard != nil || items[j].guarded {
				return s.differ(b, "a condition within a condition")
			}
			return s.behind(as[i:], items[j:])
		case a == nil:
			return s.differ(b, "the original has nothing more here")
		}
		n, ok := s.pair(a, items, j, guard)
		if !ok {
			return false
		}
		i, j = i+1, j+n
	}
	for i < len(as) && s.dropped(as[i], nil) {
		i++
	}
	if i < len(as) {
		at := s.b.Body.Range.End - 1
		if len(bs) > 0 {
			at = bs[len(bs)-1].Range.End - 1
		}
		s.doubt(kit.Erasure, at, "the original goes on here with: %s", s.c.Excerpt(as, i))
		return false
	}
	return true
}

func (s *staging) differ(b *ir.Stmt, format string, args ...any) bool {
	s.doubt(kit.Erasure, b.Range.Start, format, args...)
	return false
}

// pair lays a statement beside the original's, and returns how many more of the new text it took.
func (s *staging) pair(a *ir.Stmt, items []item, j int, guard *ir.Var) (more int, ok bool) {
	b, guarded := items[j].s, items[j].guarded
	bare := guard != nil && !guarded // threads that the original leaves out come by, too
	if a.Op == ir.StmtFor && b.Op == ir.StmtFor && !a.Macro && !b.Macro {
		if st := s.stripOf(a, b, guard); st != nil {
			return 0, s.strip(a, b, st, guard, guarded)
		}
	}
	if a.Op == ir.StmtDecl && b.Op == ir.StmtDecl && !a.Macro && !b.Macro {
		return s.declarations(a, items, j, guard)
	}
	if a.Op != b.Op || a.Macro != b.Macro || a.Preproc != b.Preproc || a.NoScope != b.NoScope || kit.Leaf(a) != kit.Leaf(b) {
		return 0, s.differ(b, "this differs from the original: %s", s.c.Excerpt([]*ir.Stmt{a}, 0))
	}
	if kit.Leaf(a) {
		if s.al.IsBarrier(s.c.New, b) {
			s.al.Roles[b] = kit.RoleBarrier
		}
		if bare && b.Op != ir.StmtEmpty {
			return 0, s.differ(b, "threads that the original leaves out come by this")
		}
		return 0, s.same(s.c.Old.Between(a.Outer.Start, a.Outer.End), s.c.New.Between(b.Outer.Start, b.Outer.End), a, b)
	}
	if a.Op == ir.StmtCase || a.Op == ir.StmtLabel {
		equal := units.Same(s.al.Header(s.c.Old, a), s.al.Header(s.c.New, b))
		return 0, (equal || s.differ(b, "this differs from the original: %s", s.c.Excerpt([]*ir.Stmt{a}, 0))) && s.lists(kit.Statements(a), kit.Statements(b), passed(guard, guarded))
	}
	if a.Op == ir.StmtCompound {
		return 0, s.lists(kit.Statements(a), kit.Statements(b), passed(guard, guarded))
	}
	if bare && (b.Op != ir.StmtFor && b.Op != ir.StmtIf || !s.harmless(b.Cond) || !s.harmless(b.Post) && !s.counts(b) || b.Init != nil && !s.harmlessInit(b.Init)) {
		return 0, s.differ(b, "threads that the original leaves out come by this")
	}
	if (a.Init == nil) != (b.Init == nil) || (a.Else == nil) != (b.Else == nil) {
		return 0, s.differ(b, "a branch of this statement is not the original's")
	}
	if a.Init != nil {
		if !s.same(s.c.Old.Between(a.Init.Outer.Start, a.Init.Outer.End), s.c.New.Between(b.Init.Outer.Start, b.Init.Outer.End), a.Init, b.Init) {
			return 0, false
		}
		s.pairVars(a.Init, b.Init)
	}
	if !s.same(units.Rolled(s.al.Header(s.c.Old, a)), units.Rolled(s.al.Header(s.c.New, b)), a, b) {
		return 0, false
	}
	inner := passed(guard, guarded)
	return 0, s.lists(kit.Statements(a.Body), kit.Statements(b.Body), inner) && (a.Else == nil || s.lists(kit.Statements(a.Else), kit.Statements(b.Else), inner))
}

// passed is the guard that still counts inside of a statement: none inside of what it leaves out.
func passed(guard *ir.Var, guarded bool) *ir.Var {
	if guarded {
		return nil
	}
	return guard
}

// harmless reports whether an expression of the new text may be computed by threads that the original leaves out.
func (s *staging) harmless(e *ir.Expr) bool {
	return e == nil || s.al.Scope(s.b).Expr(s.b, e).Droppable() && !e.Any(func(x *ir.Expr) bool {
		return x.Op == ir.OpBinary && (x.Tok == "/" || x.Tok == "%") && x.Kids[1].Op != ir.OpInt || x.Op == ir.OpCall && !x.Intrinsic().Pure()
	})
}

func (s *staging) counts(b *ir.Stmt) bool {
	return b.Post != nil && (b.Post.Op == ir.OpIncDec || b.Post.Op == ir.OpAssign && s.harmless(b.Post.Kids[1])) && b.Post.Kids[0].Op == ir.OpIdent
}

func (s *staging) harmlessInit(init *ir.Stmt) bool {
	ok := init.Op == ir.StmtDecl
	for _, v := range init.Vars {
		ok = ok && s.harmless(v.Init)
	}
	return ok
}

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

func stmtsOf(items []item) []*ir.Stmt {
	return lists.Map(items, func(it item) *ir.Stmt { return it.s })
}

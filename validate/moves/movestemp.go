package moves

import (
	"slices"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/ir/effect"
	"github.com/smux-cuda/smux/validate/kit"
)

// tempFits checks a value that is computed elsewhere.
func (al moves) tempFits(t *kit.Temp) {
	at := t.Decl.Range.Start
	for _, l := range al.Later {
		if l.Temp == t && l.Loop != nil {
			return // laterFits
		}
	}
	if len(t.Uses) == 0 || t.Def == nil {
		al.doubtMove(at, "nothing uses %s", t.Name)
		return
	}
	if kit.IsResult(t.Name) {
		al.resultFits(t)
		return
	}
	from := al.Loads(t.Expr)
	if from == kit.AnyMemory {
		al.doubtMove(at, "%s does more than load from global memory", t.Name)
	}
	if writes := len(t.Var.Writes); t.Var.AddrTaken || writes > 1 || writes == 1 && t.Def == t.Decl {
		al.doubtMove(at, "%s changes", t.Name)
	}
	last := 0
	for _, use := range t.Uses {
		in, ok := al.reached(t, use, from)
		if !ok {
			al.doubtMove(use.Range.Start, "%s may be computed where the original computes nothing, or not be computed", t.Name)
			continue
		}
		// What a loop changes after the use counts for the next iteration's.
		if last = max(last, use.Range.Start); in.IsLoop() {
			last = max(last, in.Range.End)
		}
		if !al.typeFits(t, use, in) {
			al.doubtMove(at, "it is not known that %s has the type of what it holds", t.Name)
		}
	}
	al.unchanged(t, last)
	if from > kit.ReadOnly {
		if al.droppedBetween(al.Dropped, t.Def.Range.End, last) && !al.backward(t.List, t.Nth) { // or a release stands for it
			al.doubtMove(t.Def.Range.Start, "%s is computed before a barrier of the original that is gone", t.Name)
		}
		for s := range al.between(t, last) {
			al.leavesMemory(t, s, from)
		}
	}
	if t.Loop != nil && !al.elementsApart(t.Var, t.Loop, t.Index) {
		al.doubtMove(at, "it is not known that each iteration has an element of %s", t.Name)
	}
}

// resultFits checks the result of a function that is called in each turn, for its barriers: it is used at once, in the
// turn of the v-TB, where the original calls the function.
func (al moves) resultFits(t *kit.Temp) {
	ok := len(t.Uses) == 1 && t.Def == t.Decl && t.Expr.Op == ir.OpCall && len(t.Expr.Args()) > 0 && al.Obj.InBlockMode() && al.GivesTurn(t.Expr.Args()[0]) &&
		t.Nth+1 < len(t.List) && !t.Var.AddrTaken
	if ok {
		next := t.List[t.Nth+1]
		ok = kit.Leaf(next) && next.Range.Contains(t.Uses[0].Range) && next.Parent != nil && !next.AnyExpr(func(e *ir.Expr) bool {
			return (conditional(e) || e.Op == ir.OpComma) && e.Any(func(x *ir.Expr) bool { return x == t.Uses[0] })
		})
		mine := false
		for p := next; p != nil; p = p.Parent {
			mine = mine || al.Roles[p] == kit.RoleMine
		}
		ok = ok && mine
	}
	if !ok {
		al.doubtMove(t.Decl.Range.Start, "it is not known that %s is used where the original calls the function", t.Name)
	}
}

// leavesMemory checks a statement between where a value is loaded and where it is used: no barrier, after which
// others may have written, and no store to where it may be loaded from.
func (al moves) leavesMemory(t *kit.Temp, s *ir.Stmt, from kit.Memory) {
	if r := al.Roles[s]; r == kit.RoleBarrier || r == kit.RoleTurnEnd || al.Kept[s] {
		al.doubtMove(t.Def.Range.Start, "%s is computed before a barrier of the original", t.Name)
	} else if r == kit.RolePlain {
		s.Exprs(func(e *ir.Expr) {
			own := &ir.Stmt{Op: ir.StmtExpr, Expr: e}
			if x := al.Stores(own, from); x != nil {
				al.doubtMove(x.Range.Start, "this may change what %s was computed from", t.Name)
			} else if kit.Some(own, kit.WaitsInWarp) {
				al.doubtMove(e.Range.Start, "%s is computed before threads of a warp wait here", t.Name)
			}
		})
	}
}

// between returns the statements of a function from where a value is set to its last use.
func (al moves) between(t *kit.Temp, last int) map[*ir.Stmt]bool {
	out := map[*ir.Stmt]bool{}
	from := t.Def.Range.End
	al.New.Body.Walk(func(s *ir.Stmt) bool {
		if s.Range.Start >= from && s.Range.Start <= last {
			out[s] = true
		}
		return s.Range.End > from && s.Range.Start <= last
	})
	return out
}

// reached reports whether a value is used wherever it was computed, and computed wherever it is used. It returns the
// statement after the one that sets the value, in the same list, that uses it: at once; under the same condition; or
// for an array, in a loop with as many iterations.
func (al moves) reached(t *kit.Temp, use *ir.Expr, from kit.Memory) (in *ir.Stmt, ok bool) {
	for _, s := range t.List[t.Nth+1:] {
		if !(ir.Range{Start: s.Range.Start, End: s.Range.End}).Contains(use.Range) {
			if s.Any(func(u *ir.Stmt) bool { return kit.Leaves(u, s) }) {
				return s, false
			}
			continue
		}
		switch {
		case al.Later[s] != nil && al.Later[s].Loop != nil && t.Loop == nil && t.Def.Op != ir.StmtIf && !(ir.Range{Start: s.Range.Start, End: s.Body.Range.Start}).Contains(use.Range):
			return s, true // in both branches
		case (al.Puts(s) || al.Later[s] != nil) && t.Loop == nil && t.Def == t.Decl:
			return s, true // in one of the two stores
		case kit.Leaf(s) && t.Loop == nil && t.Def.Op != ir.StmtIf:
			return s, !al.maybe(s, t, use, from)
		case s.Op == ir.StmtIf && t.Loop == nil && !(ir.Range{Start: s.Body.Range.Start, End: s.Range.End}).Contains(use.Range):
			return s, t.Def.Op != ir.StmtIf && !al.maybe(&ir.Stmt{Op: ir.StmtExpr, Expr: s.Cond}, t, use, from)
		case s.Op == ir.StmtIf && t.Def.Op == ir.StmtIf && s.Else != nil && s.Else.Range.Contains(use.Range):
			not := t.Def.Cond
			same := not.Op == ir.OpUnary && not.Tok == "!" && (&kit.Alignment{}).Equal(not.Kids[0], s.Cond) && al.Loads(s.Cond) <= kit.ReadOnly && al.condStays(t, s.Cond, s.Cond.Range.End)
			return s, same && al.inBody(s.Else, t, use, from)
		case s.Op == ir.StmtIf && t.Def.Op == ir.StmtIf:
			same := (&kit.Alignment{}).Equal(t.Def.Cond, s.Cond) && al.Loads(s.Cond) <= kit.ReadOnly && al.condStays(t, s.Cond, s.Cond.Range.End)
			return s, same && al.inBody(s.Body, t, use, from)
		case s.Op == ir.StmtFor && t.Loop == nil && t.Def.Op == ir.StmtIf:
			return s, goesRound(t.Def.Cond, s) && al.Loads(t.Def.Cond) <= kit.ReadOnly && al.condStays(t, t.Def.Cond, s.Cond.Range.End) && al.inBody(s.Body, t, use, from)
		case s.Op == ir.StmtFor && t.Loop != nil && al.sameIterations(t, s, t.Guard[use]):
			return s, al.inBody(s.Body, t, use, from)
		case from == kit.NoMemory && t.Loop == nil && t.Def.Op != ir.StmtIf:
			return s, true // it does not matter how often it is computed
		}
		return s, false
	}
	return t.Def, false
}

// goesRound reports whether a condition is that of a loop's first iteration: "(int)(0) < n" of "for (int i = 0; i < n; …)".
func goesRound(cond *ir.Expr, loop *ir.Stmt) bool {
	if loop.Init == nil || len(loop.Init.Vars) != 1 || loop.Init.Vars[0].Init == nil || loop.Cond == nil {
		return false
	}
	v := loop.Init.Vars[0]
	var first func(e *ir.Expr) *ir.Expr
	first = func(e *ir.Expr) *ir.Expr {
		if e.Op == ir.OpIdent && e.Var == v {
			return &ir.Expr{Op: ir.OpCast, Type: v.Type, Kids: []*ir.Expr{v.Init}}
		}
		out := *e
		out.Kids = nil
		for _, kid := range e.Kids {
			out.Kids = append(out.Kids, first(kid))
		}
		return &out
	}
	named := cond.Any(func(e *ir.Expr) bool { return e.Op == ir.OpIdent && e.Name == v.Name })
	return !named && len(v.Dims) == 0 && (&kit.Alignment{}).Equal(first(loop.Cond), cond)
}

// inBody reports whether a use in a body comes whenever the body runs.
func (al moves) inBody(body *ir.Stmt, t *kit.Temp, use *ir.Expr, from kit.Memory) bool {
	for _, u := range al.Flat(kit.Statements(body)) {
		if u.Range.Start <= use.Range.Start && use.Range.Start < u.Range.End {
			if t.Inner != nil {
				same := u.Op == ir.StmtIf && u.Else == nil && (&kit.Alignment{}).Equal(t.Inner, u.Cond) && al.Loads(u.Cond) <= kit.ReadOnly && al.condStays(t, u.Cond, u.Cond.Range.End)
				inner := *t
				inner.Inner = nil
				return same && al.inBody(u.Body, &inner, use, from)
			}
			return kit.Leaf(u) && !al.maybe(u, t, use, from)
		}
		if u.Any(func(v *ir.Stmt) bool { return kit.Leaves(v, u) }) {
			return false
		}
	}
	return false
}

// condStays reports whether a condition is up to an offset what it was where a value was set.
func (al moves) condStays(t *kit.Temp, cond *ir.Expr, to int) bool {
	ok := true
	cond.Walk(func(e *ir.Expr) bool {
		if e.Op == ir.OpIdent && e.Var != nil {
			if head := e.Var.Decl; t.Loop != nil && head != nil && head.Parent != nil && head.Parent.Init == head && !e.Var.AddrTaken {
				return true // of a loop with the same head
			}
			ok = ok && !e.Var.AddrTaken && al.Changed(e.Var, t.Def.Range.End, to) < 0
		}
		return ok
	})
	return ok
}

// maybe reports whether a use in a statement's expressions may not be evaluated when the statement runs, where that
// matters: for loads, which might be of nothing.
func (al moves) maybe(s *ir.Stmt, t *kit.Temp, use *ir.Expr, from kit.Memory) bool {
	return from > kit.NoMemory && s.AnyExpr(func(e *ir.Expr) bool {
		return conditional(e) && e != t.Guard[use] && e.Any(func(x *ir.Expr) bool { return x == use })
	})
}

// conditional reports whether a part of an expression may not be evaluated.
func conditional(e *ir.Expr) bool {
	return e.Op == ir.OpCond || e.Op == ir.OpBinary && (e.Tok == "&&" || e.Tok == "||") || e.Op == ir.OpLambda
}

// unchanged checks that the variables of a value are the same where it is computed and where it is used.
func (al moves) unchanged(t *kit.Temp, last int) {
	check := func(e *ir.Expr) {
		for x := range e.All() {
			if x.Op != ir.OpIdent || x.Var == nil {
				continue
			}
			v := x.Var
			inHead := t.Loop != nil && t.Loop.Init != nil && v.Decl == t.Loop.Init
			if at := al.Changed(v, t.Def.Range.End, last); at >= 0 && !inHead {
				al.doubtMove(at, "%s changes between where %s is computed and where it is used", v.Name, t.Name)
			}
			if v.AddrTaken || al.decays(v) {
				al.doubtMove(t.Def.Range.Start, "%s, of which %s is computed, may change unseen", v.Name, t.Name)
			}
			for _, other := range al.New.Vars {
				if other != v && other.Name == v.Name && other.Range.Start > t.Def.Range.Start && other.Range.Start <= last {
					if f := other.Decl; inHead && f != nil && f.Parent != nil && f.Parent.Init == f {
						continue // of a loop with the same head
					}
					al.doubtMove(other.Range.Start, "%s means another variable here than where %s is computed", v.Name, t.Name)
				}
			}
		}
	}
	check(t.Expr)
	if t.Loop != nil {
		for _, e := range []*ir.Expr{t.Loop.Cond, t.Loop.Post} {
			if e != nil {
				check(e)
			}
		}
	}
}

// decays reports whether an array of a thread's own is used otherwise than by its elements: by an address, which may
// change it unseen.
func (al moves) decays(v *ir.Var) bool {
	if len(v.Dims) == 0 || v.Kind != ir.VarLocal {
		return false
	}
	n := 0
	kit.Walk(al.New.Body, func(e *ir.Expr) bool {
		switch root := kit.Base(e); {
		case root == nil || root.Var != v:
		case e.Op == ir.OpIdent:
			n++
		case e.Op == ir.OpIndex && kit.Addresses(e) == len(v.Dims):
			n--
		case e.Op == ir.OpAddr:
			n++
		}
		return true
	})
	return n > 0
}

// typeFits reports whether a value is kept in its own type, or in the type of what it is used to set.
func (al moves) typeFits(t *kit.Temp, use *ir.Expr, in *ir.Stmt) bool {
	kept := kit.PlainName(t.Var.Type.Base)
	if t.Var.Type.Ptr > 0 || t.Var.Type.Ref {
		return false
	}
	if t.Var.Type.Deduced() || al.TypeOf(t.Expr) == kept {
		return true
	}
	fits := false
	for s := range in.All() {
		for _, v := range s.Vars {
			fits = fits || v.Init == use && v.Type.Ptr == 0 && len(v.Dims) == 0 && kit.PlainName(v.Type.Base) == kept
		}
	}
	in.WalkExprs(func(e *ir.Expr) bool {
		fits = fits || e.Op == ir.OpAssign && e.Tok == "=" && e.Kids[1] == use && al.TypeOf(e.Kids[0]) == kept
		return !fits
	})
	return fits && kept != ""
}

// movedFits checks a statement that stands earlier than in the original.
func (al moves) movedFits(m kit.MovedStmt) {
	s := m.Stmt
	at := s.Range.Start
	bare := s.Op == ir.StmtDecl && len(s.Vars) == 1 && s.Vars[0].Init == nil && s.Vars[0].Kind == ir.VarLocal && kit.PlainValue(s.Vars[0].Type.Base)
	if !bare && (s.Op != ir.StmtDecl || len(s.Vars) != 1 || s.Vars[0].Init == nil || al.Loads(s.Vars[0].Init) > kit.GlobalRead || !kit.IsPrivate(s.Vars[0]) || s.Vars[0].Kind != ir.VarLocal) {
		al.doubtMove(at, "this stands earlier than in the original and does more than load from global memory")
		return
	}
	old := moves{al.Original()}
	from, name, names := kit.NoMemory, s.Vars[0].Name, map[string]bool{} // that must mean the same
	if !bare {
		from = al.Loads(s.Vars[0].Init)
	}
	names[name] = true
	s.Exprs(func(e *ir.Expr) {
		for e := range e.All() {
			names[e.Name] = names[e.Name] || e.Op == ir.OpIdent
			if v := e.Var; e.Op == ir.OpIdent && v != nil && (v.AddrTaken || al.decays(v) || slices.ContainsFunc(m.Passed, func(p *ir.Stmt) bool { return passesOn(p, v.Name) })) {
				al.doubtMove(at, "this stands earlier than in the original, where %s may change unseen", v.Name)
			}
		}
	})
	for _, p := range m.Passed {
		set := func(name string) {
			if names[name] {
				al.doubtMove(at, "this stands earlier than in the original, where %s is set first", name)
			}
		}
		for t := range p.All() {
			for _, v := range t.Vars {
				set(v.Name)
			}
		}
		kit.Walk(p, func(e *ir.Expr) bool {
			if e.Op == ir.OpIdent && e.Name == name {
				al.doubtMove(at, "this stands earlier than in the original, where another %s is used first", name)
			}
			if e.Op == ir.OpAssign || e.Op == ir.OpIncDec {
				if root := e.Kids[0].Root(); root != nil {
					set(root.Name)
				}
			}
			return true
		})
		if !bare && (p.Any(func(t *ir.Stmt) bool { return kit.Leaves(t, p) }) || from > kit.ReadOnly && (al.IsBarrier(al.Texts.Old, p) || kit.Some(p, kit.WaitsInWarp) || old.Stores(p, kit.GlobalRead) != nil)) {
			al.doubtMove(at, "this passed a jump, a barrier or a store to global memory")
		}
	}
}

// passesOn reports whether something in a statement is given a variable, by whose name it may change it.
func passesOn(s *ir.Stmt, name string) bool {
	named := func(e *ir.Expr) bool { return e != nil && e.Op == ir.OpIdent && e.Name == name }
	return kit.Some(s, func(e *ir.Expr) bool {
		if effect.IsOpaque(e.Op) {
			return e.Op == ir.OpLambda || e.Any(named)
		}
		return e.Op == ir.OpCall && !kit.LeavesArguments(e) && slices.ContainsFunc(e.Args(), func(arg *ir.Expr) bool { return named(arg.Root()) || named(kit.Base(arg)) })
	})
}

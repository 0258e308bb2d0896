package validate

import (
	"slices"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/ir/effect"
)

// tempFits checks a value that is computed elsewhere.
func (al moves) tempFits(t *temp) {
	at := t.decl.Range.Start
	for _, l := range al.later {
		if l.temp == t && l.loop != nil {
			return // laterFits
		}
	}
	if len(t.uses) == 0 || t.def == nil {
		al.doubtMove(at, "nothing uses %s", t.name)
		return
	}
	if isResult(t.name) {
		al.resultFits(t)
		return
	}
	from := al.loads(t.expr)
	if from == anyMemory {
		al.doubtMove(at, "%s does more than load from global memory", t.name)
	}
	if writes := len(t.v.Writes); t.v.AddrTaken || writes > 1 || writes == 1 && t.def == t.decl {
		al.doubtMove(at, "%s changes", t.name)
	}
	last := 0
	for _, use := range t.uses {
		in, ok := al.reached(t, use, from)
		if !ok {
			al.doubtMove(use.Range.Start, "%s may be computed where the original computes nothing, or not be computed", t.name)
			continue
		}
		// What a loop changes behind the use counts for the next iteration's.
		if last = max(last, use.Range.Start); in.IsLoop() {
			last = max(last, in.Range.End)
		}
		if !al.typeFits(t, use, in) {
			al.doubtMove(at, "it is not known that %s has the type of what it holds", t.name)
		}
	}
	al.unchanged(t, last)
	if from > readOnly {
		if al.droppedBetween(al.dropped, t.def.Range.End, last) && !al.backward(t.list, t.nth) { // or a release stands for it
			al.doubtMove(t.def.Range.Start, "%s is computed before a barrier of the original that is gone", t.name)
		}
		for s := range al.between(t, last) {
			al.leavesMemory(t, s, from)
		}
	}
	if t.loop != nil && !al.elementsApart(t.v, t.loop, t.index) {
		al.doubtMove(at, "it is not known that each iteration has an element of %s", t.name)
	}
}

// resultFits checks the result of a function that is called in each turn, for its barriers: it is used at once, in the
// turn of the v-TB, where the original calls the function.
func (al moves) resultFits(t *temp) {
	ok := len(t.uses) == 1 && t.def == t.decl && t.expr.Op == ir.OpCall && len(t.expr.Args()) > 0 && al.obj.inBlockMode() && al.givesTurn(t.expr.Args()[0]) &&
		t.nth+1 < len(t.list) && !t.v.AddrTaken
	if ok {
		next := t.list[t.nth+1]
		ok = leaf(next) && next.Range.Contains(t.uses[0].Range) && next.Parent != nil && !next.AnyExpr(func(e *ir.Expr) bool {
			return (conditional(e) || e.Op == ir.OpComma) && e.Any(func(x *ir.Expr) bool { return x == t.uses[0] })
		})
		mine := false
		for p := next; p != nil; p = p.Parent {
			mine = mine || al.roles[p] == roleMine
		}
		ok = ok && mine
	}
	if !ok {
		al.doubtMove(t.decl.Range.Start, "it is not known that %s is used where the original calls the function", t.name)
	}
}

// leavesMemory checks a statement between where a value is loaded and where it is used: no barrier, behind which
// others may have written, and no store to where it may be loaded from.
func (al moves) leavesMemory(t *temp, s *ir.Stmt, from memory) {
	if r := al.roles[s]; r == roleBarrier || r == roleTurnEnd || al.kept[s] {
		al.doubtMove(t.def.Range.Start, "%s is computed before a barrier of the original", t.name)
	} else if r == rolePlain {
		s.Exprs(func(e *ir.Expr) {
			own := &ir.Stmt{Op: ir.StmtExpr, Expr: e}
			if x := al.stores(own, from); x != nil {
				al.doubtMove(x.Range.Start, "this may change what %s was computed from", t.name)
			} else if some(own, waitsInWarp) {
				al.doubtMove(e.Range.Start, "%s is computed before threads of a warp wait here", t.name)
			}
		})
	}
}

// between returns the statements of a function from where a value is set to its last use.
func (al moves) between(t *temp, last int) map[*ir.Stmt]bool {
	out := map[*ir.Stmt]bool{}
	from := t.def.Range.End
	al.b.Body.Walk(func(s *ir.Stmt) bool {
		if s.Range.Start >= from && s.Range.Start <= last {
			out[s] = true
		}
		return s.Range.End > from && s.Range.Start <= last
	})
	return out
}

// reached reports whether a value is used wherever it was computed, and computed wherever it is used. It returns the
// statement behind the one that sets the value, in the same list, that uses it: at once; under the same condition; or
// for an array, in a loop with as many iterations.
func (al moves) reached(t *temp, use *ir.Expr, from memory) (in *ir.Stmt, ok bool) {
	for _, s := range t.list[t.nth+1:] {
		if !(ir.Range{Start: s.Range.Start, End: s.Range.End}).Contains(use.Range) {
			if s.Any(func(u *ir.Stmt) bool { return leaves(u, s) }) {
				return s, false
			}
			continue
		}
		switch {
		case al.later[s] != nil && al.later[s].loop != nil && t.loop == nil && t.def.Op != ir.StmtIf && !(ir.Range{Start: s.Range.Start, End: s.Body.Range.Start}).Contains(use.Range):
			return s, true // in both branches
		case (al.puts(s) || al.later[s] != nil) && t.loop == nil && t.def == t.decl:
			return s, true // in one of the two stores
		case leaf(s) && t.loop == nil && t.def.Op != ir.StmtIf:
			return s, !al.maybe(s, t, use, from)
		case s.Op == ir.StmtIf && t.loop == nil && !(ir.Range{Start: s.Body.Range.Start, End: s.Range.End}).Contains(use.Range):
			return s, t.def.Op != ir.StmtIf && !al.maybe(&ir.Stmt{Op: ir.StmtExpr, Expr: s.Cond}, t, use, from)
		case s.Op == ir.StmtIf && t.def.Op == ir.StmtIf && s.Else != nil && s.Else.Range.Contains(use.Range):
			not := t.def.Cond
			same := not.Op == ir.OpUnary && not.Tok == "!" && (&alignment{}).equal(not.Kids[0], s.Cond) && al.loads(s.Cond) <= readOnly && al.condStays(t, s.Cond, s.Cond.Range.End)
			return s, same && al.inBody(s.Else, t, use, from)
		case s.Op == ir.StmtIf && t.def.Op == ir.StmtIf:
			same := (&alignment{}).equal(t.def.Cond, s.Cond) && al.loads(s.Cond) <= readOnly && al.condStays(t, s.Cond, s.Cond.Range.End)
			return s, same && al.inBody(s.Body, t, use, from)
		case s.Op == ir.StmtFor && t.loop == nil && t.def.Op == ir.StmtIf:
			return s, goesRound(t.def.Cond, s) && al.loads(t.def.Cond) <= readOnly && al.condStays(t, t.def.Cond, s.Cond.Range.End) && al.inBody(s.Body, t, use, from)
		case s.Op == ir.StmtFor && t.loop != nil && al.sameIterations(t, s, t.guard[use]):
			return s, al.inBody(s.Body, t, use, from)
		case from == noMemory && t.loop == nil && t.def.Op != ir.StmtIf:
			return s, true // it does not matter how often it is computed
		}
		return s, false
	}
	return t.def, false
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
	return !named && len(v.Dims) == 0 && (&alignment{}).equal(first(loop.Cond), cond)
}

// inBody reports whether a use in a body comes whenever the body runs.
func (al moves) inBody(body *ir.Stmt, t *temp, use *ir.Expr, from memory) bool {
	for _, u := range al.flat(statements(body)) {
		if u.Range.Start <= use.Range.Start && use.Range.Start < u.Range.End {
			if t.inner != nil {
				same := u.Op == ir.StmtIf && u.Else == nil && (&alignment{}).equal(t.inner, u.Cond) && al.loads(u.Cond) <= readOnly && al.condStays(t, u.Cond, u.Cond.Range.End)
				inner := *t
				inner.inner = nil
				return same && al.inBody(u.Body, &inner, use, from)
			}
			return leaf(u) && !al.maybe(u, t, use, from)
		}
		if u.Any(func(v *ir.Stmt) bool { return leaves(v, u) }) {
			return false
		}
	}
	return false
}

// condStays reports whether a condition is up to an offset what it was where a value was set.
func (al moves) condStays(t *temp, cond *ir.Expr, to int) bool {
	ok := true
	cond.Walk(func(e *ir.Expr) bool {
		if e.Op == ir.OpIdent && e.Var != nil {
			if head := e.Var.Decl; t.loop != nil && head != nil && head.Parent != nil && head.Parent.Init == head && !e.Var.AddrTaken {
				return true // of a loop with the same head
			}
			ok = ok && !e.Var.AddrTaken && al.changed(e.Var, t.def.Range.End, to) < 0
		}
		return ok
	})
	return ok
}

// maybe reports whether a use in a statement's expressions may not be evaluated when the statement runs, where that
// matters: for loads, which might be of nothing.
func (al moves) maybe(s *ir.Stmt, t *temp, use *ir.Expr, from memory) bool {
	return from > noMemory && s.AnyExpr(func(e *ir.Expr) bool {
		return conditional(e) && e != t.guard[use] && e.Any(func(x *ir.Expr) bool { return x == use })
	})
}

// conditional reports whether a part of an expression may not be evaluated.
func conditional(e *ir.Expr) bool {
	return e.Op == ir.OpCond || e.Op == ir.OpBinary && (e.Tok == "&&" || e.Tok == "||") || e.Op == ir.OpLambda
}

// unchanged checks that the variables of a value are the same where it is computed and where it is used.
func (al moves) unchanged(t *temp, last int) {
	check := func(e *ir.Expr) {
		e.Walk(func(x *ir.Expr) bool {
			if x.Op != ir.OpIdent || x.Var == nil {
				return true
			}
			v := x.Var
			inHead := t.loop != nil && t.loop.Init != nil && v.Decl == t.loop.Init
			if at := al.changed(v, t.def.Range.End, last); at >= 0 && !inHead {
				al.doubtMove(at, "%s changes between where %s is computed and where it is used", v.Name, t.name)
			}
			if v.AddrTaken || al.decays(v) {
				al.doubtMove(t.def.Range.Start, "%s, of which %s is computed, may change unseen", v.Name, t.name)
			}
			for _, other := range al.b.Vars {
				if other != v && other.Name == v.Name && other.Range.Start > t.def.Range.Start && other.Range.Start <= last {
					if f := other.Decl; inHead && f != nil && f.Parent != nil && f.Parent.Init == f {
						continue // of a loop with the same head
					}
					al.doubtMove(other.Range.Start, "%s means another variable here than where %s is computed", v.Name, t.name)
				}
			}
			return true
		})
	}
	check(t.expr)
	if t.loop != nil {
		for _, e := range []*ir.Expr{t.loop.Cond, t.loop.Post} {
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
	walk(al.b.Body, func(e *ir.Expr) bool {
		switch root := base(e); {
		case root == nil || root.Var != v:
		case e.Op == ir.OpIdent:
			n++
		case e.Op == ir.OpIndex && addresses(e) == len(v.Dims):
			n--
		case e.Op == ir.OpAddr:
			n++
		}
		return true
	})
	return n > 0
}

// typeFits reports whether a value is kept in its own type, or in the type of what it is used to set.
func (al moves) typeFits(t *temp, use *ir.Expr, in *ir.Stmt) bool {
	kept := plainName(t.v.Type.Base)
	if t.v.Type.Ptr > 0 || t.v.Type.Ref {
		return false
	}
	if t.v.Type.IsAuto() || al.typeOf(t.expr) == kept {
		return true
	}
	fits := false
	in.Walk(func(s *ir.Stmt) bool {
		for _, v := range s.Vars {
			fits = fits || v.Init == use && v.Type.Ptr == 0 && len(v.Dims) == 0 && plainName(v.Type.Base) == kept
		}
		return true
	})
	in.WalkExprs(func(e *ir.Expr) bool {
		fits = fits || e.Op == ir.OpAssign && e.Tok == "=" && e.Kids[1] == use && al.typeOf(e.Kids[0]) == kept
		return !fits
	})
	return fits && kept != ""
}

// movedFits checks a statement that stands earlier than in the original.
func (al moves) movedFits(m movedStmt) {
	s := m.stmt
	at := s.Range.Start
	var reads, writes = map[string]bool{}, map[string]bool{}
	used := func(st *ir.Stmt, reads, writes map[string]bool) {
		for _, v := range st.Vars {
			writes[v.Name] = true
		}
		walk(st, func(e *ir.Expr) bool {
			switch {
			case e.Op == ir.OpIdent:
				reads[e.Name] = true
			case e.Op == ir.OpAssign || e.Op == ir.OpIncDec:
				if root := e.Kids[0].Root(); root != nil {
					writes[root.Name] = true
				}
			}
			return true
		})
		st.Walk(func(t *ir.Stmt) bool {
			for _, v := range t.Vars {
				writes[v.Name] = true
			}
			return true
		})
	}
	used(s, reads, writes)
	bare := s.Op == ir.StmtDecl && len(s.Vars) == 1 && s.Vars[0].Init == nil && s.Vars[0].Kind == ir.VarLocal && plainValue(s.Vars[0].Type.Base)
	if !bare && (s.Op != ir.StmtDecl || len(s.Vars) != 1 || s.Vars[0].Init == nil || al.loads(s.Vars[0].Init) > globalRead || !isPrivate(s.Vars[0]) || s.Vars[0].Kind != ir.VarLocal) {
		al.doubtMove(at, "this stands earlier than in the original and does more than load from global memory")
		return
	}
	old := moves{al.original()}
	from := noMemory
	if !bare {
		from = al.loads(s.Vars[0].Init)
	}
	s.Exprs(func(e *ir.Expr) {
		e.Walk(func(e *ir.Expr) bool {
			if v := e.Var; e.Op == ir.OpIdent && v != nil && (v.AddrTaken || al.decays(v) || slices.ContainsFunc(m.passed, func(p *ir.Stmt) bool { return passesOn(p, v.Name) })) {
				al.doubtMove(at, "this stands earlier than in the original, where %s may change unseen", v.Name)
			}
			return true
		})
	})
	for _, p := range m.passed {
		pr, pw := map[string]bool{}, map[string]bool{}
		used(p, pr, pw)
		for name := range pw {
			if reads[name] || writes[name] {
				al.doubtMove(at, "this stands earlier than in the original, where %s is set first", name)
			}
		}
		for name := range writes {
			if pr[name] {
				al.doubtMove(at, "this stands earlier than in the original, where another %s is used first", name)
			}
		}
		if !bare && (p.Any(func(t *ir.Stmt) bool { return leaves(t, p) }) || from > readOnly && (al.isBarrier(al.c.a, p) || some(p, waitsInWarp) || old.stores(p, globalRead) != nil)) {
			al.doubtMove(at, "this passed a jump, a barrier or a store to global memory")
		}
	}
}

// passesOn reports whether something in a statement is given a variable, by whose name it may change it.
func passesOn(s *ir.Stmt, name string) bool {
	named := func(e *ir.Expr) bool { return e != nil && e.Op == ir.OpIdent && e.Name == name }
	return some(s, func(e *ir.Expr) bool {
		if effect.IsOpaque(e.Op) {
			return e.Op == ir.OpLambda || e.Any(named)
		}
		return e.Op == ir.OpCall && !leavesArguments(e) && slices.ContainsFunc(e.Args(), func(arg *ir.Expr) bool { return named(arg.Root()) || named(base(arg)) })
	})
}

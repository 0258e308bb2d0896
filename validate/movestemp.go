package validate

import (
	"github.com/smux-cuda/smux/analysis/ir"
)

// tempFits checks a value that is computed ahead.
func (al *alignment) tempFits(t *temp) {
	at := t.decl.Range.Start
	v := t.decl.Vars[0]
	if len(t.uses) == 0 {
		al.doubtMove(at, "nothing uses %s", t.name)
	}
	if !al.loadsOnly(t.expr) {
		al.doubtMove(at, "%s does more than load from global memory", t.name)
	}
	if base := typeOf(t.expr); !v.Type.IsAuto() && (base == "" || base != v.Type.Base || v.Type.Ptr > 0) {
		al.doubtMove(at, "it is not known that %s has the type of what it holds", t.name)
	}
	last := 0
	for _, use := range t.uses {
		last = max(last, use)
		if !al.reached(t, use) {
			al.doubtMove(use, "%s may be computed where the original computes nothing", t.name)
		}
	}
	al.unchanged(t, last)
	for s := range al.between(t, last) {
		if al.roles[s] == roleBarrier || al.roles[s] == roleTurnEnd {
			al.doubtMove(at, "%s is computed before a barrier of the original", t.name)
		}
		if al.roles[s] == rolePlain && leaf(s) {
			if e := al.storesApart(s); e != nil {
				al.doubtMove(e.Range.Start, "this may change what %s was computed from", t.name)
			}
		}
	}
	if t.loop != nil && !al.elementsApart(t) {
		al.doubtMove(at, "it is not known that each iteration has an element of %s", t.name)
	}
}

// between returns the statements of a function from a value's declaration to its last use.
func (al *alignment) between(t *temp, last int) map[*ir.Stmt]bool {
	out := map[*ir.Stmt]bool{}
	from := t.decl.Range.End
	al.b.Body.Walk(func(s *ir.Stmt) bool {
		if s.Range.Start >= from && s.Range.Start <= last {
			out[s] = true
		}
		return s.Range.End > from && s.Range.Start <= last
	})
	return out
}

// reached reports whether a use comes for certain when its value was computed: it stands in the same list of
// statements, or for an array in the list of a loop there with the same head, and nothing jumps away before.
func (al *alignment) reached(t *temp, use int) bool {
	list := t.decl.Parent
	for _, s := range al.flat(statements(list)) {
		if s.Range.Start < t.decl.Range.Start || s == t.loop {
			continue
		}
		if s.Any(jumps) && s.Range.Start < use {
			return false
		}
		if !(ir.Range{Start: s.Range.Start, End: s.Range.End}).Contains(ir.Range{Start: use, End: use}) {
			continue
		}
		if t.loop == nil {
			return leaf(s) && !s.AnyExpr(conditional)
		}
		if s.Op != ir.StmtFor {
			return false
		}
		if _, equal := same(al.loopHeader(s), t.header); !equal {
			return false
		}
		for _, u := range statements(s.Body) {
			if u.Range.Start <= use && use < u.Range.End {
				return leaf(u) && !u.AnyExpr(conditional)
			}
		}
		return false
	}
	return false
}

func jumps(s *ir.Stmt) bool {
	return s.Op == ir.StmtReturn || s.Op == ir.StmtBreak || s.Op == ir.StmtContinue || s.Op == ir.StmtGoto
}

// conditional reports whether a part of an expression may not be evaluated.
func conditional(e *ir.Expr) bool {
	return e.Op == ir.OpCond || e.Op == ir.OpBinary && (e.Tok == "&&" || e.Tok == "||") || e.Op == ir.OpLambda
}

// unchanged checks that the variables of a value are the same where it is computed and where it is used.
func (al *alignment) unchanged(t *temp, last int) {
	check := func(e *ir.Expr) {
		e.Walk(func(x *ir.Expr) bool {
			if x.Op != ir.OpIdent || x.Var == nil {
				return true
			}
			v := x.Var
			inHead := t.loop != nil && t.loop.Init != nil && v.Decl == t.loop.Init
			for _, w := range v.Writes {
				if !inHead && w.Range.Start > t.decl.Range.Start && w.Range.Start <= last {
					al.doubtMove(w.Range.Start, "%s changes between where %s is computed and where it is used", v.Name, t.name)
				}
			}
			if v.AddrTaken {
				al.doubtMove(t.decl.Range.Start, "%s, of which %s is computed, may change unseen", v.Name, t.name)
			}
			for _, other := range al.b.Vars {
				if other != v && other.Name == v.Name && other.Range.Start > t.decl.Range.Start && other.Range.Start <= last {
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

// elementsApart reports whether no two iterations of a loop set the same element of a value's array, and all
// lie in it: the loop is run.
func (al *alignment) elementsApart(t *temp) bool {
	loop := t.loop
	if al.obj == nil || loop.Init == nil || loop.Cond == nil || loop.Post == nil || loop.Init.Op != ir.StmtDecl || len(loop.Init.Vars) != 1 {
		return false
	}
	c := &content{al: al, k: al.k, n: 1, sets: &written{}}
	c.frame = &frame{vars: map[*ir.Var][]value{}, gone: make([]bool, 1), left: make([]bool, 1), next: make([]bool, 1)}
	size := c.constant(t.decl.Vars[0].Dims[0])
	body := statements(loop.Body)
	target := body[0].Expr.Kids[0]
	if size.kind != isInt || target.Op != ir.OpIndex {
		return false
	}
	c.declareVar(loop.Init.Vars[0], []bool{true})
	seen := map[int64]bool{}
	for range 1 << 12 {
		switch on := c.eval(loop.Cond, 0); {
		case on.isFalse():
			return true
		case !on.isTrue():
			return false
		}
		i := c.eval(target.Kids[1], 0)
		if i.kind != isInt || i.n < 0 || i.n >= size.n || seen[i.n] {
			return false
		}
		seen[i.n] = true
		c.eval(loop.Post, 0)
	}
	return false
}

// movedFits checks a statement that stands earlier than in the original.
func (al *alignment) movedFits(m movedStmt) {
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
	if !bare && (s.Op != ir.StmtDecl || len(s.Vars) != 1 || s.Vars[0].Init == nil || !al.loadsOnly(s.Vars[0].Init) || !isPrivate(s.Vars[0]) || s.Vars[0].Kind != ir.VarLocal) {
		al.doubtMove(at, "this stands earlier than in the original and does more than load from global memory")
		return
	}
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
		if !bare && (p.Any(jumps) || al.isBarrier(al.c.a, p) || al.storesInOld(p)) {
			al.doubtMove(at, "this passed a jump, a barrier or a store to global memory")
		}
	}
}

// storesInOld is storesApart for a statement of the old text: it reports whether it may store elsewhere.
func (al *alignment) storesInOld(p *ir.Stmt) bool {
	found := false
	walk(p, func(e *ir.Expr) bool {
		switch e.Op {
		case ir.OpAssign, ir.OpIncDec:
			root := e.Kids[0].Root()
			found = found || root == nil || root.Var == nil || !isPrivate(root.Var) && root.Var.Kind != ir.VarShared
		case ir.OpAsm, ir.OpLambda, ir.OpNew, ir.OpUnknown, ir.OpMixed:
			found = true
		case ir.OpCall:
			found = found || !leavesArguments(e.Name) || len(e.Name) > 6 && e.Name[:6] == "atomic"
		}
		return !found
	})
	return found
}

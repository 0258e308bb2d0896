package validate

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/parser"
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
		s.doubt(Erasure, s.b.Body.Range.Start, "this can't be read")
		return
	}
	if i, equal := same(s.c.head(s.c.a, a), s.c.head(s.c.b, b)); !equal {
		us := s.c.head(s.c.b, b)
		s.doubt(Erasure, us[min(i, len(us)-1)].start, "the kernel's head is not the original's")
		return
	}
	if at := s.directive(); at >= 0 {
		s.doubt(Erasure, at, "a directive stands in the kernel, which is not followed")
		return
	}
	for i, p := range s.a.Params {
		s.pairs[p] = s.b.Params[i]
	}
	for i, p := range s.a.TParams {
		s.pairs[p] = s.b.TParams[i]
	}
	s.c.reachFrom(s.k, s.b)
	s.calls(s.a)
	s.lists(statements(s.a.Body), statements(s.b.Body), nil)
	s.newNames()
	s.b.Body.Walk(func(t *ir.Stmt) bool {
		if t.Post.Any(func(e *ir.Expr) bool { return s.reads[e] != nil }) {
			s.doubt(Erasure, t.Range.Start, "a tile is read where a loop counts on, which is not followed")
		}
		return true
	})
}

// directive returns the place of a directive in the kernel that does more than unroll a loop, -1 without one.
func (s *staging) directive() int {
	for _, src := range []*source{s.c.a, s.c.b} {
		body := s.b.Body
		if src == s.c.a {
			body = s.a.Body
		}
		for _, u := range src.between(body.Range.Start, body.Range.End) {
			if what, _ := strings.CutPrefix(u.text, "# pragma "); strings.HasPrefix(u.text, "#") && !unrolls(what) || u.text == "_Pragma" {
				return max(0, s.b.Body.Range.Start)
			}
		}
	}
	return -1
}

// calls notes what calls of the original may be of: functions are the same in both texts, or not shown.
func (s *staging) calls(fn *ir.Func) {
	walk(fn.Body, func(e *ir.Expr) bool {
		if e.Op == ir.OpCall {
			for _, g := range s.c.devices[e.Name] {
				s.k.state.calls[e] = append(s.k.state.calls[e], s.c.lowered(g))
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
	for _, u := range s.c.a.between(s.a.View.Start, int(s.a.View.Body.End)) {
		used[u.text] = true
	}
	for _, f := range s.c.namesB.prog.All() {
		for _, u := range newSource(f).units {
			if strings.HasPrefix(u.text, "# define") {
				for _, w := range words(u.text)[2:] {
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
			s.doubt(Erasure, v.Range.Start, "the original has the name %s for something else", v.Name)
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
			for _, t := range statements(b.Body) {
				out = append(out, item{t, true})
			}
			continue
		}
		out = append(out, item{b, false})
	}
	return out
}

// lists lays two lists of statements side by side, behind or in a guard of the new text where that is not nil.
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
		case s.al.isBarrier(s.c.b, b) && (a == nil || !s.al.isBarrier(s.c.a, a)):
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
		s.doubt(Erasure, at, "the original goes on here with: %s", s.c.excerpt(as, i))
		return false
	}
	return true
}

func (s *staging) differ(b *ir.Stmt, format string, args ...any) bool {
	s.doubt(Erasure, b.Range.Start, format, args...)
	return false
}

// isTile reports whether a statement declares tiles and nothing else.
func (s *staging) isTile(b *ir.Stmt) bool {
	return b.Op == ir.StmtDecl && len(b.Vars) > 0 && !slices.ContainsFunc(b.Vars, func(v *ir.Var) bool { return s.tiles[v] == nil || v.Init != nil })
}

// isCopy reports whether a statement stores to tiles, and changes nothing but variables of its own besides.
func (s *staging) isCopy(b *ir.Stmt) bool {
	if b.Op == ir.StmtDecl || b.Macro || b.Preproc {
		return false
	}
	stores, ok := false, true
	b.Walk(func(t *ir.Stmt) bool {
		switch t.Op {
		case ir.StmtCompound, ir.StmtDecl, ir.StmtExpr, ir.StmtIf, ir.StmtFor, ir.StmtEmpty:
		default:
			ok = false
		}
		for _, v := range t.Vars {
			ok = ok && v.Kind == ir.VarLocal && !v.Static && len(v.Dims) == 0 && !v.Type.Ref
		}
		return ok
	})
	walk(b, func(e *ir.Expr) bool {
		switch e.Op {
		case ir.OpAssign, ir.OpIncDec:
			root := e.Kids[0].Root()
			switch {
			case root == nil || root.Var == nil:
				ok = false
			case s.tiles[root.Var] != nil:
				ok = ok && !s.puts[root.Var] && e.Op == ir.OpAssign && e.Tok == "=" && s.element(e.Kids[0]) != nil
				stores = true
			default:
				ok = ok && e.Kids[0].Op == ir.OpIdent && root.Var.Decl != nil && b.Range.Contains(root.Var.Decl.Range)
			}
		case ir.OpAsm, ir.OpLambda, ir.OpNew, ir.OpUnknown, ir.OpMixed:
			ok = false
		case ir.OpCall:
			_, pure := s.pure(e)
			ok = ok && (pure || e.Name == "__ldg")
		case ir.OpIdent:
			if s.tiles[e.Var] != nil && !s.stored(b, e) {
				ok = false
			}
		}
		return ok
	})
	return stores && ok
}

// stored reports whether a tile's name in a copy is that of an element that is stored.
func (s *staging) stored(b *ir.Stmt, name *ir.Expr) (found bool) {
	walk(b, func(e *ir.Expr) bool {
		found = found || e.Op == ir.OpAssign && e.Kids[0].Root() == name
		return !found
	})
	return found
}

// element returns the subscripts of an element of a tile, nil for anything else.
func (s *staging) element(e *ir.Expr) (at []*ir.Expr) {
	for ; e.Op == ir.OpIndex; e = e.Kids[0] {
		at = append([]*ir.Expr{e.Kids[1]}, at...)
	}
	if e.Op != ir.OpIdent || s.tiles[e.Var] == nil || len(at) != len(e.Var.Dims) {
		return nil
	}
	return at
}

// isGuard reports whether "const bool inside = …;" stands where the original leaves threads out: by returning, or by
// a condition around all that follows.
func (s *staging) isGuard(b, a *ir.Stmt) bool {
	us := s.c.unitsOf(b)
	return b.Op == ir.StmtDecl && !b.Macro && len(b.Vars) == 1 && len(us) > 4 && is(us[:2], "const bool") && us[3].text == "=" && b.Vars[0].Init != nil && !b.Vars[0].AddrTaken &&
		a.Op == ir.StmtIf && a.Else == nil && !a.Macro && !a.Preproc && a.Init == nil
}

// returns reports whether a statement is "if (…) return;".
func returns(a *ir.Stmt) bool {
	if a.Op != ir.StmtIf || a.Else != nil || a.Macro || a.Preproc || a.Init != nil {
		return false
	}
	body := statements(a.Body)
	return len(body) == 1 && body[0].Op == ir.StmtReturn && body[0].Expr == nil
}

// behind goes on behind a guard.
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
	for len(rest) > 0 && (s.isCopy(rest[0]) || s.al.isBarrier(s.c.b, rest[0])) {
		if s.isCopy(rest[0]) {
			s.copies[rest[0]] = rest[0]
		} else {
			s.added = append(s.added, rest[0])
		}
		rest = rest[1:]
	}
	if len(rest) == 0 || rest[0].Op != ir.StmtCompound || rest[0].NoScope {
		return s.differ(b, "what the original has under this condition does not follow")
	}
	return s.guardStays(b, as[:1]) && s.lists(statements(as[0].Body), statements(rest[0]), b.Vars[0]) && s.lists(as[1:], rest[1:], nil)
}

// guardStays checks that a condition of the original does nothing, so that it may be computed once.
func (s *staging) guardStays(b *ir.Stmt, as []*ir.Stmt) bool {
	for _, a := range as {
		if a.Cond.Any(func(e *ir.Expr) bool { return e.Op == ir.OpAssign || e.Op == ir.OpIncDec || e.Op == ir.OpCall }) {
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

// dropped reports whether a statement of the original is a declaration of variables that the new text does without.
func (s *staging) dropped(a *ir.Stmt, rest []item) bool {
	if a.Op == ir.StmtEmpty && !a.Macro {
		return true
	}
	if a.Op != ir.StmtDecl || a.Macro || len(a.Vars) == 0 {
		return false
	}
	for _, it := range rest {
		if slices.ContainsFunc(it.s.Vars, func(v *ir.Var) bool {
			return slices.ContainsFunc(a.Vars, func(w *ir.Var) bool { return v.Name == w.Name })
		}) {
			return false
		}
	}
	for _, v := range a.Vars {
		if !s.droppable(v) {
			return false
		}
	}
	for _, v := range a.Vars {
		s.gone[v] = v.Init
	}
	return true
}

// droppable reports whether a variable is a value that can be computed again wherever it is used.
func (s *staging) droppable(v *ir.Var) bool {
	if v.Init == nil || len(v.Writes) > 0 || v.AddrTaken || len(v.Dims) > 0 || v.Static || v.Type.Ref || v.Type.Volatile {
		return false
	}
	return !v.Init.Any(func(e *ir.Expr) bool {
		switch e.Op {
		case ir.OpIdent:
			w := e.Var
			if w == nil || w.Kind != ir.VarLocal && w.Kind != ir.VarParam {
				return false
			}
			// Nothing changes it, or the head of a loop around alone.
			for _, write := range w.Writes {
				in := false
				for p := v.Decl.Parent; p != nil; p = p.Parent {
					in = in || p.Op == ir.StmtFor && p.Post == write
				}
				if !in {
					return true
				}
			}
			return w.AddrTaken
		case ir.OpInt, ir.OpLiteral, ir.OpUnary, ir.OpBinary, ir.OpCond, ir.OpCast, ir.OpAddr:
			return false
		case ir.OpMember:
			return e.Arrow
		case ir.OpIndex:
			root := e.Root()
			return root == nil || root.Var == nil || !s.stays(s.canonical(root.Var))
		case ir.OpCall:
			_, pure := s.pure(e)
			return !pure && e.Name != "min" && e.Name != "max" || slices.ContainsFunc(e.Args(), func(arg *ir.Expr) bool {
				root := arg.Root()
				return root != nil && root.Var != nil && (root.Var.Type.Ptr > 0 || len(root.Var.Dims) > 0) && !s.stays(s.canonical(root.Var))
			})
		}
		return true
	})
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
	if a.Op != b.Op || a.Macro != b.Macro || a.Preproc != b.Preproc || a.NoScope != b.NoScope || leaf(a) != leaf(b) {
		return 0, s.differ(b, "this is not what the original has here: %s", s.c.excerpt([]*ir.Stmt{a}, 0))
	}
	if leaf(a) {
		if s.al.isBarrier(s.c.b, b) {
			s.al.roles[b] = roleBarrier
		}
		if bare && b.Op != ir.StmtEmpty {
			return 0, s.differ(b, "threads that the original leaves out come by this")
		}
		return 0, s.same(s.c.a.between(a.Outer.Start, a.Outer.End), s.c.b.between(b.Outer.Start, b.Outer.End), a, b)
	}
	if a.Op == ir.StmtCase || a.Op == ir.StmtLabel {
		_, equal := same(s.al.header(s.c.a, a), s.al.header(s.c.b, b))
		return 0, (equal || s.differ(b, "this is not what the original has here: %s", s.c.excerpt([]*ir.Stmt{a}, 0))) && s.lists(statements(a), statements(b), passed(guard, guarded))
	}
	if a.Op == ir.StmtCompound {
		return 0, s.lists(statements(a), statements(b), passed(guard, guarded))
	}
	if bare && (b.Op != ir.StmtFor && b.Op != ir.StmtIf || !s.harmless(b.Cond) || !s.harmless(b.Post) && !s.counts(b) || b.Init != nil && !s.harmlessInit(b.Init)) {
		return 0, s.differ(b, "threads that the original leaves out come by this")
	}
	if (a.Init == nil) != (b.Init == nil) || (a.Else == nil) != (b.Else == nil) {
		return 0, s.differ(b, "a branch of this statement is not the original's")
	}
	if a.Init != nil {
		if !s.same(s.c.a.between(a.Init.Outer.Start, a.Init.Outer.End), s.c.b.between(b.Init.Outer.Start, b.Init.Outer.End), a.Init, b.Init) {
			return 0, false
		}
		s.pairVars(a.Init, b.Init)
	}
	if !s.same(rolled(s.al.header(s.c.a, a)), rolled(s.al.header(s.c.b, b)), a, b) {
		return 0, false
	}
	inner := passed(guard, guarded)
	return 0, s.lists(statements(a.Body), statements(b.Body), inner) && (a.Else == nil || s.lists(statements(a.Else), statements(b.Else), inner))
}

// passed is the guard that still counts inside of a statement: none inside of what it leaves out.
func passed(guard *ir.Var, guarded bool) *ir.Var {
	if guarded {
		return nil
	}
	return guard
}

// harmless reports whether an expression may be computed by threads that the original leaves out.
func (s *staging) harmless(e *ir.Expr) bool {
	return e == nil || !e.Any(func(x *ir.Expr) bool {
		switch x.Op {
		case ir.OpInt, ir.OpLiteral, ir.OpIdent, ir.OpUnary, ir.OpCond, ir.OpCast:
			return false
		case ir.OpMember:
			return x.Arrow
		case ir.OpBinary:
			return (x.Tok == "/" || x.Tok == "%") && x.Kids[1].Op != ir.OpInt
		case ir.OpCall:
			return x.Name != "min" && x.Name != "max"
		}
		return true
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

// pairVars notes which variable is which.
func (s *staging) pairVars(a, b *ir.Stmt) {
	for i := range min(len(a.Vars), len(b.Vars)) {
		s.pairs[a.Vars[i]] = b.Vars[i]
	}
}

// declarations lays declarations side by side: of those of the original some may be gone, and where a guard leaves
// threads out the value may be set behind it.
func (s *staging) declarations(a *ir.Stmt, items []item, j int, guard *ir.Var) (more int, ok bool) {
	b, guarded := items[j].s, items[j].guarded
	specA, specB := s.c.a.between(a.Range.Start, a.Vars[0].Range.Start), s.c.b.between(b.Range.Start, b.Vars[0].Range.Start)
	bare := guard != nil && !guarded
	// float sum;  if (inside) sum = E;
	if v, w := a.Vars[0], b.Vars[0]; bare && len(a.Vars) == 1 && len(b.Vars) == 1 && v.Name == w.Name && v.Init != nil && w.Init == nil && len(w.Dims) == 0 && j+1 < len(items) && items[j+1].guarded {
		set := items[j+1].s
		spec := slices.DeleteFunc(slices.Clone(specA), func(u unit) bool { return u.text == "const" && v.Type.Ptr == 0 })
		us, ub := s.c.a.between(v.Range.Start, a.Range.End), s.c.unitsOf(set)
		_, equal := same(spec, specB)
		if !equal || set.Op != ir.StmtExpr || set.Macro || len(us) < 2 || us[0].text != w.Name || us[1].text != "=" || !is(s.c.b.between(w.Range.Start, b.Range.End), w.Name+" ;") ||
			!plainValue(v.Type.Base) && !vectorType(v.Type.Base) || set.Expr.Op != ir.OpAssign || set.Expr.Kids[0].Var != w {
			return 0, s.differ(b, "this is not what the original has here: %s", s.c.excerpt([]*ir.Stmt{a}, 0))
		}
		s.pairs[v] = w
		return 1, s.same(us, ub, a, set)
	}
	i := 0
	for n, w := range b.Vars {
		for i < len(a.Vars) && a.Vars[i].Name != w.Name && s.droppable(a.Vars[i]) {
			s.gone[a.Vars[i]] = a.Vars[i].Init
			i++
		}
		if i >= len(a.Vars) || a.Vars[i].Name != w.Name {
			return 0, s.differ(b, "this is not what the original has here: %s", s.c.excerpt([]*ir.Stmt{a}, 0))
		}
		v := a.Vars[i]
		if bare && (!s.harmless(w.Init) || w.Kind == ir.VarShared || w.Static) {
			return 0, s.differ(b, "threads that the original leaves out come by this")
		}
		if _, equal := same(specA, specB); !equal && n == 0 || w.Macro != v.Macro {
			return 0, s.differ(b, "this is not what the original has here: %s", s.c.excerpt([]*ir.Stmt{a}, 0))
		}
		if !s.same(s.c.a.between(v.Range.Start, v.Range.End), s.c.b.between(w.Range.Start, w.Range.End), a, b) {
			return 0, false
		}
		s.pairs[v] = w
		i++
	}
	for ; i < len(a.Vars); i++ {
		if !s.droppable(a.Vars[i]) {
			return 0, s.differ(b, "the original declares %s here", a.Vars[i].Name)
		}
		s.gone[a.Vars[i]] = a.Vars[i].Init
	}
	return 0, true
}

// vectorType reports whether a type is one of CUDA's vectors.
func vectorType(base string) bool {
	n := len(base)
	return n > 1 && base[n-1] >= '1' && base[n-1] <= '4' && plainValue(strings.Replace(strings.Replace(base[:n-1], "uint", "unsigned int", 1), "uchar", "unsigned char", 1))
}

// same compares units of two statements, with what the original has where the new text reads a tile.
func (s *staging) same(ua, ub []unit, a, b *ir.Stmt) bool {
	tiles, places := s.readsIn(b), s.placesIn(a)
	namesA, namesB := namesAt(a), namesAt(b)
	var match func(i, j int) (bool, int)
	match = func(i, j int) (bool, int) {
		for i < len(ua) && j < len(ub) {
			if e := tiles[ub[j].start]; e != nil {
				end := j
				for end < len(ub) && ub[end].start < e.to {
					end++
				}
				far := j
				for _, x := range places[ua[i].start] {
					next := i
					for next < len(ua) && ua[next].start < x.Range.End {
						next++
					}
					ok, at := match(next, end)
					if ok {
						s.reads[e.e] = x
						return true, 0
					}
					far = max(far, at)
				}
				if e.e.Op != ir.OpCond {
					return false, far
				}
			}
			if ua[i].text != ub[j].text {
				return false, j
			}
			if v, w := namesA[ua[i].start], namesB[ub[j].start]; v != nil && w != nil && v.Kind != ir.VarGlobal && v.Kind != ir.VarConstant && v.Kind != ir.VarEnumerator &&
				s.canonical(v) != w || s.gone[v] != nil {
				return false, j
			}
			i, j = i+1, j+1
		}
		return i == len(ua) && j == len(ub), j
	}
	if ok, at := match(0, 0); !ok {
		where := b.Range.Start
		if at < len(ub) {
			where = ub[at].start
		}
		s.doubt(Erasure, where, "this is not what the original has here: %s", s.c.excerpt([]*ir.Stmt{a}, 0))
		return false
	}
	return true
}

// tileRead is an expression of the new text in which tiles are read, to the end of its units.
type tileRead struct {
	e  *ir.Expr
	to int
}

// readsIn finds the reads of tiles in a statement's own expressions, by where they begin: elements, and elements under
// a condition, in parentheses.
func (s *staging) readsIn(b *ir.Stmt) map[int]*tileRead {
	out := map[int]*tileRead{}
	var visit func(e *ir.Expr) bool
	visit = func(e *ir.Expr) bool {
		if e.Op == ir.OpAddr || e.Op == ir.OpCall && s.byReference(e) {
			return e.Op == ir.OpCall && !slices.ContainsFunc(e.Args(), func(x *ir.Expr) bool { return s.element(x) != nil })
		}
		if s.element(e) != nil && s.computes(e) {
			out[e.Range.Start] = &tileRead{e, e.Range.End}
			return false
		}
		if e.Op == ir.OpCond && s.element(e.Kids[1]) != nil && s.computes(e) {
			us := s.c.b.between(0, e.Range.Start)
			after := s.c.b.between(e.Range.End, len(s.c.b.file.Src))
			if len(us) > 0 && us[len(us)-1].text == "(" && len(after) > 0 && after[0].text == ")" {
				out[us[len(us)-1].start] = &tileRead{e, after[0].end}
			}
		}
		return true
	}
	if slices.ContainsFunc(b.Vars, func(v *ir.Var) bool { return v.Type.Ref }) {
		return out
	}
	b.Exprs(func(e *ir.Expr) { e.Walk(visit) })
	return out
}

// byReference reports whether a call may take where an element lies, and not its value.
func (s *staging) byReference(e *ir.Expr) bool {
	gs := s.k.state.calls[e]
	for _, g := range gs {
		if slices.ContainsFunc(g.Params, func(p *ir.Var) bool { return p.Type.Ref }) {
			return true
		}
	}
	return len(gs) == 0 && !leavesArguments(e.Name)
}

// placesIn finds what the original may have where a tile is read, by where it begins, the longest first.
func (s *staging) placesIn(a *ir.Stmt) map[int][]*ir.Expr {
	out := map[int][]*ir.Expr{}
	a.Exprs(func(e *ir.Expr) {
		e.Walk(func(x *ir.Expr) bool {
			if (x.Op == ir.OpIndex || x.Op == ir.OpDeref || x.Op == ir.OpCall) && !x.Macro && s.computes(x) {
				out[x.Range.Start] = append(out[x.Range.Start], x)
			}
			return true
		})
	})
	return out
}

// computes reports whether an expression does nothing but compute.
func (s *staging) computes(e *ir.Expr) bool {
	return !e.Any(func(x *ir.Expr) bool {
		switch x.Op {
		case ir.OpAssign, ir.OpIncDec, ir.OpAsm, ir.OpLambda, ir.OpNew, ir.OpUnknown, ir.OpMixed, ir.OpLaunch:
			return true
		case ir.OpCall:
			_, pure := s.pure(x)
			return !pure && x.Name != "__ldg"
		}
		return false
	})
}

// namesAt are the variables that are named in a statement's own expressions, by place.
func namesAt(st *ir.Stmt) map[int]*ir.Var {
	out := map[int]*ir.Var{}
	st.Exprs(func(e *ir.Expr) {
		e.Walk(func(x *ir.Expr) bool {
			if x.Op == ir.OpIdent && !x.Macro {
				out[x.Range.Start] = x.Var
			}
			return true
		})
	})
	return out
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
	for _, it := range s.items(statements(b.Body), guard) {
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
	for _, it := range s.items(statements(b.Body), guard) {
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
		case s.al.isBarrier(s.c.b, t):
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
		ua, ub := s.c.a.between(a.Init.Range.Start, st.old.Range.Start), s.c.b.between(st.inner.Init.Range.Start, st.v.Range.Start)
		uc := s.c.b.between(b.Init.Range.Start, st.first.Range.Start)
		if _, equal := same(ua, ub); !equal {
			return s.differ(st.inner, "the counter has another type than the original's")
		}
		if _, equal := same(ua, uc); !equal {
			return s.differ(b, "the counter has another type than the original's")
		}
		s.pairs[st.old] = st.v
	} else if s.canonical(st.old) != st.v || st.first.Type.Base != st.v.Type.Base || !s.onlyIn(st.old, a) {
		return s.differ(b, "the original's counter is used elsewhere, too")
	}
	return s.lists(statements(a.Body), statements(st.inner.Body), nil)
}

// isLength reports whether a statement is "k_len = …;", the number of iterations of a tile.
func (s *staging) isLength(t, b *ir.Stmt) bool {
	return t.Op == ir.StmtExpr && !t.Macro && t.Expr.Op == ir.OpAssign && t.Expr.Tok == "=" && len(b.Init.Vars) == 2 && t.Expr.Kids[0].Op == ir.OpIdent && t.Expr.Kids[0].Var == b.Init.Vars[1] && s.harmless(t.Expr.Kids[1])
}

// onlyIn reports whether a variable of the original is used in one statement alone.
func (s *staging) onlyIn(v *ir.Var, in *ir.Stmt) bool {
	ok := true
	walk(s.a.Body, func(e *ir.Expr) bool {
		ok = ok && (e.Op != ir.OpIdent || e.Var != v || in.Range.Contains(e.Range))
		return true
	})
	return ok
}

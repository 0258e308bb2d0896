package stage

import (
	"slices"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/ir/effect"
	"github.com/smux-cuda/smux/validate/kit"
	"github.com/smux-cuda/smux/validate/units"
)

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
			return !pure || slices.ContainsFunc(e.Args(), func(arg *ir.Expr) bool {
				root := arg.Root()
				return root != nil && root.Var != nil && (root.Var.Type.Ptr > 0 || len(root.Var.Dims) > 0) && !s.stays(s.canonical(root.Var))
			})
		}
		return true
	})
}

// pairVars notes which variable is which.
func (s *staging) pairVars(a, b *ir.Stmt) {
	for i := range min(len(a.Vars), len(b.Vars)) {
		s.pairs[a.Vars[i]] = b.Vars[i]
	}
}

// declarations lays declarations side by side: of those of the original some may be gone, and where a guard leaves
// threads out the value may be set after it.
func (s *staging) declarations(a *ir.Stmt, items []item, j int, guard *ir.Var) (more int, ok bool) {
	b, guarded := items[j].s, items[j].guarded
	specA, specB := s.c.Old.Between(a.Range.Start, a.Vars[0].Range.Start), s.c.New.Between(b.Range.Start, b.Vars[0].Range.Start)
	bare := guard != nil && !guarded
	// float sum;  if (inside) sum = E;
	if v, w := a.Vars[0], b.Vars[0]; bare && len(a.Vars) == 1 && len(b.Vars) == 1 && v.Name == w.Name && v.Init != nil && w.Init == nil && len(w.Dims) == 0 && j+1 < len(items) && items[j+1].guarded {
		set := items[j+1].s
		spec := slices.DeleteFunc(slices.Clone(specA), func(u units.Unit) bool { return u.Text == "const" && v.Type.Ptr == 0 })
		us, ub := s.c.Old.Between(v.Range.Start, a.Range.End), s.c.UnitsOf(set)
		equal := units.Same(spec, specB)
		if !equal || set.Op != ir.StmtExpr || set.Macro || len(us) < 2 || us[0].Text != w.Name || us[1].Text != "=" || !units.Is(s.c.New.Between(w.Range.Start, b.Range.End), w.Name+" ;") ||
			!kit.PlainValue(v.Type.Base) || set.Expr.Op != ir.OpAssign || set.Expr.Kids[0].Var != w {
			return 0, s.differ(b, "this differs from the original: %s", s.c.Excerpt([]*ir.Stmt{a}, 0))
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
			return 0, s.differ(b, "this differs from the original: %s", s.c.Excerpt([]*ir.Stmt{a}, 0))
		}
		v := a.Vars[i]
		if bare && (!s.harmless(w.Init) || w.Kind == ir.VarShared || w.Static) {
			return 0, s.differ(b, "threads that the original leaves out come by this")
		}
		if !units.Same(specA, specB) && n == 0 || w.Macro != v.Macro {
			return 0, s.differ(b, "this differs from the original: %s", s.c.Excerpt([]*ir.Stmt{a}, 0))
		}
		if !s.same(s.c.Old.Between(v.Range.Start, v.Range.End), s.c.New.Between(w.Range.Start, w.Range.End), a, b) {
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

// isTile reports whether a statement declares tiles and nothing else.
func (s *staging) isTile(b *ir.Stmt) bool {
	return b.Op == ir.StmtDecl && len(b.Vars) > 0 && !slices.ContainsFunc(b.Vars, func(v *ir.Var) bool { return s.tiles[v] == nil || v.Init != nil })
}

// isCopy reports whether a statement stores to tiles, and changes nothing but variables of its own besides.
func (s *staging) isCopy(b *ir.Stmt) bool {
	n, ok := s.storesOnly(b, func(e *ir.Expr) bool {
		return s.tiles[e.Kids[0].Root().Var] != nil && !s.puts[e.Kids[0].Root().Var] && s.element(e.Kids[0]) != nil
	})
	return ok && n > 0 && !kit.Some(b, func(e *ir.Expr) bool { return e.Op == ir.OpIdent && s.tiles[e.Var] != nil && !s.stored(b, e) })
}

// storesOnly counts the assignments in a statement of which something is so, and reports whether it changes nothing but
// variables of its own besides.
func (s *staging) storesOnly(b *ir.Stmt, is func(*ir.Expr) bool) (n int, ok bool) {
	if b.Op == ir.StmtDecl || b.Macro || b.Preproc {
		return 0, false
	}
	ok = !b.Any(func(t *ir.Stmt) bool {
		switch t.Op {
		case ir.StmtCompound, ir.StmtDecl, ir.StmtExpr, ir.StmtIf, ir.StmtFor, ir.StmtEmpty:
			return slices.ContainsFunc(t.Vars, func(v *ir.Var) bool { return v.Kind != ir.VarLocal || v.Static || len(v.Dims) > 0 || v.Type.Ref })
		}
		return true
	})
	ok = ok && !kit.Some(b, func(e *ir.Expr) bool {
		switch e.Op {
		case ir.OpAssign, ir.OpIncDec:
			root := e.Kids[0].Root()
			if root == nil || root.Var == nil {
				return true
			}
			if e.Tok == "=" && e.Kids[0].Op == ir.OpIndex && is(e) {
				n++
				return false
			}
			return e.Kids[0].Op != ir.OpIdent || root.Var.Decl == nil || !b.Range.Contains(root.Var.Decl.Range)
		case ir.OpCall:
			_, pure := s.pure(e)
			return !pure && !e.Intrinsic().IsReadOnly()
		}
		return effect.IsOpaque(e.Op)
	})
	return n, ok
}

// stored reports whether a tile's name in a copy is that of an element that is stored.
func (s *staging) stored(b *ir.Stmt, name *ir.Expr) bool {
	return kit.Some(b, func(e *ir.Expr) bool { return e.Op == ir.OpAssign && e.Kids[0].Root() == name })
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

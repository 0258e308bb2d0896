package stage

import (
	"slices"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/ir/effect"
	"github.com/smux-cuda/smux/validate/kit"
)

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

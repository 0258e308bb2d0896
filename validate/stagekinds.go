package validate

import (
	"slices"

	"github.com/smux-cuda/smux/analysis/ir"
)

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

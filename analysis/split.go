package analysis

import "github.com/smux-cuda/smux/analysis/ir"

// Split is a definition of a shared element from global memory that can be
// taken apart: the load moves before the region, the store stays inside
// (design §4, point 6).
type Split struct {
	Stmt  *ir.Stmt
	Store *ir.Expr // the assignment
	Load  *ir.Expr // its right-hand side
	Type  string   // type of the element, for the register in between
}

// Splits returns the definitions at the start of a region whose loads can move
// before it. Only a leading run qualifies: nothing but stores to shared memory
// then stands between the load's new place and its old one, no barrier and no
// write that the load could see.
func (k *Kernel) Splits(r *Region) []Split {
	var out []Split
	for _, s := range r.Stmts {
		sp, ok := k.split(s)
		if !ok {
			break
		}
		if sp.Load != nil {
			out = append(out, sp)
		}
	}
	return out
}

// split looks at one statement; ok says that what follows may still move
// before it, Load is nil where the statement itself has nothing to move.
func (k *Kernel) split(s *ir.Stmt) (Split, bool) {
	if s.Op == ir.StmtDecl {
		// A declaration could feed the loads behind it, and can't move along.
		return Split{}, false
	}
	if s.Op != ir.StmtExpr || s.Macro || s.Expr.Op != ir.OpAssign || s.Expr.Tok != "=" || s.Expr.Macro {
		return Split{}, false
	}
	target, load := s.Expr.Kids[0], s.Expr.Kids[1]
	typ := k.elementType(target)
	if typ == "" || !IsPure(target) || !IsPure(load) || k.touchesExpr(k.Func, load) || k.volatileIn(load) {
		return Split{}, false
	}
	sp := Split{Stmt: s, Store: s.Expr, Load: load, Type: typ}
	if !k.loadsGlobal(load) || load.Macro {
		sp.Load = nil
	}
	return sp, true
}

// elementType is the type of the shared element that e names directly, "" if
// that is not certain.
func (k *Kernel) elementType(e *ir.Expr) string {
	n := depth(e)
	root := e
	for root.Op == ir.OpIndex {
		root = root.Kids[0]
	}
	if root.Op != ir.OpIdent || n == 0 {
		return ""
	}
	v := k.variable(k.Func, root)
	if v == nil || v.Type.IsAuto() || k.lvalue(k.Func, e) == 0 {
		return ""
	}
	if len(v.Dims)+v.Type.Ptr != n || v.Type.Ref {
		return ""
	}
	return v.Type.Base
}

// loadsGlobal reports whether e reads memory other than local arrays.
func (k *Kernel) loadsGlobal(e *ir.Expr) bool {
	found := false
	e.Walk(func(t *ir.Expr) bool {
		switch t.Op {
		case ir.OpIndex, ir.OpDeref:
			if r := t.Root(); r == nil || r.Var == nil || len(r.Var.Dims) == 0 || r.Var.Kind != ir.VarLocal {
				found = true
			}
		case ir.OpCall:
			found = found || t.Name == "__ldg"
		}
		return !found
	})
	return found
}

func (k *Kernel) volatileIn(e *ir.Expr) bool {
	found := false
	e.Walk(func(t *ir.Expr) bool {
		if t.Op == ir.OpIdent {
			if v := k.variable(k.Func, t); v != nil && v.Type.Volatile {
				found = true
			}
		}
		return !found
	})
	return found
}

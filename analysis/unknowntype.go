package analysis

import (
	"slices"

	"github.com/smux-cuda/smux/analysis/ir"
)

// isUnknownElement reports whether e is an element, not a row, of shared memory although its type is out of
// view. A value that is loaded from there is no address of shared memory, since one that is stored
// there is refused at that place (findEscapes); so all that counts is that the type is no array.
func (k *Kernel) isUnknownElement(fn *ir.Func, e *ir.Expr) bool {
	depth, root := 0, e
	for root.Op == ir.OpIndex || root.Op == ir.OpDeref {
		root = root.Kids[0]
		depth++
	}
	v := root.Var
	if depth == 0 || root.Op != ir.OpIdent || v == nil {
		return false
	}
	switch {
	case k.shared(fn, root) != nil:
		if v.Type.Ptr > 0 || depth != len(v.Dims) {
			return false
		}
	case depth != 1 || !k.pointsIntoShared(fn, v):
		return false
	}
	return k.isNoArray(fn, v.Held().Base)
}

// pointsIntoShared reports whether a pointer of a function's own is only set to places in shared arrays, by its
// initialiser or by all calls, and so to no variable that holds an address.
func (k *Kernel) pointsIntoShared(fn *ir.Func, v *ir.Var) bool {
	type key struct{ v *ir.Var }
	return Once(&k.memo, key{v}, func() bool { return k.setInShared(fn, v, map[*ir.Var]bool{}) })
}

// setInShared is pointsIntoShared but for the variables that were seen: all that a pointer may be set from must be so.
func (k *Kernel) setInShared(fn *ir.Func, v *ir.Var, seen map[*ir.Var]bool) bool {
	if seen[v] {
		return true
	}
	seen[v] = true
	if v.Held().Ptr != 1 || v.Type.Ref || len(v.Dims) > 0 || v.AddrTaken || v.Pack {
		return false
	}
	for _, w := range v.Writes {
		if w.Op != ir.OpIncDec && !(w.Op == ir.OpAssign && (w.Tok == "+=" || w.Tok == "-=")) {
			return false
		}
	}
	switch v.Kind {
	case ir.VarLocal:
		return v.Init != nil && k.isInShared(fn, v.Init, seen)
	case ir.VarParam:
		return fn != k.Func && len(k.passed[v]) > 0 && !slices.ContainsFunc(k.passed[v], func(a argument) bool { return !k.isInShared(a.fn, a.expr, seen) })
	}
	return false
}

// isInShared reports whether a value is an address in a shared array of elements.
func (k *Kernel) isInShared(fn *ir.Func, at *ir.Expr, seen map[*ir.Var]bool) bool {
	for {
		switch {
		case at.Op == ir.OpCast && len(at.Kids) == 1, at.Op == ir.OpBinary && (at.Tok == "+" || at.Tok == "-"):
			at = at.Kids[0]
		case at.Op == ir.OpAddr && at.Kids[0].Op == ir.OpIndex && at.Kids[0].Kids[0].Op == ir.OpIdent:
			at = at.Kids[0].Kids[0]
		case at.Op != ir.OpIdent || at.Var == nil:
			return false
		case k.shared(fn, at) != nil:
			return len(at.Var.Dims) > 0 && at.Var.Type.Ptr == 0
		default:
			return k.setInShared(fn, at.Var, seen)
		}
	}
}

// isNoArray reports whether a function sets a variable or an element of a type in one go, as no array can be.
func (k *Kernel) isNoArray(fn *ir.Func, base string) bool {
	found := false
	fn.Body.Walk(func(s *ir.Stmt) bool {
		found = found || slices.ContainsFunc(s.Vars, func(v *ir.Var) bool {
			return v.Kind == ir.VarLocal && v.Type.Base == base && v.Type.Ptr == 0 && !v.Type.Ref && len(v.Dims) == 0 && v.Init != nil && v.Init.Op != ir.OpInitList
		})
		return !found
	})
	fn.Body.WalkExprs(func(e *ir.Expr) bool {
		if e.Op == ir.OpAssign && e.Tok == "=" {
			depth, root := 0, e.Kids[0]
			for root.Op == ir.OpIndex {
				root = root.Kids[0]
				depth++
			}
			v := root.Var
			found = found || root.Op == ir.OpIdent && v != nil && v.Type.Base == base && depth == v.Type.Ptr+len(v.Dims)
		}
		return !found
	})
	return found
}

// unknownType returns the type of e if nothing is known of it, "" otherwise: that of a variable
// by whose value, or element, e may be an address.
func (k *Kernel) unknownType(fn *ir.Func, e *ir.Expr) string {
	if n, exact := k.levels(fn, e); n > 0 || exact {
		return ""
	}
	for e.Op == ir.OpIndex || e.Op == ir.OpDeref || e.Op == ir.OpAssign || e.Op == ir.OpIncDec {
		e = e.Kids[0]
	}
	for _, kid := range e.Kids {
		if t := k.unknownType(fn, kid); t != "" && k.pointerValue(fn, kid)|k.lvalue(fn, kid) != 0 {
			return t
		}
	}
	if v := e.Var; e.Op == ir.OpIdent && v != nil && v.Type.Base != "" && !v.Type.IsAuto() {
		if _, exact := k.namedLevels(fn, v); !exact {
			return v.Type.Base
		}
	}
	return ""
}

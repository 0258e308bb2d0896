package pointers

import (
	"slices"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/ir"
)

// isUnknownElement reports whether e is an element, not a row, of shared memory although its type is out of
// view. A value that is loaded from there is no address of shared memory, since one that is stored
// there is refused at that place (FindEscapes); so all that counts is that the type is no array.
func isUnknownElement(k *analysis.Kernel, fn *ir.Func, e *ir.Expr) bool {
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
	case k.NamedShared(fn, root) != nil:
		if v.Type.Ptr > 0 || depth != len(v.Dims) {
			return false
		}
	case depth != 1 || !pointsIntoShared(k, fn, v):
		return false
	}
	return isNoArray(fn, v.Held().Base)
}

// pointsIntoShared reports whether a pointer of a function's own is only set to places in shared arrays, by its
// initialiser or by all calls, and so to no variable that holds an address.
func pointsIntoShared(k *analysis.Kernel, fn *ir.Func, v *ir.Var) bool {
	type key struct{ v *ir.Var }
	return analysis.Once(&k.Memo, key{v}, func() bool { return setInShared(k, fn, v, map[*ir.Var]bool{}) })
}

// setInShared is pointsIntoShared but for the variables that were seen: all that a pointer may be set from must be so.
func setInShared(k *analysis.Kernel, fn *ir.Func, v *ir.Var, seen map[*ir.Var]bool) bool {
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
		return v.Init != nil && isInShared(k, fn, v.Init, seen)
	case ir.VarParam:
		return fn != k.Func && len(k.Passed[v]) > 0 && !slices.ContainsFunc(k.Passed[v], func(a analysis.Argument) bool { return !isInShared(k, a.Fn, a.Expr, seen) })
	}
	return false
}

// isInShared reports whether a value is an address in a shared array of elements.
func isInShared(k *analysis.Kernel, fn *ir.Func, at *ir.Expr, seen map[*ir.Var]bool) bool {
	for {
		switch {
		case at.Op == ir.OpCast && len(at.Kids) == 1, at.Op == ir.OpBinary && (at.Tok == "+" || at.Tok == "-"):
			at = at.Kids[0]
		case at.Op == ir.OpAddr && at.Kids[0].Op == ir.OpIndex && at.Kids[0].Kids[0].Op == ir.OpIdent:
			at = at.Kids[0].Kids[0]
		case at.Op != ir.OpIdent || at.Var == nil:
			return false
		case k.NamedShared(fn, at) != nil:
			return len(at.Var.Dims) > 0 && at.Var.Type.Ptr == 0
		default:
			return setInShared(k, fn, at.Var, seen)
		}
	}
}

// isNoArray reports whether a function sets a variable or an element of a type in one go, as no array can be.
func isNoArray(fn *ir.Func, base string) bool {
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
func unknownType(k *analysis.Kernel, fn *ir.Func, e *ir.Expr) string {
	if n, exact := levels(k, fn, e); n > 0 || exact {
		return ""
	}
	for e.Op == ir.OpIndex || e.Op == ir.OpDeref || e.Op == ir.OpAssign || e.Op == ir.OpIncDec {
		e = e.Kids[0]
	}
	for _, kid := range e.Kids {
		if t := unknownType(k, fn, kid); t != "" && PointerValue(k, fn, kid)|Lvalue(k, fn, kid) != 0 {
			return t
		}
	}
	if v := e.Var; e.Op == ir.OpIdent && v != nil && v.Type.Base != "" && !v.Type.IsAuto() {
		if _, exact := namedLevels(k, fn, v); !exact {
			return v.Type.Base
		}
	}
	return ""
}

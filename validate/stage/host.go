package stage

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/ir/effect"
	"github.com/smux-cuda/smux/validate/kit"
)

// storedTo returns the parameters of the kernel through which something may be stored, false where that is not known:
// where a pointer comes from memory, or goes where it is not followed.
func (s *staging) storedTo() (out []*ir.Var, known bool) {
	known = true
	for _, p := range s.b.Params {
		known = known && (p.Type.Ptr == 0 || p.Type.Ptr == 1 && !p.Type.Ref) && kit.PlainValue(p.Type.Base)
	}
	for _, g := range s.k.State.Reach {
		roots := map[*ir.Var]bool{}
		known = known && s.storesIn(g, roots)
		if g == s.b {
			for p := range roots {
				out = append(out, p)
			}
		}
	}
	return out, known
}

// storesIn finds the parameters of a function through which it may store.
func (s *staging) storesIn(g *ir.Func, roots map[*ir.Var]bool) bool {
	ok := true
	var through func(e *ir.Expr, depth int) bool
	through = func(e *ir.Expr, depth int) bool {
		root := e.Root()
		if root == nil || root.Var == nil || depth > 4 {
			return false
		}
		v := root.Var
		switch {
		case v.Type.Ref && v.Kind == ir.VarParam:
			roots[v] = true
		case v.Type.Ptr == 0 && !v.Type.Ref && (v.Kind == ir.VarLocal || v.Kind == ir.VarShared || v.Kind == ir.VarParam), v.Kind == ir.VarGlobal && v.Type.Ptr == 0:
		case v.Kind == ir.VarParam && v.Type.Ptr == 1 && !v.AddrTaken:
			roots[v] = true
			for _, w := range v.Writes {
				if w.Op == ir.OpAssign && !through(w.Kids[1], depth+1) {
					return false
				}
			}
		case v.Kind == ir.VarLocal && v.Type.Ptr == 1 && !v.AddrTaken && (v.Init != nil || len(v.Writes) > 0):
			if v.Init != nil && !through(v.Init, depth+1) {
				return false
			}
			for _, w := range v.Writes {
				if w.Op == ir.OpAssign && w.Kids[1].Root() != root && !through(w.Kids[1], depth+1) {
					return false
				}
			}
		default:
			return false
		}
		return true
	}
	kit.Walk(g.Body, func(e *ir.Expr) bool {
		ok = ok && !effect.IsOpaque(e.Op)
		switch e.Op {
		case ir.OpAssign, ir.OpIncDec:
			if e.Kids[0].Op == ir.OpIdent && e.Kids[0].Var != nil && !e.Kids[0].Var.Type.Ref {
				return true
			}
			ok = ok && through(e.Kids[0], 0)
		case ir.OpIdent:
			ok = ok && (e.Var == nil || e.Var.Kind != ir.VarGlobal || e.Var.Type.Ptr == 0)
		case ir.OpCall:
			if kit.IsBarrierCall(e) && len(e.Args()) == 0 {
				return true
			}
			if _, pure := s.pure(e); pure || e.Intrinsic().IsReadOnly() {
				return true
			}
			if len(s.k.State.Calls[e]) == 0 && !kit.LeavesArguments(e) {
				ok = false
			}
			for _, arg := range e.Args() {
				if root := arg.Root(); root != nil && root.Var != nil && (root.Var.Type.Ptr > 0 || len(root.Var.Dims) > 0 || arg.Op == ir.OpAddr) && arg.Op != ir.OpIndex && arg.Op != ir.OpDeref {
					ok = ok && through(arg, 0)
				}
			}
		}
		return ok
	})
	return ok
}

// readsFirst reports whether a thread of the original has read all that it reads of an array before it stores to memory that
// a parameter leads to. What other threads store without a barrier, an atomic or a fence between is a race in the original.
func (s *staging) readsFirst(v *ir.Var) bool {
	i := slices.Index(s.b.Params, v)
	stores := func(e *ir.Expr) bool { // to what may be memory behind a parameter
		if e.Op != ir.OpAssign && e.Op != ir.OpIncDec || e.Kids[0].Op == ir.OpIdent && (e.Kids[0].Var == nil || !e.Kids[0].Var.Type.Ref) {
			return false
		}
		root := e.Kids[0].Root()
		return root == nil || root.Var == nil || root.Var.Type.Ptr > 0 || root.Var.Type.Ref || root.Var.Kind != ir.VarShared && root.Var.Kind != ir.VarLocal
	}
	if i < 0 || slices.ContainsFunc(s.k.State.Reach, func(g *ir.Func) bool {
		return g.Body.AnyExpr(func(e *ir.Expr) bool {
			return e.Op == ir.OpCall && (kit.IsAtomic(e) || strings.Contains(e.Name, "fence")) || e.Op == ir.OpCast && e.Type.Volatile || g != s.b && stores(e)
		})
	}) {
		return false
	}
	from := map[*ir.Var]bool{s.a.Params[i]: true}
	names := func(e *ir.Expr) bool { return e.Op == ir.OpIdent && from[e.Var] }
	for size := 0; size < len(from); {
		size = len(from)
		for _, w := range s.a.Vars {
			if w.Init.Any(names) && (w.Type.Ptr > 0 || w.Type.Ref || w.Type.IsAuto()) || slices.ContainsFunc(w.Writes, func(e *ir.Expr) bool { return w.Type.Ptr > 0 && e.Any(names) }) {
				from[w] = true
			}
		}
	}
	first := true
	kit.Walk(s.a.Body, func(e *ir.Expr) bool {
		if stores(e) {
			kit.Walk(s.a.Body, func(read *ir.Expr) bool {
				first = first && !(names(read) && s.a.MayPrecede(e.Kids[0], read))
				return true
			})
		}
		return true
	})
	return first
}

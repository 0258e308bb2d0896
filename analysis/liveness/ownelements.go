package liveness

import (
	"slices"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/evaluate"
	"github.com/smux-cuda/smux/analysis/footprint"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/ir/effect"
)

// OwnElements reports whether no two threads of a block use the same element of an array, as the subscript of a
// dimension shows: in all uses it is one variable that never changes and differs in all threads.
func OwnElements(k *analysis.Kernel, s *analysis.Shared, dim int) bool {
	if len(s.Var.Dims) <= dim || s.Var.Type.Ptr > 0 || s.Var.Type.Volatile {
		return false
	}
	var number *ir.Var
	own := true
	elements, names := 0, 0
	for _, fn := range k.Functions {
		fn.Body.WalkExprs(func(e *ir.Expr) bool {
			leads := func(e *ir.Expr) bool { r := e.Root(); return r != nil && k.NamedShared(fn, r) == s }
			switch {
			case k.NamedShared(fn, e) == s:
				names++
			case fn == k.Func && footprint.IsElement(k, s, e):
				elements++
				sub := footprint.SubscriptsOf(e)[dim]
				own = own && sub.Op == ir.OpIdent && sub.Var != nil && (number == nil || sub.Var == number)
				number = sub.Var
			case e.Op == ir.OpAddr && leads(e.Kids[0]):
				own = false
			case e.Op == ir.OpCall && !k.IsPureCall(fn, e) && slices.ContainsFunc(e.Args(), leads):
				own = false
			case effect.IsOpaque(e.Op):
				own = false
			}
			return own
		})
		for _, v := range fn.Vars {
			if v.Type.Ref && v.Init != nil && v.Init.Root() != nil && k.NamedShared(fn, v.Init.Root()) == s {
				return false
			}
		}
	}
	if !own || number == nil || names != elements || len(number.Writes) > 0 || number.AddrTaken {
		return false
	}
	for _, in := range k.Instances {
		if number.Init == nil {
			return false
		}
		of, ok := evaluate.PerThread(k, in, k.Func, number.Init)
		if !ok || len(of) != in.Shape.Threads() {
			return false
		}
		of = slices.Clone(of)
		slices.Sort(of)
		if len(slices.Compact(of)) != in.Shape.Threads() {
			return false
		}
	}
	return len(k.Instances) > 0
}

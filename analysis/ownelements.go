package analysis

import (
	"slices"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/ir/effect"
)

// OwnElements reports whether no two threads of a block use the same element of an array,
// as the subscript of a dimension shows: in all uses it is one variable that never changes
// and differs in all threads.
func (k *Kernel) OwnElements(s *Shared, dim int) bool {
	if len(s.Var.Dims) <= dim || s.Var.Type.Ptr > 0 || s.Var.Type.Volatile {
		return false
	}
	var number *ir.Var
	own := true
	elements, names := 0, 0
	for _, fn := range k.Functions {
		fn.Body.WalkExprs(func(e *ir.Expr) bool {
			leads := func(e *ir.Expr) bool { r := e.Root(); return r != nil && k.shared(fn, r) == s }
			switch {
			case k.shared(fn, e) == s:
				names++
			case fn == k.Func && k.isElement(s, e):
				elements++
				sub := subscriptsOf(e)[dim]
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
			if v.Type.Ref && v.Init != nil && v.Init.Root() != nil && k.shared(fn, v.Init.Root()) == s {
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
		of, ok := k.PerThread(in, k.Func, number.Init)
		if !ok || len(of) != in.Shape.threads() {
			return false
		}
		of = slices.Clone(of)
		slices.Sort(of)
		if len(slices.Compact(of)) != in.Shape.threads() {
			return false
		}
	}
	return len(k.Instances) > 0
}

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

// WarpElements reports whether each element of an array is used by threads of one warp alone, as enumeration of the
// threads and loops shows: then a barrier of the warp orders all that is done to it. All uses of the array must be
// elements by its name, in the kernel itself.
func WarpElements(k *analysis.Kernel, s *analysis.Shared) bool {
	dims := footprint.Extents(k, s)
	if dims == nil {
		return false
	}
	own := len(k.Instances) > 0
	for _, in := range k.Instances {
		warpOf := map[int64]int{}
		x := footprint.New(k, evaluate.FrameUnder(in, k, k.Func))
		x.Watch = func(e *ir.Expr, in footprint.Flow) {
			if own && footprint.ElementOf(k, e) == s && !in.May.None {
				own = marksWarp(x, e, dims, in.May, warpOf)
			}
		}
		x.Stmt(k.Func.Body, footprint.Flow{Must: footprint.AllThreads, May: footprint.AllThreads})
		own = own && !x.Ev.Spent()
	}
	return own
}

// warpThreads is the number of threads of a warp.
const warpThreads = 32

// marksWarp notes which warp uses the elements of an access, and reports whether all of
// these are known and no other warp uses one.
func marksWarp(x *footprint.Execution, e *ir.Expr, dims []int, threads footprint.Mask, warpOf map[int64]int) bool {
	if !x.Ev.Shape.Known() {
		return false
	}
	element := make([]int64, x.Ev.N)
	for d, sub := range footprint.SubscriptsOf(e) {
		v := x.Eval(sub)
		if !v.Known {
			return false
		}
		for t := range element {
			n := v.S
			if v.V != nil {
				n = v.V[t]
			}
			if threads.Has(t) && (n < 0 || n >= int64(dims[d])) {
				return false
			}
			element[t] = element[t]*int64(dims[d]) + n
		}
	}
	for t, n := range element {
		if !threads.Has(t) {
			continue
		}
		if w, seen := warpOf[n]; seen && w != t/warpThreads {
			return false
		}
		warpOf[n] = t / warpThreads
	}
	return true
}

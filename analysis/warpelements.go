package analysis

import "github.com/smux-cuda/smux/analysis/ir"

// WarpElements reports whether each element of an array is used by threads of one warp
// alone, as enumeration of the threads and loops shows: then a barrier of the warp
// orders all that is done to it. All uses of the array must be elements by its name, in
// the kernel itself.
func (k *Kernel) WarpElements(s *Shared) bool {
	dims := k.Extents(s)
	if dims == nil {
		return false
	}
	own := len(k.Instances) > 0
	for _, in := range k.Instances {
		warpOf := map[int64]int{}
		x := k.execution(in.frame(k, k.Func))
		x.watch = func(e *ir.Expr, in flow) {
			if own && k.elementOf(e) == s && !in.may.none {
				own = x.marksWarp(e, dims, in.may, warpOf)
			}
		}
		x.stmt(k.Func.Body, flow{allThreads, allThreads})
		own = own && !x.ev.spent()
	}
	return own
}

// warpThreads is the number of threads of a warp.
const warpThreads = 32

// marksWarp notes which warp uses the elements of an access, and reports whether all of
// these are known and no other warp uses one.
func (x *execution) marksWarp(e *ir.Expr, dims []int, threads mask, warpOf map[int64]int) bool {
	if !x.ev.shape.known() {
		return false
	}
	element := make([]int64, x.ev.n)
	for d, sub := range subscriptsOf(e) {
		v := x.eval(sub)
		if !v.known {
			return false
		}
		for t := range element {
			n := v.s
			if v.v != nil {
				n = v.v[t]
			}
			if threads.has(t) && (n < 0 || n >= int64(dims[d])) {
				return false
			}
			element[t] = element[t]*int64(dims[d]) + n
		}
	}
	for t, n := range element {
		if !threads.has(t) {
			continue
		}
		if w, seen := warpOf[n]; seen && w != t/warpThreads {
			return false
		}
		warpOf[n] = t / warpThreads
	}
	return true
}

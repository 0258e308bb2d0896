package launches

import (
	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/evaluate"
	"github.com/smux-cuda/smux/analysis/hostcode"
	"github.com/smux-cuda/smux/analysis/ir"
)

// Grid returns the extents of the grid that an instance is launched with, ok false where they are not constant.
func Grid(k *analysis.Kernel, in *analysis.Instance) (dims [3]int64, ok bool) {
	dims = [3]int64{1, 1, 1}
	e, f := hostFrame(k, in)
	if e == nil || len(in.Launch.View.Config) == 0 {
		return dims, false
	}
	f, config, _ := passed(f, e.Kids[0], e, in.Launch.By)
	if v := f.Eval(config); v.Uniform() && v.S > 0 {
		dims[0] = v.S
		return dims, true
	}
	parts, ok := f.DimParts(config)
	if !ok {
		return dims, false
	}
	for i, p := range parts {
		v := f.Eval(p)
		if !v.Uniform() || v.S <= 0 {
			return dims, false
		}
		dims[i] = v.S
	}
	return dims, true
}

// GridRank returns how many dimensions the grid of an instance is written with: 1 where it is a number, or not known.
func GridRank(k *analysis.Kernel, in *analysis.Instance) int {
	e, f := hostFrame(k, in)
	if e == nil || len(in.Launch.View.Config) == 0 {
		return 1
	}
	f, grid, _ := passed(f, e.Kids[0], e, in.Launch.By)
	parts, ok := f.DimParts(grid)
	if !ok {
		return 1
	}
	rank := 1
	for i, p := range parts {
		if v := f.Eval(p); !v.Uniform() || v.S != 1 {
			rank = i + 1
		}
	}
	return rank
}

// hostFrame returns the launch of an instance with a frame for its host function, in which what the configuration
// depends on is known as far as that function tells; nil where there is none in view. Callers are not asked, as they
// are for an Argument: a small main with three thread blocks says little of the grids that a launch is meant for.
func hostFrame(k *analysis.Kernel, in *analysis.Instance) (*ir.Expr, *evaluate.Frame) {
	if in.Launch == nil || in.Launch.View.Error != nil {
		return nil, nil
	}
	if in.Launch.Indirect {
		return in.Launch.Expr, passedFrame(k.Prog, k, in.Launch.Host, in.Launch.By)
	}
	host := hostOf(k.Prog, in.Launch.File, in.Launch.View.Function)
	if host == nil {
		return nil, nil
	}
	e := hostcode.LaunchIn(k.Prog, host, in.Launch.View)
	if e == nil {
		return nil, nil
	}
	ev := evaluate.NewEvaluator(k.Prog, analysis.Shape{})
	ev.Kernel = k
	f := ev.NewFrame(host)
	if len(in.Launch.View.Config) > 0 {
		bindHost(f, e.Kids[0], e, MaxHostCalls, map[*ir.Var]bool{})
	}
	return e, f
}

// SharedBytes returns the shared bytes of a thread block under an instance, static and dynamic; exact is false where
// some of them are not known. Elements may be structs, or of a type that the launch gives (Facts.SizeOf).
func SharedBytes(k *analysis.Kernel, in *analysis.Instance) (bytes int, exact bool) {
	exact = true
	for _, s := range k.Shared {
		b, known := SharedBytesOf(k, in, s)
		if !s.Dynamic {
			bytes += b
		}
		exact = exact && known
	}
	// All extern arrays are the same bytes, and a thread block has what its launch
	// asks for even where the kernel declares none.
	return bytes + in.DynamicBytes, exact
}

// SharedBytesOf returns the bytes that one shared variable takes under an
// instance; exact is false, and bytes a lower bound, if they are not known.
func SharedBytesOf(k *analysis.Kernel, in *analysis.Instance, s *analysis.Shared) (bytes int, exact bool) {
	switch {
	case s.Dynamic:
		return in.DynamicBytes, in.DynamicBytes > 0
	case s.PerInstance:
		return max(0, s.Bytes), s.Bytes >= 0
	}
	x := evaluate.Folding(k, in, k.Func).Ev.Extent(s)
	if s.Var.Type.Record != nil && len(s.Var.Dims) == 0 {
		l := x.Record
		if l == nil || l.Unit == 0 {
			l = evaluate.Folding(k, in, k.Func).LayoutOf(s.Var.Type.Record, func(t ir.Type) (size, align int) {
				return evaluate.FactsOf(k, in).SizeAndAlignment(k.Func, t)
			})
		}
		if l == nil || l.Unit == 0 {
			return 0, false
		}
		return l.Unit * l.Units, true
	}
	elem := s.Elem
	if elem == 0 {
		elem = evaluate.FactsOf(k, in).SizeOf(k.Func, s.Var.Type)
	}
	if x.Count < 0 || elem == 0 {
		return 0, false
	}
	return x.Count * elem, true
}

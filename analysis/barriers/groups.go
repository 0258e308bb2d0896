// Package barriers finds barriers, cooperative groups and other calls that threads make together.
package barriers

import (
	"slices"
	"strconv"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/evaluate"
	"github.com/smux-cuda/smux/analysis/intrinsic"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/model/hardware"
)

// IsThreadBlock reports whether an expression names the cooperative group of the whole thread block.
func IsThreadBlock(k *analysis.Kernel, fn *ir.Func, e *ir.Expr) bool {
	switch e.Op {
	case ir.OpCall:
		return e.Name == "this_thread_block"
	case ir.OpIdent:
		v := e.Var
		if v == nil {
			return false
		}
		if analysis.LastName(v.Type.Base) == "thread_block" {
			return true
		}
		if v.Kind == ir.VarParam && genericGroup(fn, v) {
			return allPassed(k, v, IsThreadBlock)
		}
		if (v.Type.IsAuto() || analysis.LastName(v.Type.Base) == "thread_group") && v.Init != nil {
			return IsThreadBlock(k, fn, v.Init)
		}
	case ir.OpInitList:
		return len(e.Kids) == 1 && IsThreadBlock(k, fn, e.Kids[0])
	}
	return false
}

// IsGridGroup reports whether an expression names a cooperative group over the grid.
func IsGridGroup(e *ir.Expr) bool {
	if e.Op != ir.OpIdent || e.Var == nil {
		return e.Op == ir.OpCall && intrinsic.Of(e.Name).Kind == intrinsic.Group && intrinsic.Of(e.Name).Scope == intrinsic.Grid
	}
	if e.Var.Type.IsAuto() {
		return e.Var.Init != nil && e.Var.Init.Op == ir.OpCall && IsGridGroup(e.Var.Init)
	}
	return strings.Contains(e.Var.Type.Base, "grid_group")
}

// genericGroup reports whether a parameter can be a group of any kind.
func genericGroup(fn *ir.Func, v *ir.Var) bool {
	return analysis.LastName(v.Type.Base) == "thread_group" || analysis.IsTypeParam(fn, v.Type.Base) || v.Type.IsAuto()
}

// allPassed reports whether every call in reach passes a group of one kind for a parameter. A parameter that has been
// asked for in the same question adds nothing: of all that lead to a group each must be of its kind.
func allPassed(k *analysis.Kernel, v *ir.Var, kind func(*analysis.Kernel, *ir.Func, *ir.Expr) bool) bool {
	type key struct{}
	asking := analysis.Table[*ir.Var, bool](&k.Memo, key{})
	if asking[v] {
		return true
	}
	if len(asking) == 0 {
		defer func() { clear(asking) }()
	}
	asking[v] = true
	return !slices.ContainsFunc(k.Passed[v], func(a analysis.Argument) bool { return !kind(k, a.Fn, a.Expr) }) && len(k.Passed[v]) > 0
}

// IsTile reports whether an expression names a tile of at most one warp, or the active threads of a warp.
func IsTile(k *analysis.Kernel, fn *ir.Func, e *ir.Expr) bool {
	switch e.Op {
	case ir.OpCall:
		return TileCall(k, fn, e)
	case ir.OpIdent:
		if e.Var == nil {
			return false
		}
		switch base := e.Var.Type.Base; {
		case strings.Contains(base, "thread_block_tile<"):
			return TileSize(k, fn, base) <= hardware.WarpSize
		case strings.Contains(base, "coalesced_group"):
			return true
		case e.Var.Kind == ir.VarParam && genericGroup(fn, e.Var):
			return allPassed(k, e.Var, IsTile)
		case e.Var.Type.IsAuto() || analysis.LastName(base) == "thread_group":
			return e.Var.Init != nil && IsTile(k, fn, e.Var.Init)
		}
	}
	return false
}

// TileParent returns the thread-block group that a tile was cut from directly,
// or nil: then its number in that group is its number in the block.
func TileParent(k *analysis.Kernel, fn *ir.Func, e *ir.Expr) *ir.Expr {
	if e.Op == ir.OpIdent && e.Var != nil && e.Var.Init != nil {
		e = e.Var.Init
	}
	if e.Op == ir.OpCall && e.Name == "tiled_partition" {
		if a := e.Args(); len(a) > 0 && IsThreadBlock(k, fn, a[0]) {
			return a[0]
		}
	}
	return nil
}

// TileCall reports whether a call makes a tile of at most 32 threads.
func TileCall(k *analysis.Kernel, fn *ir.Func, e *ir.Expr) bool {
	switch e.Name {
	case "tiled_partition":
		if len(e.TArgs) == 1 {
			v := evaluate.FrameFor(k, fn).Eval(e.TArgs[0])
			return v.Uniform() && v.S <= hardware.WarpSize
		}
		a := e.Args()
		return len(a) == 2 && a[1].Op == ir.OpInt && a[1].Int <= hardware.WarpSize
	case "coalesced_threads":
		return true
	case "binary_partition", "labeled_partition":
		a := e.Args()
		return len(a) > 0 && IsTile(k, fn, a[0])
	}
	return false
}

// TileSize reads the size off thread_block_tile<32>; a size that can't be folded is larger than any tile.
func TileSize(k *analysis.Kernel, fn *ir.Func, base string) int64 {
	const unknownSize = 1 << 20
	i, j := strings.IndexByte(base, '<'), strings.LastIndexByte(base, '>')
	if i < 0 || j < i {
		return unknownSize
	}
	size, _, _ := strings.Cut(base[i+1:j], ",")
	size = strings.TrimSpace(size)
	if texts, err := k.Prog.Cache.Macros(fn.File).Alternatives(size, int(fn.View.Start)); err == nil && len(texts) == 1 {
		size = strings.TrimSpace(texts[0])
	}
	if n, err := strconv.ParseInt(size, 0, 32); err == nil {
		return n
	}
	if v := evaluate.FrameFor(k, fn).Eval(&ir.Expr{Op: ir.OpIdent, Name: size}); v.Uniform() {
		return v.S
	}
	return unknownSize
}

// IsBarrier reports whether e is a barrier of the whole thread block.
func IsBarrier(k *analysis.Kernel, fn *ir.Func, e *ir.Expr) bool {
	if e.Op != ir.OpCall {
		return false
	}
	if e.Intrinsic().IsBlockBarrier() {
		return true
	}
	if c := Collective(k, fn, e); c != nil {
		return c.Scope == intrinsic.Block
	}
	return IsGroupSync(k, fn, e)
}

// FixedNumber reports whether an expression is the same number for the whole of
// a program's life: of literals, template arguments and constants.
func FixedNumber(k *analysis.Kernel, fn *ir.Func, e *ir.Expr) bool {
	fixed := true
	e.Walk(func(t *ir.Expr) bool {
		switch t.Op {
		case ir.OpInt, ir.OpUnary, ir.OpBinary, ir.OpCond, ir.OpSizeof, ir.OpCast:
		case ir.OpIdent:
			v := k.Variable(fn, t)
			switch {
			case v == nil:
				fixed = false
			case v.Kind == ir.VarTemplateValue, v.Kind == ir.VarEnumerator, v.Kind == ir.VarConstant:
			default:
				fixed = fixed && v.Kind == ir.VarGlobal && v.Type.Const && !v.Type.Volatile
			}
		default:
			fixed = false
		}
		return fixed
	})
	return fixed
}

// IsGroupSync reports whether e is cta.sync() or cg::sync(cta) with cta the whole thread block.
func IsGroupSync(k *analysis.Kernel, fn *ir.Func, e *ir.Expr) bool {
	if e.Op != ir.OpCall || e.Name != "sync" {
		return false
	}
	if obj, ok := e.IsMemberCall(); ok {
		return IsThreadBlock(k, fn, obj)
	}
	a := e.Args()
	return len(a) == 1 && IsThreadBlock(k, fn, a[0])
}

// IsWarpCall reports whether a call works on the lanes of a warp: an intrinsic or an operation of a tile.
func IsWarpCall(k *analysis.Kernel, fn *ir.Func, e *ir.Expr) bool {
	if r := intrinsic.Of(e.Name); r.Scope == intrinsic.Warp && r.Kind != intrinsic.Group || TileCall(k, fn, e) {
		return true
	}
	if Collective(k, fn, e) != nil {
		return true
	}
	if obj, ok := e.IsMemberCall(); ok {
		return IsTile(k, fn, obj)
	}
	return slices.ContainsFunc(e.Args(), func(a *ir.Expr) bool { return a.Op == ir.OpIdent && IsTile(k, fn, a) })
}

// IsTileNumber reports whether a call asks a tile for its number in the thread block, or for the number of tiles.
func IsTileNumber(k *analysis.Kernel, fn *ir.Func, e *ir.Expr) bool {
	obj, ok := e.IsMemberCall()
	return ok && strings.HasPrefix(e.Name, "meta_group") && IsTile(k, fn, obj)
}

// Collective returns the class of CUB whose member a call is, BR(storage).Sum(x) or
// cub::BlockReduce<float, 64>(storage).Sum(x), nil if it is none. The object must be made
// for the call, and be given its storage: what it refers to is then in view.
func Collective(k *analysis.Kernel, fn *ir.Func, e *ir.Expr) *intrinsic.Collective {
	obj, member := e.IsMemberCall()
	if !member || obj.Op != ir.OpCall || len(obj.Args()) != 1 || obj.Kids[0].Op != ir.OpIdent {
		return nil
	}
	class := strings.TrimPrefix(obj.Qual+"::"+obj.Name, "::")
	switch v := obj.Kids[0].Var; {
	case v != nil && v.Kind == ir.VarTemplateType:
		class = v.Type.Base
	case v != nil:
		return nil
	case obj.Qual == "":
		if t := k.Prog.TypeNames(fn.File); t != nil {
			if means, ok := t.Lookup(fn.View.Class, obj.Name); ok {
				class = means
			}
		}
	}
	class, _, _ = strings.Cut(strings.TrimPrefix(strings.TrimPrefix(strings.TrimSpace(class), "typename "), "::"), "<")
	name, ok := strings.CutPrefix(class, "cub::")
	if !ok {
		return nil
	}
	return intrinsic.CollectiveOf(strings.TrimSpace(name))
}

// OnlyCollectives reports whether nothing stands against the kernel but that it calls collectives of CUB, whose
// barriers are out of view: merged blocks that all have their own storage and call them together can keep them.
func OnlyCollectives(k *analysis.Kernel) bool {
	for _, h := range k.Hazards {
		if h.Code != analysis.CodeBarrierCall {
			return false
		}
	}
	return len(k.Hazards) > 0
}

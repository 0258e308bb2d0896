package analysis

import (
	"slices"
	"strconv"
	"strings"

	"github.com/smux-cuda/smux/analysis/intrinsic"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/model/hardware"
)

// IsThreadBlock reports whether an expression names the cooperative group of
// the whole thread block.
func (k *Kernel) IsThreadBlock(fn *ir.Func, e *ir.Expr) bool {
	switch e.Op {
	case ir.OpCall:
		return e.Name == "this_thread_block"
	case ir.OpIdent:
		v := e.Var
		if v == nil {
			return false
		}
		if lastName(v.Type.Base) == "thread_block" {
			return true
		}
		if v.Kind == ir.VarParam && genericGroup(fn, v) {
			return k.allPassed(v, (*Kernel).IsThreadBlock)
		}
		if (v.Type.IsAuto() || lastName(v.Type.Base) == "thread_group") && v.Init != nil {
			return k.IsThreadBlock(fn, v.Init)
		}
	case ir.OpInitList:
		return len(e.Kids) == 1 && k.IsThreadBlock(fn, e.Kids[0])
	}
	return false
}

// isGridGroup reports whether an expression names a cooperative group over the grid.
func isGridGroup(e *ir.Expr) bool {
	if e.Op != ir.OpIdent || e.Var == nil {
		return e.Op == ir.OpCall && intrinsic.Of(e.Name).Kind == intrinsic.Group && intrinsic.Of(e.Name).Scope == intrinsic.Grid
	}
	if e.Var.Type.IsAuto() {
		return e.Var.Init != nil && e.Var.Init.Op == ir.OpCall && isGridGroup(e.Var.Init)
	}
	return strings.Contains(e.Var.Type.Base, "grid_group")
}

// genericGroup reports whether a parameter can be a group of any kind.
func genericGroup(fn *ir.Func, v *ir.Var) bool {
	return lastName(v.Type.Base) == "thread_group" || isTypeParam(fn, v.Type.Base) || v.Type.IsAuto()
}

// allPassed reports whether every call in reach passes a group of one kind for
// a parameter. A parameter that has been asked for in the same question adds
// nothing: of all that lead to a group each must be of its kind.
func (k *Kernel) allPassed(v *ir.Var, kind func(*Kernel, *ir.Func, *ir.Expr) bool) bool {
	type key struct{}
	asking := Table[*ir.Var, bool](&k.memo, key{})
	if asking[v] {
		return true
	}
	if len(asking) == 0 {
		defer func() { clear(asking) }()
	}
	asking[v] = true
	return !slices.ContainsFunc(k.passed[v], func(a argument) bool { return !kind(k, a.fn, a.expr) }) && len(k.passed[v]) > 0
}

// isTile reports whether an expression names a tile of at most one warp, or
// the active threads of a warp.
func (k *Kernel) isTile(fn *ir.Func, e *ir.Expr) bool {
	switch e.Op {
	case ir.OpCall:
		return k.tileCall(fn, e)
	case ir.OpIdent:
		if e.Var == nil {
			return false
		}
		switch base := e.Var.Type.Base; {
		case strings.Contains(base, "thread_block_tile<"):
			return k.tileSize(fn, base) <= hardware.WarpSize
		case strings.Contains(base, "coalesced_group"):
			return true
		case e.Var.Kind == ir.VarParam && genericGroup(fn, e.Var):
			return k.allPassed(e.Var, (*Kernel).isTile)
		case e.Var.Type.IsAuto() || lastName(base) == "thread_group":
			return e.Var.Init != nil && k.isTile(fn, e.Var.Init)
		}
	}
	return false
}

// tileParent returns the thread-block group that a tile was cut from directly,
// or nil: then its number in that group is its number in the block.
func (k *Kernel) tileParent(fn *ir.Func, e *ir.Expr) *ir.Expr {
	if e.Op == ir.OpIdent && e.Var != nil && e.Var.Init != nil {
		e = e.Var.Init
	}
	if e.Op == ir.OpCall && e.Name == "tiled_partition" {
		if a := e.Args(); len(a) > 0 && k.IsThreadBlock(fn, a[0]) {
			return a[0]
		}
	}
	return nil
}

// tileCall reports whether a call makes a tile of at most 32 threads.
func (k *Kernel) tileCall(fn *ir.Func, e *ir.Expr) bool {
	switch e.Name {
	case "tiled_partition":
		if len(e.TArgs) == 1 {
			v := k.frameFor(fn).eval(e.TArgs[0])
			return v.uniform() && v.s <= hardware.WarpSize
		}
		a := e.Args()
		return len(a) == 2 && a[1].Op == ir.OpInt && a[1].Int <= hardware.WarpSize
	case "coalesced_threads":
		return true
	case "binary_partition", "labeled_partition":
		a := e.Args()
		return len(a) > 0 && k.isTile(fn, a[0])
	}
	return false
}

// tileSize reads the size off thread_block_tile<32>; a size that can't be
// folded is larger than any tile.
func (k *Kernel) tileSize(fn *ir.Func, base string) int64 {
	const unknownSize = 1 << 20
	i, j := strings.IndexByte(base, '<'), strings.LastIndexByte(base, '>')
	if i < 0 || j < i {
		return unknownSize
	}
	size, _, _ := strings.Cut(base[i+1:j], ",")
	size = strings.TrimSpace(size)
	if texts, err := k.Prog.cache.Macros(fn.File).Alternatives(size, int(fn.View.Start)); err == nil && len(texts) == 1 {
		size = strings.TrimSpace(texts[0])
	}
	if n, err := strconv.ParseInt(size, 0, 32); err == nil {
		return n
	}
	if v := k.frameFor(fn).eval(&ir.Expr{Op: ir.OpIdent, Name: size}); v.uniform() {
		return v.s
	}
	return unknownSize
}

func lastName(base string) string {
	if i := strings.LastIndex(base, "::"); i >= 0 {
		return base[i+2:]
	}
	return base
}

// IsBarrier reports whether e is a barrier of the whole thread block.
func (k *Kernel) IsBarrier(fn *ir.Func, e *ir.Expr) bool {
	if e.Op != ir.OpCall {
		return false
	}
	if e.Intrinsic().IsBlockBarrier() {
		return true
	}
	if c := k.collective(fn, e); c != nil {
		return c.Scope == intrinsic.Block
	}
	return k.IsGroupSync(fn, e)
}

// fixedNumber reports whether an expression is the same number for the whole of
// a program's life: of literals, template arguments and constants.
func (k *Kernel) fixedNumber(fn *ir.Func, e *ir.Expr) bool {
	fixed := true
	e.Walk(func(t *ir.Expr) bool {
		switch t.Op {
		case ir.OpInt, ir.OpUnary, ir.OpBinary, ir.OpCond, ir.OpSizeof, ir.OpCast:
		case ir.OpIdent:
			v := k.variable(fn, t)
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

// IsGroupSync reports whether e is cta.sync() or cg::sync(cta) with cta the
// whole thread block.
func (k *Kernel) IsGroupSync(fn *ir.Func, e *ir.Expr) bool {
	if e.Op != ir.OpCall || e.Name != "sync" {
		return false
	}
	if obj, ok := e.IsMemberCall(); ok {
		return k.IsThreadBlock(fn, obj)
	}
	a := e.Args()
	return len(a) == 1 && k.IsThreadBlock(fn, a[0])
}

// IsWarpCall reports whether a call works on the lanes of a warp: an intrinsic
// or an operation of a tile.
func (k *Kernel) IsWarpCall(fn *ir.Func, e *ir.Expr) bool {
	if r := intrinsic.Of(e.Name); r.Scope == intrinsic.Warp && r.Kind != intrinsic.Group || k.tileCall(fn, e) {
		return true
	}
	if k.collective(fn, e) != nil {
		return true
	}
	if obj, ok := e.IsMemberCall(); ok {
		return k.isTile(fn, obj)
	}
	return slices.ContainsFunc(e.Args(), func(a *ir.Expr) bool { return a.Op == ir.OpIdent && k.isTile(fn, a) })
}

// IsTileNumber reports whether a call asks a tile for its number in the thread
// block, or for the number of tiles.
func (k *Kernel) IsTileNumber(fn *ir.Func, e *ir.Expr) bool {
	obj, ok := e.IsMemberCall()
	return ok && strings.HasPrefix(e.Name, "meta_group") && k.isTile(fn, obj)
}

package analysis

import (
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
)

// isThreadBlock reports whether an expression names the cooperative group of
// the whole thread block.
func (k *Kernel) isThreadBlock(fn *ir.Func, e *ir.Expr) bool {
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
		if (v.Type.IsAuto() || lastName(v.Type.Base) == "thread_group") && v.Init != nil {
			return k.isThreadBlock(fn, v.Init)
		}
	case ir.OpInitList:
		return len(e.Kids) == 1 && k.isThreadBlock(fn, e.Kids[0])
	}
	return false
}

// IsThreadBlock reports whether an expression names the cooperative group of
// the whole thread block.
func (k *Kernel) IsThreadBlock(fn *ir.Func, e *ir.Expr) bool { return k.isThreadBlock(fn, e) }

// isTile reports whether an expression names a tile of at most one warp, or
// the active threads of a warp.
func isTile(e *ir.Expr) bool {
	switch e.Op {
	case ir.OpCall:
		return tileCall(e)
	case ir.OpIdent:
		if e.Var == nil {
			return false
		}
		switch base := e.Var.Type.Base; {
		case strings.Contains(base, "thread_block_tile<"):
			return tileSize(base) <= 32
		case strings.Contains(base, "coalesced_group"):
			return true
		case e.Var.Type.IsAuto() || lastName(base) == "thread_group":
			return e.Var.Init != nil && isTile(e.Var.Init)
		}
	}
	return false
}

// tileCall reports whether a call makes a tile of at most 32 threads.
func tileCall(e *ir.Expr) bool {
	switch e.Name {
	case "tiled_partition":
		if len(e.TArgs) == 1 {
			return e.TArgs[0].Op == ir.OpInt && e.TArgs[0].Int <= 32
		}
		a := e.Args()
		return len(a) == 2 && a[1].Op == ir.OpInt && a[1].Int <= 32
	case "coalesced_threads":
		return true
	case "binary_partition", "labeled_partition":
		a := e.Args()
		return len(a) > 0 && isTile(a[0])
	}
	return false
}

// tileSize reads the size off thread_block_tile<32>; a size that is no number
// is 1<<20, larger than any tile.
func tileSize(base string) int {
	i := strings.IndexByte(base, '<')
	n := 0
	for _, c := range strings.TrimSpace(base[i+1:]) {
		if c < '0' || c > '9' {
			if n > 0 && (c == '>' || c == ',' || c == ' ') {
				return n
			}
			return 1 << 20
		}
		n = n*10 + int(c-'0')
	}
	return 1 << 20
}

func lastName(base string) string {
	if i := strings.LastIndex(base, "::"); i >= 0 {
		return base[i+2:]
	}
	return base
}

// isBarrier reports whether e is a barrier of the whole thread block.
func (k *Kernel) isBarrier(fn *ir.Func, e *ir.Expr) bool {
	if e.Op != ir.OpCall {
		return false
	}
	if blockBarriers[e.Name] {
		return true
	}
	return k.IsGroupSync(fn, e)
}

// IsGroupSync reports whether e is cta.sync() or cg::sync(cta) with cta the
// whole thread block.
func (k *Kernel) IsGroupSync(fn *ir.Func, e *ir.Expr) bool {
	if e.Op != ir.OpCall || e.Name != "sync" {
		return false
	}
	if obj, ok := e.IsMemberCall(); ok {
		return k.isThreadBlock(fn, obj)
	}
	a := e.Args()
	return len(a) == 1 && k.isThreadBlock(fn, a[0])
}

// IsWarpCall reports whether a call works on the lanes of a warp: an intrinsic
// or an operation of a tile.
func IsWarpCall(e *ir.Expr) bool {
	if warpCalls[e.Name] || tileCall(e) {
		return true
	}
	if obj, ok := e.IsMemberCall(); ok {
		return isTile(obj)
	}
	for _, a := range e.Args() {
		if a.Op == ir.OpIdent && isTile(a) {
			return true
		}
	}
	return false
}

package cost

import (
	"math/bits"
	"strconv"
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/model/hardware"
)

// Costs of the operations of cooperative groups smaller than a thread block.
const (
	costTileSync   = 1
	costGridRank   = 6 // products of the grid's and the block's extents
	costReduceStep = 2 // of reduce, scan: a shuffle and the operation
)

// group computes an operation of a cooperative group: a member call, or a
// function of the group; ok is false for what is none.
func (f *frame) group(e *ir.Expr) (v value, ok bool) {
	args := e.Args()
	obj, member := e.IsMemberCall()
	if !member {
		if len(args) == 0 {
			return value{}, false
		}
		obj = args[0]
	}
	if obj.Op != ir.OpIdent || obj.Var == nil {
		return value{}, false
	}
	x := f.x
	if member && gridGroup(obj.Var) {
		return f.gridRank(e.Name)
	}
	size, ok := f.groupSize(obj.Var)
	if !ok {
		return value{}, false
	}
	switch e.Name {
	case "size", "num_threads":
		if size == x.n {
			return value{typ: intType, known: !x.compiling, exact: !x.compiling, s: int64(size), id: x.free(operation{op: "group size"})}, true
		}
		return constant(int64(size), intType), true
	case "thread_rank":
		return f.rank("rank", "%", size), true
	case "meta_group_rank":
		return f.rank("meta rank", "/", size), true
	case "sync":
		x.issue(costTileSync)
		return x.unknown(intType), true
	case "shfl", "shfl_up", "shfl_down", "shfl_xor", "ballot", "any", "all", "match_any":
		if !member || len(args) == 0 {
			return value{}, false
		}
		a := f.eval(args[0])
		for _, k := range args[1:] {
			x.needs(f.eval(k))
		}
		x.needs(a)
		cost, _, _ := callCost("__"+e.Name+"_sync", intType)
		x.issue(cost * float64(max(1, a.typ.words())))
		out := x.unknown(a.typ)
		return out.after(a), true
	case "reduce", "inclusive_scan", "exclusive_scan":
		if member || len(args) < 2 {
			return value{}, false
		}
		a := f.eval(args[1])
		x.needs(a)
		x.issue(costReduceStep * float64(bits.Len(uint(size-1))*max(1, a.typ.words())))
		out := x.unknown(a.typ)
		return out.after(a), true
	}
	return value{}, false
}

// rank is the number of a thread in its group, or of the group.
func (f *frame) rank(op, tok string, size int) value {
	x := f.x
	v := value{typ: intType, known: true, exact: true}
	of := make([]int64, x.n)
	for i := range of {
		of[i], _ = apply(tok, int64(i), int64(size))
	}
	v.s, v.v = laid(of)
	cost := 1.0 // of a tile: an AND, or a shift
	if x.shape[1] > 1 || x.shape[2] > 1 {
		cost += 2 // the linear number of the thread
	}
	if x.compiling {
		v.numbers(value{})
	}
	v.id = x.once(operation{op: op, a: size}, worked("", intType, cost))
	x.made(v.id, 1)
	return v
}

func gridGroup(v *ir.Var) bool {
	return strings.Contains(v.Type.Base, "grid_group") || v.Type.IsAuto() && v.Init != nil && v.Init.Op == ir.OpCall && v.Init.Name == "this_grid"
}

// gridRank is the number of a thread in the grid, or of all threads.
func (f *frame) gridRank(name string) (value, bool) {
	x := f.x
	v := value{typ: longType, known: true, exact: true}
	blocks, block := int64(1), int64(0)
	for d := 2; d >= 0; d-- {
		n := x.grid[d]
		if n == 0 {
			n, v.exact = 1, false
		}
		blocks, block = blocks*n, block*n+x.block[d]
	}
	switch name {
	case "size", "num_threads":
		if !v.exact {
			blocks = assumedSize
		}
		v.s = blocks * int64(x.n)
	case "thread_rank":
		of := make([]int64, x.n)
		for i := range of {
			of[i] = int64(i)
		}
		v.s, v.v, v.next = block*int64(x.n), newLanes(of), [3]int64{int64(x.n), x.grid[0] * int64(x.n), x.grid[0] * x.grid[1] * int64(x.n)}
	default:
		return value{}, false
	}
	if x.compiling {
		v.numbers(value{})
	}
	v.id = x.once(operation{op: "grid " + name}, worked("", intType, costGridRank))
	x.made(v.id, 2)
	return v, true
}

// groupSize is the number of threads of the cooperative group that a variable
// is; ok is false where it is none, or one of any size.
func (f *frame) groupSize(v *ir.Var) (int, bool) {
	t := v.Type.Base
	switch {
	case strings.Contains(t, "thread_block_tile"), strings.Contains(t, "tiled_partition"):
		if i := strings.IndexByte(t, '<'); i >= 0 {
			n, _, _ := strings.Cut(strings.TrimRight(t[i+1:], " >"), ",")
			return f.tileSize(&ir.Expr{Op: ir.OpIdent, Name: strings.TrimSpace(n)}, n), true
		}
		return hardware.WarpSize, true
	case strings.Contains(t, "coalesced_group"):
		return hardware.WarpSize, true
	case strings.Contains(t, "thread_block"):
		return f.x.n, true
	}
	if !v.Type.IsAuto() || v.Init == nil || v.Init.Op != ir.OpCall {
		return 0, false
	}
	switch v.Init.Name {
	case "this_thread_block":
		return f.x.n, true
	case "coalesced_threads":
		return hardware.WarpSize, true
	case "tiled_partition", "labeled_partition", "binary_partition":
		if len(v.Init.TArgs) > 0 {
			return f.tileSize(v.Init.TArgs[0], ""), true
		}
		return hardware.WarpSize, true
	}
	return 0, false
}

// TileSize folds the size of a tile; that of a warp if unknown.
func (f *frame) tileSize(e *ir.Expr, text string) int {
	if n, err := strconv.Atoi(strings.TrimSpace(text)); err == nil && n > 0 {
		return n
	}
	f.x.mute++
	v := f.eval(e)
	f.x.mute--
	if v.uniform() && v.s > 0 && v.s <= int64(max(hardware.WarpSize, f.x.n)) {
		return int(v.s)
	}
	return hardware.WarpSize
}

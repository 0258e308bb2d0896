package affine

import (
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
)

// groupType returns the declared type of a cooperative group, "" for anything
// that is none.
func groupType(obj *ir.Expr) string {
	switch {
	case obj.Op == ir.OpCall && (obj.Name == "this_thread_block" || obj.Name == "this_grid"):
		return obj.Name
	case obj.Op != ir.OpIdent || obj.Var == nil:
		return ""
	case obj.Var.Type.IsAuto() && obj.Var.Init != nil && obj.Var.Init.Op == ir.OpCall:
		return groupType(obj.Var.Init)
	}
	base := obj.Var.Type.Base
	return base[strings.LastIndex(base, ":")+1:]
}

// isBlock reports whether a call is of a member of the group of the whole
// thread block.
func (a *activation) isBlock(call *ir.Expr) bool {
	obj, ok := call.IsMemberCall()
	if !ok {
		return false
	}
	t := groupType(obj)
	return t == "thread_block" || t == "this_thread_block"
}

// group is the number that a member function of a cooperative group returns.
func (a *activation) group(obj *ir.Expr, name string) value {
	switch groupType(obj) {
	case "thread_block", "this_thread_block":
		switch name {
		case "thread_rank":
			return number(a.rank())
		case "size", "num_threads":
			return number(a.blockSize())
		}
	case "grid_group", "this_grid":
		// The linear number of the block is its blockIdx.x where grids of more
		// dimensions are not told apart.
		if name == "thread_rank" {
			return number(a.rank().Add(a.product(a.blockSize(), along(a.block[0]))))
		}
		if name == "size" || name == "num_threads" {
			return number(a.product(a.blockSize(), a.symbol("gridDim.x")))
		}
	}
	return value{}
}

// rank is the linear number of the thread in its block.
func (a *activation) rank() Form {
	f, stride := Form{}, Number(1)
	for d := range 3 {
		f = f.Add(a.product(stride, a.builtin("threadIdx", d).form))
		stride = a.product(stride, a.builtin("blockDim", d).form)
	}
	return f
}

func (a *activation) blockSize() Form {
	n := Number(1)
	for d := range 3 {
		n = a.product(n, a.builtin("blockDim", d).form)
	}
	return n
}

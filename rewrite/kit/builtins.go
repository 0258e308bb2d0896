package kit

import (
	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/ir"
)

// Uses says which built-in variables a function uses whose value a merged
// block changes. threadIdx.x and .y, blockDim.x and .y keep theirs.
type Uses struct {
	blockIdx, gridDim, ThreadIdx, BlockDim bool
	group                                  bool // asks the thread-block group for more than a barrier
}

// Any reports whether there is a use.
func (u Uses) Any() bool { return u.blockIdx || u.gridDim || u.ThreadIdx || u.BlockDim || u.group }

// AsksGrid reports whether a thread block's place in the grid, or the grid's extent, is used.
func (u Uses) AsksGrid() bool { return u.blockIdx || u.gridDim }

// UsesOf reads the uses off the body of one function, calls not followed.
func UsesOf(k *analysis.Kernel, fn *ir.Func) Uses { return UsesIn(k, fn, fn.Body) }

// UsesIn returns the built-ins that a statement of a kernel's function uses.
func UsesIn(k *analysis.Kernel, fn *ir.Func, body *ir.Stmt) Uses {
	var u Uses
	whole := func(e *ir.Expr) {
		switch e.Name {
		case "threadIdx":
			u.ThreadIdx = true
		case "blockDim":
			u.BlockDim = true
		case "blockIdx":
			u.blockIdx = true
		case "gridDim":
			u.gridDim = true
		}
	}
	builtin := func(e *ir.Expr) bool { return e.Op == ir.OpIdent && e.Var == nil }
	var visit func(e *ir.Expr) bool
	visit = func(e *ir.Expr) bool {
		switch {
		case e.Op == ir.OpMember && builtin(e.Kids[0]):
			switch base := e.Kids[0].Name; {
			case base == "blockIdx", base == "gridDim":
				whole(e.Kids[0])
			case (base == "threadIdx" || base == "blockDim") && e.Name == "z":
				whole(e.Kids[0])
			}
			return false
		case builtin(e):
			whole(e)
		case e.Op == ir.OpLambda && e.Lambda != nil:
			e.Lambda.WalkExprs(visit)
		case e.Op == ir.OpCall:
			if obj, ok := e.IsMemberCall(); ok && k.IsThreadBlock(fn, obj) && e.Name != "sync" || k.IsTileNumber(fn, e) {
				u.group = true
			}
		}
		return true
	}
	body.WalkExprs(visit)
	return u
}

// Shadows are the declarations that give the built-ins the values of the
// original launch. A name in the kernel's scope hides the built-in, in macros
// too, so that code that uses it needs no edit.
func Shadows(u Uses, vtb string) []string {
	var out []string
	if u.blockIdx {
		out = append(out, "const uint3 blockIdx = "+vtb+".block;")
	}
	if u.gridDim {
		out = append(out, "const dim3 gridDim = "+vtb+".grid;")
	}
	if u.ThreadIdx {
		out = append(out, "const uint3 threadIdx = "+vtb+".thread;")
	}
	if u.BlockDim {
		out = append(out, "const dim3 blockDim = "+vtb+".dim;")
	}
	return out
}

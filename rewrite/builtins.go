package rewrite

import (
	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/ir"
)

// uses says which built-in variables a function uses whose value a merged
// block changes. threadIdx.x and .y, blockDim.x and .y keep theirs.
type uses struct {
	blockIdx, gridDim, threadIdx, blockDim bool
	group                                  bool // asks the thread-block group for more than a barrier
}

func (u uses) any() bool { return u.blockIdx || u.gridDim || u.threadIdx || u.blockDim || u.group }

// usesOf reads the uses off the body of one function, calls not followed.
func usesOf(k *analysis.Kernel, fn *ir.Func) uses { return usesIn(k, fn, fn.Body) }

func usesIn(k *analysis.Kernel, fn *ir.Func, body *ir.Stmt) uses {
	var u uses
	whole := func(e *ir.Expr) {
		switch e.Name {
		case "threadIdx":
			u.threadIdx = true
		case "blockDim":
			u.blockDim = true
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

// shadows are the declarations that give the built-ins the values of the
// original launch. A name in the kernel's scope hides the built-in, in macros
// too, so that code that uses it needs no edit.
func shadows(u uses, vtb string) []string {
	var out []string
	if u.blockIdx {
		out = append(out, "const uint3 blockIdx = "+vtb+".block;")
	}
	if u.gridDim {
		out = append(out, "const dim3 gridDim = "+vtb+".grid;")
	}
	if u.threadIdx {
		out = append(out, "const uint3 threadIdx = "+vtb+".thread;")
	}
	if u.blockDim {
		out = append(out, "const dim3 blockDim = "+vtb+".dim;")
	}
	return out
}

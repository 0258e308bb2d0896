package analysis

import "github.com/smux-cuda/smux/analysis/ir"

// Uniformity says how far a value is the same: for all threads of the grid, for all threads of one block, or not at
// all. It doubles as that of control: a statement runs for the whole grid, for whole blocks, or for single threads.
type Uniformity uint8

// The uniformities, ordered: the join of two is the larger.
const (
	GridUniform Uniformity = iota
	BlockUniform
	ThreadVarying
)

// String returns the uniformity as reports spell it.
func (l Uniformity) String() string {
	return [...]string{"grid-uniform", "block-uniform", "thread-varying"}[l]
}

// Variable returns the variable that a name in a function stands for, nil where it is none.
func (k *Kernel) Variable(fn *ir.Func, e *ir.Expr) *ir.Var {
	if e.Var != nil {
		return e.Var
	}
	return k.Prog.GlobalIn(fn, e.Name)
}

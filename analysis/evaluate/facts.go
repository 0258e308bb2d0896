package evaluate

import (
	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/ir"
)

// Facts answers, for one instance of a kernel, what analyses in other packages ask: what a name at namespace scope stands for, what an
// expression folds to, how large a type is. It is not safe for concurrent use.
type Facts struct {
	k     *analysis.Kernel
	in    *analysis.Instance
	frame map[*ir.Func]*Frame
	types map[string]typeLayout // by name, types under way as of size 0
}

// FactsOf returns the facts of an instance; a nil instance knows neither block shape nor template arguments.
func FactsOf(k *analysis.Kernel, in *analysis.Instance) *Facts {
	if in == nil {
		in = &analysis.Instance{}
	}
	return &Facts{k: k, in: in, frame: map[*ir.Func]*Frame{}, types: map[string]typeLayout{}}
}

// Constant folds an expression of fn that has one value for the whole grid: literals, constants at namespace scope, enumerators,
// template values of the kernel. The built-in variables are not folded, parameters have no value.
func (f *Facts) Constant(fn *ir.Func, e *ir.Expr) (int64, bool) {
	fr := f.frame[fn]
	if fr == nil {
		in := *f.in
		in.Shape = analysis.Shape{} // vectors over the threads are of no use here
		fr = FrameUnder(&in, f.k, fn)
		f.frame[fn] = fr
	}
	fr.Ev.Budget = 1 << 16
	v := fr.Eval(e)
	if !v.Uniform() {
		return 0, false
	}
	return v.S, true
}

// Variable returns the variable that a name of fn stands for, one at namespace scope included; nil if it is not in view.
func (f *Facts) Variable(fn *ir.Func, e *ir.Expr) *ir.Var {
	if e.Op != ir.OpIdent || e.Qual != "" {
		return nil
	}
	return f.k.Variable(fn, e)
}

// VarUniformity returns how uniform the values of a variable of a function in reach are, over its whole life.
func VarUniformity(k *analysis.Kernel, v *ir.Var) analysis.Uniformity { return k.Uniformity[v] }

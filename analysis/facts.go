package analysis

import "github.com/smux-cuda/smux/analysis/ir"

// Facts answers, for one instance of a kernel, what analyses in other packages ask: what a name at namespace scope stands for, what an
// expression folds to, how large a type is. It is not safe for concurrent use.
type Facts struct {
	k     *Kernel
	in    *Instance
	frame map[*ir.Func]*frame
	types map[string]typeLayout // by name, types under way as of size 0
}

// Facts returns the facts of an instance; a nil instance knows neither block shape nor template arguments.
func (k *Kernel) Facts(in *Instance) *Facts {
	if in == nil {
		in = &Instance{}
	}
	return &Facts{k: k, in: in, frame: map[*ir.Func]*frame{}, types: map[string]typeLayout{}}
}

// Constant folds an expression of fn that has one value for the whole grid: literals, constants at namespace scope, enumerators,
// template values of the kernel. The built-in variables are not folded, parameters have no value.
func (f *Facts) Constant(fn *ir.Func, e *ir.Expr) (int64, bool) {
	fr := f.frame[fn]
	if fr == nil {
		in := *f.in
		in.Shape = shape{} // vectors over the threads are of no use here
		fr = in.frame(f.k, fn)
		f.frame[fn] = fr
	}
	fr.ev.budget = 1 << 16
	v := fr.eval(e)
	if !v.uniform() {
		return 0, false
	}
	return v.s, true
}

// Variable returns the variable that a name of fn stands for, one at namespace scope included; nil if it is not in view.
func (f *Facts) Variable(fn *ir.Func, e *ir.Expr) *ir.Var {
	if e.Op != ir.OpIdent || e.Qual != "" {
		return nil
	}
	return f.k.variable(fn, e)
}

// VarUniformity returns how uniform the values of a variable of a function in reach are, over its whole life.
func (k *Kernel) VarUniformity(v *ir.Var) Uniformity { return k.uniformity[v] }

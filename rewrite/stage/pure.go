package stage

import (
	"slices"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/evaluate"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/polynomial"
	"github.com/smux-cuda/smux/analysis/uniformity"
)

// loadByPure is the load that a call is of a function of several statements, or of several loads, whose
// value depends on its arguments and on one array that it reads; nil for any other expression.
//
//	__device__ float at(const float *p, int x, int y, int w, int h) {
//	    x = min(max(x, 0), w - 1);
//	    if (y < 0 || y >= h)
//	        return 0;
//	    return p[y * w + x];
//	}
//
// A tile has what the function returns for each place, and a place is what its arguments are: which
// elements it reads there need not be known. So the load has a form that no address has: the sum of the
// arguments, each times a symbol of its own, but for the one that has the first thread number.
func (f *indexForms) loadByPure(e *ir.Expr, fn *ir.Func) *stagedLoad {
	isPointer := func(p *ir.Var) bool { return p.Type.Ptr > 0 }
	i := slices.IndexFunc(fn.Params, isPointer)
	if i < 0 || slices.ContainsFunc(fn.Params[i+1:], isPointer) || !f.isPureFunction(fn, mostCalls) {
		return nil
	}
	arg, p := e.Args()[i], fn.Params[i]
	if derefsToElement(p) != 1 || !analysis.IsArithmetic(p.Type.Base) || !isArrayParam(arg) || arg.Var.Type.Base != p.Type.Base || evaluate.ReturnType(fn) != p.Type.Base {
		return nil
	}
	at := f.symbolOf(fn)
	l := &stagedLoad{v: arg.Var, whole: e, subscript: at}
	var order []int // of the arguments that move, by the first thread number that they have
	first := func(j int) int {
		return slices.IndexFunc(append(f.threads[:], nil), func(s *polynomial.Symbol) bool { return s == nil || l.args[j].Has(isSymbol(s)) })
	}
	for j, p := range fn.Params {
		if j == i {
			l.args = append(l.args, polynomial.Number(0))
			continue
		}
		form := f.of(e.Args()[j])
		if form.IsLost() || !isSignedType(p.Type.Base) || isShort(p.Type.Base) || p.Type.Ref {
			return nil
		}
		l.args = append(l.args, form)
		if f.moves(form) {
			order, l.places = append(order, j), append(l.places, form)
		}
	}
	slices.SortStableFunc(order, func(x, y int) int { return first(x) - first(y) })
	form, stride := polynomial.Number(0), polynomial.Number(1)
	for _, j := range order {
		form = form.Plus(l.args[j].Times(stride))
		key := fn.Params[j]
		stride = stride.Times(polynomial.Of(f.symbol(pitch{key}, "pitch of "+key.Name, polynomial.None)))
	}
	l.chosen = map[*ir.Expr]polynomial.Polynomial{at: form}
	return l
}

// pitch is the key of the symbol that stands for how far apart the places of an argument's values are.
type pitch struct{ of *ir.Var }

// symbolOf stands for what a function reads: one expression for each function, without a text.
func (f *indexForms) symbolOf(fn *ir.Func) *ir.Expr {
	if f.read == nil {
		f.read = map[*ir.Func]*ir.Expr{}
	}
	if f.read[fn] == nil {
		f.read[fn] = &ir.Expr{Op: ir.OpUnknown, Name: fn.View.Name}
	}
	return f.read[fn]
}

// isArrayParam reports whether an argument is a parameter of the kernel that points to an array.
func isArrayParam(e *ir.Expr) bool {
	return e.Op == ir.OpIdent && !e.Macro && e.Var != nil && e.Var.Kind == ir.VarParam && derefsToElement(e.Var) == 1
}

// isPureFunction reports whether a function depends on its arguments and on what its pointers point to, and changes
// nothing. It computes nothing in floating point: where that is inlined decides how it is rounded.
func (f *indexForms) isPureFunction(fn *ir.Func, depth int) bool {
	if depth == 0 || fn.Body == nil || len(fn.TParams) > 0 || fn.View.Class != "" || len(fn.Problems) > 0 {
		return false
	}
	for _, v := range slices.Concat(fn.Params, fn.Vars) {
		pointer := derefsToElement(v) == 1 && slices.Contains(fn.Params, v) && len(v.Writes) == 0
		if v.Type.Ptr > 0 && !pointer || v.Type.Ref || v.Type.Volatile || v.AddrTaken || v.Static || v.Extern || v.Kind != ir.VarLocal && v.Kind != ir.VarParam || !analysis.IsArithmetic(v.Type.Base) {
			return false
		}
	}
	callees := map[*ir.Expr]bool{}
	for e := range fn.Body.AllExprs() {
		if e.Op == ir.OpCall && len(e.Kids) > 0 && e.Kids[0].Op == ir.OpIdent {
			callees[e.Kids[0]] = true
		}
	}
	return !fn.Body.Any(func(s *ir.Stmt) bool {
		switch s.Op {
		case ir.StmtUnknown, ir.StmtGoto, ir.StmtLabel:
			return true
		case ir.StmtReturn:
			return s.Expr == nil
		}
		return s.Preproc
	}) && !fn.Body.AnyExpr(func(e *ir.Expr) bool { return !callees[e] && !f.isPureStep(fn, e, depth) })
}

// isPureStep reports whether an operation, its operands aside, may stand in a function that
// isPureFunction is asked of.
func (f *indexForms) isPureStep(fn *ir.Func, e *ir.Expr, depth int) bool {
	own := func(r *ir.Expr) bool {
		return r != nil && r.Var != nil && (r.Var.Kind == ir.VarLocal || r.Var.Kind == ir.VarParam)
	}
	switch e.Op {
	case ir.OpInt, ir.OpLiteral, ir.OpUnary, ir.OpCond, ir.OpComma, ir.OpCast:
		return true
	case ir.OpBinary:
		return !slices.Contains([]string{"+", "-", "*", "/"}, e.Tok) || !f.inFraction(fn, e)
	case ir.OpIdent:
		if own(e) || e.Var != nil && e.Var.Kind == ir.VarEnumerator {
			return true
		}
		_, number := evaluate.ConstantAlike(f.k, f.k.Func, e)
		return number || e.Var == nil && (e.Name == "blockDim" || e.Name == "gridDim" || uniformity.Unchanging(f.k, fn, f.k.GlobalVar(fn, e.Name)))
	case ir.OpMember:
		return !e.Arrow
	case ir.OpAssign, ir.OpIncDec:
		r := e.Kids[0].Root()
		return own(r) && r.Var.Type.Ptr == 0 && e.Kids[0].Derefs() <= len(r.Var.Dims) && (e.Op == ir.OpAssign && e.Tok == "=" || !f.inFraction(fn, r))
	case ir.OpIndex, ir.OpDeref:
		r := e.Root()
		return r != nil && (r.Var == nil && uniformity.LoadsUnchanging(f.k, fn, e) || own(r) && e.Derefs() <= 1)
	case ir.OpCall:
		if e.Object() != nil || len(e.TArgs) > 0 {
			return false
		}
		fns := f.k.Callees(fn, e)
		if len(fns) == 0 {
			return f.k.IsPureCall(fn, e)
		}
		return len(fns) == 1 && f.isPureFunction(fns[0], depth-1) && !slices.ContainsFunc(fns[0].Params, func(p *ir.Var) bool { return p.Type.Ptr > 0 })
	}
	return false
}

// inFraction reports whether something below an expression, subscripts aside, is in floating point or may be.
func (f *indexForms) inFraction(fn *ir.Func, e *ir.Expr) bool {
	integer := func(base string) bool {
		n, ok := ir.NumberOf(base)
		return ok && !n.Float
	}
	switch e.Op {
	case ir.OpInt:
		return false
	case ir.OpIdent:
		if _, number := evaluate.ConstantAlike(f.k, f.k.Func, e); number {
			return false
		}
		v := f.k.Variable(fn, e)
		return v == nil || !integer(v.Type.Base)
	case ir.OpIndex:
		return f.inFraction(fn, e.Kids[0])
	case ir.OpCast:
		return !integer(e.Type.Base)
	case ir.OpMember:
		name, _ := builtinOf(e)
		return name == ""
	case ir.OpCall:
		if fns := f.k.Callees(fn, e); len(fns) == 1 {
			return !integer(evaluate.ReturnType(fns[0]))
		}
		return !e.Calls("min") && !e.Calls("max") && !e.Calls("abs") || slices.ContainsFunc(e.Args(), func(a *ir.Expr) bool { return f.inFraction(fn, a) })
	case ir.OpUnary, ir.OpBinary, ir.OpCond, ir.OpDeref, ir.OpAssign, ir.OpIncDec:
		return slices.ContainsFunc(e.Kids, func(kid *ir.Expr) bool { return f.inFraction(fn, kid) })
	}
	return true
}

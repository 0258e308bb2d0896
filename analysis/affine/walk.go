package affine

import (
	"cmp"
	"maps"
	"slices"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/ir"
)

// Limits of the symbolic execution. Past them a value is unknown, calls are not
// entered, and the rest of the kernel is not looked at (Kernel.GaveUp).
const (
	maxTerms   = 16 // of a form
	maxSymbols = 8  // of a term
	maxCalls   = 6
	maxSteps   = 200_000
)

// Of finds the accesses of a kernel under an instance. The block has the given
// shape, or that of the instance where shape is zero.
func Of(k *analysis.Kernel, in *analysis.Instance, shape [3]int) *Kernel {
	if shape == ([3]int{}) && in != nil {
		shape, _ = in.BlockShape()
	}
	w := &walker{
		k: k, facts: k.Facts(in), out: &Kernel{Shape: shape}, budget: maxSteps,
		terms: newTerms(), entered: map[*ir.Func]bool{},
	}
	for d, name := range [3]string{"x", "y", "z"} {
		w.thread[d] = w.axis(Axis{Kind: AxisThread, Dim: d, Name: "threadIdx." + name})
		w.block[d] = w.axis(Axis{Kind: AxisBlock, Dim: d, Name: "blockIdx." + name})
	}
	a := &activation{walker: w, fn: k.Func, env: env{}}
	for _, v := range k.Func.Params {
		a.env[v] = a.parameter(v)
	}
	a.stmt(k.Func.Body)
	return w.out
}

// walker is the state of one symbolic execution.
type walker struct {
	k      *analysis.Kernel
	facts  *analysis.Facts
	out    *Kernel
	budget int
	terms
	thread  [3]*Axis
	block   [3]*Axis
	loops   []*Loop    // around the place of execution
	calls   []*ir.Stmt // that led to the function in execution
	entered map[*ir.Func]bool
	serial  int
	active  []bool // threads that come to the place of execution; nil: all, as far as is known
}

// charge takes steps for work that grows with more than the text, and reports
// whether there were any left.
func (w *walker) charge(steps int) bool {
	w.budget -= steps
	w.out.GaveUp = w.out.GaveUp || w.budget < 0
	return w.budget >= 0
}

func along(a *Axis) Form { return Form{Terms: []Term{{Coef: 1, Axis: a}}} }

// activation is one function under execution.
type activation struct {
	*walker
	fn     *ir.Func
	env    env
	at     *ir.Stmt // the statement under execution
	result value    // join of what was returned
	ended  bool     // a return was met
	outer  *activation
}

// env maps locals and parameters to their values.
type env map[*ir.Var]value

// stmts executes a list; it reports whether its end is never reached.
func (a *activation) stmts(list []*ir.Stmt) bool {
	for _, s := range list {
		if a.stmt(s) {
			return true
		}
	}
	return false
}

// stmt executes a statement; it reports whether what follows is not reached.
func (a *activation) stmt(s *ir.Stmt) bool {
	if s == nil || !a.charge(1) {
		return false
	}
	a.at = s
	switch s.Op {
	case ir.StmtCompound, ir.StmtCase:
		if s.Expr != nil {
			a.eval(s.Expr)
		}
		return a.stmts(s.List)
	case ir.StmtLabel:
		// Whatever jumps here may have changed anything.
		a.forget(a.written(a.fn.Body))
		return a.stmts(s.List)
	case ir.StmtDecl:
		a.declare(s)
	case ir.StmtExpr:
		a.eval(s.Expr)
	case ir.StmtIf:
		return a.branch(s)
	case ir.StmtFor, ir.StmtWhile, ir.StmtDo:
		a.loop(s)
	case ir.StmtSwitch:
		a.eval(s.Cond)
		before := a.copied()
		a.stmt(s.Body)
		a.env = before
		a.forget(a.written(s.Body))
	case ir.StmtReturn:
		if s.Expr != nil {
			v := a.eval(s.Expr)
			if a.ended {
				v = a.join(a.result, v, s.Expr, "result")
			}
			a.result = v
		}
		a.ended = true
		return true
	case ir.StmtBreak, ir.StmtContinue, ir.StmtGoto:
		return true
	}
	return false
}

func (a *activation) declare(s *ir.Stmt) {
	for _, v := range s.Vars {
		for _, d := range v.Dims {
			if d != nil && v.Kind != ir.VarShared {
				a.eval(d)
			}
		}
		if v.Init == nil {
			delete(a.env, v)
			continue
		}
		a.env[v] = a.converted(a.eval(v.Init), v.Type)
	}
}

// branch executes an if statement and joins what its arms leave.
func (a *activation) branch(s *ir.Stmt) bool {
	if s.Init != nil {
		a.stmt(s.Init)
	}
	if s.Cond != nil && !s.Preproc {
		a.eval(s.Cond)
	}
	before, all := a.copied(), a.active
	holds, known := a.condition(s.Cond)
	if known {
		a.active = narrow(all, holds, true)
	}
	thenEnds := a.stmt(s.Body)
	then := a.env
	a.env, a.active = before, all
	elseEnds := false
	if s.Else != nil {
		a.env = a.copied()
		if known {
			a.active = narrow(all, holds, false)
		}
		elseEnds = a.stmt(s.Else)
		a.active = all
	}
	switch {
	case thenEnds && elseEnds:
		return true
	case thenEnds:
		if known {
			a.active = narrow(all, holds, false)
		}
		return false
	case elseEnds:
		if known {
			a.active = narrow(all, holds, true)
		}
		a.env = then
		return false
	}
	a.merge(then, s.Cond)
	return false
}

// copied is a copy of what the variables stand for, for one arm of a branch. It
// costs as much as it holds: steps are charged for it.
func (a *activation) copied() env {
	a.charge(len(a.env) / envPerStep)
	return maps.Clone(a.env)
}

// envPerStep is how many variables are copied for the price of one step.
const envPerStep = 8

// merge joins what the variables stand for with what another arm left, in the
// order of their declaration: values of their own are numbered.
func (a *activation) merge(then env, cond *ir.Expr) {
	var differ []*ir.Var
	for v, x := range then {
		if y, ok := a.env[v]; !ok {
			a.env[v] = x // what one arm alone sets had no value before
		} else if !x.equal(y) {
			differ = append(differ, v)
		}
	}
	slices.SortFunc(differ, func(v, w *ir.Var) int { return cmp.Or(v.Range.Start-w.Range.Start, cmp.Compare(v.Name, w.Name)) })
	for _, v := range differ {
		a.env[v] = a.choose(cond, then[v], a.env[v], v.Name)
	}
}

// written lists the variables of the function that are assigned to inside a
// statement, in the order of the text.
func (a *activation) written(s *ir.Stmt) []*ir.Var {
	var out []*ir.Var
	s.WalkExprs(func(e *ir.Expr) bool {
		if e.Op == ir.OpAssign || e.Op == ir.OpIncDec {
			if t := e.Kids[0]; t.Op == ir.OpIdent && t.Var != nil && !slices.Contains(out, t.Var) {
				out = append(out, t.Var)
			}
		}
		return true
	})
	return out
}

// forget makes variables unknown: each gets a value of its own.
func (a *activation) forget(vars []*ir.Var) {
	for _, v := range vars {
		if v.Type.Ptr > 0 || len(v.Dims) > 0 {
			a.env[v] = value{}
			continue
		}
		a.env[v] = number(a.data(v.Name, a.k.VarUniformity(v)))
	}
}

package affine

import (
	"fmt"
	"slices"

	"github.com/smux-cuda/smux/analysis/ir"
)

// loop executes a loop once, for an iteration that stands for all.
func (a *activation) loop(s *ir.Stmt) {
	if s.Init != nil {
		a.stmt(s.Init)
	}
	l := &Loop{Stmt: s, Func: a.fn, Most: -1, Level: a.k.ControlUniformity(a.fn, s, s.Parent)}
	if len(a.loops) > 0 {
		l.Outer = a.loops[len(a.loops)-1]
	}
	l.Axis = a.axis(Axis{Kind: AxisCounter, Name: fmt.Sprintf("%s@%d", counterName(s), len(a.out.Loops)), Loop: l})
	a.out.Loops = append(a.out.Loops, l)
	a.loops = append(a.loops, l)

	changed := a.written(s)
	if s.Init != nil && s.Init.Op == ir.StmtExpr {
		// for (i = 0; …): the assignment in the head is no change inside.
		changed = a.changedInside(s)
	}
	entry := env{}
	for _, v := range changed {
		if x, ok := a.env[v]; ok {
			entry[v] = x
		}
	}
	a.forget(changed)
	steps := a.inductions(s, changed, entry)
	for _, v := range changed {
		step, ok := steps[v]
		if !ok {
			continue
		}
		x := entry[v]
		x.form = x.form.Add(a.product(step, along(l.Axis)))
		a.env[v] = x
	}
	a.count(l, entry, steps)

	if s.Op != ir.StmtDo {
		a.eval(s.Cond)
	}
	inside, active := a.env, a.active
	a.stmt(s.Body)
	a.active = active
	if s.Op == ir.StmtDo {
		a.eval(s.Cond)
	}
	a.at = s
	a.eval(s.Post)
	a.loops = a.loops[:len(a.loops)-1]
	a.env = inside

	a.forget(changed)
	for _, v := range changed {
		if step, ok := steps[v]; ok && l.Known && l.Trip.Uniform() {
			x := entry[v]
			x.form = x.form.Add(a.product(step, l.Trip))
			a.env[v] = x
		}
	}
}

// changedInside lists what a for loop changes after its head has begun.
func (a *activation) changedInside(s *ir.Stmt) []*ir.Var {
	out := a.written(s.Body)
	for _, e := range [...]*ir.Expr{s.Cond, s.Post} {
		if e == nil {
			continue
		}
		for _, v := range a.written(&ir.Stmt{Op: ir.StmtExpr, Expr: e}) {
			if !slices.Contains(out, v) {
				out = append(out, v)
			}
		}
	}
	return out
}

// counterName names a loop's iteration number in reports.
func counterName(s *ir.Stmt) string {
	if s.Init != nil {
		for _, v := range s.Init.Vars {
			return v.Name
		}
		if e := s.Init.Expr; e != nil && e.Op == ir.OpAssign && e.Kids[0].Op == ir.OpIdent {
			return e.Kids[0].Name
		}
	}
	return "iteration"
}

// inductions finds the variables that every iteration moves by the same
// amount, with that amount. Their writes stand in the loop's head or are
// statements of its body that every iteration executes.
func (a *activation) inductions(s *ir.Stmt, changed []*ir.Var, entry env) map[*ir.Var]Form {
	moves := map[*ir.Var][]*ir.Expr{}
	collect := func(top *ir.Expr) {
		unconditional(top, func(e *ir.Expr) {
			if t := e.Kids[0]; t.Op == ir.OpIdent && t.Var != nil {
				moves[t.Var] = append(moves[t.Var], e)
			}
		})
	}
	if s.Post != nil {
		collect(s.Post)
	}
	if s.Cond != nil && s.Op != ir.StmtFor {
		collect(s.Cond)
	}
	if !hasContinue(s) {
		straight(s.Body, collect)
	}
	out := map[*ir.Var]Form{}
	for _, v := range changed {
		if x, ok := entry[v]; !ok || !x.known || v.AddrTaken || len(moves[v]) == 0 || len(moves[v]) != writesIn(s, v) {
			continue
		}
		var step Form
		good := true
		for _, w := range moves[v] {
			m, ok := a.step(v, w, entry[v])
			good = good && ok
			step = step.Add(m)
		}
		if good && !slices.ContainsFunc(a.loops[len(a.loops)-1:], step.DependsOn) {
			out[v] = step
		}
	}
	return out
}

// step is how far one assignment moves a variable, in bytes for a pointer.
func (a *activation) step(v *ir.Var, w *ir.Expr, at value) (Form, bool) {
	scale := int64(1)
	if at.isPtr {
		if scale = at.stride(); scale == 0 || !at.sized {
			return Form{}, false
		}
	}
	switch {
	case w.Op == ir.OpIncDec && w.Tok == "++":
		return Number(scale), true
	case w.Op == ir.OpIncDec:
		return Number(-scale), true
	case w.Tok == "+=" || w.Tok == "-=":
		m := a.quiet(w.Kids[1])
		if w.Tok == "-=" {
			scale = -scale
		}
		return m.form.Scale(scale), m.known && !m.isPtr
	case w.Tok == "=" && w.Kids[1].Op == ir.OpBinary && (w.Kids[1].Tok == "+" || w.Kids[1].Tok == "-"):
		x, y := w.Kids[1].Kids[0], w.Kids[1].Kids[1]
		if isVar(y, v) && w.Kids[1].Tok == "+" {
			x, y = y, x
		}
		if !isVar(x, v) {
			return Form{}, false
		}
		if w.Kids[1].Tok == "-" {
			scale = -scale
		}
		m := a.quiet(y)
		return m.form.Scale(scale), m.known && !m.isPtr
	}
	return Form{}, false
}

// changes reports whether evaluating an expression may change a variable.
func changes(e *ir.Expr) bool {
	return e.Any(func(t *ir.Expr) bool { return t.Op == ir.OpAssign || t.Op == ir.OpIncDec })
}

func isVar(e *ir.Expr, v *ir.Var) bool { return e.Op == ir.OpIdent && e.Var == v }

// quiet evaluates an expression without listing its accesses.
func (a *activation) quiet(e *ir.Expr) value {
	n, g := len(a.out.Accesses), len(a.out.Gaps)
	before := a.env
	if changes(e) {
		a.env = a.copied()
	}
	v := a.eval(e)
	a.env = before
	a.out.Accesses, a.out.Gaps = a.out.Accesses[:n], a.out.Gaps[:g]
	return v
}

// unconditional calls f for the assignments in an expression that are
// evaluated whenever it is.
func unconditional(e *ir.Expr, f func(*ir.Expr)) {
	if e.Op == ir.OpAssign || e.Op == ir.OpIncDec {
		f(e)
	}
	for i, k := range e.Kids {
		if i > 0 && (e.Op == ir.OpCond || e.Op == ir.OpBinary && (e.Tok == "&&" || e.Tok == "||")) {
			return
		}
		unconditional(k, f)
	}
}

// straight calls f for the expressions of the statements that every iteration
// executes.
func straight(s *ir.Stmt, f func(*ir.Expr)) {
	switch s.Op {
	case ir.StmtCompound:
		for _, k := range s.List {
			straight(k, f)
		}
	case ir.StmtExpr, ir.StmtDecl:
		s.Exprs(f)
	case ir.StmtIf:
		if s.Cond != nil {
			unconditional(s.Cond, func(*ir.Expr) {})
		}
	}
}

// writesIn counts the assignments to a variable in a loop, those in the
// initialiser of its head aside.
func writesIn(s *ir.Stmt, v *ir.Var) int {
	n := 0
	count := func(e *ir.Expr) bool {
		if (e.Op == ir.OpAssign || e.Op == ir.OpIncDec) && isVar(e.Kids[0], v) {
			n++
		}
		return true
	}
	s.Body.WalkExprs(count)
	s.Cond.Walk(count)
	s.Post.Walk(count)
	return n
}

func hasContinue(s *ir.Stmt) bool {
	found := false
	s.Body.Walk(func(t *ir.Stmt) bool {
		found = found || t.Op == ir.StmtContinue
		return !found && !t.IsLoop()
	})
	return found
}

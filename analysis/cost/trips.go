package cost

import (
	"slices"

	"github.com/smux-cuda/smux/analysis/ir"
)

// maxHeads is the number of turns that are counted out where a loop's counter does not step by a constant.
const maxHeads = 512

// tripsOf finds how often a loop runs, the state being that before its first turn.
func (f *frame) tripsOf(s *ir.Stmt) trips {
	x := f.x
	x.mute++
	defer func() { x.mute-- }()
	if s.Cond == nil {
		return trips{}
	}
	steps := bodySteps(s)
	if steps == nil && s.Post == nil {
		return trips{}
	}
	if !onlySteps(s, steps) {
		return f.shape(s, trips{})
	}
	return f.shape(s, f.countOut(s, steps))
}

// shape finds the counter and its constant step.
func (f *frame) shape(s *ir.Stmt, t trips) trips {
	v, step, ok := f.constantStep(s)
	if !ok {
		return t
	}
	t.counter, t.step, t.linear = cell{v: v}, step, true
	t.tiled = f.tileLength(s) != nil
	return t
}

// constantStep returns the counter of a for loop that steps by a constant.
func (f *frame) constantStep(s *ir.Stmt) (*ir.Var, int64, bool) {
	p := firstStep(s.Post)
	if s.Op != ir.StmtFor || p == nil || (p.Op != ir.OpIncDec && p.Op != ir.OpAssign) || p.Kids[0].Op != ir.OpIdent || p.Kids[0].Var == nil {
		return nil, 0, false
	}
	v := p.Kids[0].Var
	if _, ok := f.cells[cell{v: v}]; !ok || writesIn(s.Body, v) {
		return nil, 0, false
	}
	if p.Op == ir.OpIncDec {
		if p.Tok == "++" {
			return v, 1, true
		}
		return v, -1, true
	}
	if p.Tok != "+=" && p.Tok != "-=" {
		return nil, 0, false
	}
	by := p.Kids[1]
	tile := f.tileLength(s)
	if tile != nil {
		by = tile
	}
	d := f.eval(by)
	if !d.uniform() || !d.isConstant() && tile == nil {
		return nil, 0, false
	}
	if p.Tok == "-=" {
		d.s = -d.s
	}
	return v, d.s, true
}

// firstStep is the first of several steps: "i += n" of "i += n, half ^= 1".
func firstStep(e *ir.Expr) *ir.Expr {
	for e != nil && e.Op == ir.OpComma {
		e = e.Kids[0]
	}
	return e
}

// tileLength returns the step of a loop over tiles in all turns but the last, nil of any other loop: "i += n"
// where each turn begins with "n = min(…)".
func (f *frame) tileLength(s *ir.Stmt) *ir.Expr {
	p := firstStep(s.Post)
	if s.Op != ir.StmtFor || p == nil || p.Op != ir.OpAssign || p.Tok != "+=" || p.Kids[1].Op != ir.OpIdent || p.Kids[1].Var == nil {
		return nil
	}
	v, writes := p.Kids[1].Var, 0
	for e := range s.Body.AllExprs() {
		if (e.Op == ir.OpAssign || e.Op == ir.OpIncDec) && e.Kids[0].Op == ir.OpIdent && e.Kids[0].Var == v {
			writes++
		}
	}
	for _, t := range bodyList(s.Body) {
		if t.Op != ir.StmtExpr || t.Expr == nil || t.Expr.Op != ir.OpAssign || t.Expr.Tok != "=" || t.Expr.Kids[0].Op != ir.OpIdent || t.Expr.Kids[0].Var != v {
			continue
		}
		if e := t.Expr.Kids[1]; writes == 1 && e.Op == ir.OpCall && e.Intrinsic().Op == "min" {
			return e
		}
	}
	return nil
}

func writesIn(s *ir.Stmt, v *ir.Var) bool {
	return s.AnyExpr(func(e *ir.Expr) bool {
		return (e.Op == ir.OpAssign || e.Op == ir.OpIncDec) && e.Kids[0].Op == ir.OpIdent && e.Kids[0].Var == v
	})
}

// bodySteps returns the assignments at the top of a loop's body to variables of
// its condition, as a while loop counts.
func bodySteps(s *ir.Stmt) []*ir.Expr {
	if s.Cond == nil {
		return nil
	}
	var out []*ir.Expr
	for _, t := range bodyList(s.Body) {
		if t.Op != ir.StmtExpr || t.Expr == nil {
			continue
		}
		e := t.Expr
		if (e.Op == ir.OpAssign || e.Op == ir.OpIncDec) && e.Kids[0].Op == ir.OpIdent && e.Kids[0].Var != nil && mentions(s.Cond, e.Kids[0].Var) {
			out = append(out, e)
		}
	}
	return out
}

func bodyList(s *ir.Stmt) []*ir.Stmt {
	if s.Op == ir.StmtCompound {
		return s.List
	}
	return []*ir.Stmt{s}
}

// onlySteps reports whether nothing else in a loop's body changes a variable of
// its condition, and nothing leaves the loop early.
func onlySteps(s *ir.Stmt, steps []*ir.Expr) bool {
	return !s.Cond.Any(func(e *ir.Expr) bool {
		return e.Op == ir.OpCall && !e.Intrinsic().Pure() || e.Op == ir.OpAssign || e.Op == ir.OpIncDec
	}) && !s.Body.AnyExpr(func(e *ir.Expr) bool {
		return (e.Op == ir.OpAssign || e.Op == ir.OpIncDec) && e.Kids[0].Op == ir.OpIdent && e.Kids[0].Var != nil && mentions(s.Cond, e.Kids[0].Var) && !slices.Contains(steps, e)
	})
}

// countOut counts the turns of a loop by its head alone.
func (f *frame) countOut(s *ir.Stmt, steps []*ir.Expr) trips {
	x := f.x
	if t, ok := f.closedForm(s); ok {
		return t
	}
	t := trips{known: true, fixed: true}
	var per []int64
	f.logged(func() {
		for n := int64(0); ; n++ {
			c := f.eval(s.Cond)
			if s.Op == ir.StmtDo && n == 0 {
				c = constant(1, intType)
			}
			if !c.known || !c.exact || n > maxHeads || x.budget < -exhausted {
				t = trips{}
				return
			}
			t.fixed = t.fixed && c.isConstant()
			if c.v != nil && per == nil {
				per = make([]int64, x.n)
				for i := range per {
					per[i] = n
				}
			}
			more := c.v == nil && c.s != 0
			for i := range per {
				if c.at(i) != 0 && per[i] == n {
					per[i]++
					more = true
				}
			}
			if per != nil {
				more = false
				for i := range per {
					more = more || per[i] == n+1
				}
			}
			if !more {
				t.most, t.v = n, per
				return
			}
			if s.Post != nil {
				f.eval(s.Post)
			}
			for _, e := range steps {
				f.eval(e)
			}
		}
	})
	return t
}

// closedForm counts the turns of "i < n; i += step" without going through them.
func (f *frame) closedForm(s *ir.Stmt) (trips, bool) {
	x := f.x
	v, step, ok := f.constantStep(s)
	if !ok {
		v, step, ok = f.uniformStep(s)
	}
	if !ok {
		v, step, ok = f.hiddenStep(s)
	}
	c := s.Cond
	if !ok || step == 0 || c.Op != ir.OpBinary || !comparison(c.Tok) || c.Tok == "==" || c.Tok == "!=" {
		return trips{}, false
	}
	left, right, tok := c.Kids[0], c.Kids[1], c.Tok
	if right.Op == ir.OpIdent && right.Var == v {
		left, right = right, left
		tok = map[string]string{"<": ">", ">": "<", "<=": ">=", ">=": "<="}[tok]
	}
	if left.Op != ir.OpIdent || left.Var != v || mentions(right, v) {
		return trips{}, false
	}
	from, to := f.cells[cell{v: v}], f.eval(right)
	if !from.known || !from.exact || !to.known || !to.exact {
		return trips{}, false
	}
	count := func(a, b int64) int64 {
		switch {
		case tok == "<" && step > 0:
			return max(0, (b-a+step-1)/step)
		case tok == "<=" && step > 0:
			return max(0, (b-a+step)/step)
		case tok == ">" && step < 0:
			return max(0, (a-b-step-1)/-step)
		case tok == ">=" && step < 0:
			return max(0, (a-b-step)/-step)
		}
		return -1
	}
	t := trips{known: true, fixed: from.isConstant() && to.isConstant()}
	if from.v == nil && to.v == nil {
		t.most = count(from.s, to.s)
		return t, t.most >= 0
	}
	t.v = make([]int64, x.n)
	same := true
	for i := range t.v {
		if t.v[i] = count(from.at(i), to.at(i)); t.v[i] < 0 {
			return trips{}, false
		}
		t.most = max(t.most, t.v[i])
		same = same && t.v[i] == t.v[0]
	}
	if same {
		t.v = nil
	}
	return t, true
}

// uniformStep is constantStep for steps that only the launch tells.
func (f *frame) uniformStep(s *ir.Stmt) (*ir.Var, int64, bool) {
	p := firstStep(s.Post)
	if s.Op != ir.StmtFor || p == nil || p.Op != ir.OpAssign || p.Tok != "+=" || p.Kids[0].Op != ir.OpIdent || p.Kids[0].Var == nil || writesIn(s.Body, p.Kids[0].Var) {
		return nil, 0, false
	}
	d := f.eval(p.Kids[1])
	return p.Kids[0].Var, d.s, d.uniform()
}

// hiddenStep is constantStep where the counter steps by one within a larger expression,
// as in "k = j++" or "j++, p += 2".
func (f *frame) hiddenStep(s *ir.Stmt) (v *ir.Var, step int64, ok bool) {
	if s.Op != ir.StmtFor || s.Post == nil {
		return nil, 0, false
	}
	writes := 0
	for e := range s.Post.All() {
		switch {
		case e.Op == ir.OpCond || e.Op == ir.OpCall || e.Op == ir.OpBinary && (e.Tok == "&&" || e.Tok == "||"):
			writes = 2 // it may not be done in each turn
		case (e.Op == ir.OpIncDec || e.Op == ir.OpAssign) && e.Kids[0].Op == ir.OpIdent && e.Kids[0].Var != nil && mentions(s.Cond, e.Kids[0].Var):
			v, step, ok = e.Kids[0].Var, 1, e.Op == ir.OpIncDec
			if e.Tok == "--" {
				step = -1
			}
			writes++
		}
	}
	if !ok || writes != 1 || writesIn(s.Body, v) {
		return nil, 0, false
	}
	_, known := f.cells[cell{v: v}]
	return v, step, known
}

func mentions(e *ir.Expr, v *ir.Var) bool {
	return e.Any(func(k *ir.Expr) bool { return k.Op == ir.OpIdent && k.Var == v })
}

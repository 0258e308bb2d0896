package demotion

import (
	"math"

	"github.com/smux-cuda/smux/analysis/ir"
)

// weigh counts the accesses of a word, and how much of the function lies between the first and the last of them.
func (x *finder) weigh(w *Word) {
	fn, v := w.Func, w.Var
	parts := float64(max(1, len(w.Fields)))
	add := func(to *float64, s *ir.Stmt, at int, n float64) {
		*to += n * x.often(fn) * math.Pow(10, float64(loops(s, at)))
	}
	if v.Init != nil {
		n := parts
		if w.Count > 0 {
			n = float64(w.Count)
		}
		add(&w.Writes, v.Decl, v.Range.Start, n)
	}
	first, last := v.Range.Start, v.Range.End
	for _, u := range x.walk(fn).uses[v] {
		n := 1.0
		if len(w.Fields) > 0 && u.field == "" {
			n = parts
		}
		if u.store || u.update {
			add(&w.Writes, u.stmt, u.ident.Range.Start, n)
		}
		if !u.store {
			add(&w.Reads, u.stmt, u.ident.Range.Start, n)
		}
		last = max(last, u.ident.Range.End)
	}
	for s := range fn.Body.All() {
		if s.IsLoop() && s.Range.Start > first && s.Range.Start < last && last < s.Range.End {
			last = s.Range.End // it is live until the loop's last time round
		}
	}
	body := fn.View.Body
	w.Span = min(1, float64(last-first)/float64(max(1, body.End-body.Start)))
}

// loops counts the loops around an offset in a statement: the initialiser of a for statement is outside of it.
func loops(s *ir.Stmt, at int) int {
	n := 0
	for ; s != nil; s = s.Parent {
		if s.IsLoop() && !(s.Init != nil && s.Init.Range.Start <= at && at < s.Init.Range.End) {
			n++
		}
	}
	return n
}

// often returns the weight of a function's body: as the call in the innermost loop.
func (x *finder) often(fn *ir.Func) float64 {
	if fn == x.k.Func {
		return 1
	}
	if n, ok := x.times[fn]; ok {
		return n
	}
	x.times[fn] = 1
	most := 1.0
	for _, g := range x.k.Functions {
		for s := range g.Body.All() {
			s.Exprs(func(top *ir.Expr) {
				for e := range top.All() {
					for _, c := range x.k.Callees(g, e) {
						if c == fn && g != fn {
							most = max(most, x.often(g)*math.Pow(10, float64(loops(s, e.Range.Start))))
						}
					}
				}
			})
		}
	}
	x.times[fn] = most
	return most
}

// steady reports whether an array's element is known when the loops around it are unrolled: its index is made of
// constants and counters of loops with constant bounds.
func (x *finder) steady(w *Word, u use) bool {
	if _, ok := x.facts.Constant(w.Func, u.index); ok {
		return true
	}
	return !u.index.Any(func(e *ir.Expr) bool {
		switch e.Op {
		case ir.OpInt, ir.OpBinary, ir.OpUnary:
			return false
		case ir.OpIdent:
			_, constant := x.facts.Constant(w.Func, e)
			return !constant && !x.counter(w.Func, u.stmt, e.Var)
		}
		return true
	})
}

// counter reports whether a variable counts a for loop around a statement from a
// constant to a constant by a constant.
func (x *finder) counter(fn *ir.Func, s *ir.Stmt, v *ir.Var) bool {
	if v == nil || v.AddrTaken {
		return false
	}
	is := func(e *ir.Expr) bool { return e.Op == ir.OpIdent && e.Var == v }
	constant := func(e *ir.Expr) bool {
		_, ok := x.facts.Constant(fn, e)
		return ok || e.Op == ir.OpIdent && e.Var != nil && e.Var.Kind == ir.VarTemplateValue
	}
	for ; s != nil; s = s.Parent {
		if s.Op != ir.StmtFor || s.Cond == nil || s.Post == nil || s.Init == nil || s.Cond.Op != ir.OpBinary {
			continue
		}
		from := false
		for _, o := range s.Init.Vars {
			from = from || o == v && v.Init != nil && constant(v.Init)
		}
		if e := s.Init.Expr; e != nil && e.Op == ir.OpAssign && is(e.Kids[0]) {
			from = constant(e.Kids[1])
		}
		step := s.Post.Op == ir.OpIncDec && is(s.Post.Kids[0]) || s.Post.Op == ir.OpAssign && s.Post.Tok != "=" && is(s.Post.Kids[0]) && constant(s.Post.Kids[1])
		bound := is(s.Cond.Kids[0]) && constant(s.Cond.Kids[1])
		if from && step && bound {
			return true
		}
	}
	return false
}

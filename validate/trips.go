package validate

import (
	"github.com/smux-cuda/smux/analysis/ir"
)

// evaluator computes what is known of integers before anything has run: constants, variables that are set once by
// what is known, and the numbers of n threads of a block.
func (al *alignment) evaluator(n int) *content {
	c := al.newContent(n)
	c.fixed = true
	return c
}

// trips runs the head of a loop for one thread and calls f in each iteration; it reports whether the loop ended, all
// that decides that was known, and f was content.
func (al *alignment) trips(loop *ir.Stmt, t int, f func(c *content) bool) bool {
	if loop.Init == nil || loop.Cond == nil || loop.Post == nil || loop.Init.Op != ir.StmtDecl {
		return false
	}
	c := al.evaluator(t + 1)
	act := make([]bool, t+1)
	act[t] = true
	for _, v := range loop.Init.Vars {
		c.declareVar(v, act)
	}
	for range 1 << 12 {
		switch on := c.eval(loop.Cond, t); {
		case on.isFalse():
			return true
		case !on.isTrue() || !f(c):
			return false
		}
		c.eval(loop.Post, t)
	}
	return false
}

// threadsOf are the threads of a v-TB that a loop has to be looked at for: all where its head or one of some
// expressions is different for them, as far as the shape of a block is known.
func (al *alignment) threadsOf(loop *ir.Stmt, of ...*ir.Expr) int {
	n := max(1, al.obj.threads())
	differs := false
	for _, e := range append(of, loop.Cond, loop.Post) {
		differs = differs || e != nil && e.Any(func(x *ir.Expr) bool { return x.Op == ir.OpIdent && (x.Var == nil || x.Var.Kind != ir.VarEnumerator) })
	}
	if !differs {
		return 1
	}
	return n
}

// elementsApart reports whether no two iterations of a loop set the same element of a value's array, and all lie in
// it: the loop is run.
func (al *alignment) elementsApart(v *ir.Var, loop *ir.Stmt, index *ir.Expr) bool {
	size := al.evaluator(1).constant(v.Dims[0])
	for t := range al.threadsOf(loop, index) {
		seen := map[int64]bool{}
		if !al.trips(loop, t, func(c *content) bool {
			i := c.eval(index, t)
			ok := i.kind == isInt && i.n >= 0 && i.n < size.n && !seen[i.n]
			seen[i.n] = true
			return ok
		}) {
			return false
		}
	}
	return size.kind == isInt
}

// sameIterations reports whether a loop uses the elements of a value's array in the iterations that set them: its
// head is the same, or it does so where a condition holds that is known.
func (al *alignment) sameIterations(t *temp, s *ir.Stmt, guard *ir.Expr) bool {
	if guard == nil {
		return al.sameHead(t.loop, s)
	}
	if len(t.loop.Init.Vars) != 1 || s.Init == nil || len(s.Init.Vars) != 1 || t.loop.Init.Vars[0].Name != s.Init.Vars[0].Name {
		return false
	}
	var set, used []int64
	ok := al.trips(t.loop, 0, func(c *content) bool { set = append(set, c.frame.vars[t.loop.Init.Vars[0]][0].n); return true })
	ok = ok && al.trips(s, 0, func(c *content) bool {
		on := c.eval(guard.Kids[0], 0)
		if on.isTrue() {
			used = append(used, c.frame.vars[s.Init.Vars[0]][0].n)
		}
		return on.kind == isInt
	})
	return ok && equalInts(set, used)
}

func equalInts(a, b []int64) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// sameHead reports whether the heads of two loops of the new text are the same.
func (al *alignment) sameHead(a, b *ir.Stmt) bool {
	_, equal := same(al.c.b.between(a.Range.Start, a.Body.Range.Start), al.c.b.between(b.Range.Start, b.Body.Range.Start))
	return equal
}

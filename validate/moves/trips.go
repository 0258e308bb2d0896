package moves

import (
	"slices"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/validate/content"
	"github.com/smux-cuda/smux/validate/kit"
	"github.com/smux-cuda/smux/validate/units"
)

// iterations runs the head of a loop for one thread, and returns of each iteration in which a condition is what is asked
// for (of each where it is nil) which element is used, if that is asked, and the loop's own variables. It reports whether
// the loop ended, and all that decides that was known.
func (al moves) iterations(loop *ir.Stmt, t int, index, cond *ir.Expr, is bool) (out [][]int64, ok bool) {
	if loop.Init == nil || loop.Cond == nil || loop.Post == nil || loop.Init.Op != ir.StmtDecl {
		return nil, false
	}
	c := content.Evaluator(al.Alignment, t+1)
	act := make([]bool, t+1)
	act[t] = true
	for _, v := range loop.Init.Vars {
		c.DeclareVar(v, act)
	}
	for range 1 << 12 {
		on := c.Eval(loop.Cond, t)
		if on.IsFalse() {
			return out, true
		}
		does := content.Truth(is)
		if cond != nil {
			does = c.Eval(cond, t)
		}
		if !on.IsTrue() || does.Kind != content.IsInt {
			return nil, false
		}
		if does.IsTrue() == is {
			var row []content.Value
			if index != nil {
				row = append(row, c.Eval(index, t))
			}
			for _, v := range loop.Init.Vars {
				row = append(row, c.Frame.Vars[v][t])
			}
			var numbers []int64
			for _, v := range row {
				if v.Kind != content.IsInt {
					return nil, false
				}
				numbers = append(numbers, v.N)
			}
			out = append(out, numbers)
		}
		c.Eval(loop.Post, t)
	}
	return nil, false
}

// apart reports whether each of some iterations has an element of an array of its own.
func (al moves) apart(rows [][]int64, v *ir.Var) bool {
	size, seen := content.Evaluator(al.Alignment, 1).Constant(v.Dims[0]), map[int64]bool{}
	for _, row := range rows {
		if size.Kind != content.IsInt || row[0] < 0 || row[0] >= size.N || seen[row[0]] {
			return false
		}
		seen[row[0]] = true
	}
	return true
}

// sameCounters reports whether two loops declare variables of the same names.
func sameCounters(a, b *ir.Stmt) bool {
	return a.Init != nil && b.Init != nil && slices.EqualFunc(a.Init.Vars, b.Init.Vars, func(v, w *ir.Var) bool { return v.Name == w.Name })
}

// threadsOf are the threads of a v-TB that a loop has to be looked at for: all where its head or one of some
// expressions is different for them, as far as the shape of a block is known.
func (al moves) threadsOf(loop *ir.Stmt, of ...*ir.Expr) int {
	n := max(1, al.Obj.Threads())
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
func (al moves) elementsApart(v *ir.Var, loop *ir.Stmt, index *ir.Expr) bool {
	for t := range al.threadsOf(loop, index) {
		if rows, ok := al.iterations(loop, t, index, nil, true); !ok || !al.apart(rows, v) {
			return false
		}
	}
	return true
}

// sameIterations reports whether a loop uses the elements of a value's array in the iterations that set them: its
// head is the same, or it does so where a condition holds that is known.
func (al moves) sameIterations(t *kit.Temp, s *ir.Stmt, guard *ir.Expr) bool {
	if guard == nil {
		return al.sameHead(t.Loop, s)
	}
	for n := range al.threadsOf(s, t.Loop.Cond, t.Loop.Post, guard.Kids[0]) {
		set, ok := al.iterations(t.Loop, n, nil, nil, true)
		used, also := al.iterations(s, n, nil, guard.Kids[0], true)
		if !ok || !also || !slices.EqualFunc(set, used, slices.Equal[[]int64]) {
			return false
		}
	}
	return sameCounters(t.Loop, s)
}

// sameHead reports whether the heads of two loops of the new text are the same.
func (al moves) sameHead(a, b *ir.Stmt) bool {
	return units.Same(al.Texts.New.Between(a.Range.Start, a.Body.Range.Start), al.Texts.New.Between(b.Range.Start, b.Body.Range.Start))
}

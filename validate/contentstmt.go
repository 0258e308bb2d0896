package validate

import (
	"slices"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/ir/effect"
)

// live returns which of some threads go on: none that jumped away.
func (c *content) live(act []bool) []bool {
	out := slices.Clone(act)
	for t := range out {
		out[t] = out[t] && !c.frame.gone[t] && !c.frame.left[t] && !c.frame.next[t]
	}
	return out
}

func anyOf(act []bool) bool { return slices.Contains(act, true) }

// stmt runs a statement for some threads.
func (c *content) stmt(s *ir.Stmt, act []bool) {
	act = c.live(act)
	if c.spent || !anyOf(act) {
		return
	}
	switch c.al.roles[s] {
	case roleActive, roleStart, roleFinish:
		return
	case roleErased, roleTurnBegin, roleSkip, roleNotMine:
		return
	case roleAcquire:
		c.acquire()
		return
	case roleRelease:
		c.release()
		return
	case roleBarrier, roleAdded, roleTurnEnd:
		c.meet(s, act)
		return
	case roleTurns:
		c.acquire()
		c.stmt(s.Body, act)
		c.release()
		return
	case roleMine, roleLead, roleGroups: // what the block before left behind nobody wrote in the original
		c.stmt(s.Body, act)
		return
	}
	switch s.Op {
	case ir.StmtCompound, ir.StmtCase, ir.StmtLabel:
		for _, t := range s.List {
			c.stmt(t, act)
		}
	case ir.StmtDecl:
		for _, v := range s.Vars {
			if g := c.callee(v.Init); g != nil && !v.Type.Ref {
				out, vals := c.call(g, v.Init, act), c.valuesOf(v)
				c.each(act, func(t int) { vals[t] = c.stored(v, out[t]) })
				continue
			}
			c.declareVar(v, act)
		}
	case ir.StmtExpr:
		if g := c.callee(s.Expr); g != nil {
			c.call(g, s.Expr, act)
			return
		}
		if e := s.Expr; e.Op == ir.OpAssign {
			if g := c.callee(e.Kids[1]); g != nil { // barriers in it are met by all threads at once
				out := c.call(g, e.Kids[1], act)
				c.each(act, func(t int) {
					if e.Tok != "=" {
						c.eval(e.Kids[0], t)
						out[t] = value{}
					}
					c.assign(e.Kids[0], out[t], t)
				})
				return
			}
		}
		c.each(act, func(t int) { c.eval(s.Expr, t) })
	case ir.StmtIf:
		c.branch(s, act)
	case ir.StmtFor, ir.StmtWhile, ir.StmtDo:
		c.loop(s, act)
	case ir.StmtReturn:
		for t, on := range act {
			if on {
				if s.Expr != nil {
					c.frame.result[t] = c.eval(s.Expr, t)
				}
				c.frame.gone[t] = true
			}
		}
	case ir.StmtBreak:
		c.leave(c.frame.left, act)
	case ir.StmtContinue:
		c.leave(c.frame.next, act)
	case ir.StmtEmpty:
	case ir.StmtSwitch:
		c.choose(s, act)
	default:
		c.each(act, func(t int) { c.readAny(t, s.Range.Start) })
	}
}

// meet is a barrier that some threads come to: in a program without undefined behaviour all that are left.
func (c *content) meet(s *ir.Stmt, act []bool) {
	for t, on := range act {
		if !on && !c.kernelGone[t] {
			c.k.doubt(Content, c.al.c.b.file, s.Range.Start, "which threads meet at this barrier can't be followed")
			return
		}
	}
	c.barrier()
}

// choose runs each case of a switch from its beginning, and keeps nothing of what they write.
func (c *content) choose(s *ir.Stmt, act []bool) {
	f := c.frame
	c.each(act, func(t int) { c.eval(s.Cond, t) })
	c.forget(s)
	before := c.stand()
	for _, t := range s.Body.List {
		c.stmt(t, act)
		f.unsure = f.unsure || !slices.Equal(before.next, f.next)
		c.returnsMaybe(before)
		c.back(before)
		c.overwritesIn(s)
		c.forget(s)
	}
}

func (c *content) leave(how, act []bool) {
	for t, on := range act {
		how[t] = how[t] || on
	}
}

func (c *content) each(act []bool, f func(t int)) {
	for t, on := range act {
		if on && !c.spent {
			f(t)
			if c.steps++; c.steps > maxSteps {
				c.spent = true
			}
		}
	}
}

func (c *content) declareVar(v *ir.Var, act []bool) {
	if v.Kind == ir.VarShared {
		return
	}
	vals := c.valuesOf(v)
	c.each(act, func(t int) {
		vals[t] = value{}
		switch {
		case v.Init == nil:
		case v.Type.Ref:
			vals[t] = c.placeOf(v.Init, t)
		default:
			vals[t] = c.stored(v, c.eval(v.Init, t))
		}
	})
}

// stored returns a value as a variable keeps it.
func (c *content) stored(v *ir.Var, x value) value {
	switch {
	case len(v.Dims) > 0 || v.AddrTaken && x.kind == isInt:
		return value{}
	case x.kind == isPlace:
		if len(x.place.index) == len(x.place.array.dims) {
			return value{} // an element's value
		}
		return value{kind: isPointer, place: x.place.decay()}
	case x.kind == isInt && v.Type.Ptr == 0 && v.Type.IsAuto():
		return x
	case x.kind == isInt && v.Type.Ptr == 0:
		return converted(x, v.Type.Base)
	case x.kind == isPointer && v.Type.Ptr != 1 && !v.Type.IsAuto(), x.kind == isPointer && !v.Type.IsAuto() && v.Type.Base != x.place.array.v.Type.Base:
		return value{kind: isShared}
	}
	return x
}

func (c *content) valuesOf(v *ir.Var) []value {
	vals := c.frame.vars[v]
	if vals == nil {
		vals = make([]value, c.n)
		c.frame.vars[v] = vals
	}
	return vals
}

// branch runs an if. Threads of which the condition is known take their branch; the others both, and keep
// what both did.
func (c *content) branch(s *ir.Stmt, act []bool) {
	if s.Init != nil {
		c.stmt(s.Init, act)
	}
	then, other, unsure := make([]bool, c.n), make([]bool, c.n), make([]bool, c.n)
	c.each(act, func(t int) {
		switch v := c.condition(s, t); {
		case v.isTrue():
			then[t] = true
		case v.isFalse():
			other[t] = true
		default:
			unsure[t] = true
		}
	})
	c.stmt(s.Body, then)
	if s.Else != nil {
		c.stmt(s.Else, other)
	}
	if !anyOf(unsure) {
		return
	}
	before := c.stand()
	c.maybe(s.Body, unsure, before)
	one := c.stand()
	c.back(before)
	if s.Else != nil {
		c.maybe(s.Else, unsure, before)
		c.frame.gone, c.frame.left, c.frame.next = before.gone, before.left, before.next
	}
	if one.turn != c.turn {
		c.k.doubt(Content, c.al.c.b.file, s.Range.Start, "a turn begins or ends in a branch")
	}
	c.sets.both(one.sets)
	c.later = c.later || one.later
	c.forgetIn(s, unsure)
}

// maybe runs a statement for threads that may come by it or not, which is not known of their jumps either.
func (c *content) maybe(s *ir.Stmt, act []bool, before standing) {
	c.stmt(s, act)
	c.frame.unsure = c.frame.unsure || !slices.Equal(before.left, c.frame.left) || !slices.Equal(before.next, c.frame.next)
	c.returnsMaybe(before)
}

// returnsMaybe notes that threads that returned since may have done so with what was written before.
func (c *content) returnsMaybe(before standing) {
	switch f := c.frame; {
	case slices.Equal(before.gone, f.gone):
	case f.returned == nil:
		f.returned = before.sets.clone()
	default:
		f.returned.both(before.sets)
	}
}

// condition evaluates the condition of an if or a loop.
func (c *content) condition(s *ir.Stmt, t int) value {
	if s.Preproc || s.Cond == nil {
		if s.IsLoop() && s.Cond == nil {
			return integer(1)
		}
		return value{}
	}
	return c.eval(s.Cond, t)
}

// loop runs a loop to its end where that is known for all threads, and else once for all iterations.
func (c *content) loop(s *ir.Stmt, act []bool) {
	f := c.frame
	left, next, unsure := f.left, f.next, f.unsure
	defer func() { f.left, f.next, f.unsure = left, next, unsure }()
	f.left, f.next, f.unsure = make([]bool, c.n), make([]bool, c.n), false
	if s.Init != nil {
		c.stmt(s.Init, act)
	}
	before, doubts := c.stand(), slices.Clone(c.k.Doubts)
	if c.unrolled(s, act) {
		return
	}
	again := func() {
		c.k.Doubts = slices.Clone(doubts)
		c.back(before)
		f.left, f.next = make([]bool, c.n), make([]bool, c.n)
	}
	again()
	if f.unsure && len(c.al.inRows) > 0 && c.counts(s, act, before) {
		return
	}
	// Once for any iteration.
	again()
	if s.Any(func(t *ir.Stmt) bool { return c.al.roles[t] == roleAcquire || c.al.roles[t] == roleTurns }) {
		c.later = true
		if c.turn {
			c.k.doubt(Content, c.al.c.b.file, s.Range.Start, "a loop is entered in a turn and begins another")
		}
	}
	c.forget(s)
	c.overwritesIn(s)
	if s.Cond != nil {
		c.each(c.live(act), func(t int) { c.eval(s.Cond, t) })
	}
	c.stmt(s.Body, act)
	f.next = make([]bool, c.n)
	if s.Post != nil {
		c.each(c.live(act), func(t int) { c.eval(s.Post, t) })
	}
	c.returnsMaybe(before)
	f.gone = before.gone
	c.sets, c.turn, c.reading = before.sets, before.turn, before.reading
	c.overwritesIn(s)
	c.forget(s)
}

// counts runs each iteration of a loop that may end early as if nothing but its counter were known, and nothing that
// iterations wrote behind it. It reports whether the counter is known in each.
func (c *content) counts(s *ir.Stmt, act []bool, before standing) bool {
	if s.Cond == nil || s.Post == nil || some(s, c.k.state.meetsBarrier) {
		return false
	}
	f, known := c.frame, true
	for round := 0; known && round < 1<<12; round++ {
		c.overwritesIn(s)
		c.forget(s.Body)
		on := c.live(act)
		c.each(on, func(t int) {
			v := c.condition(s, t)
			known = known && v.kind == isInt
			on[t] = v.isTrue()
		})
		if known && !anyOf(on) {
			c.forget(s)
			return !c.spent
		}
		c.stmt(s.Body, on)
		f.left, f.next = make([]bool, c.n), make([]bool, c.n)
		c.each(c.live(on), func(t int) { c.eval(s.Post, t) })
		c.returnsMaybe(before)
		f.gone = slices.Clone(before.gone)
		c.sets = before.sets.clone()
	}
	return false
}

// unrolled runs a loop iteration by iteration, and reports whether all that decides its end was known.
func (c *content) unrolled(s *ir.Stmt, act []bool) bool {
	f := c.frame
	on := c.live(act)
	for round := 0; anyOf(on) && !c.spent; round++ {
		if s.Op != ir.StmtDo || round > 0 {
			known := true
			c.each(on, func(t int) {
				v := c.condition(s, t)
				if v.kind != isInt {
					known = false
				}
				on[t] = v.isTrue()
			})
			if !known || round > 1<<16 {
				return false
			}
		}
		c.stmt(s.Body, on)
		if f.unsure {
			return false
		}
		clear(f.next)
		on = c.live(on)
		if s.Post != nil {
			c.each(on, func(t int) { c.eval(s.Post, t) })
		}
	}
	return true
}

// forget makes everything unknown that a statement may change.
func (c *content) forget(s *ir.Stmt) { c.forgetIn(s, nil) }

// forgetIn does so for some threads; for all where act is nil.
func (c *content) forgetIn(s *ir.Stmt, act []bool) {
	mark := func(v *ir.Var) {
		if v == nil {
			return
		}
		vals := c.frame.vars[v]
		for t := range vals {
			if act == nil || act[t] {
				if vals[t].kind == isPointer || vals[t].kind == isShared || vals[t].kind == isPlace {
					vals[t] = value{kind: isShared}
				} else {
					vals[t] = value{}
				}
			}
		}
	}
	s.Walk(func(t *ir.Stmt) bool {
		t.Exprs(func(e *ir.Expr) {
			e.Walk(func(x *ir.Expr) bool {
				switch {
				case x.Op == ir.OpAssign || x.Op == ir.OpIncDec:
					if root := x.Kids[0].Root(); root != nil {
						mark(root.Var)
					}
				case effect.IsOpaque(x.Op):
					x.Walk(func(named *ir.Expr) bool { mark(named.Var); return true })
				case x.Op == ir.OpCall && !c.k.state.leavesArguments(x):
					for _, arg := range x.Args() {
						if arg.Op == ir.OpIdent {
							mark(arg.Var)
						}
					}
				}
				return true
			})
		})
		return true
	})
}

// overwritesIn does so for all that a statement may write, in any order and again and again.
func (c *content) overwritesIn(s *ir.Stmt) {
	if c.over == nil {
		return
	}
	st := c.k.state
	written := map[*array]bool{} // nil for any
	write := func(e *ir.Expr) {
		root := base(e)
		switch {
		case root == nil || root.Var == nil:
			written[nil] = true
		case c.arrays[root.Var] != nil:
			written[c.arrays[root.Var]] = true
		case st.tainted[root.Var] && e.Op != ir.OpIdent:
			written[nil] = true
		}
	}
	walk(s, func(e *ir.Expr) bool {
		switch e.Op {
		case ir.OpAssign, ir.OpIncDec:
			write(e.Kids[0])
		case ir.OpCall:
			for i, arg := range e.Args() {
				switch {
				case !st.address(arg, true):
				case i == 0 && e.Intrinsic().IsAtomic() && arg.Op == ir.OpAddr:
					write(arg.Kids[0])
				default:
					written[nil] = true
				}
			}
		}
		if effect.IsOpaque(e.Op) {
			written[nil] = true
		}
		return true
	})
	for range 2 { // what comes first in the text may come behind it in the next iteration
		for a := range written {
			c.overwrites(a)
		}
	}
}

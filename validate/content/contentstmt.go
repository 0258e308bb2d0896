package content

import (
	"slices"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/ir/effect"
	"github.com/smux-cuda/smux/validate/kit"
)

// live returns which of some threads go on: none that jumped away.
func (c *content) live(act []bool) []bool {
	out := slices.Clone(act)
	for t := range out {
		out[t] = out[t] && !c.Frame.gone[t] && !c.Frame.left[t] && !c.Frame.next[t]
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
	switch c.al.Roles[s] {
	case kit.RoleActive, kit.RoleStart, kit.RoleFinish:
		return
	case kit.RoleErased, kit.RoleTurnBegin, kit.RoleSkip, kit.RoleNotMine:
		return
	case kit.RoleAcquire:
		c.acquire()
		return
	case kit.RoleRelease:
		c.release()
		return
	case kit.RoleBarrier, kit.RoleAdded, kit.RoleTurnEnd:
		c.meet(s, act)
		return
	case kit.RoleTurns:
		c.acquire()
		c.stmt(s.Body, act)
		c.release()
		return
	case kit.RoleMine, kit.RoleLead, kit.RoleGroups: // what the block before left behind nobody wrote in the original
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
			c.DeclareVar(v, act)
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
						c.Eval(e.Kids[0], t)
						out[t] = Value{}
					}
					c.assign(e.Kids[0], out[t], t)
				})
				return
			}
		}
		c.each(act, func(t int) { c.Eval(s.Expr, t) })
	case ir.StmtIf:
		c.branch(s, act)
	case ir.StmtFor, ir.StmtWhile, ir.StmtDo:
		c.loop(s, act)
	case ir.StmtReturn:
		for t, on := range act {
			if on {
				if s.Expr != nil {
					c.Frame.result[t] = c.Eval(s.Expr, t)
				}
				c.Frame.gone[t] = true
			}
		}
	case ir.StmtBreak:
		leave(c.Frame.left, act)
	case ir.StmtContinue:
		leave(c.Frame.next, act)
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
			c.k.Doubt(kit.Content, c.al.Texts.New.File, s.Range.Start, "which threads meet at this barrier can't be followed")
			return
		}
	}
	c.barrier()
}

// choose runs each case of a switch from its beginning, and keeps nothing of what they write.
func (c *content) choose(s *ir.Stmt, act []bool) {
	f := c.Frame
	c.each(act, func(t int) { c.Eval(s.Cond, t) })
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

func leave(how, act []bool) {
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

func (c *content) DeclareVar(v *ir.Var, act []bool) {
	if v.Kind == ir.VarShared {
		return
	}
	vals := c.valuesOf(v)
	c.each(act, func(t int) {
		vals[t] = Value{}
		switch {
		case v.Init == nil:
		case v.Type.Ref:
			vals[t] = c.placeOf(v.Init, t)
		default:
			vals[t] = c.stored(v, c.Eval(v.Init, t))
		}
	})
}

// stored returns a value as a variable keeps it.
func (c *content) stored(v *ir.Var, x Value) Value {
	switch {
	case len(v.Dims) > 0 || v.AddrTaken && x.Kind == IsInt:
		return Value{}
	case x.Kind == isPlace && len(x.place.index) == len(x.place.array.dims):
		return Value{} // an element's value
	case v.AddrTaken && x.Kind > IsInt:
		return Value{Kind: isShared} // it may change unseen
	case x.Kind == isPlace:
		return Value{Kind: isPointer, place: x.place.decay()}
	case x.Kind == IsInt && v.Type.Ptr == 0 && v.Type.Deduced():
		return x
	case x.Kind == IsInt && v.Type.Ptr == 0:
		return Converted(x, v.Type.Base)
	case x.Kind == isPointer && v.Type.Ptr != 1 && !v.Type.IsAuto(), x.Kind == isPointer && !v.Type.IsAuto() && v.Type.Base != x.place.array.v.Type.Base:
		return Value{Kind: isShared}
	}
	return x
}

func (c *content) valuesOf(v *ir.Var) []Value {
	vals := c.Frame.Vars[v]
	if vals == nil {
		vals = make([]Value, c.N)
		c.Frame.Vars[v] = vals
	}
	return vals
}

// branch runs an if. Threads of which the condition is known take their branch; the others both, and keep
// what both did.
func (c *content) branch(s *ir.Stmt, act []bool) {
	if s.Init != nil {
		c.stmt(s.Init, act)
	}
	then, other, unsure := make([]bool, c.N), make([]bool, c.N), make([]bool, c.N)
	c.each(act, func(t int) {
		switch v := c.condition(s, t); {
		case v.IsTrue():
			then[t] = true
		case v.IsFalse():
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
		c.Frame.gone, c.Frame.left, c.Frame.next = before.gone, before.left, before.next
	}
	if one.turn != c.Turn {
		c.k.Doubt(kit.Content, c.al.Texts.New.File, s.Range.Start, "a turn begins or ends in a branch")
	}
	c.sets.both(one.sets)
	c.later = c.later || one.later
	c.forgetIn(s, unsure)
}

// maybe runs a statement for threads that may come by it or not, which is not known of their jumps either.
func (c *content) maybe(s *ir.Stmt, act []bool, before standing) {
	c.stmt(s, act)
	c.Frame.unsure = c.Frame.unsure || !slices.Equal(before.left, c.Frame.left) || !slices.Equal(before.next, c.Frame.next)
	c.returnsMaybe(before)
}

// returnsMaybe notes that threads that returned since may have done so with what was written before.
func (c *content) returnsMaybe(before standing) {
	switch f := c.Frame; {
	case slices.Equal(before.gone, f.gone):
	case f.returned == nil:
		f.returned = before.sets.clone()
	default:
		f.returned.both(before.sets)
	}
}

// condition evaluates the condition of an if or a loop.
func (c *content) condition(s *ir.Stmt, t int) Value {
	if s.Preproc || s.Cond == nil {
		if s.IsLoop() && s.Cond == nil {
			return Integer(1)
		}
		return Value{}
	}
	return c.Eval(s.Cond, t)
}

// loop runs a loop to its end where that is known for all threads, and else once for all iterations.
func (c *content) loop(s *ir.Stmt, act []bool) {
	f := c.Frame
	left, next, unsure := f.left, f.next, f.unsure
	defer func() { f.left, f.next, f.unsure = left, next, unsure }()
	f.left, f.next, f.unsure = make([]bool, c.N), make([]bool, c.N), false
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
		f.left, f.next = make([]bool, c.N), make([]bool, c.N)
	}
	again()
	if f.unsure && len(c.al.InRows) > 0 && c.counts(s, act, before) {
		return
	}
	// Once for any iteration.
	again()
	if s.Any(func(t *ir.Stmt) bool { return c.al.Roles[t] == kit.RoleAcquire || c.al.Roles[t] == kit.RoleTurns }) {
		c.later = true
		if c.Turn {
			c.k.Doubt(kit.Content, c.al.Texts.New.File, s.Range.Start, "a loop is entered in a turn and begins another")
		}
	}
	c.forget(s)
	c.overwritesIn(s)
	if s.Cond != nil {
		c.each(c.live(act), func(t int) { c.Eval(s.Cond, t) })
	}
	c.stmt(s.Body, act)
	f.next = make([]bool, c.N)
	if s.Post != nil {
		c.each(c.live(act), func(t int) { c.Eval(s.Post, t) })
	}
	c.returnsMaybe(before)
	f.gone = before.gone
	c.sets, c.Turn, c.Reading = before.sets, before.turn, before.reading
	c.overwritesIn(s)
	c.forget(s)
}

// counts runs each iteration of a loop that may end early as if nothing but its counter were known, and nothing that
// iterations wrote after it. It reports whether the counter is known in each.
func (c *content) counts(s *ir.Stmt, act []bool, before standing) bool {
	if s.Cond == nil || s.Post == nil || kit.Some(s, c.k.State.MeetsBarrier) {
		return false
	}
	f, known := c.Frame, true
	for round := 0; known && round < 1<<12; round++ {
		c.overwritesIn(s)
		c.forget(s.Body)
		on := c.live(act)
		c.each(on, func(t int) {
			v := c.condition(s, t)
			known = known && v.Kind == IsInt
			on[t] = v.IsTrue()
		})
		if known && !anyOf(on) {
			c.forget(s)
			return !c.spent
		}
		c.stmt(s.Body, on)
		f.left, f.next = make([]bool, c.N), make([]bool, c.N)
		c.each(c.live(on), func(t int) { c.Eval(s.Post, t) })
		c.returnsMaybe(before)
		f.gone = slices.Clone(before.gone)
		c.sets = before.sets.clone()
	}
	return false
}

// unrolled runs a loop iteration by iteration, and reports whether all that decides its end was known.
func (c *content) unrolled(s *ir.Stmt, act []bool) bool {
	f := c.Frame
	on := c.live(act)
	for round := 0; anyOf(on) && !c.spent; round++ {
		if s.Op != ir.StmtDo || round > 0 {
			known := true
			c.each(on, func(t int) {
				v := c.condition(s, t)
				if v.Kind != IsInt {
					known = false
				}
				on[t] = v.IsTrue()
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
			c.each(on, func(t int) { c.Eval(s.Post, t) })
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
		vals := c.Frame.Vars[v]
		for t := range vals {
			if act == nil || act[t] {
				if vals[t].Kind == isPointer || vals[t].Kind == isShared || vals[t].Kind == isPlace {
					vals[t] = Value{Kind: isShared}
				} else {
					vals[t] = Value{}
				}
			}
		}
	}
	for x := range s.AllExprs() {
		switch {
		case x.Op == ir.OpAssign || x.Op == ir.OpIncDec:
			if root := x.Kids[0].Root(); root != nil {
				mark(root.Var)
			}
		case effect.IsOpaque(x.Op):
			for named := range x.All() {
				mark(named.Var)
			}
		case x.Op == ir.OpCall && !c.k.State.LeavesArguments(x):
			for _, arg := range x.Args() {
				if arg.Op == ir.OpIdent {
					mark(arg.Var)
				}
			}
		}
	}
}

// overwritesIn does so for all that a statement may write, in any order and again and again.
func (c *content) overwritesIn(s *ir.Stmt) {
	if c.Over == nil {
		return
	}
	st := c.k.State
	written := map[*Array]bool{} // nil for any
	write := func(e *ir.Expr) {
		root := kit.Base(e)
		switch {
		case root == nil || root.Var == nil:
			written[nil] = true
		case c.Arrays[root.Var] != nil:
			written[c.Arrays[root.Var]] = true
		case st.Tainted[root.Var] && e.Op != ir.OpIdent:
			written[nil] = true
		}
	}
	kit.Walk(s, func(e *ir.Expr) bool {
		switch e.Op {
		case ir.OpAssign, ir.OpIncDec:
			write(e.Kids[0])
		case ir.OpCall:
			for i, arg := range e.Args() {
				switch {
				case !st.Address(arg, true):
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
	for range 2 { // what comes first in the text may come after it in the next iteration
		for a := range written {
			c.overwrites(a)
		}
	}
}

package rewrite

import (
	"github.com/smux-cuda/smux/analysis/intrinsic"
	"github.com/smux-cuda/smux/analysis/ir"
)

// barrierCall handles a statement in which a call holds a barrier: all v-TBs
// make the call in every turn, and only the one whose turn it is takes its
// result.
func (c *cutter) barrierCall(s *ir.Stmt, e *ir.Expr, v *ir.Var, top bool) {
	f := c.fn.File
	call, target := e, (*ir.Expr)(nil)
	if v == nil && e.Op == ir.OpAssign {
		target, call = e.Kids[0], e.Kids[1]
	}
	if call == nil || call.Op != ir.OpCall || !c.k().BarrierHere(c.fn, call) || s.Macro || e.Macro {
		c.refuse(f, s.Range.Start, CodeBarrierCall, "a barrier deep inside an expression")
		return
	}
	if target != nil && c.k().Touches(c.fn, target) || target != nil && !c.k().IsPure(c.fn, target) {
		c.refuse(f, s.Range.Start, CodeBarrierCall, "the result of a call that holds a barrier goes to memory")
		return
	}
	c.safeArguments(call)
	if v == nil && target == nil {
		return
	}
	tmp := c.temporary("r")
	if v != nil {
		d, ok := c.declaration(v)
		if !ok || c.captures(v) {
			return
		}
		if top && c.region != nil {
			c.hoisted = append(c.hoisted, d)
		} else {
			c.into(func() { c.insertBefore(f, s.Outer.Start, d) })
		}
		c.buf.Replace(s.Range.Start, call.Range.Start, "const auto "+tmp+" = ")
		c.buf.Insert(s.Range.End, " if ("+c.mine+") "+v.Name+" = "+tmp+";")
		return
	}
	c.buf.Replace(s.Range.Start, call.Range.Start, "{ const auto "+tmp+" = ")
	c.buf.Insert(s.Range.End, " if ("+c.mine+") "+text(f, target.Range)+" "+e.Tok+" "+tmp+"; }")
}

// safeArguments checks that v-TBs whose turn it is not can evaluate a call's
// arguments, too: they may hold variables that these have not set yet, so no
// address may be followed. The predicate of a barrier that votes is masked.
func (c *cutter) safeArguments(call *ir.Expr) {
	if form := intrinsic.Of(call.Name).Forms.Block; form.Act == intrinsic.Masked && c.k().IsVote(c.fn, call) {
		mask := c.mine + " && ("
		if form.Text == "true" {
			mask = "!(" + c.mine + ") || ("
		}
		c.buf.Insert(call.ArgsRange.Start+1, mask)
		c.buf.Insert(call.ArgsRange.End-1, ")")
		return
	}
	for i, a := range call.Args() {
		if !c.safeArgument(a, c.bindsReference(call, i)) {
			c.refuse(c.fn.File, a.Range.Start, CodeBarrierCall, "an argument of a call that holds a barrier reads memory")
		}
	}
}

// safeArgument is safeArguments for one of them; bound says that its address alone
// is taken.
func (c *cutter) safeArgument(a *ir.Expr, bound bool) bool {
	safe := true
	a.Walk(func(e *ir.Expr) bool {
		switch e.Op {
		case ir.OpAssign, ir.OpIncDec, ir.OpDeref, ir.OpIndex, ir.OpAsm, ir.OpLambda, ir.OpUnknown, ir.OpNew:
			safe = false
		case ir.OpMember:
			safe = safe && !e.Arrow
		case ir.OpIdent:
			// Another v-TB may write it meanwhile, or hold it in its own turn alone.
			s := c.k().SharedVar(c.fn, e)
			value := s != nil && len(s.Var.Dims) == 0 && !s.Dynamic
			value = value || e.Var != nil && e.Var.Type.Ref && c.k().MayPoint(e.Var)
			safe = safe && (!value || bound && e == a)
		case ir.OpAddr, ir.OpSizeof:
			return false // an address is computed, not followed
		case ir.OpCall:
			safe = safe && c.k().IsPureCall(c.fn, e)
		}
		return safe
	})
	return safe
}

// bindsReference reports whether all functions that a call may mean take an
// argument by reference.
func (c *cutter) bindsReference(call *ir.Expr, arg int) bool {
	callees := c.k().Callees(c.fn, call)
	for _, f := range callees {
		if arg >= len(f.Params) || !f.Params[arg].Type.Ref {
			return false
		}
	}
	return len(callees) > 0
}

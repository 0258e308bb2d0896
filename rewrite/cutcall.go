package rewrite

import (
	"fmt"

	"github.com/smux-cuda/smux/analysis/intrinsic"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/parser"
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
	out := &callResult{stmt: s, call: call, v: v, target: target, tok: e.Tok}
	if v != nil {
		d, ok := c.declaration(v)
		if !ok || c.captures(v) {
			return
		}
		if top && c.region != nil {
			c.hoisted = append(c.hoisted, d)
		} else {
			out.hoisted = []hoisted{d}
		}
	}
	c.add(out)
}

// callResult is a call that all v-TBs make, of which only the one whose turn it is takes
// the result.
//
//	x = sum(s);    -->    { const auto smux_r1 = sum(s); if (vtb.id == turn) x = smux_r1; }
type callResult struct {
	stmt    *ir.Stmt
	call    *ir.Expr
	v       *ir.Var   // that is declared with the result, else nil
	hoisted []hoisted // its declaration, where that goes right before the call
	target  *ir.Expr  // what the result is assigned to otherwise
	tok     string    // by which operator
}

func (r *callResult) places(f *parser.File) ranges {
	s := r.stmt.Range
	out := ranges{{Start: s.Start, End: r.call.Range.Start}, {Start: s.End, End: s.End}}
	if len(r.hoisted) > 0 {
		out = append(out, pointBefore(f, r.stmt.Outer.Start))
	}
	return out
}

func (r *callResult) describe(f *parser.File) string {
	out := fmt.Sprintf("result of %s at %s", r.call.Name, lineColumn(f, r.call.Range.Start))
	for _, h := range r.hoisted {
		out += " behind " + h.describe(f)
	}
	return out
}

func (r *callResult) write(w *cutWriter) {
	f, s := w.fn.File, r.stmt.Range
	v := values{"r": w.temporary("r"), "mine": w.mine}
	open, closing := "const auto $r = ", " if ($mine) $x = $r;"
	if r.v != nil {
		v["x"] = r.v.Name
	} else {
		open, closing = "{ "+open, " if ($mine) $x $op $r; }"
		v["x"], v["op"] = text(f, r.target.Range), r.tok
	}
	if len(r.hoisted) > 0 {
		w.insertBefore(f, r.stmt.Outer.Start, declarations(f, r.hoisted)...)
	}
	w.buf.Replace(s.Start, r.call.Range.Start, cuda(open, v)[0])
	w.buf.Insert(s.End, cuda(closing, v)[0])
}

// safeArguments checks that v-TBs whose turn it is not can evaluate a call's
// arguments, too: they may hold variables that these have not set yet, so no
// address may be followed. The predicate of a barrier that votes is masked.
func (c *cutter) safeArguments(call *ir.Expr) {
	if form := intrinsic.Of(call.Name).Forms.Block; form.Act == intrinsic.Masked && c.k().IsVote(c.fn, call) {
		c.add(maskedVote{call, form.Text == "true"})
		return
	}
	for i, a := range call.Args() {
		if !c.safeArgument(a, c.bindsReference(call, i)) {
			c.refuse(c.fn.File, a.Range.Start, CodeBarrierCall, "an argument of a call that holds a barrier reads memory")
		}
	}
}

// maskedVote is a barrier that votes, whose predicate counts for the v-TB alone whose
// turn it is.
type maskedVote struct {
	*ir.Expr
	holds bool // for the others it holds
}

func (m maskedVote) places(*parser.File) ranges {
	open, end := m.ArgsRange.Start+1, m.ArgsRange.End-1
	return ranges{{Start: open, End: open}, {Start: end, End: end}}
}

func (m maskedVote) describe(f *parser.File) string {
	return fmt.Sprintf("vote of %s at %s", m.Name, lineColumn(f, m.Range.Start))
}

func (m maskedVote) write(w *cutWriter) {
	mask := w.mine + " && ("
	if m.holds {
		mask = "!(" + w.mine + ") || ("
	}
	w.buf.Insert(m.ArgsRange.Start+1, mask)
	w.buf.Insert(m.ArgsRange.End-1, ")")
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

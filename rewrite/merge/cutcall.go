package merge

import (
	"slices"

	"github.com/smux-cuda/smux/analysis/barriers"
	"github.com/smux-cuda/smux/analysis/intrinsic"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/ir/effect"
	"github.com/smux-cuda/smux/analysis/pointers"
	"github.com/smux-cuda/smux/rewrite/kit"
)

// barrierCall handles a statement in which a call holds a barrier: all v-TBs make the call in every turn, and only
// the one whose turn it is takes its result.
func (c *cutter) barrierCall(s *ir.Stmt, e *ir.Expr, v *ir.Var, top bool) {
	f := c.fn.File
	call, target := e, (*ir.Expr)(nil)
	if v == nil && e.Op == ir.OpAssign {
		target, call = e.Kids[0], e.Kids[1]
	}
	if call == nil || call.Op != ir.OpCall || !barriers.BarrierHere(c.k(), c.fn, call) || s.Macro || e.Macro {
		c.Refuse(f, s.Range.Start, CodeBarrierCall, "a barrier deep inside an expression")
		return
	}
	if target != nil && pointers.Touches(c.k(), c.fn, target) || target != nil && !c.k().IsPure(c.fn, target) {
		c.Refuse(f, s.Range.Start, CodeBarrierCall, "the result of a call that holds a barrier goes to memory")
		return
	}
	c.safeArguments(s, call)
	if v == nil && target == nil {
		return
	}
	var before []hoisted
	r := callResult{target: target, tok: e.Tok}
	if v != nil {
		d, ok := c.Declaration(v)
		if !ok || c.captures(v) {
			return
		}
		r.v = v
		if top && c.region != nil {
			c.hoisted = append(c.hoisted, d)
		} else {
			before = append(before, d)
		}
	}
	c.add("result", s, kit.Ranges{{Start: s.Range.Start, End: call.Range.Start}, point(s.Range.End)}, r, before...)
}

// callResult is a call that all v-TBs make, of which only the one whose turn it is takes the result.
//
//	x = sum(s);    -->    { const auto smux_r1 = sum(s); if (vtb.id == turn) x = smux_r1; }
type callResult struct {
	v      *ir.Var  // that is declared with the result, else nil
	target *ir.Expr // what the result is assigned to otherwise
	tok    string   // by which operator
}

func (r callResult) write(w *cutWriter, e cutEdit) {
	f := w.fn.File
	v := kit.Values{"r": w.Temporary("r"), "mine": w.mine}
	open, closing := "const auto $r = ", " if ($mine) $x = $r;"
	if r.v != nil {
		v["x"] = r.v.Name
	} else {
		open, closing = "{ "+open, " if ($mine) $x $op $r; }"
		v["x"], v["op"] = kit.Text(f, r.target.Range), r.tok
	}
	if len(e.hoisted) > 0 {
		w.InsertBefore(f, e.stmt.Outer.Start, declarations(f, e.hoisted)...)
	}
	w.replace(e, kit.Cuda(open, v)[0])
	w.insert(e, 1, kit.Cuda(closing, v)[0])
}

// safeArguments checks that v-TBs whose turn it is not can evaluate a call's arguments, too: they may hold variables
// that these have not set yet, so no address may be followed. The predicate of a barrier that votes is masked.
func (c *cutter) safeArguments(s *ir.Stmt, call *ir.Expr) {
	if form := intrinsic.Of(call.Name).Forms.Block; form.Act == intrinsic.Masked && barriers.IsVote(c.k(), c.fn, call) {
		places := kit.Ranges{point(call.ArgsRange.Start + 1), point(call.ArgsRange.End - 1)}
		c.add("vote", s, places, maskedVote{form.Text == "true"})
		return
	}
	for i, a := range call.Args() {
		if !c.safeArgument(a, c.bindsReference(call, i)) {
			c.Refuse(c.fn.File, a.Range.Start, CodeBarrierCall, "an argument of a call that holds a barrier reads memory")
		}
	}
}

// maskedVote is a barrier that votes, whose predicate counts for the v-TB alone whose
// turn it is; for the others it holds or not.
type maskedVote struct{ holds bool }

func (m maskedVote) write(w *cutWriter, e cutEdit) {
	mask := w.mine + " && ("
	if m.holds {
		mask = "!(" + w.mine + ") || ("
	}
	w.insert(e, 0, mask)
	w.insert(e, 1, ")")
}

// safeArgument is safeArguments for one of them; bound says that its address alone
// is taken. Another v-TB may write what it reads meanwhile, or hold it in its own turn alone.
func (c *cutter) safeArgument(a *ir.Expr, bound bool) bool {
	if bound && a.Op == ir.OpIdent {
		return true
	}
	return c.k().IsPure(c.fn, a) && c.k().Effect(c.fn, a).Without(effect.ReadsGiven).Anywhere() && !a.Any(func(e *ir.Expr) bool {
		return e.Op == ir.OpIdent && e.Var != nil && e.Var.Type.Ref && pointers.MayPoint(c.k(), e.Var)
	})
}

// bindsReference reports whether all functions that a call may mean take an argument by reference.
func (c *cutter) bindsReference(call *ir.Expr, arg int) bool {
	callees := c.k().Callees(c.fn, call)
	return !slices.ContainsFunc(callees, func(f *ir.Func) bool { return arg >= len(f.Params) || !f.Params[arg].Type.Ref }) && len(callees) > 0
}

package merge

import (
	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/barriers"
	"github.com/smux-cuda/smux/analysis/intrinsic"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/rewrite/kit"
)

// bodyChange is a place in the body of a kernel or device function that must change wherever its statement stands: a
// call of a function that has a new form, a barrier that becomes the v-TB's own, or a question that the v-TB answers.
//
//	f(a);              -->  f(vtb, a);
//	__syncthreads();   -->  vtb.sync();
//	block.size()       -->  vtb.size()
//	tile.meta_group_rank()  -->  (vtb.thread_rank() / tile.size())
type bodyChange struct {
	fn     *ir.Func // in which it stands
	call   *ir.Expr
	at     ir.Range   // what is replaced, or where an argument is inserted
	method string     // of the v-TB, which comes in its place, with parentheses unless they are there
	tile   string     // the tile that is asked for its number, else ""
	callee *formProof // what is called, nil for the others
}

// String says what changes where.
func (c bodyChange) String() string {
	at := kit.LineColumn(c.fn.File, c.call.Range.Start)
	if c.callee != nil {
		return c.callee.Fn.View.Name + " at " + at
	}
	return c.method + " at " + at
}

// placesOf are the places of changes.
func placesOf(changes []bodyChange) (out kit.Ranges) {
	for _, c := range changes {
		out = append(out, c.at)
	}
	return out
}

// bodyChanges are the changes of a statement.
func (p *mergeProof) bodyChanges(fn *ir.Func, s *ir.Stmt, kind kit.FormKind) (out []bodyChange) {
	k := p.Kernel
	whole := map[*ir.Expr]bool{} // macro uses that are a statement of their own
	s.Walk(func(t *ir.Stmt) bool {
		if t.Op == ir.StmtExpr && t.Expr.Macro && !t.Macro {
			whole[t.Expr] = true
		}
		return !t.Macro
	})
	add := func(c bodyChange, ok bool) {
		if ok {
			out = append(out, c)
		}
	}
	for e := range s.AllExprs() {
		if e.Op != ir.OpCall || p.replaced[e] {
			continue
		}
		obj, member := e.IsMemberCall()
		switch {
		case kind == kit.FormOwn && barriers.IsBarrier(k, fn, e):
			add(p.ownBarrier(fn, e, whole[e]))
		case member && barriers.IsThreadBlock(k, fn, obj) && e.Name != "sync":
			add(p.groupAnswer(fn, e))
		case barriers.IsTileNumber(k, fn, e):
			add(p.tileNumber(fn, e))
		default:
			out = append(out, p.formCalls(fn, e, kind)...)
		}
	}
	return out
}

// formCalls passes the v-TB object to a function that needs it.
func (p *mergeProof) formCalls(fn *ir.Func, e *ir.Expr, kind kit.FormKind) (out []bodyChange) {
	callees := p.Kernel.Callees(fn, e)
	for _, callee := range callees {
		c := p.get(kit.Form{Fn: callee, Kind: kind})
		switch {
		case c == nil:
		case len(callees) > 1:
			p.Refuse(fn.File, e.Range.Start, CodeBarrierCall, "%s is overloaded: which definition is called is not clear", e.Name)
		case e.Macro:
			p.Refuse(fn.File, e.Range.Start, kit.CodeMacro, "a call of %s inside a macro must change", e.Name)
		default:
			at := e.ArgsRange.Start + 1
			out = append(out, bodyChange{fn: fn, call: e, at: ir.Range{Start: at, End: at}, callee: c})
		}
	}
	return out
}

// ownBarrier turns a barrier of the thread block into one of the v-TB; whole says
// that it is a statement of its own, which a macro may stand for.
func (p *mergeProof) ownBarrier(fn *ir.Func, e *ir.Expr, whole bool) (c bodyChange, ok bool) {
	method := "sync" // of a cooperative group
	if r := intrinsic.Of(e.Name); r.IsBlockBarrier() {
		method = r.Forms.In(p.Sync).Text
	}
	vote := barriers.IsVote(p.Kernel, fn, e)
	switch {
	case e.Macro && (vote || !whole):
		p.Refuse(fn.File, e.Range.Start, kit.CodeMacro, "a barrier inside a macro must become the v-TB's own")
		return c, false
	case vote:
		return bodyChange{fn: fn, call: e, at: ir.Range{Start: e.Range.Start, End: e.ArgsRange.Start}, method: method}, true
	}
	return bodyChange{fn: fn, call: e, at: e.Range, method: method + "()"}, true
}

// groupAnswer answers what is asked of the thread-block group with the v-TB's own numbers.
func (p *mergeProof) groupAnswer(fn *ir.Func, e *ir.Expr) (c bodyChange, ok bool) {
	if e.Macro {
		p.Refuse(fn.File, e.Range.Start, kit.CodeMacro, "a use of the thread-block group inside a macro must change")
		return c, false
	}
	m := intrinsic.BlockMember(e.Name)
	if m == nil {
		p.Refuse(fn.File, e.Range.Start, analysis.CodeGroup, "thread_block::%s", e.Name)
		return c, false
	}
	return bodyChange{fn: fn, call: e, at: e.Range, method: m.Method}, true
}

// tileNumber answers which tile of the v-TB a tile is, and of how many.
func (p *mergeProof) tileNumber(fn *ir.Func, e *ir.Expr) (c bodyChange, ok bool) {
	obj, _ := e.IsMemberCall()
	if e.Macro {
		p.Refuse(fn.File, e.Range.Start, kit.CodeMacro, "a use of a tile's number inside a macro must change")
		return c, false
	}
	method := "thread_rank()"
	if e.Name == "meta_group_size" {
		method = "size()"
	}
	return bodyChange{fn: fn, call: e, at: e.Range, method: method, tile: kit.Text(fn.File, obj.Range)}, true
}

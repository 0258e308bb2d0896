package rewrite

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/rewrite/edit"
)

// cutter cuts a region, or the body of a device function called in one, at its
// barriers. Statements with a barrier inside are the skeleton: every v-TB
// executes them in every turn. The runs of statements between are pieces, which
// only the v-TB whose turn it is executes.
type cutter struct {
	*merger
	buf    *edit.Buffer
	fn     *ir.Func
	mine   string           // the condition under which a piece runs
	region *analysis.Region // nil for a device function's body
	lead   []*ir.Stmt       // of vtb-pipe: what v-TBs do in the step before their turn

	hoisted []string          // declarations to put before the region
	control map[*ir.Var]bool  // variables that decide over barriers
	settled map[*ir.Stmt]bool // declarations of such variables that all v-TBs run
	moved   map[*ir.Stmt]bool // declarations of the lead that were taken before the loop
}

// run cuts a region and puts the loop over the turns around it.
func (c *cutter) run() {
	r, f := c.region, c.fn.File
	c.checkControl(r.Stmts)
	open := cuda(`
#pragma unroll
for (int $turn = 0; $turn < $n; ++$turn) {$comment
`, values{"turn": c.turn, "n": c.Factor, "comment": turns(r)})
	mark := c.buf.Len()
	c.list(r.Stmts, true)
	c.checkSettled(r.Stmts)
	c.hoisted = append(c.hoisted, c.splitLoads(c.buf, r)...)
	inner := c.buf.Take(mark)
	lines := slices.Concat(c.hoisted, open)
	last := r.Stmts[len(r.Stmts)-1]
	end := stmtEnd(f, last)
	if r.List.Op != ir.StmtCompound {
		lines[0] = "{ " + lines[0]
		if strings.HasPrefix(lines[0], "{ #") {
			lines = append([]string{"{"}, lines...)
			lines[1] = strings.TrimPrefix(lines[1], "{ ")
		}
	}
	if !firstOnLine(f, r.Start()) {
		// A pragma needs a line of its own.
		c.buf.Insert(r.Start(), f.Newline()+strings.Join(lines, f.Newline())+f.Newline())
	} else {
		c.insertBefore(f, r.Start(), lines...)
	}
	c.buf.Append(inner)
	closing := []string{"__syncthreads();", "}"}
	if next := c.barrierBehind(); next != nil {
		// A barrier that follows anyway ends each turn.
		end, closing = stmtEnd(f, next), closing[1:]
	}
	if r.List.Op != ir.StmtCompound {
		closing = append(closing, "}")
	}
	c.insertAfter(f, end, r.Start(), closing...)
}

// barrierBehind returns the plain barrier that follows the region as the next
// statement, or nil.
func (c *cutter) barrierBehind() *ir.Stmt {
	r := c.region
	if r.List.Op != ir.StmtCompound {
		return nil
	}
	last := r.Stmts[len(r.Stmts)-1]
	for i, s := range r.List.List {
		if s != last || i+1 == len(r.List.List) {
			continue
		}
		next := r.List.List[i+1]
		if next.Op == ir.StmtExpr && !next.Macro && !next.Expr.Macro && c.plainBarrier(next.Expr) {
			return next
		}
	}
	return nil
}

// plainBarrier reports whether e is a barrier of the block without a vote.
func (c *cutter) plainBarrier(e *ir.Expr) bool {
	return c.k().IsBarrier(c.fn, e) && !c.k().IsVote(c.fn, e)
}

// list cuts consecutive statements; top says that they are the region's own.
func (c *cutter) list(stmts []*ir.Stmt, top bool) {
	var piece []*ir.Stmt
	flush := func() {
		if len(piece) > 0 {
			c.piece(piece, top)
			piece = nil
		}
	}
	for _, s := range stmts {
		switch {
		case s.Op == ir.StmtEmpty && !namesType(c.fn.File, s):
		case s.Op == ir.StmtEmpty, c.constant(s):
			// Visible to everything behind it, guarded or hoisted.
			flush()
			if top && c.region != nil && (s.Op == ir.StmtEmpty || c.sizes(s) || c.usedAfter(c.fn, s, c.region.End())) {
				c.move(s)
			}
		case c.k().BarrierIn(c.fn, s):
			flush()
			c.skeleton(s, top)
		case c.controls(s):
			flush()
			if s.Op == ir.StmtDecl && c.region != nil && c.usedAfter(c.fn, s, c.region.End()) {
				c.refuse(c.fn.File, s.Range.Start, CodeTurnState, "a variable that decides over barriers is used behind the region")
			}
		case c.movable(s):
			flush()
			if c.region != nil && c.usedAfter(c.fn, s, c.region.End()) {
				c.move(s)
			}
		default:
			piece = append(piece, s)
		}
	}
	flush()
}

func (c *cutter) k() *analysis.Kernel { return c.Kernel }

// skeleton handles a statement that holds a barrier.
func (c *cutter) skeleton(s *ir.Stmt, top bool) {
	switch s.Op {
	case ir.StmtExpr:
		if c.plainBarrier(s.Expr) {
			return
		}
		c.barrierCall(s, s.Expr, nil, top)
	case ir.StmtDecl:
		if len(s.Vars) != 1 {
			c.refuse(c.fn.File, s.Range.Start, CodeBarrierCall, "a barrier inside a declaration of several variables")
			return
		}
		c.barrierCall(s, s.Vars[0].Init, s.Vars[0], top)
	case ir.StmtCompound:
		if s.Macro {
			c.refuse(c.fn.File, s.Range.Start, CodeMacro, "a macro holds a barrier among other statements")
			return
		}
		c.list(s.List, false)
	case ir.StmtIf:
		if !s.Preproc {
			c.head(s, s.Cond)
		}
		c.body(s.Body)
		if s.Else != nil {
			c.body(s.Else)
		}
	case ir.StmtFor, ir.StmtWhile, ir.StmtDo:
		c.head(s, s.Cond)
		if s.Init != nil {
			s.Init.Exprs(func(e *ir.Expr) { c.head(s, e) })
		}
		c.head(s, s.Post)
		c.body(s.Body)
	default:
		c.refuse(c.fn.File, s.Range.Start, CodeDivergent, "a barrier inside a statement that can't be cut")
	}
}

// head checks an expression that all v-TBs evaluate in every turn.
func (c *cutter) head(s *ir.Stmt, e *ir.Expr) {
	if e == nil {
		return
	}
	if l := c.k().Uniformity(c.fn, e); l != analysis.GridUniform {
		c.refuse(c.fn.File, e.Range.Start, CodeDivergent, "this decides over a barrier and is %s: virtual thread blocks may disagree", l)
	}
	if c.k().Touches(c.fn, e) {
		c.refuse(c.fn.File, e.Range.Start, CodeDivergent, "this decides over a barrier and reads shared memory")
	}
	e.Walk(func(t *ir.Expr) bool {
		if t.Op == ir.OpCall && !c.k().IsPureCall(c.fn, t) {
			c.refuse(c.fn.File, t.Range.Start, CodeDivergent, "a call decides over a barrier")
		}
		return true
	})
}

// body cuts what an if or loop governs.
func (c *cutter) body(s *ir.Stmt) {
	if s.Op == ir.StmtCompound && !s.Macro {
		c.list(s.List, false)
		return
	}
	if s.Op == ir.StmtEmpty {
		return
	}
	c.list([]*ir.Stmt{s}, false)
}

// piece guards a run of statements.
func (c *cutter) piece(run []*ir.Stmt, top bool) {
	f := c.fn.File
	for _, s := range run {
		if c.region == nil && containsReturnStmt(s) && !(top && s.Op == ir.StmtReturn) {
			c.refuse(f, s.Range.Start, CodeBarrierCall, "%s returns between its barriers", c.fn.View.Name)
			return
		}
		c.checkJumps(s)
	}
	if c.region == nil && top && run[len(run)-1].Op == ir.StmtReturn {
		// A function's last statement: all v-TBs return.
		ret := run[len(run)-1]
		if ret != c.fn.Body.List[len(c.fn.Body.List)-1] {
			c.refuse(f, ret.Range.Start, CodeBarrierCall, "%s returns between its barriers", c.fn.View.Name)
			return
		}
		c.lastReturn(ret)
		if run = run[:len(run)-1]; len(run) == 0 {
			return
		}
	}
	var before []string
	for _, s := range run {
		if s.Op != ir.StmtDecl || c.moved[s] || !c.needsHoist(s, run) {
			continue
		}
		before = append(before, c.hoist(s)...)
	}
	if top && c.region != nil {
		c.hoisted = append(c.hoisted, before...)
		before = nil
	}
	first, last := run[0], run[len(run)-1]
	// The body of an if or loop without braces gets some: an else behind it must
	// not become one of the guard's.
	bare := first.Parent != nil && first.Parent.Op != ir.StmtCompound
	if len(run) == 1 && first.Op != ir.StmtDecl && !first.Macro && first.Outer == first.Range && !first.Preproc && first.Op != ir.StmtCompound {
		if len(before) > 0 {
			c.buf.Insert(first.Range.Start, strings.Join(before, " ")+" ")
		}
		if bare {
			c.buf.Insert(first.Range.Start, "{ if ("+c.mine+") ")
			c.buf.Insert(first.Range.End, " }")
			return
		}
		c.buf.Insert(first.Range.Start, "if ("+c.mine+") ")
		return
	}
	if len(run) == 1 && first.Op == ir.StmtDecl && c.needsHoist(first, run) && len(first.Vars) == 1 {
		c.into(func() {
			for _, l := range before {
				c.insertBefore(f, first.Outer.Start, l)
			}
		})
		c.buf.Insert(first.Range.Start, "if ("+c.mine+") ")
		return
	}
	open, closing := append(before, "if ("+c.mine+") {"), "}"
	if bare {
		open, closing = append(before, "{ if ("+c.mine+") {"), "} }"
	}
	if !firstOnLine(f, first.Outer.Start) && f.Src[first.Outer.Start] == '#' {
		c.refuse(f, first.Outer.Start, CodeMacro, "a directive that shares its line")
	}
	c.into(func() {
		c.insertBefore(f, first.Outer.Start, open...)
		c.insertAfter(f, stmtEnd(f, last), first.Outer.Start, closing)
	})
}

// into makes insertBefore and insertAfter write to the cutter's own buffer,
// which is that of a clone when a device function is cut.
func (c *cutter) into(f func()) {
	defer c.merger.into(c.fn.File, c.buf)()
	f()
}

// checkJumps refuses jumps out of a piece: some v-TBs would take them and
// others not.
func (c *cutter) checkJumps(s *ir.Stmt) {
	s.Walk(func(t *ir.Stmt) bool {
		if t.Op == ir.StmtBreak || t.Op == ir.StmtContinue {
			target := t.JumpTarget()
			if target == nil || !target.Inside(s) {
				c.refuse(c.fn.File, t.Range.Start, CodeDivergent, "a jump out of a loop that holds a barrier")
			}
		}
		return true
	})
}

func containsReturnStmt(s *ir.Stmt) bool {
	return s.Any(func(t *ir.Stmt) bool { return t.Op == ir.StmtReturn })
}

// cutFunction cuts the body of a device function that is called in a region.
func (p *merger) cutFunction(form *formProof) {
	c := &cutter{merger: p, buf: &form.cut, fn: form.fn, mine: p.turnGuard}
	c.checkControl(form.fn.Body.List)
	c.list(form.fn.Body.List, true)
	c.checkSettled(form.fn.Body.List)
}

// lastReturn makes the return at a function's end harmless for v-TBs whose
// turn it is not: they return a value that nobody uses.
func (c *cutter) lastReturn(s *ir.Stmt) {
	if s.Expr != nil {
		c.buf.Insert(s.Range.Start, "if (!"+c.mine+") return {}; ")
	}
}

package merge

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/barriers"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/pointers"
	"github.com/smux-cuda/smux/analysis/uniformity"
	"github.com/smux-cuda/smux/rewrite/kit"
)

// cut says how a region, or the body of a device function called in one, is cut at its barriers. Statements with a
// barrier inside are the skeleton: every v-TB executes them in every turn. The runs of statements between are pieces,
// which only the v-TB whose turn it is executes.
type cut struct {
	fn      *ir.Func
	region  *analysis.Region // nil for a device function's body
	segment *segment         // of vtb-pipe, else nil
	edits   []cutEdit
	ahead   int          // how many of them are of what v-TBs do in the step before their turn
	hoisted []hoisted    // declarations to put before the region
	end     *ir.Stmt     // which the loop over the turns ends after: a barrier, or the region's last statement
	within  []bodyChange // what else changes in the region's statements
}

// start returns the place for the hoisted declarations and the loop over the turns.
func (c *cut) start() int {
	if c.segment != nil && len(c.segment.lead) > 0 {
		return c.segment.lead[0].Outer.Start
	}
	return c.region.Start()
}

// braced reports whether the region stands in braces, and is not the body of an if or loop without any.
func (c *cut) braced() bool { return c.region.List.Op == ir.StmtCompound }

// touched are the places that change inside.
func (c *cut) touched() (out kit.Ranges) {
	for _, e := range c.edits {
		out = append(out, e.places...)
	}
	return append(out, placesOf(c.within)...)
}

// around are the places of the lines that go around the region.
func (c *cut) around() kit.Ranges {
	f := c.fn.File
	return kit.Ranges{kit.PointBefore(f, c.start()), kit.PointBefore(f, c.region.Start()), kit.PointBehind(f, c.end)}
}

// Describe shows a cut, as proofs are printed.
func (c *cut) Describe() string {
	var b strings.Builder
	for _, h := range c.hoisted {
		fmt.Fprintf(&b, ", %s before it", h.Describe(c.fn.File))
	}
	for i, e := range c.edits {
		when := ""
		if i < c.ahead {
			when = "ahead "
		}
		fmt.Fprintf(&b, ", %s%s", when, e.Describe(c.fn.File))
	}
	for _, e := range c.within {
		fmt.Fprintf(&b, ", %s", e)
	}
	return b.String()
}

// cutter proves that a region, or the body of a device function called in one, can be cut, and finds out how.
type cutter struct {
	*mergeProof
	*cut

	control map[*ir.Var]bool  // variables that decide over barriers
	settled map[*ir.Stmt]bool // declarations of such variables that all v-TBs run
	moved   map[*ir.Stmt]bool // declarations of the lead that were taken before the loop
}

// cutRegion proves that a region can be cut, with what v-TBs do in the step before if there is any. touched are the
// places of other edits; with those of the cut they are returned.
func (p *mergeProof) cutRegion(r *analysis.Region, s *segment, touched kit.Ranges) kit.Ranges {
	c := &cutter{mergeProof: p, cut: &cut{fn: p.Kernel.Func, region: r, segment: s, end: r.Stmts[len(r.Stmts)-1]}}
	c.checkControl(r.Stmts)
	if s != nil && len(s.lead) > 0 {
		c.runAhead(s.lead)
	}
	c.list(r.Stmts, true)
	c.checkSettled(r.Stmts)
	for _, s := range r.Stmts {
		c.within = append(c.within, p.bodyChanges(c.fn, s, kit.FormCut)...)
	}
	touched = append(touched, c.cut.touched()...)
	t := turn{Region: r, cut: c.cut}
	if s == nil {
		c.endAtBarrier()
	}
	if s == nil || s.loads {
		t.moves = p.MovableLoads(r, s == nil, touched)
	}
	for _, m := range t.moves {
		touched = append(touched, m.Places()...)
	}
	p.turns = append(p.turns, t)
	return append(touched, c.around()...)
}

// cutFunction proves that a device function that is called in a region can be cut.
func (p *mergeProof) cutFunction(form *formProof) {
	body := form.Fn.Body
	c := &cutter{mergeProof: p, cut: &cut{fn: form.Fn}}
	c.checkControl(body.List)
	c.list(body.List, true)
	c.checkSettled(body.List)
	form.cut, form.changes = c.cut, p.bodyChanges(form.Fn, body, kit.FormCut)
	p.checkApart(c.cut, placesOf(form.changes))
}

// add adds an edit to those that the cut makes.
func (c *cutter) add(what string, s *ir.Stmt, places kit.Ranges, text cutText, before ...hoisted) {
	if len(before) > 0 {
		places = append(places, kit.PointBefore(c.fn.File, s.Outer.Start))
	}
	c.edits = append(c.edits, cutEdit{what, s, places, before, text})
}

// checkApart refuses text that is taken apart where something else changes in it.
func (p *mergeProof) checkApart(c *cut, touched kit.Ranges) {
	for _, e := range c.edits {
		for _, r := range e.places {
			if slices.ContainsFunc(touched, func(o ir.Range) bool { return o.Start < r.End && o.End > r.Start }) {
				p.Refuse(c.fn.File, r.Start, CodeHoist, "a declaration must be taken apart in which something else changes, too")
			}
		}
	}
}

// endAtBarrier lets a plain barrier that follows the region anyway end each turn.
func (c *cutter) endAtBarrier() {
	list := c.region.List.List
	i := slices.Index(list, c.end) + 1
	if c.braced() && 0 < i && i < len(list) && c.isBarrier(list[i]) {
		c.end = list[i]
	}
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
			// Visible to everything after it, guarded or hoisted.
			flush()
			if top && c.region != nil && (c.makesNames(s) || c.sizes(s, c.region.End()) || s.Op != ir.StmtEmpty && c.usedAfter(c.fn, s, c.region.End())) {
				c.move(s)
			}
		case barriers.BarrierIn(c.k(), c.fn, s):
			flush()
			c.skeleton(s, top)
		case c.controls(s):
			flush()
			if s.Op == ir.StmtDecl && c.region != nil && c.usedAfter(c.fn, s, c.region.End()) {
				c.Refuse(c.fn.File, s.Range.Start, CodeTurnState, "a variable that decides over barriers is used after the region")
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
		if barriers.IsBarrier(c.k(), c.fn, s.Expr) && !barriers.IsVote(c.k(), c.fn, s.Expr) {
			return
		}
		c.barrierCall(s, s.Expr, nil, top)
	case ir.StmtDecl:
		if len(s.Vars) != 1 {
			c.Refuse(c.fn.File, s.Range.Start, CodeBarrierCall, "a barrier inside a declaration of several variables")
			return
		}
		c.barrierCall(s, s.Vars[0].Init, s.Vars[0], top)
	case ir.StmtCompound:
		if s.Macro {
			c.Refuse(c.fn.File, s.Range.Start, kit.CodeMacro, "a macro holds a barrier among other statements")
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
		c.Refuse(c.fn.File, s.Range.Start, kit.CodeDivergent, "a barrier inside a statement that can't be cut")
	}
}

// head checks an expression that all v-TBs evaluate in every turn.
func (c *cutter) head(s *ir.Stmt, e *ir.Expr) {
	if e == nil {
		return
	}
	if l := uniformity.Of(c.k(), c.fn, e); l != analysis.GridUniform {
		c.Refuse(c.fn.File, e.Range.Start, kit.CodeDivergent, "this decides over a barrier and is %s: virtual thread blocks may disagree", l)
	}
	if pointers.Touches(c.k(), c.fn, e) {
		c.Refuse(c.fn.File, e.Range.Start, kit.CodeDivergent, "this decides over a barrier and reads shared memory")
	}
	for t := range e.All() {
		if t.Op == ir.OpCall && !c.k().IsPureCall(c.fn, t) {
			c.Refuse(c.fn.File, t.Range.Start, kit.CodeDivergent, "a call decides over a barrier")
		}
	}
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

// piece lets a run of statements be one piece.
func (c *cutter) piece(run []*ir.Stmt, top bool) {
	f := c.fn.File
	for _, s := range run {
		if c.region == nil && s.Any(func(t *ir.Stmt) bool { return t.Op == ir.StmtReturn }) && !(top && s.Op == ir.StmtReturn) {
			c.Refuse(f, s.Range.Start, CodeBarrierCall, "%s returns between its barriers", c.fn.View.Name)
			return
		}
		c.checkJumps(s)
	}
	if c.region == nil && top && run[len(run)-1].Op == ir.StmtReturn {
		// A function's last statement: all v-TBs return.
		ret := run[len(run)-1]
		if ret != c.fn.Body.List[len(c.fn.Body.List)-1] {
			c.Refuse(f, ret.Range.Start, CodeBarrierCall, "%s returns between its barriers", c.fn.View.Name)
			return
		}
		if ret.Expr != nil {
			c.add("return", ret, kit.Ranges{point(ret.Range.Start)}, lastReturn{})
		}
		if run = run[:len(run)-1]; len(run) == 0 {
			return
		}
	}
	p := turnPiece{run: run}
	var before []hoisted
	for _, s := range run {
		if s.Op == ir.StmtDecl && !c.moved[s] && (len(s.Names) > 0 || c.usedAfter(c.fn, s, run[len(run)-1].Range.End)) {
			before = append(before, c.hoist(s)...)
			p.assigns = len(run) == 1 && len(s.Vars) == 1
		}
		c.checkDirectives(s, run[len(run)-1].Range.End)
	}
	if top && c.region != nil {
		c.hoisted = append(c.hoisted, before...)
		before = nil
	}
	at := run[0].Outer.Start
	if !p.alone() && !p.assigns && !kit.FirstOnLine(f, at) && f.Src[at] == '#' {
		c.Refuse(f, at, kit.CodeMacro, "a directive that shares its line")
	}
	c.add("piece", run[0], p.Places(f), p, before...)
}

// checkJumps refuses jumps out of a piece: some v-TBs would take them and others not.
func (c *cutter) checkJumps(s *ir.Stmt) {
	for t := range s.All() {
		if t.Op == ir.StmtBreak || t.Op == ir.StmtContinue {
			target := t.JumpTarget()
			if target == nil || !target.Inside(s) {
				c.Refuse(c.fn.File, t.Range.Start, kit.CodeDivergent, "a jump out of a loop that holds a barrier")
			}
		}
	}
}

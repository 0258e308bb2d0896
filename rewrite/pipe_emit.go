package rewrite

import (
	"fmt"
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
)

// runSteps cuts a region and puts the loop over the steps around it and the C in
// front of it. Where there is no C it is a loop over the turns; the barrier that
// ends each turn in block mode stands at its start here.
func (c *cutter) runSteps(s *segment, step, ahead string) {
	r, f := c.region, c.fn.File
	c.checkControl(r.Stmts)
	mark := c.buf.Len()
	if len(s.lead) > 0 {
		c.runAhead(ahead)
	}
	lead := c.buf.Take(mark)
	c.list(r.Stmts, true)
	c.checkSettled(r.Stmts)
	var loads []string
	if s.loads {
		for _, l := range c.moveLoads(c.buf, c.movableLoads(r, false, rangesOf(c.buf))) {
			c.hoisted = append(c.hoisted, l.declaration())
			loads = append(loads, l.load...)
		}
	}
	inner := c.buf.Take(mark)

	alone := r.List.Op != ir.StmtCompound // the body of an if or loop without braces
	c.openSteps(s, alone, step)
	c.buf.Append(lead)
	if s.ahead() {
		c.insertBefore(f, r.Start(), append(guarded(ahead, loads), fmt.Sprintf("if (%s == 0) continue;", step))...)
	}
	c.buf.Append(inner)
	closing := []string{"}"}
	if alone {
		closing = append(closing, "}")
	}
	c.insertAfter(f, stmtEnd(f, r.Stmts[len(r.Stmts)-1]), c.start(), closing...)
}

// openSteps puts what was hoisted and the head of the loop in front of the
// segment.
func (c *cutter) openSteps(s *segment, alone bool, step string) {
	f, at := c.fn.File, c.start()
	var lines []string
	if alone {
		lines = append(lines, "{")
	}
	lines = append(lines, c.hoisted...)
	head := `
#pragma unroll
for (int $turn = 0; $turn < 2; ++$turn) {
__syncthreads();
`
	if s.ahead() {
		head = `
#pragma unroll
for (int $step = 0; $step < 3; ++$step) {
if ($step > 0) __syncthreads();
`
	}
	lines = append(lines, cuda(head, values{"turn": c.turn, "step": step})...)
	if !firstOnLine(f, at) {
		// A pragma needs a line of its own.
		c.buf.Insert(at, f.Newline()+strings.Join(lines, f.Newline())+f.Newline())
		return
	}
	c.insertBefore(f, at, lines...)
}

// runAhead puts C under its condition. What it declares for those behind it is
// declared before the loop: a v-TB comes to them in another step.
func (c *cutter) runAhead(ahead string) {
	end := c.lead[len(c.lead)-1].Range.End
	c.moved = map[*ir.Stmt]bool{}
	for _, s := range c.lead {
		if s.Op != ir.StmtDecl {
			continue
		}
		used := c.usedAfter(c.fn, s, end)
		if used && c.movable(s) || c.constant(s) && (used || c.sizes(s)) {
			c.moved[s] = true
			c.move(s)
		}
	}
	mine := c.mine
	c.mine = ahead
	c.piece(c.lead, true)
	c.mine = mine
}

// start is where the hoisted declarations and the loop over the turns go.
func (c *cutter) start() int {
	if len(c.lead) > 0 {
		return c.lead[0].Outer.Start
	}
	return c.region.Start()
}

// guarded puts statements under a condition.
func guarded(cond string, lines []string) []string {
	switch {
	case len(lines) == 0:
		return nil
	case len(lines) == 1 && !strings.Contains(lines[0], "\n"):
		return []string{"if (" + cond + ") " + lines[0]}
	}
	return append(append([]string{"if (" + cond + ") {"}, lines...), "}")
}

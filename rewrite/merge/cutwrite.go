package merge

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/rewrite/edit"
	"github.com/smux-cuda/smux/rewrite/kit"
)

// emitCut writes a cut region and the loop over the turns around it.
func (p *merger) emitCut(t turn) {
	c, f := t.cut, t.Func.File
	w := &cutWriter{merger: p, fn: c.fn, buf: p.Buffer(f), mine: p.vtb + ".id == " + p.turn}
	mark := w.buf.Len()
	w.writeAll(c.edits)
	lines := append(declarations(f, c.hoisted), kit.AllLines(p.MoveLoads(w.buf, t.moves))...)
	inner := w.buf.Take(mark)
	switch {
	case c.braced():
	case len(lines) > 0:
		lines[0] = "{ " + lines[0]
	default:
		lines = []string{"{"}
	}
	p.openLoop(c, slices.Concat(lines, kit.Cuda(`
#pragma unroll
for (int $turn = 0; $turn < $n; ++$turn) {$comment
`, kit.Values{"turn": p.turn, "n": p.Factor, "comment": kit.Turns(t.Region)})))
	w.buf.Append(inner)
	if c.end == t.Stmts[len(t.Stmts)-1] {
		p.closeLoop(c, "__syncthreads();", "}")
	} else {
		p.closeLoop(c, "}")
	}
	p.rewrite(c.within, w.mine)
}

// emitSteps writes a cut region, what v-TBs do in the step before their turn, and the loop
// over the steps around both. Where they do nothing it is a loop over the turns; the
// barrier that ends each turn in block mode stands at its start here.
func (p *merger) emitSteps(t turn) {
	c, f := t.cut, t.Func.File
	b := p.Buffer(f)
	w := &cutWriter{merger: p, fn: c.fn, buf: b, mine: p.vtb + ".id == " + p.turn}
	ahead, head := "", `
#pragma unroll
for (int $turn = 0; $turn < 2; ++$turn) {
__syncthreads();
`
	if c.segment.ahead() {
		ahead, w.mine = p.vtb+".id == "+p.step, p.vtb+".id + 1 == "+p.step
		head = `
#pragma unroll
for (int $step = 0; $step < 3; ++$step) {
if ($step > 0) __syncthreads();
`
	}
	mark := b.Len()
	(&cutWriter{merger: p, fn: c.fn, buf: b, mine: ahead}).writeAll(c.edits[:c.ahead])
	lead := b.Take(mark)
	w.writeAll(c.edits[c.ahead:])
	lines := declarations(f, c.hoisted)
	var loads []string
	for _, l := range p.MoveLoads(b, t.moves) {
		lines, loads = append(lines, l.Declaration()), append(loads, l.LoadText...)
	}
	inner := b.Take(mark)
	if !c.braced() {
		lines = slices.Insert(lines, 0, "{")
	}
	p.openLoop(c, slices.Concat(lines, kit.Cuda(head, kit.Values{"turn": p.turn, "step": p.step})))
	b.Append(lead)
	if c.segment.ahead() {
		p.InsertBefore(f, t.Start(), append(guarded(ahead, loads), "if ("+p.step+" == 0) continue;")...)
	}
	b.Append(inner)
	p.closeLoop(c, "}")
	p.rewrite(c.within, w.mine)
}

// emitFunction writes the cut body of a device function into a buffer.
func (p *merger) emitFunction(c *cut, b *edit.Buffer) {
	defer p.Into(c.fn.File, b)()
	(&cutWriter{merger: p, fn: c.fn, buf: b, mine: p.turnGuard}).writeAll(c.edits)
}

func (w *cutWriter) writeAll(edits []cutEdit) {
	for _, e := range edits {
		e.write(w, e)
	}
}

// openLoop puts the head of a loop, and what goes before it, in front of a cut region.
func (p *merger) openLoop(c *cut, lines []string) {
	f, at := c.fn.File, c.start()
	if kit.FirstOnLine(f, at) {
		p.InsertBefore(f, at, lines...)
		return
	}
	// A pragma needs a line of its own.
	p.Buffer(f).Insert(at, f.Newline()+strings.Join(lines, f.Newline())+f.Newline())
}

// closeLoop ends the loop.
func (p *merger) closeLoop(c *cut, lines ...string) {
	if !c.braced() {
		lines = append(lines, "}")
	}
	p.InsertAfter(c.fn.File, kit.StmtEnd(c.fn.File, c.end), c.start(), lines...)
}

// guarded puts statements under a condition.
func guarded(cond string, lines []string) []string {
	switch {
	case len(lines) == 0:
		return nil
	case len(lines) == 1 && !strings.Contains(lines[0], "\n"):
		return []string{"if (" + cond + ") " + lines[0]}
	}
	out := []string{"if (" + cond + ") {"}
	for _, l := range lines {
		out = append(out, "    "+l)
	}
	return append(out, "}")
}

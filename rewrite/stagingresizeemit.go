package rewrite

import (
	"fmt"
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
)

// Apply gives the arrays a dimension more, and has the loop go through several strips between
// two barriers.
func (p *resizeProof) Apply() *Edits {
	w := &stagingEmitter{emitter: newEmitter(p.Kernel)}
	f, s := p.Kernel.File, p.strip
	for _, a := range s.arrays {
		w.buffer(f).Insert(a.Var.Range.Start+len(a.Var.Name), fmt.Sprintf("[%d]", p.Tile))
	}
	w.atTop(append([]string{fmt.Sprintf("%s %s.", stagingMark, p.summary())}, w.checks(&p.findings)...))
	v := s.loop.v.Name
	start := w.fresh(v + "0")
	for _, e := range s.elements {
		w.buffer(f).Insert(e.Range.End, fmt.Sprintf("[%s - %s]", v, start))
	}
	length := p.outer(w, start)
	head := fmt.Sprintf("for (int %s = %s; %s < %s + %s; %s++) {", v, start, v, start, length, v)
	for _, half := range [][]*ir.Stmt{s.fill, s.use} {
		first, last := half[0], half[len(half)-1]
		w.insertBefore(f, first.Outer.Start, head)
		w.indent(lineStart(f, first.Outer.Start)-1, stmtEnd(f, last), "    ")
		w.insertAfter(f, stmtEnd(f, last), first.Outer.Start, "}")
	}
	return w.done()
}

// outer makes the loop's head one over groups of strips, and returns how many a group has.
func (p *resizeProof) outer(w *stagingEmitter, start string) (length string) {
	f, l := p.Kernel.File, p.strip.loop
	s := l.stmt
	low, high := text(f, l.low.Range), text(f, l.high.Range)
	open := s.Body.Range.Start
	from, to := s.Range.Start, open
	for to > from && strings.ContainsRune(" \t\r\n", rune(f.Src[to-1])) {
		to--
	}
	if n := l.trips(); n > 0 && n%int64(p.Tile) == 0 {
		length = number(p.Tile)
		w.buffer(f).Replace(from, to, fmt.Sprintf("for (int %s = %s; %s < %s; %s += %s)", start, low, start, high, start, length))
		return length
	}
	length = w.fresh(l.v.Name + "_len")
	w.buffer(f).Replace(from, to, fmt.Sprintf("for (int %s = %s, %s; %s < %s; %s += %s)", start, low, length, start, high, start, length))
	left := operand(f, l.high, high) + " - " + start
	least := fmt.Sprintf("min(%d, %s)", p.Tile, left)
	if isVariable(p.Kernel, "min") {
		least = fmt.Sprintf("%s < %d ? %s : %d", left, p.Tile, left, p.Tile)
	}
	w.insertBefore(f, p.strip.fill[0].Outer.Start, length+" = "+least+";")
	return length
}

package stage

import (
	"fmt"
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/rewrite/kit"
)

// Apply gives the arrays a dimension more, and has the loop go through several strips between two barriers.
func (p *resizeProof) Apply() *kit.Edits {
	w := &copyEmitter{Emitter: kit.NewEmitter(p.Kernel)}
	f, s := p.Kernel.File, p.strip
	for _, a := range s.arrays {
		w.Buffer(f).Insert(a.Var.Range.Start+len(a.Var.Name), fmt.Sprintf("[%d]", p.Tile))
	}
	w.AtTop(append([]string{fmt.Sprintf("%s %s.", mark, p.summary())}, w.Checks(&p.Findings)...))
	v := s.loop.v.Name
	start := w.Fresh(v + "0")
	for _, e := range s.elements {
		w.Buffer(f).Insert(e.Range.End, fmt.Sprintf("[%s - %s]", v, start))
	}
	length := p.outer(w, start)
	head := fmt.Sprintf("for (int %s = %s; %s < %s + %s; %s++) {", v, start, v, start, length, v)
	for _, half := range [][]*ir.Stmt{s.fill, s.use} {
		first, last := half[0], half[len(half)-1]
		w.InsertBefore(f, first.Outer.Start, head)
		w.indent(kit.LineStart(f, first.Outer.Start)-1, kit.StmtEnd(f, last), "    ")
		w.InsertAfter(f, kit.StmtEnd(f, last), first.Outer.Start, "}")
	}
	return w.Done()
}

// outer makes the loop's head one over groups of strips, and returns how many a group has.
func (p *resizeProof) outer(w *copyEmitter, start string) (length string) {
	f, l := p.Kernel.File, p.strip.loop
	s := l.stmt
	low, high := kit.Text(f, l.low.Range), kit.Text(f, l.high.Range)
	open := s.Body.Range.Start
	from, to := s.Range.Start, open
	for to > from && strings.ContainsRune(" \t\r\n", rune(f.Src[to-1])) {
		to--
	}
	if n := l.trips(); n > 0 && n%int64(p.Tile) == 0 {
		length = kit.Number(p.Tile)
		w.Buffer(f).Replace(from, to, fmt.Sprintf("for (int %s = %s; %s < %s; %s += %s)", start, low, start, high, start, length))
		return length
	}
	length = w.Fresh(l.v.Name + "_len")
	w.Buffer(f).Replace(from, to, fmt.Sprintf("for (int %s = %s, %s; %s < %s; %s += %s)", start, low, length, start, high, start, length))
	left := kit.Operand(f, l.high, high) + " - " + start
	least := fmt.Sprintf("min(%d, %s)", p.Tile, left)
	if isHidden(p.Kernel, "min") {
		least = fmt.Sprintf("%s < %d ? %s : %d", left, p.Tile, left, p.Tile)
	}
	w.InsertBefore(f, p.strip.fill[0].Outer.Start, length+" = "+least+";")
	return length
}

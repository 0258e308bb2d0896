package cost

import (
	"fmt"
	"slices"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/model/workload"
)

// The compiler makes loads early, so that several are under way together: as early as
// their addresses are there and no store or barrier is in between, and those of several
// turns of a loop that it lays out in a row. Each that is under way has a register.

// fence is a place that loads are not moved over, and how many were moved to it.
type fence struct{ at, loads int }

// loaded notes a value that comes from memory, addressed by operands; keep is set if the load stays where it is.
func (x *walk) loaded(v value, from space, keep bool, operands ...int) {
	operands = slices.DeleteFunc(operands, func(id int) bool { return id == 0 }) // what is at a constant address is not a constant
	x.made(v.id, v.words(), operands...)
	n := x.lives.of[v.id]
	if !x.noting() || n == nil || n.words == 0 {
		return
	}
	if f := &x.lives.fence[from]; !keep {
		if f.loads++; f.loads > maxBatch {
			*f = fence{x.lives.at, 1}
		}
		n.early = min(n.from, max(f.at, n.ready)+1)
	}
	n.ready, n.loads = x.lives.at, true
	x.everyTurn(n)
}

// everyTurn notes a value of which each turn of the innermost loop has one under way.
func (x *walk) everyTurn(v *lifetime) {
	at := x.innermost()
	if at == nil || v.within != at {
		return
	}
	if at.words == 0 {
		at.from = v.early
	}
	at.words += v.words
	at.to = x.lives.at
}

// together notes that what the turn of a loop has under way is there for several turns.
func (x *walk) together(l *loopState, turns float64) {
	if x.noting() && turns > 1 && l.words > 0 {
		x.lives.spans = append(x.lives.spans, stretch{l.from, l.to + 1, l.to + 1, int(turns*unrollByPtxas-1) * l.words})
	}
	l.words = 0
}

// stop ends the stretch over which loads are moved.
func (x *walk) stop() {
	if x.noting() {
		x.lives.stops = append(x.lives.stops, x.lives.at)
		for s := range x.lives.fence {
			x.lives.fence[s] = fence{at: x.lives.at}
		}
	}
}

// overlaps notes a store that loads are not moved over.
func (x *walk) overlaps(o *object) {
	if x.noting() && (o.space != inGlobal || o.v == nil || !o.v.Type.Restrict) {
		x.lives.fence[o.space] = fence{at: x.lives.at}
	}
}

// innermost is the loop around the code whose turns the compiler does not tell apart.
func (x *walk) innermost() *loopState {
	for i := len(x.loops) - 1; i >= 0; i-- {
		if !x.loops[i].flat {
			return x.loops[i]
		}
	}
	return nil
}

// counted reports whether an offset moves by a constant from turn to turn of the
// innermost loop: that of another turn is a part of its access.
func (x *walk) counted(id int) bool {
	v := x.lives.of[id]
	return v != nil && v.counts != nil && v.counts == x.innermost()
}

// shifts notes that a value is a sum: it moves as a counter among its terms does, if the others don't change.
func (x *walk) shifts(id int, terms ...int) {
	v := x.lives.of[id]
	if !x.noting() || v == nil || v.within == nil {
		return
	}
	for _, t := range terms {
		switch n := x.lives.of[t]; {
		case n == nil || n.within != v.within:
		case n.counts == nil || v.counts != nil:
			v.counts = nil
			return
		default:
			v.counts = n.counts
		}
	}
}

// Asynchronous copies are loads that nobody waits for where they stand (workload.Work.Ahead): a
// __pipeline_wait_prior after them waits for those of the turn before, or, with 0, for all.

// copyAsync counts an asynchronous copy to shared memory: an instruction, and no register.
func (f *frame) copyAsync(to, from, size value) {
	x := f.x
	l, s := f.pointee(from), f.pointee(to)
	if size.isConstant() && size.s > 0 {
		l.typ, s.typ = wordsOf(size.s), wordsOf(size.s)
	}
	x.needs(to, from)
	moved, again, late, lines := x.sectorsOf(l, true)
	x.count(workload.Work{Issue: 1, Access: 1, Loads: moved, Again: again, Late: late, Lines: lines, Shared: x.wavefronts(s)}, float64(l.typ.size()))
	if x.mute > 0 || x.share == 0 {
		return
	}
	if b := &x.copying; b.at == nil || b.committed {
		*b = copyBatch{at: x.current(), waits: x.weight * x.share}
		b.at.work.Waits += b.waits
		b.at.work.Ahead += b.waits
	}
}

// copyBatch is asynchronous copies that are waited for together.
type copyBatch struct {
	at        *node
	waits     float64
	committed bool
}

// wordsOf is a type of so many bytes.
func wordsOf(bytes int64) ctype {
	t := floatType
	t.comps = int(max(1, bytes/4))
	return t
}

// awaitAll has what was copied last waited for in full.
func (x *walk) awaitAll() {
	if b := &x.copying; b.at != nil {
		b.at.work.Ahead -= b.waits
		b.waits = 0
	}
}

// lambda runs the body of a function object that the kernel declares, and reports whether a call is of one.
func (f *frame) lambda(e *ir.Expr) bool {
	if len(e.Kids) == 0 || e.Kids[0].Op != ir.OpIdent || e.Kids[0].Var == nil {
		return false
	}
	l := e.Kids[0].Var.Init
	returns := func(s *ir.Stmt) bool { return s.Op == ir.StmtReturn }
	if l == nil || l.Op != ir.OpLambda || l.Lambda == nil || l.Lambda.Any(returns) || len(l.Params) != len(e.Args()) || f.depth >= maxInline {
		return false
	}
	for i, p := range l.Params {
		if p.Type.Ref {
			f.alias[p] = f.lvalue(e.Args()[i])
		} else {
			f.cells[cell{v: p}] = f.eval(e.Args()[i])
		}
	}
	outer := f.x.path
	f.x.path += fmt.Sprint(e.Range.Start, "/")
	f.depth++
	f.stmt(l.Lambda)
	f.depth--
	f.x.path = outer
	return true
}

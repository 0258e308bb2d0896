package cost

import "slices"

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

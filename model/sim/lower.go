package sim

// shape is one launched TB: how many v-TBs of how many warps each.
//
// Where a v-TB has many warps, a simulated one stands for several that go in step, every fourth: it issues that many
// times the instructions, as fast as they would together.
//
// Where v-TBs are not whole warps, they share some (packed.go), and each warp has a
// program of its own, as a v-TB has elsewhere.
type shape struct {
	vtbs, warps int
	turns       int // of a turn loop: one for each v-TB of a full launched TB
	real        int // real warps of a v-TB
	packed      int // threads of a v-TB that shares warps, 0 where none does
}

// maxWarps is the simulated warps of a v-TB: enough for some to wait for memory while others compute.
const maxWarps = 4

func newShape(vtbs, warps int) shape {
	return shape{vtbs: vtbs, warps: min(warps, maxWarps), turns: vtbs, real: warps}
}

// stands counts the real warps that a v-TB's simulated warp i stands for.
func (s shape) stands(i int) float64 { return float64((s.real - i + s.warps - 1) / s.warps) }

// of returns the shape of a launched TB that the grid fills only partly.
func (s shape) of(vtbs int) shape {
	if s.vtbs = vtbs; s.packed > 0 {
		s.vtbs = warpsOf(vtbs * s.packed)
	}
	return s
}

// Barriers of a launched TB: 0 is its own, 1 ... N those of the v-TBs, and N+1 ... 2N the ring of hand-over barriers.
func own(v int) int            { return 1 + v }
func (s shape) ring(v int) int { return 1 + s.vtbs + v%s.vtbs }
func (s shape) all() int       { return s.vtbs * s.warps }
func (s shape) barriers() int  { return 2*s.vtbs + 1 }

// lower writes the programs of the v-TBs of a launched TB.
func lower(items []item, source bool, p Policy, s shape, c costs) []program {
	c.arrival *= float64(s.real) / float64(s.warps) // a simulated warp stands for several
	var programs []program
	if p.Kind == Pipe && s.vtbs == 2 {
		programs = pipe(items, p, s, c)
	} else {
		room := 4 * len(items)
		for v := range s.vtbs {
			l := lowering{builder: builder{costs: c, program: program{ops: make([]op, 0, room)}}, p: p, s: s, v: v, owns: s.vtbs, source: source}
			l.lower(items)
			programs = append(programs, l.program)
			room = len(l.ops) + 2 // the next one's are about as many
		}
	}
	for i := range programs {
		programs[i].rate(s.stands(0), s.stands(s.warps-1))
	}
	return programs
}

// lowering writes the program of v-TB v.
type lowering struct {
	builder
	p      Policy
	s      shape
	v      int
	source bool // the steps follow the source text (workload.Kernel.Source)
	owns   int  // barriers that stand for __syncthreads: one for all v-TBs, or one for each
	ahead  ahead
}

func (l *lowering) lower(items []item) {
	start, finish := -1, -1
	turns := l.turns()
	switch turns {
	case byRing:
		start, finish = handOvers(items)
		if !barriersApart(items) {
			l.owns = 1
		}
	case byLock: // all know that the locks are open
		l.sync(0, l.s.all(), 1)
	}
	acquires := turns == byRing || turns == byLock
	if l.p.Persistent && l.p.Kind == CoVTB {
		l.owns = l.s.vtbs
	}
	ring := start >= 0
	if l.p.Persistent { // start and finish stand around the loop over groups
		if ring && l.v == l.s.vtbs-1 {
			l.arrive(l.s.ring(0), 2*l.s.warps, 1)
		}
		start, finish = -1, -1
	}
	top, before := len(l.ops), l.added
	for i := 0; i < len(items); i++ {
		if i == start && l.v == l.s.vtbs-1 {
			l.arrive(l.s.ring(0), 2*l.s.warps, 1)
		}
		switch it := items[i]; {
		case it.kind == itemEnter:
			end := i + 1
			for items[end].kind != itemLeave {
				end++
			}
			body := items[i+1 : end]
			if end+1 < len(items) && items[end+1].kind == itemBarrier && acquires && !inFront(items, end+1) {
				end++ // it is in the turn, or the lock's own
				if turns == byRing {
					body = append(body[:len(body):len(body)], items[end])
				}
			}
			l.region(it, body)
			i = end
		case acquires && it.kind == itemBarrier && inFront(items, i): // acquire is one
		case acquires && l.source && it.kind == itemWork && inFront(items, i):
			l.inAdvance(it)
		default:
			l.outside(it)
		}
		if i >= finish && finish >= 0 && l.v == 0 {
			l.sync(l.s.ring(0), 2*l.s.warps, 1)
			finish = -1
		}
	}
	if l.p.Persistent {
		l.loop(top, before, ring)
	}
}

// loop ends the loop over groups that begins at op top, in front of which so many instructions were added. Rows that
// a v-TB owns are written again by the next group once all its warps are through.
func (l *lowering) loop(top int, before float64, ring bool) {
	l.label = ""
	if l.p.Kind == CoVTB {
		l.barrier(1)
	}
	l.extra(nextIssue)
	l.add(op{kind: opNext, top: int32(top), span: Compute})
	l.again = l.added - before
	if ring && l.v == 0 {
		l.sync(l.s.ring(0), 2*l.s.warps, 1)
	}
}

// handOvers returns where the first turn is given and the last one taken back: at the kernel's top, and after the
// statement of its body that holds the last region, as smux writes it. They are -1 where there are no regions.
func handOvers(items []item) (start, finish int) {
	start, finish = -1, -1
	from, to := 0, 0 // items of the step of the body that is looked at
	for from = 0; from < len(items); from = to {
		regions := false
		for to = from; to < len(items) && items[to].step == items[from].step; to++ {
			regions = regions || items[to].kind == itemEnter
		}
		if !regions {
			continue
		}
		start = max(start, 0)
		finish = to - 1
	}
	return start, finish
}

// barriersApart reports whether barriers remain outside of turns: neither right in
// front of a region nor right after one.
func barriersApart(items []item) bool {
	inside := false
	for i, it := range items {
		switch it.kind {
		case itemEnter:
			inside = true
		case itemLeave:
			inside = false
		case itemBarrier:
			if !inside && !inFront(items, i) && (i == 0 || items[i-1].kind != itemLeave) {
				return true
			}
		}
	}
	return false
}

// turn says how a v-TB gets the shared arrays.
type turn uint8

const (
	byNone  turn = iota // it has its own
	byLoop              // a turn loop with barriers of the launched TB
	byRing              // hand-over barriers
	byLock              // a lock for one of the sets
	byTable             // the SM allocates
)

func (l *lowering) turns() turn {
	switch {
	case l.p.Kind == HW || l.p.Kind == CoHW:
		return byTable
	case l.p.Kind == Baseline || l.p.Kind == Merge || l.p.Kind == Pipe || l.s.turns == 1:
		return byNone
	case l.p.Sync == Block:
		return byLoop
	case l.s.vtbs == 1: // the others are gone, and all know it
		return byNone
	case l.p.Sync == Named:
		return byRing
	}
	return byLock
}

// outside adds a step outside of regions, or one that needs no turn.
func (l *lowering) outside(it item) {
	if it.label != "" || !l.in {
		l.label = it.label
	}
	if it.kind == itemWork {
		l.work(l.lanes(it.work), it.times)
		return
	}
	l.barrier(it.times)
}

// barrier adds what __syncthreads becomes.
func (l *lowering) barrier(times float64) {
	if l.p.Sync == Block || l.s.vtbs == 1 {
		l.sync(0, l.s.all(), times)
		return
	}
	l.choose(min(l.v, l.owns-1), l.owns, times)
	l.sync(own(l.v), l.s.warps, times)
}

// region adds a region: first the part that needs no turn, then the turn.
func (l *lowering) region(enter item, body []item) {
	if l.p.Kind == CoVTB || l.p.Kind == CoHW {
		body = l.owned(body)
	}
	l.label = enter.label
	switch l.turns() {
	case byNone:
		l.enter(enter.label)
		l.body(body)
		l.leave()
	case byLoop:
		l.turnLoop(enter, body)
	case byRing:
		l.choose(l.v, l.s.vtbs, enter.times)
		l.sync(l.s.ring(l.v), 2*l.s.warps, enter.times)
		l.enter(enter.label)
		l.settle(1)
		l.body(body)
		l.leave()
		next := (l.v + 1) % l.s.vtbs
		l.extra(handIssue * enter.times)
		l.choose(next, l.s.vtbs, enter.times)
		l.arrive(l.s.ring(next), 2*l.s.warps, enter.times)
	case byLock:
		l.lead(takeIssue, enter.times)
		l.choose(l.v, l.owns, enter.times)
		l.extra(barrierIssue * enter.times)
		l.add(op{kind: opTake, wait: l.takeWait * enter.times, span: Wait})
		l.enter(enter.label)
		l.settle(1)
		l.body(body)
		l.barrier(enter.times)
		l.lead(giveIssue, enter.times)
		l.leave()
		l.add(op{kind: opGive, span: Compute})
	case byTable:
		l.extra(enter.times)
		l.add(op{kind: opTake, wait: l.barrierWait * enter.times, span: Wait})
		l.enter(enter.label)
		l.body(body)
		l.leave()
		l.extra(enter.times)
		l.add(op{kind: opGive, span: Compute})
	}
}

// choose adds the instructions that come before the k-th of several barriers: its number is a constant of the emitted
// code, which tries the others first. A person may have done without.
func (l *lowering) choose(k, of int, times float64) {
	if l.source && !l.p.Numbered {
		l.extra(otherIssue * float64(min(k, of-1)) * times)
	}
}

// lead adds so many instructions of a v-TB's first warp, which takes a lock or gives it
// back while the others go past.
func (l *lowering) lead(instructions, times float64) {
	l.extra(guardIssue * times)
	issued := instructions * times / float64(l.s.real)
	l.added += issued
	l.issue(mix{slots: issued}, instructions*times*l.instruction)
}

// body adds the steps of a region that it is this v-TB's turn for.
func (l *lowering) body(body []item) {
	label := l.label
	for _, it := range body {
		l.outside(it)
	}
	l.label = label
}

// turnLoop adds a region in block mode: all v-TBs pass the barriers of all turns, each works in its own.
func (l *lowering) turnLoop(enter item, body []item) {
	for turn := range l.s.turns {
		mine := l.has(turn)
		l.extra(guardIssue * enter.times)
		if mine {
			l.enter(enter.label)
		}
		for _, it := range body {
			switch {
			case it.kind == itemBarrier:
				l.extra(guardIssue * it.times)
				l.sync(0, l.s.all(), it.times)
			case mine:
				l.inTurn(turn, it)
			}
		}
		if mine {
			l.leave()
		}
		l.label = enter.label
		l.sync(0, l.s.all(), enter.times)
	}
}

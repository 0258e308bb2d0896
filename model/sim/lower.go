package sim

// shape is one launched TB: how many v-TBs of how many warps each.
//
// Where a v-TB has many warps, a simulated one stands for several that go in step:
// it issues that many times the instructions, as fast as they would together.
type shape struct {
	vtbs, warps int
	turns       int     // of a turn loop: one for each v-TB of a full launched TB
	weight      float64 // real warps that a simulated one stands for
}

// maxWarps is the simulated warps of a v-TB: enough for some to wait for memory
// while others compute.
const maxWarps = 4

func newShape(vtbs, warps int) shape {
	simulated := min(warps, maxWarps)
	return shape{vtbs, simulated, vtbs, float64(warps) / float64(simulated)}
}

// of returns the shape of a launched TB that the grid fills only partly.
func (s shape) of(vtbs int) shape { return shape{vtbs, s.warps, s.turns, s.weight} }

// Barriers of a launched TB: 0 is its own, 1 ... N those of the v-TBs, and
// N+1 ... 2N the ring of hand-over barriers.
func own(v int) int                 { return 1 + v }
func (s shape) ring(v int) int      { return 1 + s.vtbs + v%s.vtbs }
func (s shape) all() int            { return s.vtbs * s.warps }
func (s shape) barriers() int       { return 2*s.vtbs + 1 }
func (s shape) next(v int) (to int) { return s.ring(v + 1) }

// lower writes the programs of the v-TBs of a launched TB.
func lower(items []item, p Policy, s shape, c costs) []program {
	var programs []program
	if p.Kind == Pipe && s.vtbs == 2 {
		programs = pipe(items, p, s, c)
	} else {
		room := 4 * len(items)
		for v := range s.vtbs {
			l := lowering{builder: builder{costs: c, program: program{ops: make([]op, 0, room)}}, p: p, s: s, v: v}
			l.lower(items)
			programs = append(programs, l.program)
			room = len(l.ops) + 2 // the next one's are about as many
		}
	}
	for i := range programs {
		programs[i].weigh(s.weight)
	}
	return programs
}

// lowering writes the program of v-TB v.
type lowering struct {
	builder
	p Policy
	s shape
	v int
}

func (l *lowering) lower(items []item) {
	start, finish := -1, -1
	switch l.turns() {
	case byRing:
		start, finish = handOvers(items)
	case byLock: // all know that the locks are open
		l.sync(0, l.s.all(), 1)
	}
	for i := 0; i < len(items); i++ {
		if i == start && l.v == l.s.vtbs-1 {
			l.arrive(l.s.ring(0), 2*l.s.warps, 1)
		}
		if items[i].kind != itemEnter {
			l.outside(items[i])
		} else {
			end := i + 1
			for items[end].kind != itemLeave {
				end++
			}
			l.region(items[i], items[i+1:end])
			i = end
		}
		if i == finish && l.v == 0 {
			l.sync(l.s.ring(0), 2*l.s.warps, 1)
		}
	}
}

// handOvers returns where the first turn is given and the last one taken back: at the
// kernel's top, and behind the statement of its body that holds the last region,
// as smux writes it. They are -1 where there are no regions.
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
		if start < 0 {
			start = 0
		}
		finish = to - 1
	}
	return start, finish
}

// turn is how a v-TB gets the shared arrays.
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
		l.work(it.work, it.times)
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
	l.sync(own(l.v), l.s.warps, times)
}

// region adds a region: first the part that needs no turn, then the turn.
func (l *lowering) region(enter item, body []item) {
	private := 0.0
	if l.p.Kind == CoVTB || l.p.Kind == CoHW {
		private = l.p.Private
	}
	if private > 0 {
		for _, it := range body {
			l.outside(scaled(it, private))
		}
	}
	l.label = enter.label
	switch l.turns() {
	case byNone:
		l.enter(enter.label)
		l.body(body, 1-private)
		l.leave()
	case byLoop:
		l.turnLoop(enter, body, 1-private)
	case byRing:
		l.sync(l.s.ring(l.v), 2*l.s.warps, enter.times)
		l.enter(enter.label)
		l.body(body, 1-private)
		l.leave()
		l.arrive(l.s.next(l.v), 2*l.s.warps, enter.times)
	case byLock:
		l.extra(lockIssue * enter.times)
		l.add(op{kind: opTake, wait: l.takeWait * enter.times, span: Wait})
		l.enter(enter.label)
		l.body(body, 1-private)
		l.barrier(enter.times)
		l.leave()
		l.add(op{kind: opGive, span: Compute})
	case byTable:
		l.extra(enter.times)
		l.add(op{kind: opTake, wait: l.barrierWait * enter.times, span: Wait})
		l.enter(enter.label)
		l.body(body, 1-private)
		l.leave()
		l.extra(enter.times)
		l.add(op{kind: opGive, span: Compute})
	}
}

// scaled returns the share of an item; barriers cannot be shared out.
func scaled(it item, share float64) item {
	it.work = it.work.Scale(share)
	return it
}

// body adds the steps of a region that it is this v-TB's turn for.
func (l *lowering) body(body []item, share float64) {
	label := l.label
	for _, it := range body {
		l.outside(scaled(it, share))
	}
	l.label = label
}

// turnLoop adds a region in block mode: all v-TBs pass the barriers of all
// turns, each works in its own (design §5).
func (l *lowering) turnLoop(enter item, body []item, share float64) {
	for turn := range l.s.turns {
		l.extra(guardIssue * enter.times)
		if turn == l.v {
			l.enter(enter.label)
		}
		for _, it := range body {
			switch {
			case it.kind == itemBarrier:
				l.extra(guardIssue * it.times)
				l.sync(0, l.s.all(), it.times)
			case turn == l.v:
				l.outside(scaled(it, share))
			}
		}
		if turn == l.v {
			l.leave()
		}
		l.label = enter.label
		l.sync(0, l.s.all(), enter.times)
	}
}

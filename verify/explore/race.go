package explore

// walk goes through the steps of one launch.
type walk struct {
	explorer *Explorer
	first    int     // index of the launch's first node
	clocks   [][]int // of each thread: what came before its next step
	told     [][]int // by ticket
	passed   []int   // of each thread: barriers of its whole block or grid so far
}

func (w *walk) meet(launch int, l *Launch, m *Meeting) {
	for i := range w.passed {
		if m.Barrier != 0 && m.Members.has(i) {
			w.passed[i]++
			w.explorer.barrier(Interval{launch, w.passed[i]}, l.Kernel, m.Barrier)
		}
	}
	all := make([]int, len(w.clocks))
	for i := range w.clocks {
		if m.Members.has(i) {
			join(all, w.clocks[i])
		}
	}
	for _, ticket := range m.Tickets {
		if ticket < len(w.told) {
			join(all, w.told[ticket])
		}
	}
	for i := range w.clocks {
		if m.Members.has(i) {
			join(w.clocks[i], all)
		}
	}
}

func join(to, by []int) {
	for i, v := range by {
		to[i] = max(to[i], v)
	}
}

// step finds what came before a node's step, and with which steps it could have changed places. Where the run is followed
// and the step is new, the other order is noted as one to run.
func (w *walk) step(at int, followed bool) {
	nodes := w.explorer.nodes
	n := &nodes[at]
	me := n.chosen.Thread
	if at < w.explorer.fresh {
		copy(w.clocks[me], n.clock)
		return
	}
	clock := w.clocks[me]
	var races []int
	for i := at - 1; i >= w.first; i-- {
		earlier := &nodes[i]
		if earlier.chosen.Thread == me || !earlier.chosen.Depends(n.chosen.Op) {
			continue
		}
		if clock[earlier.chosen.Thread] <= i {
			races = append(races, i)
		}
		join(clock, earlier.clock)
	}
	clock[me] = at + 1
	n.clock = append([]int(nil), clock...)
	if followed {
		for _, i := range races {
			w.explorer.reverse(i, at)
		}
	}
}

// before reports whether the step of node i came before that of a later node k, however threads run.
func (e *Explorer) before(i, k int) bool {
	return e.nodes[k].clock[e.nodes[i].chosen.Thread] > i
}

// reverse sees to it that the step of node `late` comes before that of node `early` in some run: it is made from the state in
// front of early, after all that it needs and that does not come after early.
func (e *Explorer) reverse(early, late int) {
	n := &e.nodes[early]
	var rest []int // what comes between the two in either order, and late
	for k := early + 1; k < late; k++ {
		if !e.before(early, k) {
			rest = append(rest, k)
		}
	}
	rest = append(rest, late)
	var first, needed, seen Set // threads that may begin, those of them that late waits for or is, and those looked at
	for at, k := range rest {
		t := e.nodes[k].chosen.Thread
		if seen.has(t) {
			continue
		}
		seen |= one(t)
		begins := true
		for _, other := range rest[:at] {
			begins = begins && !e.before(other, k)
		}
		if begins {
			first |= one(t)
			if k == late || e.before(k, late) {
				needed |= one(t)
			}
		}
	}
	first, needed = first&n.enabled, needed&n.enabled
	e.stretch(n.interval).interesting = true
	switch {
	case first&(n.backtrack|threads(n.sleep)|threads(n.done)) != 0:
	case needed != 0:
		n.backtrack |= needed & -needed
	}
	// Else late's thread waits in a loop. What it would see here it has seen in its last turn, whose steps have
	// races of their own with what comes between.
}

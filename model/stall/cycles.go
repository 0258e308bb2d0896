package stall

import "slices"

const (
	barriers = 6  // that a warp has
	deepest  = 12 // loops in one another that are distinguished
	patience = 1 << 22
)

// Cycles returns how many cycles a warp takes that has the SM to itself, when each loop runs ten times (or
// Instruction.Turns): the instructions issue in order, each after the stall count of the one before, and one that
// waits for a barrier issues when the latencies of all that release it have passed. What passes while other
// instructions issue costs nothing, over the end of a loop's turn too.
//
// Turns are gone through one by one until two begin alike; the others take as long as the last one. So a wait for
// what was loaded before a loop counts once, where RegDem has it ten times.
func Cycles(code []Instruction, l Latencies) float64 {
	total := 0.0
	for _, cycles := range Spent(code, l) {
		total += cycles
	}
	return total
}

// Spent returns how many of the cycles pass until each instruction issues and before the
// next one may: what it waits for, and its stall count, in all turns of its loops.
// A wait for memory is with the instruction that needs the result, not with the load.
func Spent(code []Instruction, l Latencies) []float64 {
	w := &walk{code: code, latencies: l, left: patience + 4*len(code), spent: make([]float64, len(code))}
	for b := range w.free {
		w.free[b] = make([]float64, 1)
	}
	for _, in := range code {
		for b := range w.free {
			if more := min(in.Left, 63) + 1 - len(w.free[b]); in.Wait&(1<<b) != 0 && more > 0 {
				w.free[b] = append(w.free[b], make([]float64, more)...)
			}
		}
	}
	w.span(0, len(code), 0)
	return w.spent
}

// walk is a warp on its way through the code.
type walk struct {
	code      []Instruction
	latencies Latencies
	state
	spent []float64 // by instruction
	left  int       // instructions that may still be gone through one by one
}

// state says where a warp stands.
type state struct {
	now float64
	// free says when the last instructions that release a barrier will have done so, the
	// latest first: as many as any instruction asks for.
	free [barriers][]float64
}

func (s *state) clone() state {
	c := *s
	for b := range c.free {
		c.free[b] = slices.Clone(s.free[b])
	}
	return c
}

// forget takes what is past for now: nothing waits for it any more.
func (s *state) forget() {
	for b := range s.free {
		for i := range s.free[b] {
			s.free[b][i] = max(s.free[b][i], s.now)
		}
	}
}

// alike reports whether all that follows takes as long from one state as from another, after forget.
func (s *state) alike(o *state) bool {
	for b := range s.free {
		for i := range s.free[b] {
			if s.free[b][i]-s.now != o.free[b][i]-o.now {
				return false
			}
		}
	}
	return true
}

// mix is a state between two, at a share of the way from a to s.
func (s *state) mix(a *state, share float64) {
	between := func(x *float64, from float64) { *x = from + share*(*x-from) }
	between(&s.now, a.now)
	for b := range s.free {
		for i := range s.free[b] {
			between(&s.free[b][i], a.free[b][i])
		}
	}
}

// later moves a state on in time.
func (s *state) later(cycles float64) {
	s.now += cycles
	for b := range s.free {
		for i := range s.free[b] {
			s.free[b][i] += cycles
		}
	}
}

// span goes through the instructions of one loop's turn, loops in it included.
func (w *walk) span(from, to, depth int) {
	for i := from; i < to; {
		if w.depth(i) <= depth {
			w.issue(i)
			i++
			continue
		}
		end := i + 1
		for end < to && w.depth(end) > depth && !(w.code[end].Head && w.depth(end) == depth+1) {
			end++
		}
		w.loop(i, end, depth+1)
		i = end
	}
}

func (w *walk) depth(i int) int { return min(w.code[i].Depth, deepest) }

// loop goes through all turns of a loop.
func (w *walk) loop(from, to, depth int) {
	turns := float64(Turns)
	for i := from; i < to; i++ {
		if w.depth(i) == depth {
			if w.code[i].Turns > 0 {
				turns = w.code[i].Turns
			}
			break
		}
	}
	w.forget()
	for turns > 0 {
		before, spent := w.clone(), slices.Clone(w.spent[from:to])
		w.span(from, to, depth)
		w.forget()
		if turns < 1 {
			w.mix(&before, turns)
			w.again(from, spent, turns-1)
			return
		}
		turns--
		if w.alike(&before) || w.left <= 0 {
			w.later(turns * (w.now - before.now))
			w.again(from, spent, turns)
			return
		}
	}
}

// again counts what the instructions from one on have spent since then some times more.
func (w *walk) again(from int, since []float64, times float64) {
	for i, before := range since {
		w.spent[from+i] += times * (w.spent[from+i] - before)
	}
}

// issue has one instruction wait and issue.
func (w *walk) issue(i int) {
	in, start := &w.code[i], w.now
	w.left--
	for b := range w.free {
		if in.Wait&(1<<b) != 0 {
			w.now = max(w.now, w.free[b][max(0, min(in.Left, len(w.free[b])-1))])
		}
	}
	if in.Write >= 0 && in.Write < barriers {
		w.release(in.Write, w.now+w.latencies.of(in.Memory))
	}
	if in.Read >= 0 && in.Read < barriers {
		w.release(in.Read, w.now+w.latencies.Read)
	}
	w.now += float64(max(1, in.Stall)) // one instruction per cycle
	w.spent[i] += w.now - start
}

func (w *walk) release(barrier int, at float64) {
	list := w.free[barrier]
	for i := range list {
		if at > list[i] {
			copy(list[i+1:], list[i:])
			list[i] = at
			return
		}
	}
}

package cost

import (
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/model/workload"
)

// maxSamples is the number of turns of nested loops together that are walked; the others are assumed to be like them.
// Where threads run different numbers of turns, the turns are not alike: unevenSamples are walked. Of a loop whose
// number of turns is only assumed guessedSamples are: what its turns are like is no better known.
const (
	maxSamples     = 32
	unevenSamples  = 512
	guessedSamples = 3
)

// trips says how often a loop runs.
type trips struct {
	known bool
	most  int64
	v     []int64 // per thread, nil where all are alike
	// fixed is set if the compiler knows it, too.
	fixed bool
	// counter steps by a constant: its cell, and the step.
	counter cell
	step    int64
	linear  bool
	// tiled is set of a loop over tiles: each of its turns stands for step turns of the loop that was cut.
	tiled bool
}

// guessedTrips returns the number of turns to assume if it is unknown.
func (x *walk) guessedTrips(t trips) int64 {
	n := int64(assumedTrips)
	if x.large {
		n = largeTrips
	}
	if t.tiled {
		n = max(1, (n+t.step-1)/t.step)
	}
	return n
}

// active is the set of threads that run turn n.
func (t trips) active(outer mask, threads int, n int64) mask {
	if t.v == nil {
		return outer
	}
	out := make(mask, threads)
	for i := range out {
		out[i] = outer.has(i) && n < t.v[i]
	}
	return out
}

// loop runs a loop: some of its turns, each weighed with those that it stands for.
func (f *frame) loop(s *ir.Stmt) {
	x := f.x
	if s.Init != nil {
		f.stmt(s.Init)
	}
	t := f.tripsOf(s)
	if !t.known {
		t.most = x.guessedTrips(t)
		if x.mute == 0 {
			x.guessed = true
			x.assume("%s: the loop is taken to run %d times, which is not known", x.where(f, s.Range.Start), t.most)
		}
	}
	if t.most == 0 {
		f.head(s, 1)
		return
	}
	if x.structural(f, s) && !f.flattened(s, t) {
		n := x.structure(workload.KindLoop, loopKey{x.path, s}, x.line.in)
		x.inside(n, func() { f.turns(s, t, 1, n) })
		return
	}
	if f.flattened(s, t) || x.computed[s] && x.moves() { // whose values take registers of their own
		f.turns(s, t, 0, nil)
		return
	}
	u := f.unrolling(s, t)
	if !t.fixed && t.linear && f.unrollable(s) {
		x.issue(loopSetUp)
	}
	fresh := x.maybe == 0 && len(x.loops) == 0
	if fresh {
		x.wait(1)
		x.open(loopKey{x.path, s})
	}
	f.turns(s, t, u, nil)
	if fresh {
		x.slot = nil
		x.open(after{s})
	}
}

// loopKey tells the loops apart that calls of one function run.
type loopKey struct {
	path string
	s    *ir.Stmt
}

type after struct{ s *ir.Stmt }

// turns walks the turns of a loop, of which the compiler lays out unroll in a row; 0 means all.
func (f *frame) turns(s *ir.Stmt, t trips, unroll float64, n *node) {
	x := f.x
	outerWeight, outerMask := x.weight, x.mask
	st := &loopState{stmt: s, first: x.batch + 1, samples: 1, level: len(x.loops), maybe: x.maybe, flat: unroll == 0}
	budget := int64(maxSamples)
	if t.v != nil {
		budget = unevenSamples
	}
	for _, l := range x.loops {
		budget /= int64(max(1, l.samples))
	}
	samples := min(t.most, max(2, budget))
	if !t.known && !x.large {
		samples = min(samples, guessedSamples)
	}
	if unroll == 0 {
		samples = t.most // what the compiler lays out it computes once, and loads once
	}
	if x.budget < 0 {
		samples = min(2, t.most)
	}
	if x.compiling {
		samples = min(t.most, mostLaidOut)
		if unroll != 0 || x.budget < 0 {
			samples = min(t.most, compiledTurns)
		}
	}
	st.samples = int(samples)
	x.loops = append(x.loops, st)
	defer func() { x.loops, st.over = x.loops[:len(x.loops)-1], unroll != 0 }()
	if unroll != 0 {
		x.wait(1)
		f.vary(s, t, unroll)
	}
	done := int64(0)
	for i := range samples {
		turn := i
		weight := 1.0
		if i > 0 && samples < t.most {
			weight = float64(t.most-1) / float64(samples-1)
			turn = sampled(i, samples, t.most)
		}
		f.skip(s, t, done, turn)
		done = turn
		if unroll != 0 {
			st.turn = turn
		}
		x.weight = outerWeight * weight
		x.restrict(t.active(outerMask, x.n, turn))
		if x.share == 0 && t.v != nil {
			continue
		}
		if n != nil {
			n.runs += x.weight * x.share
			n.at, n.visited = 0, false
			x.slot = nil
		}
		if x.mute == 0 {
			run := x.turned[s]
			run.turns += x.weight * x.share
			if unroll > 0 {
				run.emitted += x.weight * x.share / unroll
			}
			x.turned[s] = run
		}
		f.turn(s, t, unroll, st)
		done++
	}
	if samples < t.most {
		f.forget(s)
	}
	if unroll != 0 {
		x.stop()
	}
	x.weight = outerWeight
	x.revive(st.left)
	x.restrict(outerMask)
}

// sampled is the turn that sample i of several stands on, of most turns. Many samples come in runs of eight, so that
// turns which read the same sectors of memory are seen together; few are spread, and a lone one after the first turn
// stands in the middle.
func sampled(i, samples, most int64) int64 {
	const run = 8
	if samples == 2 {
		return max(1, most/2)
	}
	if samples < 2*run {
		return 1 + (i-1)*(most-1)/(samples-1)
	}
	runs := (samples + run - 1) / run
	from := (i / run) * (most/run - 1) / max(1, runs-1) * run
	return min(most-1, from+i%run)
}

// turn runs the head and the body of a loop once.
func (f *frame) turn(s *ir.Stmt, t trips, unroll float64, st *loopState) {
	x := f.x
	if unroll != 0 {
		f.head(s, unroll)
	}
	if unroll != 0 {
		x.stop()
	}
	chained, branching := st.chained, st.branching
	st.chained, st.branching = false, false
	f.stmt(s.Body)
	x.revive(st.skipped)
	st.skipped = nil
	x.restrict(x.mask)
	if s.Post != nil {
		if t.linear && unroll != 0 {
			x.issue(f.cells[t.counter].width() / unroll)
			x.needs(f.cells[t.counter])
			x.mute++
			f.eval(s.Post)
			x.mute--
		} else {
			f.eval(s.Post)
		}
	}
	if unroll != 0 {
		together := max(1, unroll)
		if t.known && !t.fixed && t.most == unrollByNvcc-1 && f.unrollable(s) {
			together = leftOver
		}
		if st.chained || st.branching || chained || branching {
			together = 1
		}
		x.wait(together)
		x.together(st, together)
	}
	st.chained, st.branching = st.chained || chained, st.branching || branching
}

// head counts the test and the branch of a loop's turn.
func (f *frame) head(s *ir.Stmt, unroll float64) {
	x := f.x
	if s.Cond != nil {
		if plainTest(s.Cond) {
			x.mute++
			f.eval(s.Cond)
			n := f.testWidth(s.Cond)
			x.mute--
			f.compared(s.Cond)
			x.issue(n / unroll)
		} else {
			x.needs(f.eval(s.Cond))
		}
	}
	x.issue(costBranch / unroll)
}

// compared notes that the names of a plain test are needed.
func (f *frame) compared(e *ir.Expr) {
	for k := range e.All() {
		if k.Op == ir.OpIdent {
			f.x.mute++
			v := f.eval(k)
			f.x.mute--
			f.x.needs(v)
		}
	}
}

// testWidth counts the instructions of a plain test: those of the wider side, and one to widen the other.
func (f *frame) testWidth(e *ir.Expr) float64 {
	if e.Op != ir.OpBinary {
		return 1
	}
	a, b := f.eval(e.Kids[0]), f.eval(e.Kids[1])
	n := max(a.width(), b.width())
	if a.width() < n && !a.isConstant() {
		n++
	}
	return n
}

// plainTest reports whether a condition compares two names or numbers.
func plainTest(e *ir.Expr) bool {
	simple := func(k *ir.Expr) bool {
		return k.Op == ir.OpIdent || k.Op == ir.OpInt
	}
	return simple(e) || e.Op == ir.OpBinary && comparison(e.Tok) && simple(e.Kids[0])
}

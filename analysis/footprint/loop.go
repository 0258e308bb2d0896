package footprint

import (
	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/evaluate"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/uniformity"
)

// loop computes the effect of a loop: iteration by iteration where its
// counters can be enumerated, else as zero or more runs of its body.
func (x *Execution) loop(s *ir.Stmt, in Flow) (MemoryEffect, Flow) {
	if s.Op == ir.StmtFor {
		if c := x.Counters(s); c != nil {
			if e, out, ok := x.enumerate(s, c, in); ok {
				return e, out
			}
		}
	}
	return x.unknownLoop(s, in)
}

// enumerate runs a counted loop; ok is false where the condition is not known or the loop is too long.
func (x *Execution) enumerate(s *ir.Stmt, cs []evaluate.Counter, in Flow) (e MemoryEffect, out Flow, ok bool) {
	restore := x.Begin(s, cs)
	defer restore()
	e = x.none()
	j := &jumpState{loop: s}
	x.jumps = append(x.jumps, j)
	defer func() { x.jumps = x.jumps[:len(x.jumps)-1] }()
	active, returned := in, false
	for n := 0; ; n++ {
		cond := x.Eval(s.Cond)
		if !cond.Known || n > evaluate.MaxIterations || x.Ev.Spent() {
			return MemoryEffect{}, Flow{}, false
		}
		e.then(x.Expr(s.Cond, active))
		active, _ = active.Split(x.Ev.N, cond)
		if active.May.None {
			break
		}
		body, after := x.Stmt(s.Body, active)
		e.then(x.leaving(body, s))
		if analysis.ContainsReturn(s.Body) {
			returned = true
			active = Flow{active.Must.and(x.Ev.N, after.Must), active.May}
		}
		if j.leftMay {
			// Some threads may be gone from the loop: nothing is certain any more.
			active.Must = NoThreads
		}
		e.then(x.Expr(s.Post, active))
		x.AdvanceCounters(s, cs)
	}
	out = in
	if returned {
		out.Must = NoThreads
	}
	return e, out, true
}

// unknownLoop is a loop whose iterations can't be enumerated. Within one iteration definitions count for the reads
// after them if whole blocks iterate together; after the loop nothing is certain unless it is a do loop.
func (x *Execution) unknownLoop(s *ir.Stmt, in Flow) (MemoryEffect, Flow) {
	e := x.none()
	if s.Init != nil {
		var o MemoryEffect
		o, _ = x.Stmt(s.Init, in)
		e.then(o)
	}
	inside := in
	if uniformity.BranchUniformity(x.K.Kernel, x.Fn, s) > analysis.BlockUniform {
		inside.Must = NoThreads
	}
	j := &jumpState{loop: s}
	x.jumps = append(x.jumps, j)
	iter := x.none()
	if s.Op != ir.StmtDo {
		iter.then(x.Expr(s.Cond, inside))
	}
	counters, restore := x.Counting(s)
	body, _ := x.Stmt(s.Body, inside)
	after := x.none()
	if in.Must.full() {
		after = x.definedByLoop(s, counters, nil, nil)
	}
	restore()
	iter.then(body)
	if s.Op == ir.StmtDo {
		iter.then(x.Expr(s.Cond, Flow{NoThreads, in.May}))
	}
	iter.then(x.Expr(s.Post, Flow{NoThreads, in.May}))
	x.jumps = x.jumps[:len(x.jumps)-1]
	if s.Op != ir.StmtDo {
		iter.Def, iter.writes = nil, nil
	}
	e.then(x.leaving(iter, s))
	e.then(x.leaving(after, s))
	out := in
	if analysis.ContainsReturn(s.Body) {
		out.Must = NoThreads
	}
	return e, out
}

// Trips returns how often each thread runs the body of a for loop of fn, in the
// order of the linear thread number; one element where all do so alike. It is
// ok where the loop's counters and condition fold, and no thread leaves early.
func Trips(k *analysis.Kernel, in *analysis.Instance, fn *ir.Func, loop *ir.Stmt) (trips []int64, ok bool) {
	x := New(k, evaluate.FrameUnder(in, k, fn))
	if loop.Op != ir.StmtFor || loop.LeavesEarly() {
		return nil, false
	}
	cs := x.Counters(loop)
	if cs == nil {
		return nil, false
	}
	defer x.Begin(loop, cs)()
	trips = []int64{0}
	done := []bool{false}
	for n := 0; n <= evaluate.MaxIterations; n++ {
		cond := x.Eval(loop.Cond)
		if !cond.Known || x.Ev.Spent() {
			return nil, false
		}
		for len(trips) < len(cond.V) {
			trips, done = append(trips, trips[0]), append(done, done[0])
		}
		more := false
		for i := range trips {
			done[i] = done[i] || cond.At(i) == 0
			if !done[i] {
				trips[i]++
				more = true
			}
		}
		if !more {
			return trips, true
		}
		x.AdvanceCounters(loop, cs)
	}
	return nil, false
}

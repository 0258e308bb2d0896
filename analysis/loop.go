package analysis

import (
	"slices"

	"github.com/smux-cuda/smux/analysis/ir"
)

// maxIterations bounds the iterations of one loop that are enumerated.
const maxIterations = 4096

// loop computes the effect of a loop: iteration by iteration where its
// counters can be enumerated, else as zero or more runs of its body.
func (x *execution) loop(s *ir.Stmt, in flow) (memoryEffect, flow) {
	if s.Op == ir.StmtFor {
		if c := x.counters(s); c != nil {
			if e, out, ok := x.enumerate(s, c, in); ok {
				return e, out
			}
		}
	}
	return x.unknownLoop(s, in)
}

// counter is a loop variable that only the loop's head changes.
type counter struct {
	v    *ir.Var
	init *ir.Expr
	step *ir.Expr // the assignment or increment in the loop's head
}

// counters returns the variables of a for loop that only its head changes, or
// nil where the head can't be enumerated.
func (f *frame) counters(s *ir.Stmt) []counter {
	if s.Init == nil || s.Post == nil || s.Cond == nil {
		return nil
	}
	var out []counter
	switch s.Init.Op {
	case ir.StmtDecl:
		for _, v := range s.Init.Vars {
			if v.Init != nil {
				out = append(out, counter{v: v, init: v.Init})
			}
		}
	case ir.StmtExpr:
		for _, a := range commaList(s.Init.Expr) {
			if a.Op == ir.OpAssign && a.Tok == "=" && a.Kids[0].Op == ir.OpIdent && a.Kids[0].Var != nil {
				out = append(out, counter{v: a.Kids[0].Var, init: a.Kids[1]})
			}
		}
	}
	steps := commaList(s.Post)
	kept := out[:0]
	for _, c := range out {
		if c.v.AddrTaken || c.v.Kind != ir.VarLocal || c.v.Type.Ptr > 0 || len(c.v.Dims) > 0 {
			continue
		}
		stepped, writesHere := 0, 0
		for _, w := range c.v.Writes {
			switch {
			case slices.Contains(steps, w):
				c.step = w
				stepped++
			case w.Op == ir.OpAssign && w.Kids[1] == c.init:
			case s.Range.Contains(w.Range):
				writesHere++ // in the body, the condition, or deep in the head
			}
		}
		if stepped == 1 && writesHere == 0 {
			kept = append(kept, c)
		}
	}
	if len(kept) == 0 {
		return nil
	}
	return kept
}

func commaList(e *ir.Expr) []*ir.Expr {
	if e != nil && e.Op == ir.OpComma {
		return append(commaList(e.Kids[0]), commaList(e.Kids[1])...)
	}
	if e == nil {
		return nil
	}
	return []*ir.Expr{e}
}

// begin binds the counters to their initial values; restore undoes it.
func (f *frame) begin(s *ir.Stmt, cs []counter) (restore func()) {
	old := make([]value, len(cs))
	had := make([]bool, len(cs))
	init := make([]value, len(cs))
	loops := make([]*ir.Stmt, len(cs))
	for i, c := range cs {
		init[i] = convert(f.eval(c.init), c.v.Type.Base)
	}
	for i, c := range cs {
		old[i], had[i] = f.vals[c.v]
		loops[i] = f.loops[c.v]
		f.bind(c.v, init[i], s)
	}
	return func() {
		for i, c := range cs {
			if had[i] {
				f.bind(c.v, old[i], loops[i])
			} else {
				f.unbind(c.v)
			}
		}
	}
}

// advanceCounters moves the counters to the next iteration, in the order in
// which the head does.
func (f *frame) advanceCounters(s *ir.Stmt, cs []counter) {
	for _, step := range commaList(s.Post) {
		for _, c := range cs {
			if c.step == step {
				f.bind(c.v, convert(f.step(f.vals[c.v], step), c.v.Type.Base), s)
			}
		}
	}
}

// step computes the new value of a counter.
func (f *frame) step(cur value, step *ir.Expr) value {
	switch {
	case step.Op == ir.OpIncDec:
		return binary(step.Tok[:1], cur, value{known: true, unsigned: cur.unsigned, s: 1})
	case step.Tok == "=":
		return f.eval(step.Kids[1])
	}
	return binary(step.Tok[:len(step.Tok)-1], cur, f.eval(step.Kids[1]))
}

// enumerate runs a counted loop; ok is false where the condition is not known
// or the loop is too long.
func (x *execution) enumerate(s *ir.Stmt, cs []counter, in flow) (e memoryEffect, out flow, ok bool) {
	restore := x.begin(s, cs)
	defer restore()
	e = x.none()
	j := &jumpState{loop: s}
	x.jumps = append(x.jumps, j)
	defer func() { x.jumps = x.jumps[:len(x.jumps)-1] }()
	active, returned := in, false
	for n := 0; ; n++ {
		cond := x.eval(s.Cond)
		if !cond.known || n > maxIterations || x.ev.spent() {
			return memoryEffect{}, flow{}, false
		}
		e.then(x.expr(s.Cond, active))
		active, _ = active.split(x.ev.n, cond)
		if active.may.none {
			break
		}
		body, after := x.stmt(s.Body, active)
		e.then(x.leaving(body, s))
		if containsReturn(s.Body) {
			returned = true
			active = flow{active.must.and(x.ev.n, after.must), active.may}
		}
		if j.leftMay {
			// Some threads may be gone from the loop: nothing is certain any more.
			active.must = noThreads
		}
		e.then(x.expr(s.Post, active))
		x.advanceCounters(s, cs)
	}
	out = in
	if returned {
		out.must = noThreads
	}
	return e, out, true
}

// unknownLoop is a loop whose iterations can't be enumerated. Within one
// iteration definitions count for the reads after them if whole blocks
// iterate together; after the loop nothing is certain unless it is a do loop.
func (x *execution) unknownLoop(s *ir.Stmt, in flow) (memoryEffect, flow) {
	e := x.none()
	if s.Init != nil {
		var o memoryEffect
		o, _ = x.stmt(s.Init, in)
		e.then(o)
	}
	inside := in
	if x.k.branchUniformity(x.fn, s) > BlockUniform {
		inside.must = noThreads
	}
	j := &jumpState{loop: s}
	x.jumps = append(x.jumps, j)
	iter := x.none()
	if s.Op != ir.StmtDo {
		iter.then(x.expr(s.Cond, inside))
	}
	counters, restore := x.counting(s)
	body, _ := x.stmt(s.Body, inside)
	after := x.none()
	if in.must.full() {
		after = x.definedByLoop(s, counters, nil, nil)
	}
	restore()
	iter.then(body)
	if s.Op == ir.StmtDo {
		iter.then(x.expr(s.Cond, flow{noThreads, in.may}))
	}
	iter.then(x.expr(s.Post, flow{noThreads, in.may}))
	x.jumps = x.jumps[:len(x.jumps)-1]
	if s.Op != ir.StmtDo {
		iter.def, iter.writes = nil, nil
	}
	e.then(x.leaving(iter, s))
	e.then(x.leaving(after, s))
	out := in
	if containsReturn(s.Body) {
		out.must = noThreads
	}
	return e, out
}

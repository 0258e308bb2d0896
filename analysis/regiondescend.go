package analysis

import (
	"maps"

	"github.com/smux-cuda/smux/analysis/ir"
)

// descend looks for regions inside a single statement at whose start and end
// nothing is live. Where the statement must be one region it reports why.
func (k *regionSearch) descend(s *ir.Stmt, ctxs []*context, ins [][]flow, at int, around surroundings) Hold {
	fn := around.fn
	inner := make([]*context, 0, len(ctxs))
	narrow := func(f func(c *context, in flow) (flow, map[*ir.Var]bound)) []*context {
		for ci, c := range ctxs {
			c.enter()
			in, bind := f(c, ins[ci][at])
			c.exit()
			inner = append(inner, &context{x: c.x, in: in, bind: extend(c.bind, bind), outer: c.outer})
		}
		return inner
	}
	same := func(c *context, in flow) (flow, map[*ir.Var]bound) { return in, nil }
	switch {
	case s.Macro:
		return k.holdAt(HoldMacro, s.Range) // its parts can't be told apart in the text
	case s.Op == ir.StmtCompound:
		k.regionsIn(s, s.List, narrow(same), around)
		return Hold{}
	case s.Op == ir.StmtIf:
		if !s.Preproc && k.Touches(fn, s.Cond) {
			return k.holdAt(HoldHead, s.Cond.Range, k.arraysOf(k.touchedIn(fn, s.Cond))...)
		}
		if !s.Preproc && k.Uniformity(fn, s.Cond) > k.limit && !k.guards[s] {
			h := k.holdAt(HoldControl, s.Cond.Range)
			h.Level = k.Uniformity(fn, s.Cond)
			return h
		}
		for _, b := range []*ir.Stmt{s.Body, s.Else} {
			if b == nil {
				continue
			}
			into := same
			if k.guards[s] {
				into = func(c *context, in flow) (flow, map[*ir.Var]bound) { return c.stay(s, b, in), nil }
			}
			inner = make([]*context, 0, len(ctxs))
			k.regionsIn(b, statements(b), narrow(into), around)
		}
		return Hold{}
	case s.IsLoop():
		return k.descendLoop(s, ctxs, ins, at, around)
	}
	return k.descendCall(s, ctxs, ins, at, around)
}

// statements returns the statements of a body, braces or not.
func statements(s *ir.Stmt) []*ir.Stmt {
	if s.Op == ir.StmtCompound && !s.Macro {
		return s.List
	}
	return []*ir.Stmt{s}
}

// descendLoop goes into a loop if its control is as even as it must be,
// its head leaves shared memory alone, and nothing is live from one iteration
// to the next.
func (k *regionSearch) descendLoop(s *ir.Stmt, ctxs []*context, ins [][]flow, at int, around surroundings) Hold {
	fn := around.fn
	if s.Init != nil && k.accesses(fn, s.Init) || k.Touches(fn, s.Cond) || k.Touches(fn, s.Post) {
		return k.holdAt(HoldHead, s.Range, k.arraysOf(k.headTouches(fn, s))...)
	}
	if l := k.branchUniformity(fn, s); l > k.limit {
		h := k.holdAt(HoldControl, s.Range)
		h.Level = l
		return h
	}
	var inner []*context
	leaves := fn == k.Func && k.threadsLeave(s.Body)
	for ci, c := range ctxs {
		c.enter()
		in := ins[ci][at]
		if leaves {
			in.must = noThreads // some may be gone since an earlier iteration
		}
		its := c.iterations(s, in)
		c.exit()
		inner = append(inner, its...)
		if len(inner) > 512 {
			return k.holdAt(HoldGaveUp, s.Range)
		}
	}
	// Jumps must not leave a region of the body.
	before := len(k.found)
	body := around
	body.loops, body.used, body.dead = around.loops+1, around.used|k.touchedUnder(fn, s), true
	if live := k.regionsIn(s.Body, statements(s.Body), inner, body); !live.empty() {
		return k.holdAt(HoldCarried, s.Range, k.liveArrays(live)...)
	}
	for _, r := range k.found[before:] {
		if j := r.jumpOut(); j != nil {
			k.found = k.found[:before]
			return k.holdAt(HoldJump, j.Range)
		}
	}
	return Hold{}
}

// threadsLeave reports whether single threads may return from the kernel inside s.
func (k *Kernel) threadsLeave(s *ir.Stmt) bool {
	return s.Any(func(t *ir.Stmt) bool {
		return t.Op == ir.StmtReturn && k.wayTo(k.Func, t, nil) > BlockUniform
	})
}

// iterations returns one context per iteration of an enumerable loop, or one
// for any iteration.
func (c *context) iterations(s *ir.Stmt, in flow) []*context {
	any := []*context{{x: c.x, in: in, bind: c.bind, outer: c.outer}}
	if s.Op != ir.StmtFor {
		return any
	}
	cs := c.x.counters(s)
	if cs == nil {
		return any
	}
	restore := c.x.begin(s, cs)
	defer restore()
	var out []*context
	for n := 0; ; n++ {
		cond := c.x.eval(s.Cond)
		if !cond.uniform() || n > 64 {
			return any
		}
		if cond.s == 0 {
			break
		}
		bind := map[*ir.Var]bound{}
		for _, x := range cs {
			bind[x.v] = bound{c.x.vals[x.v], s}
		}
		out = append(out, &context{x: c.x, in: in, bind: extend(c.bind, bind), outer: c.outer})
		c.x.advanceCounters(s, cs)
	}
	return out
}

func extend(a, b map[*ir.Var]bound) map[*ir.Var]bound {
	if len(b) == 0 {
		return a
	}
	m := make(map[*ir.Var]bound, len(a)+len(b))
	maps.Copy(m, a)
	maps.Copy(m, b)
	return m
}

// Package regions finds the stretches of code in which shared variables are live.
package regions

import (
	"maps"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/footprint"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/pointers"
	"github.com/smux-cuda/smux/analysis/uniformity"
)

// descend looks for regions inside a single statement at whose start and end
// nothing is live. Where the statement must be one region it reports why.
func (k *Search) descend(s *ir.Stmt, ctxs []*Context, ins [][]footprint.Flow, at int, around surroundings) analysis.Hold {
	fn := around.fn
	inner := make([]*Context, 0, len(ctxs))
	narrow := func(f func(c *Context, in footprint.Flow) (footprint.Flow, map[*ir.Var]bound)) []*Context {
		for ci, c := range ctxs {
			c.Enter()
			in, bind := f(c, ins[ci][at])
			c.Exit()
			inner = append(inner, &Context{X: c.X, In: in, Bind: extend(c.Bind, bind), Outer: c.Outer})
		}
		return inner
	}
	same := func(c *Context, in footprint.Flow) (footprint.Flow, map[*ir.Var]bound) { return in, nil }
	switch {
	case s.Macro:
		return holdAt(analysis.HoldMacro, s.Range) // its parts can't be told apart in the text
	case s.Op == ir.StmtCompound:
		k.regionsIn(s, s.List, narrow(same), around)
		return analysis.Hold{}
	case s.Op == ir.StmtIf:
		if !s.Preproc && k.Touches(fn, s.Cond) {
			return holdAt(analysis.HoldHead, s.Cond.Range, arraysOf(k.Sharing.Kernel, pointers.TouchedIn(k.Sharing.Kernel, fn, s.Cond))...)
		}
		if !s.Preproc && uniformity.Of(k.Sharing.Kernel, fn, s.Cond) > k.limit && !uniformity.Guards(k.Kernel)[s] {
			h := holdAt(analysis.HoldControl, s.Cond.Range)
			h.Level = uniformity.Of(k.Sharing.Kernel, fn, s.Cond)
			return h
		}
		for _, b := range []*ir.Stmt{s.Body, s.Else} {
			if b == nil {
				continue
			}
			into := same
			if uniformity.Guards(k.Kernel)[s] {
				into = func(c *Context, in footprint.Flow) (footprint.Flow, map[*ir.Var]bound) { return c.Stay(s, b, in), nil }
			}
			inner = make([]*Context, 0, len(ctxs))
			k.regionsIn(b, analysis.Statements(b), narrow(into), around)
		}
		return analysis.Hold{}
	case s.IsLoop():
		return k.descendLoop(s, ctxs, ins, at, around)
	}
	return k.descendCall(s, ctxs, ins, at, around)
}

// descendLoop goes into a loop if its control is as even as it must be, its head leaves shared memory alone, and
// nothing is live from one iteration to the next.
func (k *Search) descendLoop(s *ir.Stmt, ctxs []*Context, ins [][]footprint.Flow, at int, around surroundings) analysis.Hold {
	fn := around.fn
	if s.Init != nil && k.Accesses(fn, s.Init) || k.Touches(fn, s.Cond) || k.Touches(fn, s.Post) {
		return holdAt(analysis.HoldHead, s.Range, arraysOf(k.Sharing.Kernel, headTouches(k.Sharing.Kernel, fn, s))...)
	}
	if l := uniformity.BranchUniformity(k.Sharing.Kernel, fn, s); l > k.limit {
		h := holdAt(analysis.HoldControl, s.Range)
		h.Level = l
		return h
	}
	var inner []*Context
	leaves := fn == k.Func && threadsLeave(k.Sharing.Kernel, s.Body)
	for ci, c := range ctxs {
		c.Enter()
		in := ins[ci][at]
		if leaves {
			in.Must = footprint.NoThreads // some may be gone since an earlier iteration
		}
		its := c.Iterations(s, in)
		c.Exit()
		inner = append(inner, its...)
		if len(inner) > 512 {
			return holdAt(analysis.HoldGaveUp, s.Range)
		}
	}
	// Jumps must not leave a region of the body.
	before := len(k.found)
	body := around
	body.loops, body.used, body.dead = around.loops+1, around.used|pointers.TouchedUnder(k.Sharing.Kernel, fn, s), true
	if live := k.regionsIn(s.Body, analysis.Statements(s.Body), inner, body); !live.Empty() {
		return holdAt(analysis.HoldCarried, s.Range, liveArrays(k.Sharing.Kernel, live)...)
	}
	for _, r := range k.found[before:] {
		if j := r.JumpOut(); j != nil {
			k.found = k.found[:before]
			return holdAt(analysis.HoldJump, j.Range)
		}
	}
	return analysis.Hold{}
}

// threadsLeave reports whether single threads may return from the kernel inside s.
func threadsLeave(k *analysis.Kernel, s *ir.Stmt) bool {
	return s.Any(func(t *ir.Stmt) bool {
		return t.Op == ir.StmtReturn && uniformity.WayTo(k, k.Func, t, nil) > analysis.BlockUniform
	})
}

// Iterations returns one context per iteration of an enumerable loop, or one for any iteration.
func (c *Context) Iterations(s *ir.Stmt, in footprint.Flow) []*Context {
	any := []*Context{{X: c.X, In: in, Bind: c.Bind, Outer: c.Outer}}
	if s.Op != ir.StmtFor {
		return any
	}
	cs := c.X.Counters(s)
	if cs == nil {
		return any
	}
	restore := c.X.Begin(s, cs)
	defer restore()
	var out []*Context
	for n := 0; ; n++ {
		cond := c.X.Eval(s.Cond)
		if !cond.Uniform() || n > 64 {
			return any
		}
		if cond.S == 0 {
			break
		}
		bind := map[*ir.Var]bound{}
		for _, x := range cs {
			bind[x.V] = bound{c.X.Vals[x.V], s}
		}
		out = append(out, &Context{X: c.X, In: in, Bind: extend(c.Bind, bind), Outer: c.Outer})
		c.X.AdvanceCounters(s, cs)
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

// Stay is the flow of the threads that do not pass by a guard, into the branch that the others don't take.
func (c *Context) Stay(guard, branch *ir.Stmt, in footprint.Flow) footprint.Flow {
	cond := c.X.Eval(guard.Cond)
	yes, no := in.Split(c.X.Ev.N, cond)
	if branch == guard.Else {
		yes = no
	}
	if !cond.Known {
		yes.Must = footprint.NoThreads
	}
	return yes
}

package analysis

import (
	"slices"

	"github.com/smux-cuda/smux/analysis/ir"
)

// Region is a run of consecutive statements of one list in which shared
// variables are live, and at whose end nothing in them is (design §4, point 5).
// Virtual thread blocks must take turns in it.
type Region struct {
	List   *ir.Stmt   // the compound, or the statement whose body the run is
	Stmts  []*ir.Stmt // the run
	Loops  int        // how many loops enclose it
	Arrays []*Shared  // variables touched in it
	First  ir.Range   // first access
	Last   ir.Range   // last access

	Barriers int  // thread-block barriers inside, those of called functions included
	Returns  bool // a thread may leave the kernel inside

	// Live names the variables that hold values at some point inside the run
	// between two of its statements: what keeps it from being cut there.
	Live []*Shared
}

// Start and End are the byte range of the run in the original file.
func (r *Region) Start() int { return r.Stmts[0].Outer.Start }

// End is the offset behind the last statement of the run.
func (r *Region) End() int { return r.Stmts[len(r.Stmts)-1].Range.End }

// context is one way in which a list of statements is executed: an instance of
// the kernel and an assignment of the enclosing loops' counters.
type context struct {
	x  *execution
	in flow
	// bind sets the counters of the enclosing enumerated loops.
	bind map[*ir.Var]bound
}

// bound is the value of a loop counter in one iteration of its loop.
type bound struct {
	val  value
	loop *ir.Stmt
}

func (c *context) enter() {
	for v, b := range c.bind {
		c.x.vals[v], c.x.loops[v] = b.val, b.loop
	}
}

func (c *context) exit() {
	for v := range c.bind {
		delete(c.x.vals, v)
		delete(c.x.loops, v)
	}
}

// findRegions cuts the kernel's body into regions.
func (k *Kernel) findRegions() {
	if len(k.Shared) == 0 {
		return
	}
	var ctxs []*context
	for _, in := range k.Instances {
		f := in.frame(k, k.Func)
		ctxs = append(ctxs, &context{x: k.execution(f), in: flow{allThreads, allThreads}})
	}
	k.regionsIn(k.Func.Body, k.Func.Body.List, ctxs, 0, false)
}

// RegionsUnder returns the regions that the kernel has where control around a
// region may be as uneven as limit: BlockUniform if virtual thread blocks need
// not enter their regions equally often. Owned arrays are those of which each
// virtual thread block has one of its own; a region does not concern them. Under
// GridUniform, with none owned, the regions are k.Regions.
func (k *Kernel) RegionsUnder(limit Level, owned ...*Shared) []*Region {
	key := regionsKey{limit: limit}
	for _, s := range owned {
		key.owned |= 1 << s.index
	}
	if known, ok := k.under[key]; ok { // each way to rewrite the kernel asks again
		return slices.Clone(known)
	}
	kept, accessed, idle := k.Regions, k.accessed, k.idle
	defer func() {
		k.Regions, k.uneven, k.owned = kept, GridUniform, 0
		k.accessed, k.idle = accessed, idle
	}()
	k.Regions, k.uneven = nil, limit
	if len(owned) > 0 {
		k.owned = key.owned
		k.accessed, k.idle = map[*ir.Stmt]bool{}, map[*ir.Stmt]bool{}
	}
	k.findRegions()
	if k.under == nil {
		k.under = map[regionsKey][]*Region{}
	}
	k.under[key] = slices.Clone(k.Regions)
	return k.Regions
}

// regionsKey is what RegionsUnder is asked with.
type regionsKey struct {
	limit Level
	owned arraySet
}

// regionsIn finds the regions in a list of statements; nothing is live at its
// end in any context. With dead set it does nothing and returns false if
// anything is live at its start.
func (k *Kernel) regionsIn(owner *ir.Stmt, stmts []*ir.Stmt, ctxs []*context, loops int, dead bool) bool {
	n := len(stmts)
	live := make([]memory, n+1) // before statement i, joined over the contexts
	ins := make([][]flow, len(ctxs))
	for ci, c := range ctxs {
		c.enter()
		ins[ci] = make([]flow, n)
		effects := make([]effect, n)
		in := c.in
		for i, s := range stmts {
			ins[ci][i] = in
			effects[i], in = c.x.stmt(s, in)
		}
		c.exit()
		var cur memory
		for i := n - 1; i >= 0; i-- {
			cur = cur.minus(effects[i].def)
			if effects[i].use != nil {
				cur = cur.clone()
				cur.union(effects[i].use)
			}
			for a := range cur {
				if k.owned&(1<<a) != 0 {
					cur[a] = elements{}
				}
			}
			live[i].union(cur)
		}
	}
	if dead && !live[0].empty() {
		return false
	}
	for i := 0; i < n; i++ {
		if !k.accesses(k.Func, stmts[i]) {
			continue
		}
		j := i
		for j+1 < n && !live[j+1].empty() {
			j++
		}
		// Trailing statements without an access are outside: nothing is live
		// behind them either.
		last := j
		for last > i && !k.accesses(k.Func, stmts[last]) {
			last--
		}
		if i == last && (live[i].empty() || k.guards[stmts[i]] && loops == 0 && k.untouchedBefore(stmts[i])) && k.descend(stmts[i], ctxs, ins, i, loops) {
			i = j
			continue
		}
		k.addRegion(owner, stmts[i:last+1], live[i+1:last+1], loops)
		i = j
	}
	return true
}

// descend looks for regions inside a single statement at whose start and end
// nothing is live. It returns false where the statement must be one region.
func (k *Kernel) descend(s *ir.Stmt, ctxs []*context, ins [][]flow, at, loops int) bool {
	inner := make([]*context, 0, len(ctxs))
	narrow := func(f func(c *context, in flow) (flow, map[*ir.Var]bound)) []*context {
		for ci, c := range ctxs {
			c.enter()
			in, bind := f(c, ins[ci][at])
			c.exit()
			inner = append(inner, &context{x: c.x, in: in, bind: extend(c.bind, bind)})
		}
		return inner
	}
	same := func(c *context, in flow) (flow, map[*ir.Var]bound) { return in, nil }
	switch {
	case s.Macro:
		return false // its parts can't be told apart in the text
	case s.Op == ir.StmtCompound:
		k.regionsIn(s, s.List, narrow(same), loops, false)
		return true
	case s.Op == ir.StmtIf:
		if !s.Preproc && (k.level(k.Func, s.Cond) > k.uneven && !k.guards[s] || k.touchesExpr(k.Func, s.Cond)) {
			return false
		}
		for _, b := range []*ir.Stmt{s.Then, s.Else} {
			if b == nil {
				continue
			}
			into := same
			if k.guards[s] {
				into = func(c *context, in flow) (flow, map[*ir.Var]bound) { return c.stay(s, b, in), nil }
			}
			inner = make([]*context, 0, len(ctxs))
			k.regionsIn(b, statements(b), narrow(into), loops, false)
		}
		return true
	case s.IsLoop():
		return k.descendLoop(s, ctxs, ins, at, loops)
	}
	return false
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
func (k *Kernel) descendLoop(s *ir.Stmt, ctxs []*context, ins [][]flow, at, loops int) bool {
	fn := k.Func
	if k.headLevel(fn, s) > k.uneven {
		return false
	}
	if s.Init != nil && k.accesses(fn, s.Init) || k.touchesExpr(fn, s.Cond) || k.touchesExpr(fn, s.Post) {
		return false
	}
	var inner []*context
	leaves := k.threadsLeave(s.Then)
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
			return false
		}
	}
	// Jumps must not leave a region of the body.
	before := len(k.Regions)
	if !k.regionsIn(s.Then, statements(s.Then), inner, loops+1, true) {
		return false
	}
	for _, r := range k.Regions[before:] {
		if r.jumpsOut() {
			k.Regions = k.Regions[:before]
			return false
		}
	}
	return true
}

// threadsLeave reports whether single threads may return from the kernel inside s.
func (k *Kernel) threadsLeave(s *ir.Stmt) bool {
	found := false
	s.Walk(func(t *ir.Stmt) bool {
		if t.Op == ir.StmtReturn && k.wayTo(k.Func, t, nil) > BlockUniform {
			found = true
		}
		return !found
	})
	return found
}

// iterations returns one context per iteration of an enumerable loop, or one
// for any iteration.
func (c *context) iterations(s *ir.Stmt, in flow) []*context {
	any := []*context{{x: c.x, in: in, bind: c.bind}}
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
		out = append(out, &context{x: c.x, in: in, bind: extend(c.bind, bind)})
		c.x.advanceCounters(s, cs)
	}
	return out
}

func extend(a, b map[*ir.Var]bound) map[*ir.Var]bound {
	if len(b) == 0 {
		return a
	}
	m := make(map[*ir.Var]bound, len(a)+len(b))
	for v, x := range a {
		m[v] = x
	}
	for v, x := range b {
		m[v] = x
	}
	return m
}

// jumpsOut reports whether a break or continue inside the region leaves it.
func (r *Region) jumpsOut() bool {
	out := false
	for _, s := range r.Stmts {
		s.Walk(func(t *ir.Stmt) bool {
			if t.Op == ir.StmtBreak || t.Op == ir.StmtContinue {
				target := jumpTarget(t)
				inside := false
				for _, o := range r.Stmts {
					inside = inside || target != nil && target.Inside(o)
				}
				out = out || !inside
			}
			return !out
		})
	}
	return out
}

func (k *Kernel) addRegion(owner *ir.Stmt, stmts []*ir.Stmt, live []memory, loops int) {
	r := &Region{List: owner, Stmts: stmts, Loops: loops}
	seen := arraySet(0)
	for _, s := range stmts {
		s.WalkExprs(func(e *ir.Expr) bool {
			set := arraySet(0)
			switch e.Op {
			case ir.OpIdent:
				if sh := k.shared(k.Func, e); sh != nil {
					set = 1 << sh.index
				} else if e.Var != nil {
					set = k.alias[e.Var]
				}
			case ir.OpCall, ir.OpLambda:
				set = k.touchedBy(k.Func, e)
			}
			if set &^= k.owned; set != 0 {
				seen |= set
				if r.First.End == 0 {
					r.First = e.Range
				}
				if e.Range.Start >= r.Last.Start {
					r.Last = e.Range
				}
			}
			if k.BarrierHere(k.Func, e) {
				r.Barriers++
			}
			return true
		})
		r.Returns = r.Returns || containsReturn(s)
	}
	kept := arraySet(0)
	for _, m := range live {
		for i := range m {
			if !m[i].empty() {
				kept |= 1 << i
			}
		}
	}
	for _, s := range k.Shared {
		if seen&(1<<s.index) != 0 {
			r.Arrays = append(r.Arrays, s)
		}
		if kept&(1<<s.index) != 0 {
			r.Live = append(r.Live, s)
		}
	}
	k.Regions = append(k.Regions, r)
}

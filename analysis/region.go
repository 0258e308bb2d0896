package analysis

import (
	"slices"

	"github.com/smux-cuda/smux/analysis/ir"
)

// Region is a run of consecutive statements of one list in which shared
// variables are live, and at whose end nothing in them is.
// Virtual thread blocks must take turns in it.
type Region struct {
	Func *ir.Func // whose statements it is: the kernel, or a device function
	// Call is the statement of the kernel whose call leads to that function, nil in
	// the kernel itself.
	Call *ir.Stmt

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
	Hold Hold // why it is not smaller
}

// Start and End are the byte range of the run in the original file.
func (r *Region) Start() int { return r.Stmts[0].Outer.Start }

// End is the offset after the last statement of the run.
func (r *Region) End() int { return r.Stmts[len(r.Stmts)-1].Range.End }

// context is one way in which a list of statements is executed: an instance of
// the kernel and an assignment of the enclosing loops' counters.
type context struct {
	x  *execution
	in flow
	// bind sets the counters of the enclosing enumerated loops.
	bind map[*ir.Var]bound
	// outer says how the function that calls this one is executed; nil in the kernel.
	outer *context
}

// bound is the value of a loop counter in one iteration of its loop.
type bound struct {
	val  value
	loop *ir.Stmt
}

func (c *context) enter() {
	if c.outer != nil {
		c.outer.enter()
	}
	for v, b := range c.bind {
		c.x.bind(v, b.val, b.loop)
	}
}

func (c *context) exit() {
	for v := range c.bind {
		c.x.unbind(v)
	}
	if c.outer != nil {
		c.outer.exit()
	}
}

// regionSearch cuts a kernel into regions.
type regionSearch struct {
	*sharing
	limit     Uniformity            // of the control around regions, at most
	openCalls bool                  // regions may lie in device functions, but for those of closed
	closed    []func(*ir.Func) bool // see RegionsInCalls
	found     []*Region
	// opened are the functions with the regions found in them last, see RegionsOpened; nil
	// where functions are opened that are called in one place alone. Those that have other
	// regions at another call are listed in differs.
	opened  map[*ir.Func][]*Region
	differs []*ir.Func
}

// regions finds the regions of the kernel's body.
func (k *regionSearch) regions() []*Region {
	if len(k.Shared) == 0 {
		return nil
	}
	var ctxs []*context
	for _, in := range k.Instances {
		f := in.frame(k.Kernel, k.Func)
		ctxs = append(ctxs, &context{x: k.execution(f), in: flow{allThreads, allThreads}})
	}
	k.regionsIn(k.Func.Body, k.Func.Body.List, ctxs, surroundings{fn: k.Func})
	return k.found
}

// findRegions is the pass that finds the regions under which all threads stay together.
func (k *Kernel) findRegions() {
	k.Regions = (&regionSearch{sharing: k.sharing(), limit: GridUniform}).regions()
}

// RegionsUnder returns the regions that the kernel has where control around a
// region is at least as uniform as limit: BlockUniform if virtual thread blocks need
// not enter their regions equally often. Owned arrays are those of which each
// virtual thread block has one of its own; a region does not concern them. Under
// GridUniform, with none owned, the regions are k.Regions.
func (k *Kernel) RegionsUnder(limit Uniformity, owned ...*Shared) []*Region {
	key := regionsKey{limit: limit, owned: setOf(owned)}
	type table struct{}
	under := Table[regionsKey, []*Region](&k.memo, table{})
	if known, ok := under[key]; ok { // each variant of the kernel asks again
		return slices.Clone(known)
	}
	found := (&regionSearch{sharing: k.sharingFor(owned), limit: limit}).regions()
	under[key] = slices.Clone(found)
	return found
}

// setOf is the set of some arrays.
func setOf(arrays []*Shared) (set arraySet) {
	for _, s := range arrays {
		set |= 1 << s.index
	}
	return set
}

// sharingFor says which variables v-TBs share where each has some for itself.
func (k *Kernel) sharingFor(owned []*Shared) *sharing {
	if set := setOf(owned); set != 0 {
		return k.sharingAllBut(set)
	}
	return k.sharing()
}

// regionsKey holds the arguments of RegionsUnder.
type regionsKey struct {
	limit Uniformity
	owned arraySet
}

// surroundings describes where a list of statements stands.
type surroundings struct {
	fn    *ir.Func // of which function it is
	call  *ir.Stmt // the kernel's statement with the call that leads there, nil in the kernel
	loops int      // how many loops enclose it
	// used are the arrays that may have been used before it. What is read of any
	// other without a write before it has no value: nothing in it can be live.
	used arraySet
	// dead is set if nothing may be live at the list's start.
	dead bool
}

// regionsIn finds the regions in a list of statements; nothing is live at its
// end in any context. Where nothing may be live at its start, but something is,
// it does nothing and returns that.
func (k *regionSearch) regionsIn(owner *ir.Stmt, stmts []*ir.Stmt, ctxs []*context, around surroundings) memory {
	n, fn := len(stmts), around.fn
	live := make([]memory, n+1) // before statement i, joined over the contexts
	used := make([]arraySet, n+1)
	used[0] = around.used
	for i, s := range stmts {
		used[i+1] = used[i]
		if k.accesses(fn, s) {
			used[i+1] |= k.touchedUnder(fn, s)
		}
	}
	ins := make([][]flow, len(ctxs))
	for ci, c := range ctxs {
		c.enter()
		ins[ci] = make([]flow, n)
		effects := make([]memoryEffect, n)
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
				if (k.privatized|^used[i])&(1<<a) != 0 {
					cur[a] = elements{}
				}
			}
			live[i].union(cur)
		}
	}
	if around.dead && !live[0].empty() {
		return live[0]
	}
	for i := 0; i < n; i++ {
		if !k.accesses(fn, stmts[i]) {
			continue
		}
		j := i
		for j+1 < n && !live[j+1].empty() {
			j++
		}
		// Trailing statements without an access are outside: nothing is live
		// after them either.
		last := j
		for last > i && !k.accesses(fn, stmts[last]) {
			last--
		}
		var hold Hold
		switch {
		case i < last:
			hold = k.holdOfRun(fn, stmts[i:last+1], live[i+1:last+1])
		case live[i].empty():
			if hold = k.descend(stmts[i], ctxs, ins, i, surroundings{fn: fn, call: around.call, loops: around.loops, used: used[i]}); hold.Kind == "" {
				i = j
				continue
			}
		default:
			hold = k.holdOfEntry(fn, stmts[i], live[i])
		}
		k.addRegion(owner, stmts[i:last+1], live[i+1:last+1], around, hold)
		i = j
	}
	return nil
}

// jumpOut returns a break or continue inside the region that leaves it, nil if
// there is none.
func (r *Region) jumpOut() (out *ir.Stmt) {
	for _, s := range r.Stmts {
		s.Walk(func(t *ir.Stmt) bool {
			if t.Op == ir.StmtBreak || t.Op == ir.StmtContinue {
				target := t.JumpTarget()
				inside := false
				for _, o := range r.Stmts {
					inside = inside || target != nil && target.Inside(o)
				}
				if !inside && out == nil {
					out = t
				}
			}
			return out == nil
		})
	}
	return out
}

func (k *regionSearch) addRegion(owner *ir.Stmt, stmts []*ir.Stmt, live []memory, around surroundings, hold Hold) {
	fn := around.fn
	r := &Region{Func: fn, Call: around.call, List: owner, Stmts: stmts, Loops: around.loops, Hold: hold}
	seen := arraySet(0)
	for _, s := range stmts {
		s.WalkExprs(func(e *ir.Expr) bool {
			set := arraySet(0)
			switch e.Op {
			case ir.OpIdent:
				if sh := k.shared(fn, e); sh != nil {
					set = 1 << sh.index
				} else if e.Var != nil {
					set = k.alias[e.Var]
				}
			case ir.OpCall, ir.OpLambda:
				set = k.touchedBy(fn, e)
			}
			if set &^= k.privatized; set != 0 {
				seen |= set
				if r.First.End == 0 {
					r.First = e.Range
				}
				if e.Range.Start >= r.Last.Start {
					r.Last = e.Range
				}
			}
			if k.BarrierHere(fn, e) {
				r.Barriers++
			}
			return true
		})
		r.Returns = r.Returns || containsReturn(s)
	}
	r.Arrays, r.Live = k.arraysOf(seen), k.liveArrays(live...)
	k.found = append(k.found, r)
}

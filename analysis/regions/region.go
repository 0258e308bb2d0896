package regions

import (
	"slices"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/barriers"
	"github.com/smux-cuda/smux/analysis/evaluate"
	"github.com/smux-cuda/smux/analysis/footprint"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/pointers"
	"github.com/smux-cuda/smux/analysis/values"
)

// Context is one way in which a list of statements is executed: an instance of
// the kernel and an assignment of the enclosing loops' counters.
type Context struct {
	X  *footprint.Execution
	In footprint.Flow
	// Bind sets the counters of the enclosing enumerated loops.
	Bind map[*ir.Var]bound
	// Outer says how the function that calls this one is executed; nil in the kernel.
	Outer *Context
}

// bound is the value of a loop counter in one iteration of its loop.
type bound struct {
	val  values.Value
	loop *ir.Stmt
}

// Enter sets the counters of the enclosing loops, and Exit unsets them.
func (c *Context) Enter() {
	if c.Outer != nil {
		c.Outer.Enter()
	}
	for v, b := range c.Bind {
		c.X.Bind(v, b.val, b.loop)
	}
}

func (c *Context) Exit() {
	for v := range c.Bind {
		c.X.Unbind(v)
	}
	if c.Outer != nil {
		c.Outer.Exit()
	}
}

// Effects executes statements, and returns the threads that come to each and its effect.
func (c *Context) Effects(stmts []*ir.Stmt) ([]footprint.Flow, []footprint.MemoryEffect) {
	c.Enter()
	defer c.Exit()
	ins, effects := make([]footprint.Flow, len(stmts)), make([]footprint.MemoryEffect, len(stmts))
	in := c.In
	for i, s := range stmts {
		ins[i] = in
		effects[i], in = c.X.Stmt(s, in)
	}
	return ins, effects
}

// Search cuts a kernel into regions.
type Search struct {
	*pointers.Sharing
	limit     analysis.Uniformity   // of the control around regions, at most
	openCalls bool                  // regions may lie in device functions, but for those of closed
	closed    []func(*ir.Func) bool // see InCalls
	found     []*analysis.Region
	// opened are the functions with the regions found in them last, see Opened; nil where functions are opened
	// that are called in one place alone. Those that have other regions at another call are listed in differs.
	opened  map[*ir.Func][]*analysis.Region
	differs []*ir.Func
}

// regions finds the regions of the kernel's body.
func (k *Search) regions() []*analysis.Region {
	if len(k.Shared) == 0 {
		return nil
	}
	var ctxs []*Context
	for _, in := range k.Instances {
		f := evaluate.FrameUnder(in, k.Kernel, k.Func)
		ctxs = append(ctxs, &Context{X: footprint.NewFor(k.Sharing, f), In: footprint.Flow{Must: footprint.AllThreads, May: footprint.AllThreads}})
	}
	k.regionsIn(k.Func.Body, k.Func.Body.List, ctxs, surroundings{fn: k.Func})
	return k.found
}

// Find is the pass that finds the regions under which all threads stay together.
func Find(k *analysis.Kernel) {
	k.Regions = (&Search{Sharing: pointers.AllShared(k), limit: analysis.GridUniform}).regions()
}

// Under returns the regions that the kernel has where control around a region is at least as uniform as limit:
// BlockUniform if virtual thread blocks need not enter their regions equally often. Owned arrays are those of which
// each virtual thread block has one of its own; a region does not concern them. Under GridUniform, with none owned,
// the regions are k.Regions.
func Under(k *analysis.Kernel, limit analysis.Uniformity, owned ...*analysis.Shared) []*analysis.Region {
	key := regionsKey{limit: limit, owned: setOf(owned)}
	type table struct{}
	under := analysis.Table[regionsKey, []*analysis.Region](&k.Memo, table{})
	if known, ok := under[key]; ok { // each variant of the kernel asks again
		return slices.Clone(known)
	}
	found := (&Search{Sharing: sharingFor(k, owned), limit: limit}).regions()
	under[key] = slices.Clone(found)
	return found
}

// setOf is the set of some arrays.
func setOf(arrays []*analysis.Shared) (set analysis.ArraySet) {
	for _, s := range arrays {
		set |= 1 << s.Index
	}
	return set
}

// sharingFor says which variables v-TBs share where each has some for itself.
func sharingFor(k *analysis.Kernel, owned []*analysis.Shared) *pointers.Sharing {
	if set := setOf(owned); set != 0 {
		return pointers.SharingAllBut(k, set)
	}
	return pointers.AllShared(k)
}

// regionsKey holds the arguments of Under.
type regionsKey struct {
	limit analysis.Uniformity
	owned analysis.ArraySet
}

// surroundings describes where a list of statements stands.
type surroundings struct {
	fn    *ir.Func // of which function it is
	call  *ir.Stmt // the kernel's statement with the call that leads there, nil in the kernel
	loops int      // how many loops enclose it
	// used are the arrays that may have been used before it. What is read of any
	// other without a write before it has no value: nothing in it can be live.
	used analysis.ArraySet
	// dead is set if nothing may be live at the list's start.
	dead bool
}

// regionsIn finds the regions in a list of statements; nothing is live at its end in any context. Where nothing may
// be live at its start, but something is, it does nothing and returns that.
func (k *Search) regionsIn(owner *ir.Stmt, stmts []*ir.Stmt, ctxs []*Context, around surroundings) footprint.Memory {
	n, fn := len(stmts), around.fn
	live := make([]footprint.Memory, n+1) // before statement i, joined over the contexts
	used := make([]analysis.ArraySet, n+1)
	used[0] = around.used
	for i, s := range stmts {
		used[i+1] = used[i]
		if k.Accesses(fn, s) {
			used[i+1] |= pointers.TouchedUnder(k.Sharing.Kernel, fn, s)
		}
	}
	ins := make([][]footprint.Flow, len(ctxs))
	for ci, c := range ctxs {
		var effects []footprint.MemoryEffect
		ins[ci], effects = c.Effects(stmts)
		var cur footprint.Memory
		for i := n - 1; i >= 0; i-- {
			cur = cur.Minus(effects[i].Def)
			if effects[i].Use != nil {
				cur = cur.Clone()
				cur.Union(effects[i].Use)
			}
			for a := range cur {
				if (k.Privatized|^used[i])&(1<<a) != 0 {
					cur[a] = footprint.Elements{}
				}
			}
			live[i].Union(cur)
		}
	}
	if around.dead && !live[0].Empty() {
		return live[0]
	}
	for i := 0; i < n; i++ {
		if !k.Accesses(fn, stmts[i]) {
			continue
		}
		j := i
		for j+1 < n && !live[j+1].Empty() {
			j++
		}
		// Trailing statements without an access are outside: nothing is live after them either.
		last := j
		for last > i && !k.Accesses(fn, stmts[last]) {
			last--
		}
		var hold analysis.Hold
		switch {
		case i < last:
			hold = holdOfRun(k.Sharing.Kernel, fn, stmts[i:last+1], live[i+1:last+1])
		case live[i].Empty():
			if hold = k.descend(stmts[i], ctxs, ins, i, surroundings{fn: fn, call: around.call, loops: around.loops, used: used[i]}); hold.Kind == "" {
				i = j
				continue
			}
		default:
			hold = holdOfEntry(k.Sharing.Kernel, fn, stmts[i], live[i])
		}
		k.addRegion(owner, stmts[i:last+1], live[i+1:last+1], around, hold)
		i = j
	}
	return nil
}

func (k *Search) addRegion(owner *ir.Stmt, stmts []*ir.Stmt, live []footprint.Memory, around surroundings, hold analysis.Hold) {
	fn := around.fn
	r := &analysis.Region{Func: fn, Call: around.call, List: owner, Stmts: stmts, Loops: around.loops, Hold: hold}
	seen := analysis.ArraySet(0)
	for _, s := range stmts {
		for e := range s.AllExprs() {
			set := analysis.ArraySet(0)
			switch e.Op {
			case ir.OpIdent:
				if sh := k.NamedShared(fn, e); sh != nil {
					set = 1 << sh.Index
				} else if e.Var != nil {
					set = pointers.Aliases(k.Kernel)[e.Var]
				}
			case ir.OpCall, ir.OpLambda:
				set = pointers.TouchedBy(k.Sharing.Kernel, fn, e)
			}
			if set &^= k.Privatized; set != 0 {
				seen |= set
				if r.First.End == 0 {
					r.First = e.Range
				}
				if e.Range.Start >= r.Last.Start {
					r.Last = e.Range
				}
			}
			if barriers.BarrierHere(k.Sharing.Kernel, fn, e) {
				r.Barriers++
			}
		}
		r.Returns = r.Returns || analysis.ContainsReturn(s)
	}
	r.Arrays, r.Live = arraysOf(k.Sharing.Kernel, seen), liveArrays(k.Sharing.Kernel, live...)
	k.found = append(k.found, r)
}

package liveness

import (
	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/evaluate"
	"github.com/smux-cuda/smux/analysis/footprint"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/pointers"
	"github.com/smux-cuda/smux/analysis/regions"
	"github.com/smux-cuda/smux/analysis/uniformity"
)

// Site is a place in the text of a kernel or of a device function that it calls.
type Site struct {
	Func *ir.Func
	At   ir.Range
}

// Pair is two shared variables, in the order of Kernel.Shared.
type Pair struct{ A, B *analysis.Shared }

func pair(k *analysis.Kernel, i, j int) Pair {
	return Pair{k.Shared[min(i, j)], k.Shared[max(i, j)]}
}

// LiveTogether returns the pairs of shared variables of which one may be written while the other holds a value that
// may still be read, each with the first place where that is seen: they can't have the same bytes. Statements are
// taken to run one after the other, for all threads at once: that holds where barriers are between the uses (see
// Unordered). What nothing has written yet has no value.
//
// A statement is looked into, and so is a function in view that is the one thing in a statement to use shared memory;
// else all that it writes is taken to be written while it reads. What an iteration of a loop leaves is live until
// another one, or what follows the loop, may read it.
func LiveTogether(k *analysis.Kernel) map[Pair]Site {
	steps, spent := k.Budget.Steps, k.Budget.Spent
	k.Budget.Steps = analysis.MaxSteps // of its own: others ask for regions later
	defer func() { k.Budget.Steps, k.Budget.Spent = steps, spent }()
	l := &livePairs{Sharing: pointers.AllShared(k), found: map[Pair]Site{}, writes: map[*ir.Func]analysis.ArraySet{}}
	var ctxs []*regions.Context
	for _, in := range k.Instances {
		ctxs = append(ctxs, &regions.Context{X: footprint.New(k, evaluate.FrameUnder(in, k, k.Func)), In: footprint.Flow{Must: footprint.AllThreads, May: footprint.AllThreads}})
	}
	nothing := make([]footprint.Memory, len(ctxs))
	l.list(k.Func, k.Func.Body.List, ctxs, ends{nothing, nothing}, 0)
	return l.found
}

type livePairs struct {
	*pointers.Sharing
	found  map[Pair]Site
	writes map[*ir.Func]analysis.ArraySet // see writtenUnder
}

// mostContexts is the number of ways of running a list that are told apart.
const mostContexts = 512

// ends holds what is live, in each context, where control goes from a list of statements:
// after it, and where break, continue and return lead to.
type ends struct{ behind, jumps []footprint.Memory }

// list looks at a list of statements; used are the variables that may have been used before it.
func (l *livePairs) list(fn *ir.Func, stmts []*ir.Stmt, ctxs []*regions.Context, to ends, used analysis.ArraySet) {
	n := len(stmts)
	usedBefore := make([]analysis.ArraySet, n)
	for i, s := range stmts {
		usedBefore[i] = used
		if l.Accesses(fn, s) {
			used |= pointers.TouchedUnder(l.Sharing.Kernel, fn, s)
		}
	}
	ins, after := make([][]footprint.Flow, len(ctxs)), make([][]footprint.Memory, n)
	before := make([]analysis.ArraySet, n)
	for i := range after {
		after[i] = make([]footprint.Memory, len(ctxs))
	}
	for ci, c := range ctxs {
		var effects []footprint.MemoryEffect
		ins[ci], effects = c.Effects(stmts)
		cur := to.behind[ci]
		for i := n - 1; i >= 0; i-- {
			after[i][ci] = cur
			cur = liveBefore(cur, effects[i], usedBefore[i])
			if stmts[i].Any(isJump) {
				cur.Union(to.jumps[ci])
			}
			before[i] |= names(cur)
		}
	}
	for i, s := range stmts {
		if writtenUnder(l.Sharing.Kernel, fn, s, l.writes) == 0 {
			continue
		}
		at := make([]*regions.Context, len(ctxs))
		for ci, c := range ctxs {
			at[ci] = &regions.Context{X: c.X, In: ins[ci][i], Bind: c.Bind, Outer: c.Outer}
		}
		l.stmt(fn, s, at, ends{after[i], to.jumps}, before[i], usedBefore[i])
	}
}

func isJump(s *ir.Stmt) bool {
	return s.Op == ir.StmtBreak || s.Op == ir.StmtContinue || s.Op == ir.StmtReturn || s.Op == ir.StmtGoto
}

// liveBefore returns what is live before something with an effect, of that after it.
func liveBefore(after footprint.Memory, e footprint.MemoryEffect, used analysis.ArraySet) footprint.Memory {
	cur := after.Minus(e.Def).Clone()
	if e.Use != nil {
		cur.Union(e.Use)
	}
	for a := range cur {
		if used&(1<<a) == 0 {
			cur[a] = footprint.Elements{}
		}
	}
	return cur
}

// names are the variables of which something is in a memory.
func names(m footprint.Memory) (set analysis.ArraySet) {
	for i := range m {
		if !m[i].Empty() {
			set |= 1 << i
		}
	}
	return set
}

func namesOf(ms []footprint.Memory) (set analysis.ArraySet) {
	for _, m := range ms {
		set |= names(m)
	}
	return set
}

// together notes that what is written at a place is so while live is.
func (l *livePairs) together(fn *ir.Func, at ir.Range, written, live analysis.ArraySet) {
	for i := range l.Shared {
		for j := range l.Shared {
			if i == j || written&(1<<i) == 0 || live&(1<<j) == 0 {
				continue
			}
			p := pair(l.Sharing.Kernel, i, j)
			if _, seen := l.found[p]; !seen {
				l.found[p] = Site{fn, at}
			}
		}
	}
}

// whole takes a statement for one that does all it does at once.
func (l *livePairs) whole(fn *ir.Func, s *ir.Stmt, to ends, before analysis.ArraySet) {
	written := writtenUnder(l.Sharing.Kernel, fn, s, l.writes)
	l.together(fn, s.Range, written, before|namesOf(to.behind)|pointers.TouchedUnder(l.Sharing.Kernel, fn, s))
}

// stmt looks at a statement that writes, in contexts in which it begins.
func (l *livePairs) stmt(fn *ir.Func, s *ir.Stmt, ctxs []*regions.Context, to ends, before, used analysis.ArraySet) {
	switch {
	case s.Op == ir.StmtCompound, s.Op == ir.StmtLabel:
		l.list(fn, s.List, ctxs, to, used)
	case s.Op == ir.StmtIf:
		l.branches(fn, s, ctxs, to, before, used)
	case s.IsLoop():
		l.loop(fn, s, ctxs, to, before, used)
	default:
		if !l.inCall(fn, s, ctxs, to, used) {
			l.whole(fn, s, to, before)
		}
	}
}

// head is the part of a statement that is not one of the statements in it.
func (l *livePairs) head(fn *ir.Func, s *ir.Stmt, live analysis.ArraySet) {
	only := &ir.Stmt{Op: ir.StmtExpr, Cond: s.Cond, Post: s.Post, Range: s.Range}
	written := writtenUnder(l.Sharing.Kernel, fn, only, l.writes)
	init := analysis.ArraySet(0)
	if s.Init != nil {
		written |= writtenUnder(l.Sharing.Kernel, fn, s.Init, l.writes)
		init = pointers.TouchedUnder(l.Sharing.Kernel, fn, s.Init)
	}
	l.together(fn, s.Range, written, live|pointers.TouchedUnder(l.Sharing.Kernel, fn, only)|init)
}

func (l *livePairs) branches(fn *ir.Func, s *ir.Stmt, ctxs []*regions.Context, to ends, before, used analysis.ArraySet) {
	l.head(fn, s, before|namesOf(to.behind)|pointers.TouchedUnder(l.Sharing.Kernel, fn, s))
	for _, b := range []*ir.Stmt{s.Body, s.Else} {
		if b == nil {
			continue
		}
		inner := make([]*regions.Context, len(ctxs))
		for ci, c := range ctxs {
			c.Enter()
			in := c.In
			if !s.Preproc {
				in = c.Stay(s, b, in)
				if uniformity.Of(l.Sharing.Kernel, fn, s.Cond) <= analysis.BlockUniform && !c.X.Eval(s.Cond).Known {
					in.Must = c.In.Must // whole blocks go there
				}
			}
			c.Exit()
			inner[ci] = &regions.Context{X: c.X, In: in, Bind: c.Bind, Outer: c.Outer}
		}
		l.list(fn, bodyList(b), inner, to, used)
	}
}

// bodyList are the statements of a body, with braces or not.
func bodyList(s *ir.Stmt) []*ir.Stmt {
	if s.Op == ir.StmtCompound {
		return s.List
	}
	return []*ir.Stmt{s}
}

// loop looks at the iterations of a loop. After each one is live what is so after the
// loop, and what any of them uses before it defines it.
func (l *livePairs) loop(fn *ir.Func, s *ir.Stmt, ctxs []*regions.Context, to ends, before, used analysis.ArraySet) {
	used |= pointers.TouchedUnder(l.Sharing.Kernel, fn, s)
	var inner []*regions.Context
	var out []footprint.Memory
	for ci, c := range ctxs {
		c.Enter()
		in := c.In
		if uniformity.BranchUniformity(l.Sharing.Kernel, fn, s) > analysis.BlockUniform || analysis.ContainsReturn(s.Body) {
			in.Must = footprint.NoThreads // some may be gone, from the loop or from what it is in
		}
		its := c.Iterations(s, in)
		c.Exit()
		live := to.behind[ci].Clone()
		live.Union(to.jumps[ci])
		for _, it := range its {
			it.Enter()
			e, _ := it.X.Stmt(s.Body, it.In)
			live.Union(e.Use.Clone())
			for _, head := range []*ir.Expr{s.Cond, s.Post} {
				live.Union(it.X.Expr(head, footprint.Flow{Must: footprint.NoThreads, May: in.May}).Use.Clone())
			}
			it.Exit()
			inner, out = append(inner, it), append(out, nil)
		}
		for i := len(out) - len(its); i < len(out); i++ {
			out[i] = live
		}
	}
	l.head(fn, s, before|namesOf(out)|pointers.TouchedUnder(l.Sharing.Kernel, fn, s))
	if len(inner) > mostContexts {
		l.whole(fn, s, to, before)
		return
	}
	l.list(fn, bodyList(s.Body), inner, ends{out, out}, used)
}

// inCall looks into the one function that a statement calls, and reports whether that is
// all that the statement does to shared memory.
func (l *livePairs) inCall(fn *ir.Func, s *ir.Stmt, ctxs []*regions.Context, to ends, used analysis.ArraySet) bool {
	var call *ir.Expr
	several := false
	s.Exprs(func(top *ir.Expr) {
		uniformity.Conditionally(top, nil, func(e *ir.Expr, under []*ir.Expr) {
			if e.Op == ir.OpCall && pointers.TouchedBy(l.Sharing.Kernel, fn, e) != 0 {
				several = several || call != nil || len(under) > 0
				call = e
			}
		})
	})
	search := regions.Search{Sharing: l.Sharing}
	if call == nil || several || s.Op != ir.StmtExpr && s.Op != ir.StmtDecl && s.Op != ir.StmtReturn || search.AccessesBeside(fn, s, call) {
		return false
	}
	callees := l.Callees(fn, call)
	if _, member := call.IsMemberCall(); member || len(callees) != 1 || callees[0].View.Class != "" {
		return false
	}
	inner := make([]*regions.Context, len(ctxs))
	for ci, c := range ctxs {
		if c.X.Depth >= footprint.MaxInline || c.X.OnStack(callees[0]) {
			return false
		}
		c.Enter()
		x := &footprint.Execution{Frame: c.X.Enter(callees[0], call), K: l.Sharing, Inner: true}
		c.Exit()
		inner[ci] = &regions.Context{X: x, In: c.In, Outer: c}
	}
	l.list(callees[0], callees[0].Body.List, inner, ends{to.behind, to.behind}, used)
	return true
}

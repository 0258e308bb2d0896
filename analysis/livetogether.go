package analysis

import "github.com/smux-cuda/smux/analysis/ir"

// Site is a place in the text of a kernel or of a device function that it calls.
type Site struct {
	Func *ir.Func
	At   ir.Range
}

// Pair is two shared variables, in the order of Kernel.Shared.
type Pair struct{ A, B *Shared }

func (k *Kernel) pair(i, j int) Pair {
	return Pair{k.Shared[min(i, j)], k.Shared[max(i, j)]}
}

// LiveTogether returns the pairs of shared variables of which one may be written while
// the other holds a value that may still be read, each with the first place where that
// is seen: they can't have the same bytes. Statements are taken to run one after the
// other, for all threads at once: that holds where barriers are between the uses
// (see Unordered). What nothing has written yet has no value.
//
// A statement is looked into, and so is a function in view that is the one thing in a
// statement to use shared memory; else all that it writes is taken to be written while
// it reads. What an iteration of a loop leaves is live until another one, or what
// follows the loop, may read it.
func (k *Kernel) LiveTogether() map[Pair]Site {
	steps, spent := k.steps, k.spent
	k.steps = maxSteps // of its own: others ask for regions later
	defer func() { k.steps, k.spent = steps, spent }()
	l := &livePairs{sharing: k.sharing(), found: map[Pair]Site{}, writes: map[*ir.Func]arraySet{}}
	var ctxs []*context
	for _, in := range k.Instances {
		ctxs = append(ctxs, &context{x: k.execution(in.frame(k, k.Func)), in: flow{allThreads, allThreads}})
	}
	nothing := make([]memory, len(ctxs))
	l.list(k.Func, k.Func.Body.List, ctxs, ends{nothing, nothing}, 0)
	return l.found
}

type livePairs struct {
	*sharing
	found  map[Pair]Site
	writes map[*ir.Func]arraySet // see writtenUnder
}

// mostContexts is the number of ways of running a list that are told apart.
const mostContexts = 512

// ends holds what is live, in each context, where control goes from a list of statements:
// after it, and where break, continue and return lead to.
type ends struct{ behind, jumps []memory }

// list looks at a list of statements; used are the variables that may have been used
// before it.
func (l *livePairs) list(fn *ir.Func, stmts []*ir.Stmt, ctxs []*context, to ends, used arraySet) {
	n := len(stmts)
	usedBefore := make([]arraySet, n)
	for i, s := range stmts {
		usedBefore[i] = used
		if l.accesses(fn, s) {
			used |= l.touchedUnder(fn, s)
		}
	}
	ins, after := make([][]flow, len(ctxs)), make([][]memory, n)
	before := make([]arraySet, n)
	for i := range after {
		after[i] = make([]memory, len(ctxs))
	}
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
		cur := to.behind[ci]
		for i := n - 1; i >= 0; i-- {
			after[i][ci] = cur
			cur = liveBefore(cur, effects[i], usedBefore[i])
			if stmts[i].Any(isJump) {
				cur.union(to.jumps[ci])
			}
			before[i] |= cur.names()
		}
	}
	for i, s := range stmts {
		if l.writtenUnder(fn, s, l.writes) == 0 {
			continue
		}
		at := make([]*context, len(ctxs))
		for ci, c := range ctxs {
			at[ci] = &context{x: c.x, in: ins[ci][i], bind: c.bind, outer: c.outer}
		}
		l.stmt(fn, s, at, ends{after[i], to.jumps}, before[i], usedBefore[i])
	}
}

func isJump(s *ir.Stmt) bool {
	return s.Op == ir.StmtBreak || s.Op == ir.StmtContinue || s.Op == ir.StmtReturn || s.Op == ir.StmtGoto
}

// liveBefore returns what is live before something with an effect, of that after it.
func liveBefore(after memory, e memoryEffect, used arraySet) memory {
	cur := after.minus(e.def).clone()
	if e.use != nil {
		cur.union(e.use)
	}
	for a := range cur {
		if used&(1<<a) == 0 {
			cur[a] = elements{}
		}
	}
	return cur
}

// names are the variables of which something is in a memory.
func (m memory) names() (set arraySet) {
	for i := range m {
		if !m[i].empty() {
			set |= 1 << i
		}
	}
	return set
}

func namesOf(ms []memory) (set arraySet) {
	for _, m := range ms {
		set |= m.names()
	}
	return set
}

// together notes that what is written at a place is so while live is.
func (l *livePairs) together(fn *ir.Func, at ir.Range, written, live arraySet) {
	for i := range l.Shared {
		for j := range l.Shared {
			if i == j || written&(1<<i) == 0 || live&(1<<j) == 0 {
				continue
			}
			p := l.pair(i, j)
			if _, seen := l.found[p]; !seen {
				l.found[p] = Site{fn, at}
			}
		}
	}
}

// whole takes a statement for one that does all it does at once.
func (l *livePairs) whole(fn *ir.Func, s *ir.Stmt, to ends, before arraySet) {
	written := l.writtenUnder(fn, s, l.writes)
	l.together(fn, s.Range, written, before|namesOf(to.behind)|l.touchedUnder(fn, s))
}

// stmt looks at a statement that writes, in contexts in which it begins.
func (l *livePairs) stmt(fn *ir.Func, s *ir.Stmt, ctxs []*context, to ends, before, used arraySet) {
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
func (l *livePairs) head(fn *ir.Func, s *ir.Stmt, live arraySet) {
	only := &ir.Stmt{Op: ir.StmtExpr, Cond: s.Cond, Post: s.Post, Range: s.Range}
	written := l.writtenUnder(fn, only, l.writes)
	init := arraySet(0)
	if s.Init != nil {
		written |= l.writtenUnder(fn, s.Init, l.writes)
		init = l.touchedUnder(fn, s.Init)
	}
	l.together(fn, s.Range, written, live|l.touchedUnder(fn, only)|init)
}

func (l *livePairs) branches(fn *ir.Func, s *ir.Stmt, ctxs []*context, to ends, before, used arraySet) {
	l.head(fn, s, before|namesOf(to.behind)|l.touchedUnder(fn, s))
	for _, b := range []*ir.Stmt{s.Body, s.Else} {
		if b == nil {
			continue
		}
		inner := make([]*context, len(ctxs))
		for ci, c := range ctxs {
			c.enter()
			in := c.in
			if !s.Preproc {
				in = c.stay(s, b, in)
				if l.Uniformity(fn, s.Cond) <= BlockUniform && !c.x.eval(s.Cond).known {
					in.must = c.in.must // whole blocks go there
				}
			}
			c.exit()
			inner[ci] = &context{x: c.x, in: in, bind: c.bind, outer: c.outer}
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
func (l *livePairs) loop(fn *ir.Func, s *ir.Stmt, ctxs []*context, to ends, before, used arraySet) {
	used |= l.touchedUnder(fn, s)
	var inner []*context
	var out []memory
	for ci, c := range ctxs {
		c.enter()
		in := c.in
		if l.branchUniformity(fn, s) > BlockUniform || containsReturn(s.Body) {
			in.must = noThreads // some may be gone, from the loop or from what it is in
		}
		its := c.iterations(s, in)
		c.exit()
		live := to.behind[ci].clone()
		live.union(to.jumps[ci])
		for _, it := range its {
			it.enter()
			e, _ := it.x.stmt(s.Body, it.in)
			live.union(e.use.clone())
			for _, head := range []*ir.Expr{s.Cond, s.Post} {
				live.union(it.x.expr(head, flow{noThreads, in.may}).use.clone())
			}
			it.exit()
			inner, out = append(inner, it), append(out, nil)
		}
		for i := len(out) - len(its); i < len(out); i++ {
			out[i] = live
		}
	}
	l.head(fn, s, before|namesOf(out)|l.touchedUnder(fn, s))
	if len(inner) > mostContexts {
		l.whole(fn, s, to, before)
		return
	}
	l.list(fn, bodyList(s.Body), inner, ends{out, out}, used)
}

// inCall looks into the one function that a statement calls, and reports whether that is
// all that the statement does to shared memory.
func (l *livePairs) inCall(fn *ir.Func, s *ir.Stmt, ctxs []*context, to ends, used arraySet) bool {
	var call *ir.Expr
	several := false
	s.Exprs(func(top *ir.Expr) {
		conditionally(top, nil, func(e *ir.Expr, under []*ir.Expr) {
			if e.Op == ir.OpCall && l.touchedBy(fn, e) != 0 {
				several = several || call != nil || len(under) > 0
				call = e
			}
		})
	})
	search := regionSearch{sharing: l.sharing}
	if call == nil || several || s.Op != ir.StmtExpr && s.Op != ir.StmtDecl && s.Op != ir.StmtReturn || search.accessesBeside(fn, s, call) {
		return false
	}
	callees := l.Callees(fn, call)
	if _, member := call.IsMemberCall(); member || len(callees) != 1 || callees[0].View.Class != "" {
		return false
	}
	inner := make([]*context, len(ctxs))
	for ci, c := range ctxs {
		if c.x.depth >= maxInline || l.onStack(callees[0], c.x.frame) {
			return false
		}
		c.enter()
		x := &execution{frame: c.x.enter(callees[0], call), k: l.sharing, inner: true}
		c.exit()
		inner[ci] = &context{x: x, in: c.in, outer: c}
	}
	l.list(callees[0], callees[0].Body.List, inner, ends{to.behind, to.behind}, used)
	return true
}

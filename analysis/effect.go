package analysis

import (
	"slices"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/polynomial"
)

// memoryEffect holds what a piece of code does to the shared variables: use holds the
// elements whose value from before it may be read, def those that it writes
// for certain, by threads that run it for certain.
type memoryEffect struct {
	use, def memory
	// writes lists the certain definitions thread by thread, so that the two
	// branches of an if with an unknown condition can be compared.
	writes []write
}

// write is one definition by all threads of must: thread i writes element idx.at(i).
type write struct {
	array  int // Shared.index, of arrays many
	arrays int
	idx    value
	must   mask
}

// execution computes effects: it runs a function abstractly, for all threads
// of the block at once, with data unknown and subscripts enumerated wherever
// they can be.
type execution struct {
	*frame
	k     *sharing
	jumps []*jumpState // enclosing loops and switches, innermost last
	inner bool         // inside a called function
	// holds are polynomials that are at most 0 in the threads that come here.
	holds []polynomial.Polynomial
	// watch receives every lvalue with a subscript that is evaluated, of the
	// kernel itself; nil where nobody asks.
	watch func(e *ir.Expr, in flow)
}

// execution begins an abstract execution of a function of the kernel.
func (k *Kernel) execution(f *frame) *execution { return k.sharing().execution(f) }

func (k *sharing) execution(f *frame) *execution {
	f.ev.total = &k.steps
	if k.spent { // as this one will, most likely
		f.ev.budget = min(f.ev.budget, maxEvaluation/8)
	}
	return &execution{frame: f, k: k}
}

// jumpState records of an enclosing loop or switch whether a thread may have left it.
type jumpState struct {
	loop    *ir.Stmt
	leftMay bool
}

func (x *execution) none() memoryEffect { return memoryEffect{} }

// then appends the effect of what runs after e.
func (e *memoryEffect) then(o memoryEffect) {
	if o.use != nil {
		e.use.union(o.use.minus(e.def))
	}
	e.def.union(o.def)
	if len(o.writes) > 0 && len(e.writes) < 256 {
		e.writes = append(e.writes, o.writes...)
	}
}

func (x *execution) sequence(stmts []*ir.Stmt, in flow) (memoryEffect, flow) {
	e := x.none()
	for _, s := range stmts {
		var o memoryEffect
		o, in = x.stmt(s, in)
		e.then(o)
	}
	return e, in
}

// stmt computes the effect of one statement and which threads come out of it.
func (x *execution) stmt(s *ir.Stmt, in flow) (memoryEffect, flow) {
	if x.k.inert(x.fn, s) {
		return memoryEffect{}, in
	}
	if x.ev.spend(1); x.ev.spent() {
		return x.anything(s), flow{noThreads, in.may}
	}
	switch s.Op {
	case ir.StmtCompound, ir.StmtLabel, ir.StmtCase:
		return x.sequence(s.List, in)
	case ir.StmtDecl:
		e := x.none()
		for _, v := range s.Vars {
			if v.Init != nil && v.Kind != ir.VarShared {
				e.then(x.expr(v.Init, in))
			}
		}
		return e, in
	case ir.StmtExpr:
		return x.expr(s.Expr, in), in
	case ir.StmtIf:
		return x.branch(s, in)
	case ir.StmtFor, ir.StmtWhile, ir.StmtDo:
		return x.loop(s, in)
	case ir.StmtSwitch:
		return x.choose(s, in)
	case ir.StmtReturn:
		return x.expr(s.Expr, in), flow{noThreads, noThreads}
	case ir.StmtBreak, ir.StmtContinue:
		return x.none(), x.jump(s)
	}
	e := x.none()
	s.Exprs(func(t *ir.Expr) { e.then(x.expr(t, flow{noThreads, in.may})) })
	return e, in
}

// anything is the effect of a statement that is not looked at any more: it may
// read whatever it names, and defines nothing for certain.
func (x *execution) anything(s *ir.Stmt) memoryEffect {
	e := x.none()
	x.everything(&e, x.k.touchedUnder(x.fn, s))
	return e
}

// branch is an if. With a condition known for every thread both branches run
// with their threads; otherwise what both branches define is defined.
func (x *execution) branch(s *ir.Stmt, in flow) (memoryEffect, flow) {
	e := x.none()
	cond := unknown
	if !s.Preproc {
		e = x.expr(s.Cond, in)
		cond = x.eval(s.Cond)
	}
	yes, no := in.split(x.ev.n, cond)
	uniform := s.Preproc || x.k.Uniformity(x.fn, s.Cond) <= BlockUniform
	var a, b memoryEffect
	var outA, outB flow
	told := cond.known || uniform
	x.under(s.Cond, true, func() { a, outA = x.some(s.Body, yes, told) })
	x.under(s.Cond, false, func() { b, outB = x.some(s.Else, no, told) })
	if cond.known {
		e.then(merge(a, b, true))
		return e, flow{outA.must.or(x.ev.n, outB.must), outA.may.or(x.ev.n, outB.may)}
	}
	both := merge(a, b, false)
	if uniform {
		both.def = nil
		for i := range min(len(a.def), len(b.def)) {
			*both.def.at(i, len(a.def)) = a.def[i].intersect(b.def[i])
		}
	}
	e.then(both)
	e.then(x.definedByLeaders(s, in))
	out := flow{outA.must.and(x.ev.n, outB.must), outA.may.or(x.ev.n, outB.may)}
	// Whole blocks that return take nothing from those that stay.
	if uniform && !x.inner && len(x.jumps) == 0 {
		if outA.may.none {
			out = outB
		} else if outB.may.none {
			out = outA
		}
	}
	return e, out
}

// some computes the effect of a branch. Unless it is known which threads take it,
// what those write there is no definition for what they read there: elements of
// others may still hold what they held before.
func (x *execution) some(s *ir.Stmt, in flow, told bool) (memoryEffect, flow) {
	e, out := x.optional(s, in)
	if !told && !in.must.none {
		alone, _ := x.optional(s, flow{noThreads, in.may})
		e.use = alone.use
	}
	return e, out
}

func (x *execution) optional(s *ir.Stmt, in flow) (memoryEffect, flow) {
	if s == nil || in.may.none {
		return x.none(), in
	}
	return x.stmt(s, in)
}

// merge joins the effects of two branches. Where the condition is known both
// sets of definitions happen; otherwise only definitions that every thread
// makes in either branch do.
func merge(a, b memoryEffect, known bool) memoryEffect {
	e := memoryEffect{use: a.use.clone()}
	e.use.union(b.use)
	if known {
		e.def.union(a.def)
		e.def.union(b.def)
		e.writes = append(slices.Clone(a.writes), b.writes...)
		return e
	}
	for _, w := range a.writes {
		if slices.ContainsFunc(b.writes, w.equal) {
			w.addTo(&e.def)
			e.writes = append(e.writes, w)
		}
	}
	return e
}

func (w write) equal(o write) bool {
	if w.array != o.array || w.idx.s != o.idx.s || !slices.Equal(w.idx.v, o.idx.v) {
		return false
	}
	return w.must.none == o.must.none && slices.Equal(w.must.b, o.must.b)
}

func (w write) addTo(m *memory) {
	if w.must.none {
		return
	}
	set := m.at(w.array, w.arrays)
	if w.idx.v == nil {
		set.add(int(w.idx.s))
		return
	}
	for i, n := range w.idx.v {
		if w.must.has(i) {
			set.add(int(n))
		}
	}
}

// choose is a switch: any case may run, none for certain.
func (x *execution) choose(s *ir.Stmt, in flow) (memoryEffect, flow) {
	e := x.expr(s.Cond, in)
	x.jumps = append(x.jumps, &jumpState{loop: s})
	// Every case is entered afresh: what stands before it may not have run.
	for _, c := range statements(s.Body) {
		body, _ := x.stmt(c, flow{noThreads, in.may})
		body.def, body.writes = nil, nil
		e.then(body)
	}
	x.jumps = x.jumps[:len(x.jumps)-1]
	if containsReturn(s.Body) || jumpsBeyond(s) {
		return e, flow{noThreads, in.may}
	}
	return e, in
}

// jumpsBeyond reports whether a continue inside a switch belongs to a loop
// around it.
func jumpsBeyond(s *ir.Stmt) bool {
	return s.Body.Any(func(t *ir.Stmt) bool {
		return t.Op == ir.StmtContinue && (t.JumpTarget() == nil || !t.JumpTarget().Inside(s))
	})
}

// jump is a break or continue.
func (x *execution) jump(s *ir.Stmt) flow {
	target := s.JumpTarget()
	for i := len(x.jumps) - 1; i >= 0; i-- {
		j := x.jumps[i]
		if j.loop == target {
			if s.Op == ir.StmtBreak {
				j.leftMay = true
			}
			break
		}
	}
	return flow{noThreads, noThreads}
}

func containsReturn(s *ir.Stmt) bool {
	return s.Any(func(t *ir.Stmt) bool {
		return t.Op == ir.StmtReturn || t.Op == ir.StmtGoto
	})
}

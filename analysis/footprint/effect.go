package footprint

import (
	"slices"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/evaluate"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/pointers"
	"github.com/smux-cuda/smux/analysis/polynomial"
	"github.com/smux-cuda/smux/analysis/uniformity"
	"github.com/smux-cuda/smux/analysis/values"
)

// MemoryEffect holds what a piece of code does to the shared variables: use holds the elements whose value from
// before it may be read, def those that it writes for certain, by threads that run it for certain.
type MemoryEffect struct {
	Use, Def Memory
	// writes lists the certain definitions thread by thread, so that the two
	// branches of an if with an unknown condition can be compared.
	writes []write
}

// write is one definition by all threads of must: thread i writes element idx.at(i).
type write struct {
	array  int // Shared.index, of arrays many
	arrays int
	idx    values.Value
	must   Mask
}

// Execution computes effects: it runs a function abstractly, for all threads of the block at once, with data unknown
// and subscripts enumerated wherever they can be.
type Execution struct {
	*evaluate.Frame
	K     *pointers.Sharing
	jumps []*jumpState // enclosing loops and switches, innermost last
	Inner bool         // inside a called function
	// holds are polynomials that are at most 0 in the threads that come here.
	holds []polynomial.Polynomial
	// Watch receives every lvalue with a subscript that is evaluated, of the kernel itself; nil where nobody asks.
	Watch func(e *ir.Expr, in Flow)
}

// New begins an abstract execution of a function of the kernel.
func New(k *analysis.Kernel, f *evaluate.Frame) *Execution { return NewFor(pointers.AllShared(k), f) }

// NewFor begins an abstract execution that leaves the accesses to privatized arrays out.
func NewFor(k *pointers.Sharing, f *evaluate.Frame) *Execution {
	f.Ev.Total = &k.Budget.Steps
	if k.Budget.Spent { // as this one will, most likely
		f.Ev.Budget = min(f.Ev.Budget, evaluate.MaxEvaluation/8)
	}
	return &Execution{Frame: f, K: k}
}

// jumpState records of an enclosing loop or switch whether a thread may have left it.
type jumpState struct {
	loop    *ir.Stmt
	leftMay bool
}

func (x *Execution) none() MemoryEffect { return MemoryEffect{} }

// then appends the effect of what runs after e.
func (e *MemoryEffect) then(o MemoryEffect) {
	if o.Use != nil {
		e.Use.Union(o.Use.Minus(e.Def))
	}
	e.Def.Union(o.Def)
	if len(o.writes) > 0 && len(e.writes) < 256 {
		e.writes = append(e.writes, o.writes...)
	}
}

func (x *Execution) sequence(stmts []*ir.Stmt, in Flow) (MemoryEffect, Flow) {
	e := x.none()
	for _, s := range stmts {
		var o MemoryEffect
		o, in = x.Stmt(s, in)
		e.then(o)
	}
	return e, in
}

// Stmt computes the effect of one statement and which threads come out of it.
func (x *Execution) Stmt(s *ir.Stmt, in Flow) (MemoryEffect, Flow) {
	if x.K.Inert(x.Fn, s) {
		return MemoryEffect{}, in
	}
	if x.Ev.Spend(1); x.Ev.Spent() {
		return x.anything(s), Flow{NoThreads, in.May}
	}
	switch s.Op {
	case ir.StmtCompound, ir.StmtLabel, ir.StmtCase:
		return x.sequence(s.List, in)
	case ir.StmtDecl:
		e := x.none()
		for _, v := range s.Vars {
			if v.Init != nil && v.Kind != ir.VarShared {
				e.then(x.Expr(v.Init, in))
			}
		}
		return e, in
	case ir.StmtExpr:
		return x.Expr(s.Expr, in), in
	case ir.StmtIf:
		return x.branch(s, in)
	case ir.StmtFor, ir.StmtWhile, ir.StmtDo:
		return x.loop(s, in)
	case ir.StmtSwitch:
		return x.choose(s, in)
	case ir.StmtReturn:
		return x.Expr(s.Expr, in), Flow{NoThreads, NoThreads}
	case ir.StmtBreak, ir.StmtContinue:
		return x.none(), x.jump(s)
	}
	e := x.none()
	s.Exprs(func(t *ir.Expr) { e.then(x.Expr(t, Flow{NoThreads, in.May})) })
	return e, in
}

// anything is the effect of a statement that is not looked at any more: it may
// read whatever it names, and defines nothing for certain.
func (x *Execution) anything(s *ir.Stmt) MemoryEffect {
	e := x.none()
	x.everything(&e, pointers.TouchedUnder(x.K.Kernel, x.Fn, s))
	return e
}

// branch is an if. With a condition known for every thread both branches run
// with their threads; otherwise what both branches define is defined.
func (x *Execution) branch(s *ir.Stmt, in Flow) (MemoryEffect, Flow) {
	e := x.none()
	cond := values.Unknown
	if !s.Preproc {
		e = x.Expr(s.Cond, in)
		cond = x.Eval(s.Cond)
	}
	yes, no := in.Split(x.Ev.N, cond)
	uniform := s.Preproc || uniformity.Of(x.K.Kernel, x.Fn, s.Cond) <= analysis.BlockUniform
	var a, b MemoryEffect
	var outA, outB Flow
	told := cond.Known || uniform
	x.under(s.Cond, true, func() { a, outA = x.some(s.Body, yes, told) })
	x.under(s.Cond, false, func() { b, outB = x.some(s.Else, no, told) })
	if cond.Known {
		e.then(merge(a, b, true))
		return e, Flow{outA.Must.or(x.Ev.N, outB.Must), outA.May.or(x.Ev.N, outB.May)}
	}
	both := merge(a, b, false)
	if uniform {
		both.Def = nil
		for i := range min(len(a.Def), len(b.Def)) {
			*both.Def.at(i, len(a.Def)) = a.Def[i].intersect(b.Def[i])
		}
	}
	e.then(both)
	e.then(x.definedByLeaders(s, in))
	out := Flow{outA.Must.and(x.Ev.N, outB.Must), outA.May.or(x.Ev.N, outB.May)}
	// Whole blocks that return take nothing from those that stay.
	if uniform && !x.Inner && len(x.jumps) == 0 {
		if outA.May.None {
			out = outB
		} else if outB.May.None {
			out = outA
		}
	}
	return e, out
}

// some computes the effect of a branch. Unless it is known which threads take it, what those write there is no
// definition for what they read there: elements of others may still hold what they held before.
func (x *Execution) some(s *ir.Stmt, in Flow, told bool) (MemoryEffect, Flow) {
	e, out := x.optional(s, in)
	if !told && !in.Must.None {
		alone, _ := x.optional(s, Flow{NoThreads, in.May})
		e.Use = alone.Use
	}
	return e, out
}

func (x *Execution) optional(s *ir.Stmt, in Flow) (MemoryEffect, Flow) {
	if s == nil || in.May.None {
		return x.none(), in
	}
	return x.Stmt(s, in)
}

// merge joins the effects of two branches. Where the condition is known both sets of definitions happen; otherwise
// only definitions that every thread makes in either branch do.
func merge(a, b MemoryEffect, known bool) MemoryEffect {
	e := MemoryEffect{Use: a.Use.Clone()}
	e.Use.Union(b.Use)
	if known {
		e.Def.Union(a.Def)
		e.Def.Union(b.Def)
		e.writes = append(slices.Clone(a.writes), b.writes...)
		return e
	}
	for _, w := range a.writes {
		if slices.ContainsFunc(b.writes, w.equal) {
			w.addTo(&e.Def)
			e.writes = append(e.writes, w)
		}
	}
	return e
}

func (w write) equal(o write) bool {
	if w.array != o.array || w.idx.S != o.idx.S || !slices.Equal(w.idx.V, o.idx.V) {
		return false
	}
	return w.must.None == o.must.None && slices.Equal(w.must.b, o.must.b)
}

func (w write) addTo(m *Memory) {
	if w.must.None {
		return
	}
	set := m.at(w.array, w.arrays)
	if w.idx.V == nil {
		set.add(int(w.idx.S))
		return
	}
	for i, n := range w.idx.V {
		if w.must.Has(i) {
			set.add(int(n))
		}
	}
}

// choose is a switch: any case may run, none for certain.
func (x *Execution) choose(s *ir.Stmt, in Flow) (MemoryEffect, Flow) {
	e := x.Expr(s.Cond, in)
	x.jumps = append(x.jumps, &jumpState{loop: s})
	// Every case is entered afresh: what stands before it may not have run.
	for _, c := range analysis.Statements(s.Body) {
		body, _ := x.Stmt(c, Flow{NoThreads, in.May})
		body.Def, body.writes = nil, nil
		e.then(body)
	}
	x.jumps = x.jumps[:len(x.jumps)-1]
	if analysis.ContainsReturn(s.Body) || jumpsBeyond(s) {
		return e, Flow{NoThreads, in.May}
	}
	return e, in
}

// jumpsBeyond reports whether a continue inside a switch belongs to a loop around it.
func jumpsBeyond(s *ir.Stmt) bool {
	return s.Body.Any(func(t *ir.Stmt) bool {
		return t.Op == ir.StmtContinue && (t.JumpTarget() == nil || !t.JumpTarget().Inside(s))
	})
}

// jump is a break or continue.
func (x *Execution) jump(s *ir.Stmt) Flow {
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
	return Flow{NoThreads, NoThreads}
}

// pointerMember adds the use of a pointer that is a member of something in shared memory, and through which the
// address of e leads: it is read, whatever is done to what it points to. A member that is an array is not a pointer.
func (x *Execution) pointerMember(out *MemoryEffect, e *ir.Expr, in Flow) {
	if in.May.None {
		return
	}
	follows, base := 1, e.Kids[0]
	for base.Op == ir.OpIndex || base.Op == ir.OpDeref || base.Op == ir.OpCast && len(base.Kids) == 1 {
		if base.Op != ir.OpCast {
			follows++
		}
		base = base.Kids[0]
	}
	if base.Op != ir.OpMember || follows <= pointers.MemberDims(x.K.Kernel, x.Fn, base) {
		return
	}
	if set := pointers.Lvalue(x.K.Kernel, x.Fn, base); set != 0 {
		x.use(out, nil, evaluate.Ref{Arrays: set, Opaque: true}, in)
	}
}

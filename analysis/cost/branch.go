package cost

import (
	"maps"
	"slices"

	"github.com/smux-cuda/smux/analysis/intrinsic"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/uniformity"
)

// branch is an if. With a condition that is known each side runs for its threads. With one that differs between
// threads in an unknown way a warp is taken to have threads on both sides; one that is the same for a whole block
// counts half on each side, except for a bounds check, which is passed.
func (f *frame) branch(s *ir.Stmt) {
	x := f.x
	if s.Preproc {
		f.uncertain(s, 1, 0)
		return
	}
	if s.Init != nil {
		f.stmt(s.Init)
	}
	c := f.eval(s.Cond)
	x.needs(c)
	if c.uniform() && c.isConstant() {
		if c.s != 0 {
			f.stmt(s.Body)
		} else {
			f.stmt(s.Else)
		}
		return
	}
	if !leavesOnly(s.Body) || s.Else != nil {
		x.issue(costBranch)
	}
	defer x.forgets(len(x.oneSide), x.side)
	x.side = x.fresh()
	if c.known && c.exact {
		f.certain(s, c)
		return
	}
	yes, no := 1.0, 1.0
	if uniformity.Of(x.k, f.fn, s.Cond) < threadVarying || s.Else == nil {
		yes, no = 0.5, 0.5
		switch {
		case leavesOnly(s.Body):
			yes, no = 0, 1
		case s.Else == nil && (uniformity.Of(x.k, f.fn, s.Cond) == threadVarying || boundsCheck(s.Cond)):
			yes = 1
		}
	}
	f.uncertain(s, yes, no)
}

// forgets ends a branch: what was loaded or stored on its sides since then no register holds
// after it, as not all threads have come along there. Of two sides that load the same the
// second finds it: a compiler loads that in front of both.
func (x *walk) forgets(since, outer int) {
	x.side = outer
	for _, h := range x.oneSide[since:] {
		delete(x.held[h.in], h.at)
	}
	x.oneSide = x.oneSide[:since]
}

// certain runs both sides for the threads that are known to take them, and joins what they assigned.
func (f *frame) certain(s *ir.Stmt, c value) {
	x := f.x
	outer := x.mask
	side := func(t *ir.Stmt, want bool) side {
		if t == nil {
			return f.nothing()
		}
		m := outer.and(x.n, c, want)
		if m != nil && m.warps(x.n) == 0 {
			return f.nothing()
		}
		x.restrict(m)
		x.stop()
		defer x.stop()
		return f.logged(func() { f.stmt(t) })
	}
	no := f.nothing()
	yes := side(s.Body, true)
	x.restrict(outer)
	if s.Else != nil {
		no = side(s.Else, false)
	}
	x.restrict(outer)
	f.join(c, yes, no)
}

// side holds what one side of a branch assigned, and the place of its end.
type side struct {
	cells map[cell]value
	end   int
}

func (f *frame) nothing() side { return side{end: f.x.lives.next()} }

// logged runs something and takes back what it assigned; the assignments are returned.
func (f *frame) logged(run func()) side {
	outer := f.log
	f.log = map[cell]value{}
	run()
	out := map[cell]value{}
	for c, old := range f.log {
		out[c] = f.cells[c]
		if outer != nil {
			if _, ok := outer[c]; !ok {
				outer[c] = old
			}
		}
		if old.id == 0 && !old.known && old.typ == (ctype{}) {
			delete(f.cells, c)
			continue
		}
		f.cells[c] = old
	}
	f.log = outer
	return side{out, f.x.lives.next()}
}

// join merges what two sides of a branch assigned; an unknown condition has c.known unset.
func (f *frame) join(c value, yes, no side) {
	x := f.x
	cells := maps.Clone(yes.cells)
	if cells == nil {
		cells = map[cell]value{}
	}
	maps.Copy(cells, no.cells)
	for _, k := range slices.SortedFunc(maps.Keys(cells), cell.compare) { // values are numbered as they are met
		old, had := f.cells[k]
		a, okA := yes.cells[k]
		b, okB := no.cells[k]
		if !okA {
			a = old
		}
		if !okB {
			b = old
		}
		if !had && (!okA || !okB) {
			if okA {
				b = a
			} else {
				a = b
			}
		}
		if c.known && c.exact && c.v == nil {
			if c.s != 0 {
				f.cells[k] = a
			} else {
				f.cells[k] = b
			}
			continue
		}
		if a.id == b.id && a.add == b.add && a.obj == b.obj {
			f.cells[k] = a
			continue
		}
		out := value{typ: a.typ, id: x.fresh(), obj: a.obj, dims: a.dims}
		out = out.after(a).after(b)
		x.meets(out.id, max(a.words(), b.words()), arrival{a.id, yes.end}, arrival{b.id, no.end})
		switch {
		case a.obj != b.obj:
		case c.known && c.exact && a.known && b.known:
			out.numbers(selected(x.n, c, a, b))
		case a.known && b.known:
			// Either may be right: keep the strides of the likelier side.
			out.numbers(a)
			out.exact = false
		}
		f.cells[k] = out
	}
}

// uncertain runs both sides of a branch with a share of the turns each. Loads
// inside do not move out, so they wait on their own.
func (f *frame) uncertain(s *ir.Stmt, yes, no float64) {
	x := f.x
	outer := x.weight
	together := predicated(s)
	side := func(t *ir.Stmt, share float64) side {
		if t == nil {
			return f.nothing()
		}
		if together {
			x.weight = outer * share
			out := f.logged(func() { f.stmt(t) })
			x.weight = outer
			return out
		}
		x.stop()
		pending, batch, waiting, at := x.pending, x.batch, x.waiting, x.waitingAt
		x.pending, x.waiting = nil, nil
		x.lastBatch++
		x.batch = x.lastBatch
		x.weight = outer * share
		x.maybe++
		slot := x.slot
		out := f.logged(func() { f.stmt(t) })
		x.maybe--
		inner := len(x.pending) > 0
		x.wait(1)
		if x.slot == slot || !inner {
			x.pending, x.batch, x.waiting, x.waitingAt = pending, batch, waiting, at
		}
		x.weight = outer
		x.stop()
		return out
	}
	before := f.nothing()
	a := side(s.Body, yes)
	b := before
	if s.Else != nil {
		b = side(s.Else, no)
	}
	f.join(value{}, a, b)
}

// predicated reports whether the compiler turns a branch into predicates of its instructions, so that loads in it go
// together with others, as those of several turns of a loop around it: a branch without an else that does no more
// than a few operations.
func predicated(s *ir.Stmt) bool {
	if s.Preproc || s.Else != nil {
		return false
	}
	plain, nodes := true, 0
	s.Body.Walk(func(t *ir.Stmt) bool {
		plain = plain && (t.Op == ir.StmtCompound || t.Op == ir.StmtExpr)
		return plain
	})
	s.Body.WalkExprs(func(e *ir.Expr) bool {
		nodes++
		if numbers(e) {
			return false // the compiler computes it
		}
		plain = plain && (e.Op != ir.OpCall || intrinsic.Of(e.Name).Kind == intrinsic.Load) && e.Op != ir.OpAsm
		return plain
	})
	return plain && nodes <= predicatedNodes
}

// numbers reports whether an expression is made of numbers alone.
func numbers(e *ir.Expr) bool {
	return !e.Any(func(k *ir.Expr) bool { return k.Op != ir.OpInt && k.Op != ir.OpBinary && k.Op != ir.OpUnary })
}

// leavesOnly reports whether a statement does nothing but leave.
func leavesOnly(s *ir.Stmt) bool {
	for s.Op == ir.StmtCompound && len(s.List) == 1 {
		s = s.List[0]
	}
	return s.Op == ir.StmtReturn || s.Op == ir.StmtBreak || s.Op == ir.StmtContinue
}

// boundsCheck reports whether a condition compares by order, as a check of an index against a size does.
func boundsCheck(e *ir.Expr) bool {
	if v := e.Var; e.Op == ir.OpIdent && v != nil && v.Init != nil && len(v.Writes) == 0 {
		return boundsCheck(v.Init)
	}
	if e.Op != ir.OpBinary {
		return false
	}
	switch e.Tok {
	case "<", "<=", ">", ">=":
		return true
	case "&&", "and":
		return boundsCheck(e.Kids[0]) && boundsCheck(e.Kids[1])
	}
	return false
}

// choice is a switch: where the case is not known, all are taken to be equally likely.
func (f *frame) choice(s *ir.Stmt) {
	x := f.x
	c := f.eval(s.Cond)
	x.needs(c)
	x.issue(2 * costBranch)
	var cases []*ir.Stmt
	body := s.Body
	if body.Op == ir.StmtCompound {
		cases = body.List
	} else {
		cases = []*ir.Stmt{body}
	}
	x.loops = append(x.loops, &loopState{stmt: s, first: x.batch})
	defer func() { x.loops = x.loops[:len(x.loops)-1] }()
	if c.uniform() {
		f.chosen(cases, c)
		x.revive(x.loops[len(x.loops)-1].left)
		x.restrict(x.mask)
		return
	}
	n := 0
	for _, k := range cases {
		if k.Op == ir.StmtCase {
			n++
		}
	}
	defer x.forgets(len(x.oneSide), x.side)
	x.side = x.fresh()
	outer := x.weight
	x.weight = outer / float64(max(1, n))
	x.maybe++
	for _, k := range cases {
		before := f.nothing()
		f.join(value{}, f.logged(func() { f.stmt(k) }), before)
	}
	x.maybe--
	x.weight = outer
}

// chosen runs the cases of a switch from the one that matches to a break.
func (f *frame) chosen(cases []*ir.Stmt, c value) {
	x := f.x
	start := -1
	for i, k := range cases {
		if k.Op != ir.StmtCase {
			continue
		}
		if k.Expr == nil {
			if start < 0 {
				start = i
			}
			continue
		}
		from, to := k.Expr, k.Expr
		if k.Expr.Op == ir.OpBinary && k.Expr.Tok == ir.CaseRange {
			from, to = k.Expr.Kids[0], k.Expr.Kids[1]
		}
		x.mute++
		low, high := f.eval(from), f.eval(to)
		x.mute--
		if low.uniform() && high.uniform() && low.s <= c.s && c.s <= high.s {
			start = i
			break
		}
	}
	if start < 0 {
		return
	}
	for _, k := range cases[start:] {
		f.stmt(k)
	}
}

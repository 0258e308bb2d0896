package slice

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/validate/kit"
	"github.com/smux-cuda/smux/validate/units"
)

const (
	maxReplay = 2_000_000 // expressions that are evaluated
	maxRounds = 4096      // iterations of a loop
)

// here are those of some threads that have not left a loop or a call.
func (y *replay) here(ts []int) []int {
	f := y.frame
	if !slices.ContainsFunc(ts, func(t int) bool { return f.gone[t] || f.left[t] || f.next[t] }) {
		return ts
	}
	return slices.DeleteFunc(slices.Clone(ts), func(t int) bool { return f.gone[t] || f.left[t] || f.next[t] })
}

// stmt runs a statement in some threads.
func (y *replay) stmt(s *ir.Stmt, ts []int) {
	if ts = y.here(ts); s == nil || len(ts) == 0 {
		return
	}
	at := s.Range.Start
	switch s.Op {
	case ir.StmtCompound:
		for _, t := range s.List {
			y.stmt(t, ts)
		}
	case ir.StmtDecl:
		if len(s.Vars) == 0 || slices.ContainsFunc(s.Vars, func(v *ir.Var) bool { return v.Kind == ir.VarEnumerator }) {
			y.stop(kit.Erasure, at, "a declaration of a type is not followed")
		}
		for _, v := range s.Vars {
			y.declare(v, ts)
		}
	case ir.StmtExpr:
		y.expression(s.Expr, ts)
	case ir.StmtIf:
		if s.Preproc || s.Init != nil {
			y.stop(kit.Erasure, at, "this branch is not followed")
		}
		var then, other []int
		for _, t := range ts {
			switch c := y.truth(y.eval(s.Cond, t), s.Cond); {
			case !c.isNumber():
				y.branch(s, t, c)
			case c.n.N != 0:
				then = append(then, t)
			default:
				other = append(other, t)
			}
		}
		y.stmt(s.Body, then)
		y.stmt(s.Else, other)
	case ir.StmtFor, ir.StmtWhile:
		y.stmt(s.Init, ts)
		y.loop(s, ts)
	case ir.StmtReturn:
		for _, t := range ts {
			if y.frame.gone[t] = true; s.Expr != nil {
				y.frame.result[t] = y.eval(s.Expr, t)
			}
		}
	case ir.StmtBreak, ir.StmtContinue:
		if to := s.JumpTarget(); to == nil || to.Op == ir.StmtSwitch {
			y.stop(kit.Erasure, at, "this jump is not followed")
		}
		for _, t := range ts {
			y.frame.left[t] = y.frame.left[t] || s.Op == ir.StmtBreak
			y.frame.next[t] = y.frame.next[t] || s.Op == ir.StmtContinue
		}
	case ir.StmtEmpty:
		if us := y.c.UnitsOf(s); !kit.IsCheck(us) && slices.ContainsFunc(us, func(u units.Unit) bool { return u.Text != ";" && !strings.HasPrefix(u.Text, "#") }) {
			y.stop(kit.Erasure, at, "this declaration is not followed")
		}
	default:
		y.stop(kit.Erasure, at, "this is not followed")
	}
}

// expression runs one that is a statement: a call may be met by all threads at once.
func (y *replay) expression(e *ir.Expr, ts []int) {
	switch {
	case e == nil:
	case e.Op == ir.OpCall && e.Name == "__syncthreads" && len(e.Args()) == 0 && len(y.c.Devices[e.Name]) == 0:
		y.barrier(ts, e.Range.Start)
	case e.Op == ir.OpCall && e.Name == "__syncwarp" && len(e.Args()) == 0 && len(y.c.Devices[e.Name]) == 0:
		if y.depth > 0 {
			y.stop(kit.Erasure, e.Range.Start, "a barrier of a warp in a loop is not followed")
		}
		for _, t := range ts {
			first := t &^ 31
			for u := first; u < min(first+32, y.n); u++ {
				if y.single > 0 || !slices.Contains(ts, u) {
					y.stop(kit.Uniform, e.Range.Start, "not all threads of a warp come by this barrier")
				}
			}
			y.warps[t]++
		}
	case e.Op == ir.OpCall && y.inlined(e):
		y.call(e, ts)
	case e.Op == ir.OpAssign && e.Tok == "=" && e.Kids[1].Op == ir.OpCall && y.inlined(e.Kids[1]):
		vals := y.call(e.Kids[1], ts)
		for _, t := range ts {
			y.assign(y.place(e.Kids[0], t), vals[t], t, e.Range.Start)
		}
	default:
		for _, t := range ts {
			y.eval(e, t)
		}
	}
}

// declare declares a variable.
func (y *replay) declare(v *ir.Var, ts []int) {
	at := v.Range.Start
	switch {
	case v.Type.Record != nil:
		y.union(v)
		return
	case v.Kind == ir.VarShared:
		y.static(v)
		return
	case v.Static && !v.Type.Const || v.Type.Volatile || v.Extern:
		y.stop(kit.Erasure, at, "%s is not followed", v.Name)
	case v.Type.Ref:
		if y.frame.refs[v] == nil {
			y.frame.refs[v] = make([]lvalue, y.n)
		}
		for _, t := range ts {
			if root := v.Init.Root(); v.Init == nil || root == nil || root.Var == nil {
				y.stop(kit.Erasure, at, "what %s refers to is not followed", v.Name)
			}
			y.frame.refs[v][t] = y.referred(v, v.Init, t)
		}
		return
	}
	r := y.variable(v)
	for _, t := range ts {
		y.clear(r, t)
	}
	var vals []val
	switch {
	case v.Init == nil:
		return
	case v.Init.Op == ir.OpCall && y.inlined(v.Init):
		vals = y.call(v.Init, ts)
	}
	for _, t := range ts {
		switch {
		case v.Init.Op == ir.OpInitList:
			y.listed(v, r, t)
		case vals != nil:
			y.initialise(v, r, vals[t], t)
		default:
			y.initialise(v, r, y.eval(v.Init, t), t)
		}
	}
}

func (y *replay) initialise(v *ir.Var, r *region, x val, t int) {
	if len(v.Dims) > 0 {
		y.stop(kit.Erasure, v.Range.Start, "what %s begins with is not followed", v.Name)
	}
	if v.Type.IsAuto() && (!v.Type.Deduced() || x.t != nil && x.t.typ != "" && len(y.membersOf(x.t.typ)) > 1) {
		y.stop(kit.Erasure, v.Range.Start, "the type of %s is not followed", v.Name)
	}
	y.assign(lvalue{r: r}, x, t, v.Range.Start)
}

// listed sets a variable to a list of values, and what the list does not name to 0.
func (y *replay) listed(v *ir.Var, r *region, t int) {
	cells := r.cells[t]
	for i := range cells {
		f := r.fields[i%len(r.fields)]
		x := val{t: y.convert(y.g.number(0), f.typ)}
		if i < len(v.Init.Kids) {
			kid := v.Init.Kids[i]
			if kid.Op == ir.OpInitList || len(v.Dims) > 1 || len(v.Dims) > 0 && len(r.fields) > 1 {
				y.stop(kit.Erasure, v.Range.Start, "what %s begins with is not followed", v.Name)
			}
			if x = y.eval(kid, t); x.t == nil {
				y.stop(kit.Erasure, v.Range.Start, "what %s begins with is not followed", v.Name)
			}
			x.t = y.convert(x.t, f.typ)
		}
		y.set(cell{r, t, i}, x)
	}
}

// static declares an array in shared memory.
func (y *replay) static(v *ir.Var) *region {
	if r := y.statics[v]; r != nil {
		return r
	}
	if v.Extern || v.Type.Ptr > 0 || v.Type.Ref {
		y.stop(kit.Erasure, v.Range.Start, "%s is not followed", v.Name)
	}
	for w := range y.statics {
		if w.Name == v.Name {
			y.stop(kit.Erasure, v.Range.Start, "there are two arrays %s", v.Name)
		}
	}
	y.statics[v] = y.newRegion(v)
	return y.statics[v]
}

// union declares arrays that have the same bytes.
func (y *replay) union(v *ir.Var) {
	if y.statics[v] != nil {
		return
	}
	if v.Kind != ir.VarShared || y.old == nil || !v.Type.Record.Union || v.Type.Record.Unclear || len(v.Dims) > 0 {
		y.stop(kit.Erasure, v.Range.Start, "what %s holds is not followed", v.Name)
	}
	y.statics[v] = &region{name: v.Name, typ: "union"}
	for _, m := range v.Type.Record.Members {
		if m.Type.Record != nil {
			y.stop(kit.Erasure, v.Range.Start, "what %s holds is not followed", v.Name)
		}
		shared := *m
		shared.Kind = ir.VarShared
		r := y.newRegion(&shared)
		for _, o := range y.statics[v].over {
			o.over, r.over = append(o.over, r), append(r.over, o)
		}
		y.statics[v].over = append(y.statics[v].over, r)
	}
}

// branch runs an if of which one thread does not know the condition: both ways, and then what each left.
func (y *replay) branch(s *ir.Stmt, t int, c *term) {
	f := y.frame
	y.single++
	ways := [2]map[cell]val{}
	for i, body := range []*ir.Stmt{s.Body, s.Else} {
		y.changes = append(y.changes, map[cell]val{})
		when := c
		if i == 1 {
			when = y.g.not(c)
		}
		y.path = append(y.path, when)
		gone, left, next := f.gone[t], f.left[t], f.next[t]
		y.stmt(body, []int{t})
		if f.gone[t] != gone || f.left[t] != left || f.next[t] != next {
			y.stop(kit.Erasure, s.Range.Start, "smux does not follow whether a thread goes on after this")
		}
		y.path = y.path[:len(y.path)-1]
		ways[i] = y.undo()
	}
	y.single--
	y.joined(c, ways[0], ways[1], s.Range.Start)
}

// joined sets what two ways left.
func (y *replay) joined(c *term, then, other map[cell]val, at int) {
	for k, a := range then {
		b, ok := other[k]
		if !ok {
			b = k.r.cells[k.t][k.i]
		}
		y.set(k, y.chosen(c, a, b, at))
	}
	for k, b := range other {
		if _, done := then[k]; !done {
			y.set(k, y.chosen(c, k.r.cells[k.t][k.i], b, at))
		}
	}
}

func (y *replay) chosen(c *term, a, b val, at int) val {
	switch {
	case a.equal(b):
		return a
	case a.t != nil && b.t != nil:
		return val{t: y.g.choice(c, a.t, b.t)}
	}
	y.stop(kit.Erasure, at, "one of several addresses is not followed")
	return val{}
}

func (v val) equal(w val) bool {
	return v.t == w.t && v.at == w.at && v.off == w.off && slices.Equal(v.subs, w.subs)
}

// loop runs a loop: each iteration where all threads know how many there are.
func (y *replay) loop(s *ir.Stmt, ts []int) {
	f := y.frame
	left, next := slices.Clone(f.left), slices.Clone(f.next)
	all := ts
	for n := 0; len(ts) > 0; n++ {
		var on, unknown []int
		if s.Cond == nil || n > maxRounds {
			y.stop(kit.Erasure, s.Range.Start, "how often this loop goes round is not followed")
		}
		loads, events := len(y.loads), len(y.events)
		for _, t := range ts {
			switch c := y.truth(y.eval(s.Cond, t), s.Cond); {
			case !c.isNumber():
				unknown = append(unknown, t)
			case c.n.N != 0:
				on = append(on, t)
			}
		}
		if len(unknown) > 0 {
			if n > 0 {
				y.stop(kit.Erasure, s.Range.Start, "how often this loop goes round is known of some iterations only")
			}
			y.loads, y.events = y.loads[:loads], y.events[:events]
			y.uncounted(s, ts)
			break
		}
		y.stmt(s.Body, on)
		for _, t := range on {
			f.next[t] = next[t]
		}
		if ts = y.here(on); s.Post != nil {
			for _, t := range ts {
				y.eval(s.Post, t)
			}
		}
	}
	for _, t := range all {
		f.left[t], f.next[t] = left[t], next[t]
	}
}

// meets reports whether a barrier stands in a statement, or in what it calls.
func (y *replay) meets(s *ir.Stmt) bool {
	return kit.Some(s, func(e *ir.Expr) bool { return e.Op == ir.OpCall && (e.Name == "__syncwarp" || y.st.MeetsBarrier(e)) })
}

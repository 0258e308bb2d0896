package effect

import (
	"slices"

	"github.com/smux-cuda/smux/analysis/intrinsic"
	"github.com/smux-cuda/smux/analysis/ir"
)

// Continues returns the expressions that decide whether a loop goes on: ends are its condition and those under which it is
// left; sets are what sets the variables in these inside the loop, and the conditions under which it does.
func (s *Scope) Continues(fn *ir.Func, loop *ir.Stmt) (ends, sets []*ir.Expr) {
	guards := guards(loop)
	vars := map[*ir.Var]bool{}
	var follow func(e *ir.Expr)
	follow = func(e *ir.Expr) {
		for e := range e.All() {
			if v := e.Var; e.Op == ir.OpIdent && v != nil && !vars[v] {
				vars[v] = true
				if v.Init != nil && (v.Type.Ref || v.Type.Ptr > 0) {
					follow(v.Init)
				}
			}
		}
	}
	decides := func(c *ir.Expr) {
		ends = append(ends, c)
		follow(c)
	}
	if loop.Cond != nil {
		decides(loop.Cond)
	}
	for t := range loop.Body.All() {
		if t.Op == ir.StmtBreak && t.JumpTarget() == loop || t.Op == ir.StmtReturn {
			for _, c := range guards(t) {
				decides(c)
			}
		}
	}
	add := func(e *ir.Expr) {
		follow(e)
		if !slices.Contains(ends, e) && !slices.Contains(sets, e) {
			sets = append(sets, e)
		}
	}
	changes := func(e *ir.Expr) bool {
		does := s.Step(fn, e)
		for v := range vars {
			if does.MayWrite(v) {
				return true
			}
		}
		return false
	}
	look := func(top *ir.Expr, conditions []*ir.Expr) {
		for e := range top.All() {
			if isConditional(e) && slices.ContainsFunc(e.Kids[1:], func(k *ir.Expr) bool { return k.Any(changes) }) {
				add(e.Kids[0])
			}
			if changes(e) {
				add(e)
				for _, c := range conditions {
					add(c)
				}
			}
		}
	}
	for known := -1; known < len(vars); { // until no variable is new
		known = len(vars)
		for t := range loop.Body.All() {
			conditions := guards(t)
			for _, v := range t.Vars {
				if vars[v] && v.Init != nil {
					add(v.Init)
				}
			}
			t.Exprs(func(top *ir.Expr) { look(top, conditions) })
		}
		if loop.Post != nil {
			look(loop.Post, nil)
		}
	}
	return ends, sets
}

// isConditional reports whether an expression's first operand says which others are evaluated.
func isConditional(e *ir.Expr) bool {
	return e.Op == ir.OpCond || e.Op == ir.OpBinary && (e.Tok == "&&" || e.Tok == "||")
}

// guards returns the conditions under which a statement of a loop runs in one of its rounds: those around it, and
// those of what goes on with the next round before it.
func guards(loop *ir.Stmt) func(s *ir.Stmt) []*ir.Expr {
	var nexts []*ir.Stmt
	for t := range loop.Body.All() {
		if t.Op == ir.StmtContinue && t.JumpTarget() == loop {
			nexts = append(nexts, t)
		}
	}
	return func(s *ir.Stmt) (out []*ir.Expr) {
		for _, t := range append([]*ir.Stmt{s}, nexts...) {
			for p := t.Parent; p != nil && p != loop && (t == s || t.Range.Start < s.Range.Start); p = p.Parent {
				if p.Cond != nil && !p.Preproc {
					out = append(out, p.Cond)
				}
			}
		}
		return out
	}
}

// Idles reports whether a loop may have a round that leaves what decides whether it goes on as it is, but for what others
// write to the memory that it loads: it may wait for them. Loads of which apart is true, others don't write meanwhile.
func (s *Scope) Idles(fn *ir.Func, loop *ir.Stmt, apart func(load *ir.Expr) bool) bool {
	if init := loop.Init; init != nil && slices.ContainsFunc(init.Vars, func(v *ir.Var) bool { return v.Name == ir.RangeName }) {
		return false
	}
	ends, sets := s.Continues(fn, loop)
	r := &rounds{Scope: s, fn: fn, loop: loop, apart: apart, moving: map[*ir.Var]bool{}, loaded: map[*ir.Var]bool{}}
	loads := false
	for _, e := range slices.Concat(ends, sets) {
		for t := range e.All() {
			loads = loads || r.loads(t)
			if t.Op == ir.OpIdent && t.Var != nil {
				r.moving[t.Var] = false
			}
		}
	}
	if !loads {
		return false
	}
	for again := true; again; {
		again = false
		r.each(func(v *ir.Var, value *ir.Expr) {
			r.moving[v] = true // until it is known to follow from what others write
			if !r.loaded[v] && value.Any(r.isLoaded) {
				r.loaded[v], again = true, true
			}
		})
	}
	for again := true; again; {
		again = false
		still := map[*ir.Var]bool{}
		r.each(func(v *ir.Var, value *ir.Expr) {
			if was, set := still[v]; !set || was {
				still[v] = !r.moves(value)
			}
		})
		for v, is := range still {
			if is && r.moving[v] {
				r.moving[v], again = false, true
			}
		}
	}
	through := r.expr(loop.Cond, true) && r.stmt(loop.Body, true)
	return (through || r.next) && r.expr(loop.Post, true)
}

// Again reports whether an expression of a function calls the function with what it was given: a loop that idles in other words.
func (s *Scope) Again(fn *ir.Func, e *ir.Expr) bool {
	return e.Any(func(call *ir.Expr) bool {
		list, _ := s.called(fn, call)
		return call.Op == ir.OpCall && slices.ContainsFunc(list, func(d ir.Definition) bool { return d.Fn == fn.View }) && !descends(fn, call) &&
			slices.EqualFunc(call.Args(), fn.Params, func(a *ir.Expr, p *ir.Var) bool { return a.Var == p && len(p.Writes) == 0 })
	})
}

// descends reports whether a function calls an instance of itself whose template argument is smaller.
func descends(fn *ir.Func, call *ir.Expr) bool {
	for i, a := range call.TArgs {
		if i < len(fn.TParams) && a.Op == ir.OpBinary && a.Tok == "-" && a.Kids[0].Var == fn.TParams[i] && a.Kids[1].Op == ir.OpInt && a.Kids[1].Int > 0 {
			return true
		}
	}
	return false
}

// rounds follows the rounds of a loop on which nothing moves.
type rounds struct {
	*Scope
	fn     *ir.Func
	loop   *ir.Stmt
	apart  func(load *ir.Expr) bool
	moving map[*ir.Var]bool // variables that decide: whether the loop itself has them go from value to value
	loaded map[*ir.Var]bool // those whose values depend on loads
	next   bool             // a round ends by continue
	out    bool             // a loop or switch inside does by a jump
}

// loads reports whether an operation by itself looks at what others may write.
func (r *rounds) loads(e *ir.Expr) bool {
	does := r.Step(r.fn, e)
	if !does.IsKnown() {
		_, member := e.IsMemberCall()
		// Members of groups only tell, and a name out of view is a constant.
		return e.Op == ir.OpCall && !(member && intrinsic.BlockMember(e.Name) != nil) && !r.apart(e)
	}
	return does.Loads() && !r.apart(e)
}

func (r *rounds) isLoaded(e *ir.Expr) bool {
	return r.loads(e) || e.Op == ir.OpIdent && e.Var != nil && r.loaded[e.Var]
}

func (r *rounds) decides(v *ir.Var) bool { _, is := r.moving[v]; return is }

func (r *rounds) isMoving(e *ir.Expr) bool { return e.Op == ir.OpIdent && r.moving[e.Var] }

// each calls f for each value that a variable that decides is set to in the loop: of v += 1 for the whole.
func (r *rounds) each(f func(v *ir.Var, value *ir.Expr)) {
	for t := range r.loop.All() {
		for _, v := range t.Vars {
			if r.decides(v) && v.Init != nil && t != r.loop.Init {
				f(v, v.Init)
			}
		}
		t.Exprs(func(top *ir.Expr) {
			for e := range top.All() {
				r.set(e, f)
			}
		})
	}
}

// set calls f for the variables that decide and that an operation sets by their names.
func (r *rounds) set(e *ir.Expr, f func(v *ir.Var, value *ir.Expr)) {
	for _, v := range r.Step(r.fn, e).Writes {
		if !r.decides(v) {
			continue
		}
		if e.Op == ir.OpAssign && e.Tok == "=" && e.Kids[0].Op == ir.OpIdent {
			f(v, e.Kids[1])
		} else {
			f(v, e)
		}
	}
}

// exchanges reports whether a value is the result of an atomic operation that changes memory.
func (r *rounds) exchanges(value *ir.Expr) bool {
	const atomic = WritesMemory | Volatile
	return value.Any(func(e *ir.Expr) bool { return e.Op == ir.OpCall && r.Step(r.fn, e).Flags&atomic == atomic })
}

// moves reports whether a value is another one in each round, without others: it follows from one that moves, and nothing
// loaded at one place has a say in it, and no condition on what is loaded. The result of an atomic operation moves.
func (r *rounds) moves(value *ir.Expr) bool {
	return r.exchanges(value) || value.Any(r.isMoving) && !value.Any(func(e *ir.Expr) bool {
		switch {
		case r.isLoaded(e):
			return !e.Any(r.isMoving) || e.Op == ir.OpCall && slices.ContainsFunc(r.Step(r.fn, e).Writes, r.decides)
		case e.Op == ir.OpCond || e.Op == ir.OpUnary && e.Tok == "!" || (e.Op == ir.OpBinary || e.Op == ir.OpCall) && r.TypeOf(r.fn, e).Base == "bool":
			return e.Any(r.isLoaded)
		}
		return false
	})
}

// carried reports whether a variable has a value that a value of its own in an earlier round leads to.
func (r *rounds) carried(v *ir.Var) bool {
	if !r.moving[v] || v.Decl != nil && v.Decl.Inside(r.loop.Body) || r.setFirst(v) {
		return false
	}
	from := map[*ir.Var]bool{v: false}
	for known := -1; known < len(from); {
		known = len(from)
		r.each(func(w *ir.Var, value *ir.Expr) {
			if _, is := from[w]; is {
				for e := range value.All() {
					if r.isMoving(e) {
						from[e.Var] = from[e.Var] || e.Var == v
					}
				}
			}
		})
	}
	return from[v]
}

// setFirst reports whether each round sets a variable before it reads it.
func (r *rounds) setFirst(v *ir.Var) bool {
	names := func(e *ir.Expr) bool { return e.Var == v }
	if v.AddrTaken || r.loop.Op != ir.StmtDo && r.loop.Cond.Any(names) {
		return false
	}
	for _, s := range r.loop.Body.List {
		if e := s.Expr; s.Op == ir.StmtExpr && e.Op == ir.OpAssign && e.Tok == "=" && names(e.Kids[0]) {
			return !e.Kids[1].Any(names)
		}
		if s.AnyExpr(names) {
			return false
		}
	}
	return false
}

// stmt reports whether control may come after a statement with nothing moved, where it may come before it so.
func (r *rounds) stmt(s *ir.Stmt, in bool) bool {
	if s == nil || !in {
		return in
	}
	for _, v := range s.Vars {
		in = r.expr(v.Init, in) // what it is set to lasts a round
	}
	switch s.Op {
	case ir.StmtCompound, ir.StmtCase, ir.StmtLabel:
		for _, c := range s.List {
			in = r.stmt(c, in)
		}
	case ir.StmtExpr:
		return r.expr(s.Expr, in)
	case ir.StmtIf:
		in = r.expr(s.Cond, r.stmt(s.Init, in))
		then := r.stmt(s.Body, in)
		return r.stmt(s.Else, in) || then
	case ir.StmtReturn:
		return false
	case ir.StmtBreak, ir.StmtContinue:
		switch target := s.JumpTarget(); {
		case target != r.loop:
			r.out = true
		case s.Op == ir.StmtContinue:
			r.next = true
		}
		return false
	case ir.StmtGoto, ir.StmtUnknown:
		r.next = true
	case ir.StmtFor, ir.StmtWhile, ir.StmtDo, ir.StmtSwitch:
		outer := r.out
		r.out = false
		in = r.stmt(s.Init, in)
		once := r.expr(s.Cond, in)
		body := r.expr(s.Post, r.stmt(s.Body, once))
		// A loop has one round at least unless a load decides that; of a switch no case may be meant.
		skipped := once && s.Op != ir.StmtDo && (s.Op == ir.StmtSwitch || s.Cond != nil && s.Cond.Any(r.isLoaded))
		in = body || r.out || skipped
		r.out = outer
	}
	return in
}

// expr is stmt of an expression. What stands under a condition in it need not move.
func (r *rounds) expr(e *ir.Expr, in bool) bool {
	if e == nil || !in {
		return in
	}
	stays := true
	e.Walk(func(t *ir.Expr) bool {
		r.set(t, func(v *ir.Var, value *ir.Expr) {
			stays = stays && !r.exchanges(value) && !(r.carried(v) && r.moves(value))
		})
		if isConditional(t) {
			stays = stays && r.expr(t.Kids[0], true)
			return false
		}
		return true
	})
	return stays
}

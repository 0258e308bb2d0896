package validate

import (
	"github.com/smux-cuda/smux/analysis/ir"
)

// level is among which threads an expression has one value.
type level uint8

const (
	perThread level = iota
	perBlock        // all threads of a v-TB agree
	perGrid         // all threads of the grid agree
)

// uniformity answers for one function of the new text. It starts from the best that could be and takes
// away what a write or its control denies, until nothing changes.
type uniformity struct {
	al     *alignment
	levels map[*ir.Var]level
	ctl    map[*ir.Stmt]level // of the control around a statement
	// atomics may be there, so that threads of one block may load different values from one place.
	atomics bool
}

// newUniformity finds the levels of all variables of a function.
func newUniformity(al *alignment) *uniformity {
	u := &uniformity{al: al, levels: map[*ir.Var]level{}}
	vars := append(append([]*ir.Var(nil), al.b.Vars...), al.b.Params...)
	for _, v := range vars {
		u.levels[v] = perGrid
		switch {
		case v.Kind == ir.VarParam && al.c.device[al.b]:
			u.levels[v] = perThread
		case v.AddrTaken, len(v.Dims) > 0, v.Type.Ref, v.Kind == ir.VarShared, v.Type.Volatile, al.obj != nil && v.Name == al.obj.name:
			u.levels[v] = perThread
		}
	}
	walk(al.b.Body, func(e *ir.Expr) bool {
		if (e.Op == ir.OpAssign || e.Op == ir.OpIncDec) && e.Kids[0].Op == ir.OpMember {
			if root := e.Kids[0].Root(); root != nil && root.Var != nil {
				u.levels[root.Var] = perThread // one of its members
			}
		}
		for _, g := range al.k.state.calls[e] {
			for i, arg := range e.Args() {
				if p := g.Param(i); p == nil || !p.Type.Ref || arg.Op != ir.OpIdent && !arg.IsSpread() {
					continue
				}
				arg.Walk(func(t *ir.Expr) bool {
					if t.Var != nil {
						u.levels[t.Var] = perThread // it may be set there
					}
					return true
				})
			}
		}
		return true
	})
	for _, g := range al.k.state.reach {
		walk(g.Body, func(e *ir.Expr) bool {
			if _, own := al.obj.own(e); e.Op == ir.OpCall && !own && !isBarrierCall(e) && len(al.k.state.calls[e]) == 0 {
				u.atomics = u.atomics || isAtomic(e) || !leavesArguments(e)
			}
			u.atomics = u.atomics || e.Op == ir.OpAsm
			return !u.atomics
		})
	}
	where := map[*ir.Expr]*ir.Stmt{}
	al.b.Body.Walk(func(s *ir.Stmt) bool {
		s.Exprs(func(e *ir.Expr) { e.Walk(func(t *ir.Expr) bool { where[t] = s; return true }) })
		return true
	})
	for changed := true; changed; {
		changed = false
		u.ctl = map[*ir.Stmt]level{}
		for _, v := range vars {
			l := u.levels[v]
			if l == perThread || v.Kind == ir.VarParam && len(v.Writes) == 0 {
				continue
			}
			if v.Init != nil {
				l = min(l, u.of(v.Init))
			} else if v.Kind == ir.VarLocal && v.Decl != nil && len(v.Writes) == 0 {
				l = perThread
			}
			if v.Decl != nil {
				l = min(l, u.control(v.Decl))
			}
			for _, w := range v.Writes {
				if w.Op == ir.OpAssign {
					l = min(l, u.of(w.Kids[1]))
				}
				s := where[w]
				if s == nil {
					l = perThread
				} else {
					l = min(l, u.control(s))
				}
			}
			if l < u.levels[v] {
				u.levels[v] = l
				changed = true
			}
		}
	}
	return u
}

// of returns the level of an expression.
func (u *uniformity) of(e *ir.Expr) level {
	switch e.Op {
	case ir.OpInt, ir.OpLiteral, ir.OpSizeof:
		return perGrid
	case ir.OpIdent:
		if e.Var == nil {
			switch e.Name {
			case "gridDim", "blockDim", "warpSize":
				return perGrid
			case "blockIdx":
				return perBlock
			}
			return perThread
		}
		switch e.Var.Kind {
		case ir.VarTemplateValue, ir.VarEnumerator:
			return perGrid
		case ir.VarConstant:
			return perGrid
		case ir.VarGlobal:
			if e.Var.Type.Const && e.Var.Type.Ptr == 0 {
				return perGrid
			}
			return perThread
		}
		if l, ok := u.levels[e.Var]; ok {
			return l
		}
		return perThread
	case ir.OpMember:
		if k := e.Kids[0]; k.Op == ir.OpIdent && !e.Arrow {
			switch {
			case k.Name == "blockIdx":
				return perBlock
			case k.Name == "gridDim", k.Name == "blockDim":
				return perGrid
			case k.Name == "threadIdx":
				return perThread
			}
			return u.of(k)
		}
		return perThread
	case ir.OpIndex:
		return u.loaded(e)
	case ir.OpUnary, ir.OpBinary, ir.OpCond, ir.OpCast, ir.OpComma:
		return u.all(e.Kids)
	case ir.OpCall:
		if len(u.al.k.state.calls[e]) == 0 && (e.Intrinsic().Pure() || u.al.asksLibrary(e)) {
			return u.all(e.Args())
		}
	}
	return perThread
}

// loaded returns the level of an element. What all threads of a block load from one place, where they come by alike, is
// one value: a store in between would be a race, in shared memory and elsewhere.
func (u *uniformity) loaded(e *ir.Expr) level {
	root := e.Root()
	if root == nil || root.Var == nil || len(e.Kids) != 2 {
		return perThread
	}
	v := root.Var
	switch {
	case v.Kind == ir.VarConstant && u.al.place(e) == readOnly:
		if e.Kids[0] == root {
			return u.of(e.Kids[1])
		}
		return u.all(e.Kids)
	case e.Kids[0] != root || u.atomics || v.Type.Volatile || v.AddrTaken || v.Kind == ir.VarLocal || u.al.c.device[u.al.b]:
		return perThread
	case v.Kind == ir.VarParam && v.Type.Ptr == 1 && len(v.Writes) == 0 && plainValue(v.Type.Base):
		return min(perBlock, u.all(e.Kids[1:]))
	}
	return perThread
}

func (u *uniformity) all(es []*ir.Expr) level {
	l := perGrid
	for _, e := range es {
		l = min(l, u.of(e))
	}
	return l
}

// control returns among which threads it is one answer whether, and how often, a statement runs.
func (u *uniformity) control(s *ir.Stmt) level {
	if l, ok := u.ctl[s]; ok {
		return l
	}
	l := perGrid
	for p := s; p.Parent != nil; p = p.Parent {
		parent := p.Parent
		if parent.Cond == nil && !parent.IsLoop() || parent.Preproc || p == parent.Init || u.al.roles[parent] == roleGroups {
			continue
		}
		own := u.trips(parent)
		if !parent.IsLoop() && u.others(p) {
			continue
		}
		if own == perThread && u.meetsBarrier(parent) {
			own = perBlock
		}
		l = min(l, own)
	}
	u.ctl[s] = l
	return l
}

// trips returns the level of which branch of a statement is taken, or of how often a loop goes round.
func (u *uniformity) trips(s *ir.Stmt) level {
	l := perGrid
	if s.Cond != nil {
		l = max(u.of(s.Cond), u.span(s))
	}
	if s.IsLoop() {
		l = min(l, u.jumps(s))
	}
	return l
}

// span returns the level of how far the head of "for (int i = a; i <= b; i += n)" goes: that of b - a and n, where i may
// be different for each block. All are sums of ints, which do not overflow in the original.
func (u *uniformity) span(s *ir.Stmt) level {
	c := s.Cond
	if s.Op != ir.StmtFor || s.Init == nil || s.Post == nil || c.Op != ir.OpBinary || c.Tok != "<" && c.Tok != "<=" || c.Kids[0].Op != ir.OpIdent {
		return perThread
	}
	v := c.Kids[0].Var
	if v == nil || v.Decl != s.Init || v.Init == nil || !isInt32(v) || v.AddrTaken || len(v.Writes) != 1 || !s.Post.Any(func(e *ir.Expr) bool { return e == v.Writes[0] }) {
		return perThread
	}
	l, of := perGrid, map[*ir.Var]int{}
	var add func(e *ir.Expr, n int)
	add = func(e *ir.Expr, n int) {
		switch {
		case e.Op == ir.OpBinary && (e.Tok == "+" || e.Tok == "-"):
			add(e.Kids[0], n)
			if e.Tok == "-" {
				n = -n
			}
			add(e.Kids[1], n)
		case e.Op == ir.OpIdent && e.Var != nil && isInt32(e.Var):
			of[e.Var] += n
		case e.Op != ir.OpInt || e.Tok != "" || e.Type.Base != "":
			l = perThread
		}
	}
	switch w := v.Writes[0]; {
	case w.Op == ir.OpIncDec && w.Tok == "++":
	case w.Op == ir.OpAssign && w.Tok == "+=":
		l = u.of(w.Kids[1])
	default:
		return perThread
	}
	add(v.Init, -1)
	add(c.Kids[1], 1)
	for { // what is declared last may be made of what was declared before
		var last *ir.Var
		for w, n := range of {
			if n != 0 && u.levels[w] < perGrid && (last == nil || w.Range.Start > last.Range.Start) {
				last = w
			}
		}
		if last == nil {
			break
		}
		if last.Init == nil || last.Kind != ir.VarLocal || len(last.Writes) > 0 || last.AddrTaken {
			return perThread
		}
		n := of[last]
		delete(of, last)
		add(last.Init, n)
	}
	for w := range of {
		if len(w.Writes) > 0 && u.levels[w] < perGrid {
			return perThread
		}
	}
	return l
}

func isInt32(v *ir.Var) bool {
	return v.Type.Base == "int" && v.Type.Ptr == 0 && !v.Type.Ref && !v.Type.Volatile && len(v.Dims) == 0 && (v.Kind == ir.VarLocal || v.Kind == ir.VarParam)
}

// exits reports whether threads that leave the function are waited for by no barrier: those of the launched block count
// the threads that are left.
func (u *uniformity) exits() bool {
	return turnKinds[u.al.obj.kind].block && u.al == u.al.k.state.main
}

// others reports whether the threads that come by the other branch of an if, or by none, meet no barrier there and none
// behind it: it is as if they left the kernel.
func (u *uniformity) others(branch *ir.Stmt) bool {
	s := branch.Parent
	if s.Op != ir.StmtIf || !u.exits() || u.al.groups != nil || u.al.waitsBehind(s) {
		return false
	}
	for _, t := range []*ir.Stmt{s.Body, s.Else} {
		if t != nil && t != branch && u.al.meetsAll(t) {
			return false
		}
	}
	return true
}

// jumps returns the level of what leaves a loop's iterations early.
func (u *uniformity) jumps(loop *ir.Stmt) level {
	l := perGrid
	loop.Body.Walk(func(t *ir.Stmt) bool {
		leaves := t.Op == ir.StmtReturn && !u.exits() || t.Op == ir.StmtGoto ||
			(t.Op == ir.StmtBreak || t.Op == ir.StmtContinue) && t.JumpTarget() == loop
		if leaves {
			for p := t; p != loop && p.Parent != nil; p = p.Parent {
				if q := p.Parent; q != loop && q.Cond != nil && !q.Preproc && p != q.Init {
					l = min(l, u.of(q.Cond))
				}
			}
		}
		return true
	})
	return l
}

// meetsBarrier reports whether what a condition decides has a barrier of the original among its own
// statements: in a program without undefined behaviour either all threads of a block get there, or none.
func (u *uniformity) meetsBarrier(s *ir.Stmt) bool {
	if s.Op == ir.StmtSwitch || s.Preproc {
		return false
	}
	for _, t := range statements(s.Body) {
		if r := u.al.roles[t]; r == roleBarrier || r == roleTurnEnd {
			return true
		}
		if t.Any(func(t *ir.Stmt) bool {
			return t.Op == ir.StmtBreak || t.Op == ir.StmtContinue || t.Op == ir.StmtReturn || t.Op == ir.StmtGoto
		}) {
			return false
		}
	}
	return false
}

// addedFit checks that all threads of a block come by barriers that the original does not have.
func (u *uniformity) addedFit(added []*ir.Stmt) {
	doubt := func(at int, format string, args ...any) { u.al.k.doubt(Uniform, u.al.c.b.file, at, format, args...) }
	for _, b := range added {
		if u.control(b) == perThread {
			doubt(b.Range.Start, "some threads of a block may not come by this barrier")
		}
		u.al.b.Body.Walk(func(t *ir.Stmt) bool {
			passes := false
			switch t.Op {
			case ir.StmtReturn:
				passes = t.Range.Start < b.Range.Start
				for p := t.Parent; p != nil; p = p.Parent {
					passes = passes || p.IsLoop() && b.Inside(p)
				}
			case ir.StmtBreak, ir.StmtContinue:
				to := t.JumpTarget()
				passes = to != nil && b.Inside(to)
			}
			if t.Op == ir.StmtGoto || passes && u.control(t) == perThread {
				doubt(t.Range.Start, "a thread that goes here does not come by the barrier in line %d", u.al.c.b.file.Position(b.Range.Start).Line)
			}
			return true
		})
	}
}

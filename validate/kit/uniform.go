package kit

import (
	"github.com/smux-cuda/smux/analysis/ir"
)

// level is among which threads an expression has one value.
type level uint8

const (
	PerThread level = iota
	PerBlock        // all threads of a v-TB agree
	PerGrid         // all threads of the grid agree
)

// Uniformity answers for one function of the new text. It starts from the best that could be and takes
// away what a write or its control denies, until nothing changes.
type Uniformity struct {
	al     *Alignment
	Levels map[*ir.Var]level
	ctl    map[*ir.Stmt]level // of the control around a statement
	// atomics may be there, so that threads of one block may load different values from one place.
	atomics bool
}

// NewUniformity finds the levels of all variables of a function.
func NewUniformity(al *Alignment) *Uniformity {
	u := &Uniformity{al: al, Levels: map[*ir.Var]level{}}
	vars := append(append([]*ir.Var(nil), al.New.Vars...), al.New.Params...)
	for _, v := range vars {
		u.Levels[v] = PerGrid
		switch {
		case v.Kind == ir.VarParam && al.Texts.Device[al.New]:
			u.Levels[v] = PerThread
		case v.AddrTaken, len(v.Dims) > 0, v.Type.Ref, v.Kind == ir.VarShared, v.Type.Volatile, al.Obj != nil && v.Name == al.Obj.Name:
			u.Levels[v] = PerThread
		}
	}
	Walk(al.New.Body, func(e *ir.Expr) bool {
		if (e.Op == ir.OpAssign || e.Op == ir.OpIncDec) && e.Kids[0].Op == ir.OpMember {
			if root := e.Kids[0].Root(); root != nil && root.Var != nil {
				u.Levels[root.Var] = PerThread // one of its members
			}
		}
		for _, g := range al.Kernel.State.Calls[e] {
			for i, arg := range e.Args() {
				if p := g.Param(i); p == nil || !p.Type.Ref || arg.Op != ir.OpIdent && !arg.IsSpread() {
					continue
				}
				for t := range arg.All() {
					if t.Var != nil {
						u.Levels[t.Var] = PerThread // it may be set there
					}
				}
			}
		}
		return true
	})
	for _, g := range al.Kernel.State.Reach {
		Walk(g.Body, func(e *ir.Expr) bool {
			if _, own := al.Obj.Own(e); e.Op == ir.OpCall && !own && !IsBarrierCall(e) && len(al.Kernel.State.Calls[e]) == 0 {
				u.atomics = u.atomics || IsAtomic(e) || !LeavesArguments(e)
			}
			u.atomics = u.atomics || e.Op == ir.OpAsm
			return !u.atomics
		})
	}
	where := map[*ir.Expr]*ir.Stmt{}
	for s := range al.New.Body.All() {
		s.Exprs(func(e *ir.Expr) {
			for t := range e.All() {
				where[t] = s
			}
		})
	}
	for changed := true; changed; {
		changed = false
		u.ctl = map[*ir.Stmt]level{}
		for _, v := range vars {
			l := u.Levels[v]
			if l == PerThread || v.Kind == ir.VarParam && len(v.Writes) == 0 {
				continue
			}
			if v.Init != nil {
				l = min(l, u.of(v.Init))
			} else if v.Kind == ir.VarLocal && v.Decl != nil && len(v.Writes) == 0 {
				l = PerThread
			}
			if v.Decl != nil {
				l = min(l, u.Control(v.Decl))
			}
			for _, w := range v.Writes {
				if w.Op == ir.OpAssign {
					l = min(l, u.of(w.Kids[1]))
				}
				s := where[w]
				if s == nil {
					l = PerThread
				} else {
					l = min(l, u.Control(s))
				}
			}
			if l < u.Levels[v] {
				u.Levels[v] = l
				changed = true
			}
		}
	}
	return u
}

// of returns the level of an expression.
func (u *Uniformity) of(e *ir.Expr) level {
	switch e.Op {
	case ir.OpInt, ir.OpLiteral, ir.OpSizeof:
		return PerGrid
	case ir.OpIdent:
		if e.Var == nil {
			switch e.Name {
			case "gridDim", "blockDim", "warpSize":
				return PerGrid
			case "blockIdx":
				return PerBlock
			}
			return PerThread
		}
		switch e.Var.Kind {
		case ir.VarTemplateValue, ir.VarEnumerator:
			return PerGrid
		case ir.VarConstant:
			return PerGrid
		case ir.VarGlobal:
			if e.Var.Type.Const && e.Var.Type.Ptr == 0 {
				return PerGrid
			}
			return PerThread
		}
		if l, ok := u.Levels[e.Var]; ok {
			return l
		}
		return PerThread
	case ir.OpMember:
		if k := e.Kids[0]; k.Op == ir.OpIdent && !e.Arrow {
			switch {
			case k.Name == "blockIdx":
				return PerBlock
			case k.Name == "gridDim", k.Name == "blockDim":
				return PerGrid
			case k.Name == "threadIdx":
				return PerThread
			}
			return u.of(k)
		}
		return PerThread
	case ir.OpIndex:
		return u.loaded(e)
	case ir.OpUnary, ir.OpBinary, ir.OpCond, ir.OpCast, ir.OpComma:
		return u.all(e.Kids)
	case ir.OpCall:
		if len(u.al.Kernel.State.Calls[e]) == 0 && (e.Intrinsic().Pure() || u.al.asksLibrary(e)) {
			return u.all(e.Args())
		}
	}
	return PerThread
}

// loaded returns the level of an element. What all threads of a block load from one place, where they come by alike, is
// one value: a store in between would be a race, in shared memory and elsewhere.
func (u *Uniformity) loaded(e *ir.Expr) level {
	root := e.Root()
	if root == nil || root.Var == nil || len(e.Kids) != 2 {
		return PerThread
	}
	v := root.Var
	switch {
	case v.Kind == ir.VarConstant && u.al.place(e) == ReadOnly:
		if e.Kids[0] == root {
			return u.of(e.Kids[1])
		}
		return u.all(e.Kids)
	case e.Kids[0] != root || u.atomics || v.Type.Volatile || v.AddrTaken || v.Kind == ir.VarLocal || u.al.Texts.Device[u.al.New]:
		return PerThread
	case v.Kind == ir.VarParam && v.Type.Ptr == 1 && len(v.Writes) == 0 && PlainValue(v.Type.Base):
		return min(PerBlock, u.all(e.Kids[1:]))
	}
	return PerThread
}

func (u *Uniformity) all(es []*ir.Expr) level {
	l := PerGrid
	for _, e := range es {
		l = min(l, u.of(e))
	}
	return l
}

// Control returns among which threads it is one answer whether, and how often, a statement runs.
func (u *Uniformity) Control(s *ir.Stmt) level {
	if l, ok := u.ctl[s]; ok {
		return l
	}
	l := PerGrid
	for p := s; p.Parent != nil; p = p.Parent {
		parent := p.Parent
		if parent.Cond == nil && !parent.IsLoop() || parent.Preproc || p == parent.Init || u.al.Roles[parent] == RoleGroups {
			continue
		}
		own := u.Trips(parent)
		if !parent.IsLoop() && u.others(p) {
			continue
		}
		if own == PerThread && u.meetsBarrier(parent) {
			own = PerBlock
		}
		l = min(l, own)
	}
	u.ctl[s] = l
	return l
}

// Trips returns the level of which branch of a statement is taken, or of how often a loop goes round.
func (u *Uniformity) Trips(s *ir.Stmt) level {
	l := PerGrid
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
func (u *Uniformity) span(s *ir.Stmt) level {
	c := s.Cond
	if s.Op != ir.StmtFor || s.Init == nil || s.Post == nil || c.Op != ir.OpBinary || c.Tok != "<" && c.Tok != "<=" || c.Kids[0].Op != ir.OpIdent {
		return PerThread
	}
	v := c.Kids[0].Var
	if v == nil || v.Decl != s.Init || v.Init == nil || !isInt32(v) || v.AddrTaken || len(v.Writes) != 1 || !s.Post.Any(func(e *ir.Expr) bool { return e == v.Writes[0] }) {
		return PerThread
	}
	l, of := PerGrid, map[*ir.Var]int{}
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
			l = PerThread
		}
	}
	switch w := v.Writes[0]; {
	case w.Op == ir.OpIncDec && w.Tok == "++":
	case w.Op == ir.OpAssign && w.Tok == "+=":
		l = u.of(w.Kids[1])
	default:
		return PerThread
	}
	add(v.Init, -1)
	add(c.Kids[1], 1)
	for { // what is declared last may be made of what was declared before
		var last *ir.Var
		for w, n := range of {
			if n != 0 && u.Levels[w] < PerGrid && (last == nil || w.Range.Start > last.Range.Start) {
				last = w
			}
		}
		if last == nil {
			break
		}
		if last.Init == nil || last.Kind != ir.VarLocal || len(last.Writes) > 0 || last.AddrTaken {
			return PerThread
		}
		n := of[last]
		delete(of, last)
		add(last.Init, n)
	}
	for w := range of {
		if len(w.Writes) > 0 && u.Levels[w] < PerGrid {
			return PerThread
		}
	}
	return l
}

func isInt32(v *ir.Var) bool {
	return v.Type.Base == "int" && v.Type.Ptr == 0 && !v.Type.Ref && !v.Type.Volatile && len(v.Dims) == 0 && (v.Kind == ir.VarLocal || v.Kind == ir.VarParam)
}

// exits reports whether threads that leave the function are waited for by no barrier: those of the launched block count
// the threads that are left.
func (u *Uniformity) exits() bool {
	return TurnKinds[u.al.Obj.Kind].Block && u.al == u.al.Kernel.State.Main
}

// others reports whether the threads that come by the other branch of an if, or by none, meet no barrier there and none
// after it: it is as if they left the kernel.
func (u *Uniformity) others(branch *ir.Stmt) bool {
	s := branch.Parent
	if s.Op != ir.StmtIf || !u.exits() || u.al.Groups != nil || u.al.WaitsBehind(s) {
		return false
	}
	for _, t := range []*ir.Stmt{s.Body, s.Else} {
		if t != nil && t != branch && u.al.MeetsAll(t) {
			return false
		}
	}
	return true
}

// jumps returns the level of what leaves a loop's iterations early.
func (u *Uniformity) jumps(loop *ir.Stmt) level {
	l := PerGrid
	for t := range loop.Body.All() {
		leaves := t.Op == ir.StmtReturn && !u.exits() || t.Op == ir.StmtGoto ||
			(t.Op == ir.StmtBreak || t.Op == ir.StmtContinue) && t.JumpTarget() == loop
		if leaves {
			for p := t; p != loop && p.Parent != nil; p = p.Parent {
				if q := p.Parent; q != loop && q.Cond != nil && !q.Preproc && p != q.Init {
					l = min(l, u.of(q.Cond))
				}
			}
		}
	}
	return l
}

// meetsBarrier reports whether what a condition decides has a barrier of the original among its own
// statements: in a program without undefined behaviour either all threads of a block get there, or none.
func (u *Uniformity) meetsBarrier(s *ir.Stmt) bool {
	if s.Op == ir.StmtSwitch || s.Preproc {
		return false
	}
	for _, t := range Statements(s.Body) {
		if r := u.al.Roles[t]; r == RoleBarrier || r == RoleTurnEnd {
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

// AddedFit checks that all threads of a block come by barriers that the original does not have.
func (u *Uniformity) AddedFit(added []*ir.Stmt) {
	doubt := func(at int, format string, args ...any) {
		u.al.Kernel.Doubt(Uniform, u.al.Texts.New.File, at, format, args...)
	}
	for _, b := range added {
		if u.Control(b) == PerThread {
			doubt(b.Range.Start, "some threads of a block may not come by this barrier")
		}
		for t := range u.al.New.Body.All() {
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
			if t.Op == ir.StmtGoto || passes && u.Control(t) == PerThread {
				doubt(t.Range.Start, "a thread that goes here does not come by the barrier in line %d", u.al.Texts.New.File.Position(b.Range.Start).Line)
			}
		}
	}
}

// MeetsAll reports whether a statement has a barrier of the launched block, in itself or in what it calls.
func (al *Alignment) MeetsAll(s *ir.Stmt) bool {
	return Some(s, func(e *ir.Expr) bool { _, mine := al.Obj.Own(e); return !mine && al.Kernel.State.MeetsBarrier(e) })
}

// WaitsBehind reports whether threads that don't leave at a statement may wait after it.
func (al *Alignment) WaitsBehind(s *ir.Stmt) bool {
	from := s.Range.End
	for p := s.Parent; p != nil; p = p.Parent {
		if p.IsLoop() && p != al.Groups {
			from = p.Range.Start
		}
	}
	return al.New.Body.Any(func(t *ir.Stmt) bool {
		if t.Range.Start < from || s.Op == ir.StmtContinue && t.Range.Start >= al.Groups.Range.End {
			return false
		}
		switch al.Roles[t] {
		case RoleStart, RoleFinish, RoleAcquire, RoleRelease, RoleTurnBegin, RoleTurnEnd, RoleBarrier, RoleAdded:
			return true
		}
		found := false
		t.Exprs(func(e *ir.Expr) { found = found || al.MeetsAll(&ir.Stmt{Op: ir.StmtExpr, Expr: e}) || al.ownBarrier(e) })
		return found
	})
}

// ownBarrier reports whether an expression has a barrier of a v-TB.
func (al *Alignment) ownBarrier(e *ir.Expr) bool {
	return e.Any(func(t *ir.Expr) bool { _, own := al.Obj.Own(t); return own && t.Op == ir.OpCall })
}

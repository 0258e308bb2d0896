package turns

import (
	"math/bits"
	"slices"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/validate/kit"
)

// moment is the standing of a thread with its turns; a set of them is a bit for each.
type moment uint8

const (
	before moment = 1 << iota // before vtb.start(); without a ring there is nothing before
	free                      // between turns
	held                      // in a turn
	after                     // after vtb.finish()
)

func (m moment) Size() int            { return bits.OnesCount8(uint8(m)) }
func (m moment) With(o moment) moment { return m | o }

// flow follows the moments of a thread through a kernel: which can be at each statement.
type flow struct {
	kit.Paths[moment]
	al   *kit.Alignment
	k    *kit.Kernel
	turn *ir.Stmt // the loop over turns, or the function that is called in each
	mine bool     // in the turn of the v-TB
}

func newFlow(al *kit.Alignment) *flow {
	f := &flow{al: al, k: al.Kernel}
	f.Paths = kit.Paths[moment]{Own: f.moments, Exprs: f.touch, Leave: func(s *ir.Stmt, m moment) { f.leaves(m, s.Range.Start) },
		Lost:  func(s *ir.Stmt) { f.doubt(s.Range.Start, "a jump that is not followed") },
		Scope: func() func() { mine := f.mine; return func() { f.mine = mine } },
	}
	return f
}

// turns are those of one function of a merged kernel.
type turns struct{ *kit.Alignment }

// turnsFit checks that shared memory is used in turns only, that turns are entered and left in order,
// and that each thread leaves the ring.
func (al turns) turnsFit() {
	f := newFlow(al.Alignment)
	first := free
	if al.Obj.Ring() {
		first = before
	}
	out := f.Stmt(al.New.Body, first)
	f.leaves(out, al.New.Body.Range.End-1)
	// Between two turns there is a barrier: after each, or before each.
	for s, r := range al.Roles {
		if r == kit.RoleTurns && !slices.Contains(al.Begin, s) && !(slices.Contains(al.End, s) && al.allEnd()) {
			f.doubt(s.Range.Start, "a turn of another block may not have ended when one begins here")
		}
	}
	if !al.Kernel.Doubtful(kit.Turns) {
		al.Kernel.Show(kit.Turns, "every path followed")
	}
}

// allEnd reports whether each loop over turns ends with a barrier.
func (al turns) allEnd() bool {
	for s, r := range al.Roles {
		if r == kit.RoleTurns && !slices.Contains(al.End, s) {
			return false
		}
	}
	return true
}

// leaves checks the moments in which a thread leaves the kernel.
func (f *flow) leaves(m moment, at int) {
	if f.al.Obj.Mine != "" {
		return // uniformFit looks for barriers after it
	}
	end := free
	if f.al.Obj.InBlockMode() && f.mine {
		end |= held // whoever is left goes on: no barrier waits for it
	}
	if f.al.Obj.Ring() {
		end = before | after // uniformFit sees to it that the whole grid leaves before
	}
	if m&^end != 0 {
		f.doubt(at, "a thread may leave the kernel here %s", map[bool]string{true: "in a turn", false: "without vtb.finish()"}[m&held != 0])
	}
}

func (f *flow) doubt(at int, format string, args ...any) {
	f.k.Doubt(kit.Turns, f.al.Texts.New.File, at, format, args...)
}

// moments returns the moments after a statement of smux's, and whether it is one.
func (f *flow) moments(s *ir.Stmt, m moment) (moment, bool) {
	at := s.Range.Start
	step := func(what string, from, to moment) moment {
		if m&^from != 0 {
			f.doubt(at, "%s", what)
		}
		return to
	}
	switch f.al.Roles[s] {
	case kit.RoleActive: // the v-TB isn't there: its threads take no turns and are counted nowhere
	case kit.RoleStart:
		return step("turns begin twice", before, free), true
	case kit.RoleAcquire:
		return step("a turn is asked for in a turn, or before turns begin", free, held), true
	case kit.RoleRelease:
		return step("a turn is given back that is not held", held, free), true
	case kit.RoleFinish:
		return step("turns end in a turn", free, after), true
	case kit.RoleErased, kit.RoleSkip, kit.RoleTurnBegin:
	case kit.RoleNotMine:
		f.mine = f.mine || s.Parent != nil && s.Parent.Op == ir.StmtCompound // after it
	case kit.RoleLead:
		if f.turn == nil || f.mine {
			f.doubt(at, "this is ahead of no turn, or in one")
		}
		turn := f.turn
		f.turn = nil // shared memory is not used there
		f.Stmt(s.Body, free)
		f.turn = turn
	case kit.RoleTurns:
		return f.turns(s, step("turns begin in a turn", free, held)), true
	case kit.RoleMine:
		if f.turn == nil || f.mine {
			f.doubt(at, "this is in no turn, or in two")
		}
		f.mine = true
		f.Stmt(s.Body, m)
		f.mine = false
	case kit.RoleBarrier, kit.RoleAdded, kit.RoleTurnEnd:
		if f.mine {
			f.doubt(at, "a barrier of all merged blocks in the turn of one")
		}
		if f.al.Obj.Inside && m&^held != 0 {
			f.doubt(at, "v-TBs share one barrier, which only the one in its turn may use")
		}
	default:
		if f.turn != nil && !f.mine && kit.Leaf(s) && s.Op != ir.StmtEmpty && (s.Parent == nil || s.Parent.Init != s) && !f.anew(s) {
			f.doubt(at, "this runs once for each turn, and not in one")
		}
		if f.turn != nil && !f.mine && s.IsLoop() && !startsAnew(s) {
			f.doubt(at, "this loop goes on in a turn, but ended in the one before")
		}
		return m, false
	}
	return m, true
}

// told returns the call of a function that is told whose turn it is, which is followed, too; nil for any other statement.
func (f *flow) told(s *ir.Stmt) *ir.Expr {
	call := s.Expr
	if s.Op == ir.StmtDecl && len(s.Vars) == 1 && kit.IsResult(s.Vars[0].Name) {
		call = s.Vars[0].Init
	}
	if call != nil && call.Op == ir.OpCall && len(call.Args()) > 0 && f.al.Obj.InBlockMode() && f.al.GivesTurn(call.Args()[0]) {
		return call
	}
	return nil
}

// touch checks the uses of shared memory and of barriers in a statement's own expressions.
func (f *flow) touch(s *ir.Stmt, m moment) moment {
	if f.turn != nil && f.told(s) != nil {
		return m
	}
	bound := map[*ir.Expr]bool{} // to a reference, which touches nothing
	for _, v := range s.Vars {
		bound[v.Init] = v.Type.Ref
	}
	s.Exprs(func(e *ir.Expr) {
		if bound[e] {
			e = &ir.Expr{Op: ir.OpAddr, Kids: []*ir.Expr{e}, Range: e.Range}
		}
		if t := f.k.State.Touches(e); t != nil && (m&^held != 0 || f.turn != nil && !f.mine) {
			f.doubt(t.Range.Start, "shared memory is used outside of a turn")
		}
		if f.al.Obj.Inside && m&^held != 0 {
			for t := range e.All() {
				if f.k.State.MeetsBarrier(t) {
					f.doubt(t.Range.Start, "v-TBs share one barrier, which only the one in its turn may use")
				}
			}
		}
	})
	return m
}

// anew reports whether a statement that runs in each turn does the same in each and nothing that outlasts it: it sets
// variables that are declared there, of what only computes; it calls a function that is told whose turn it is; or it
// leaves a loop in the turn.
func (f *flow) anew(s *ir.Stmt) bool {
	if call := f.told(s); call != nil {
		gs := f.k.State.Calls[call]
		for i, arg := range call.Args()[1:] {
			bound := len(gs) > 0 && !slices.ContainsFunc(gs, func(g *ir.Func) bool { return i+1 >= len(g.Params) || !g.Params[i+1].Type.Ref })
			if f.al.Loads(arg) > kit.NoMemory && !(bound && arg.Op == ir.OpIdent) {
				return false
			}
		}
		return true
	}
	if s.Op == ir.StmtBreak || s.Op == ir.StmtContinue {
		return s.JumpTarget() != nil && s.JumpTarget() != f.turn && s.JumpTarget().Inside(f.turn) // for all alike, which uniformFit sees to
	}
	ok := s.Op == ir.StmtDecl || s.Op == ir.StmtExpr
	s.Exprs(func(e *ir.Expr) {
		if e.Op == ir.OpAssign || e.Op == ir.OpIncDec {
			v := e.Kids[0].Var
			ok = ok && e.Kids[0].Op == ir.OpIdent && v != nil && v.Kind == ir.VarLocal && !v.Type.Ref && v.Range.Start >= f.turn.Range.Start && v.Range.End <= f.turn.Range.End
			e = e.Kids[len(e.Kids)-1]
		}
		ok = ok && f.al.Loads(e) == kit.NoMemory
	})
	return ok
}

// formFit follows a device function that is called in each turn and told whose it is.
func (al turns) formFit() {
	f := newFlow(al.Alignment)
	f.turn = al.New.Body
	f.Stmt(al.New.Body, held)
	for _, p := range al.New.Params {
		if p.Type.Ref && !p.Type.Const {
			f.doubt(int(al.New.View.Body.Start), "what %s refers to may change in the turn of another", p.Name)
		}
	}
}

// startsAnew reports whether a loop's head changes nothing but what its beginning sets.
func startsAnew(s *ir.Stmt) bool {
	set := map[string]bool{}
	if s.Init != nil {
		for _, v := range s.Init.Vars {
			set[v.Name] = true
		}
		if e := s.Init.Expr; e != nil && e.Op == ir.OpAssign && e.Tok == "=" && e.Kids[0].Op == ir.OpIdent {
			set[e.Kids[0].Name] = true
		}
	}
	ok := true
	for _, e := range []*ir.Expr{s.Cond, s.Post} {
		e.Walk(func(t *ir.Expr) bool {
			switch t.Op {
			case ir.OpAssign, ir.OpIncDec:
				ok = ok && t.Kids[0].Op == ir.OpIdent && set[t.Kids[0].Name]
			case ir.OpCall:
				ok = false
			}
			return ok
		})
	}
	return ok
}

// turns follows a loop over turns: each thread comes by once for each, and does something in one.
func (f *flow) turns(s *ir.Stmt, m moment) moment {
	if f.turn != nil {
		f.doubt(s.Range.Start, "turns begin in a turn")
		return m
	}
	f.turn = s
	breaks, conts := f.Breaks, f.Conts
	f.Breaks, f.Conts = nil, nil
	end := f.Stmt(s.Body, m)
	f.Breaks, f.Conts = breaks, conts
	f.turn = nil
	if end != held {
		f.doubt(s.Range.Start, "a turn is left on the way")
	}
	return free
}

// inTurnOfNone reports whether a statement runs in every turn.
func (al turns) inTurnOfNone(s *ir.Stmt) bool {
	for ; s != nil; s = s.Parent {
		switch al.Roles[s] {
		case kit.RoleMine, kit.RoleLead:
			return false
		case kit.RoleTurns:
			return true
		}
	}
	return al.Obj.Mine != ""
}

// uniformFit checks that what all threads of a v-TB must come by is decided for all of them alike. Where
// turns go round, all v-TBs must take equally many: the whole grid has to agree.
func (al turns) uniformFit() {
	u := kit.NewUniformity(al.Alignment)
	need := kit.PerBlock
	if al.Obj.Ring() || kit.TurnKinds[al.Obj.Kind].Block {
		need = kit.PerGrid // v-TBs wait for each other
	}
	f := al.Texts.New.File
	waits := al.Kernel.State.HasBarrier(al.New)
	al.New.Body.Walk(func(s *ir.Stmt) bool {
		switch al.Roles[s] {
		case kit.RoleActive:
			return false
		case kit.RoleStart, kit.RoleFinish, kit.RoleAcquire, kit.RoleRelease, kit.RoleTurns, kit.RoleAdded:
			if l := u.Control(s); l < need {
				al.Kernel.Doubt(kit.Uniform, f, s.Range.Start, "%s", map[bool]string{
					true:  "not all threads of a v-TB come by here",
					false: "v-TBs may come by here a different number of times, and would wait for each other forever",
				}[l == kit.PerThread])
			}
		}
		if kit.TurnKinds[al.Obj.Kind].Block && kit.Leaf(s) {
			if met := al.MeetsAll(s); met && u.Control(s) < need {
				al.Kernel.Doubt(kit.Uniform, f, s.Range.Start, "not all merged blocks may come by this barrier, which waits for all of them")
			}
		}
		if s.IsLoop() && al.Obj.InBlockMode() && al.Roles[s] == kit.RolePlain && al.inTurnOfNone(s) && u.Trips(s) < need {
			al.Kernel.Doubt(kit.Uniform, f, s.Range.Start, "this loop may not end in the turn of another block")
		}
		if al.Obj.Plain && !waits {
			return true
		}
		// A barrier of the launched block waits for the threads that are left.
		leaves := s.Op == ir.StmtReturn && !(kit.TurnKinds[al.Obj.Kind].Block && al.Alignment == al.Kernel.State.Main) || s.Op == ir.StmtContinue && s.JumpTarget() == al.Groups
		if leaves && s.Parent != nil && u.Control(s) < need && al.WaitsBehind(s) {
			al.Kernel.Doubt(kit.Uniform, f, s.Range.Start, "some threads leave here, and barriers of v-TBs wait for all")
		}
		return true
	})
	if !al.Kernel.Doubtful(kit.Uniform) && al.Alignment == al.Kernel.State.Main {
		al.Kernel.Show(kit.Uniform, "conditions around it are made of what all threads agree on, or hold a barrier of the original")
	}
}

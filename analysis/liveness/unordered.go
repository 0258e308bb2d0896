package liveness

import (
	"maps"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/footprint"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/uniformity"
)

// Unordered is a use of one shared variable and a later one of another, one of them a
// write, between which the threads of a block need not meet.
type Unordered struct {
	Pair
	First, Then Site
	// In is the statement of the kernel itself that does the latter.
	In *ir.Stmt
}

// UnorderedAccesses returns uses of two shared variables that threads of a block may make side by side: on some way
// from the one to the other, through functions that are called and around loops, no barrier stands that all threads
// of the block meet. For each two and each statement of the kernel one is returned. Barriers are thought to stand
// before the statements in added, too. ok is false where that is too much to look at.
//
// Between two barriers threads go ways of their own, but only as far as a condition differs among them: the branches
// of an if that are taken alike exclude each other. What a barrier of a warp or of a group orders does not count.
func UnorderedAccesses(k *analysis.Kernel, added map[*ir.Stmt]bool) (found []Unordered, ok bool) {
	u := &unordered{Kernel: k, added: added, among: map[*ir.Expr]analysis.Uniformity{}, seen: map[unorderedKey]bool{}, left: mostVisits}
	for _, b := range k.Barriers {
		u.among[b.Expr] = b.Among
	}
	for _, b := range uniformity.BarrierCalls(k) {
		u.among[b.Expr] = b.Among
	}
	u.list(k.Func, k.Func.Body.List, uses{}, true)
	return u.found, u.left > 0
}

// mostVisits bounds the statements that are looked at.
const mostVisits = 1 << 17

type unordered struct {
	*analysis.Kernel
	added   map[*ir.Stmt]bool
	among   map[*ir.Expr]analysis.Uniformity // of barriers, and of calls that hold one
	seen    map[unorderedKey]bool
	found   []Unordered
	in      *ir.Stmt   // of the kernel
	calls   []*ir.Func // under way
	jumps   []uses     // of the loops and switches under way, what their breaks leave
	again   []uses     // what their continues leave
	returns []uses     // of the functions under way
	left    int
}

type unorderedKey struct {
	pair Pair
	in   *ir.Stmt
}

// use is a kind of access to one shared variable.
type use struct {
	array int
	write bool
}

// uses maps what threads may have done since the last barrier to a place each.
type uses map[use]Site

func (a uses) join(b uses) uses {
	if len(b) == 0 {
		return a
	}
	out := maps.Clone(b)
	maps.Copy(out, a)
	return out
}

func (u *unordered) list(fn *ir.Func, stmts []*ir.Stmt, open uses, barriers bool) uses {
	for _, s := range stmts {
		if u.left--; u.left < 0 {
			return open
		}
		if fn == u.Func {
			u.in = s
		}
		if u.added[s] {
			open = uses{}
		}
		open = u.stmt(fn, s, open, barriers)
	}
	return open
}

// stmt returns the uses that are open after a statement. barriers is set where the barriers in it are
// met by all threads, as far as the way to it decides that.
func (u *unordered) stmt(fn *ir.Func, s *ir.Stmt, open uses, barriers bool) uses {
	switch {
	case s.Op == ir.StmtCompound, s.Op == ir.StmtLabel, s.Op == ir.StmtCase:
		return u.list(fn, s.List, open, barriers)
	case s.Op == ir.StmtIf:
		return u.branch(fn, s, open, barriers)
	case s.IsLoop():
		return u.loop(fn, s, open, barriers)
	case s.Op == ir.StmtSwitch:
		return u.choose(fn, s, open, barriers)
	case s.Op == ir.StmtBreak:
		u.keep(u.jumps, open)
	case s.Op == ir.StmtContinue:
		u.keep(u.again, open)
	case s.Op == ir.StmtReturn:
		open = u.exprs(fn, s, open, barriers)
		u.keep(u.returns, open)
	default:
		return u.exprs(fn, s, open, barriers)
	}
	return open
}

// keep adds what is open where control leaves the innermost of some statements. A break
// counts for a switch and for the loop around it.
func (u *unordered) keep(of []uses, open uses) {
	for i := range of {
		of[i] = of[i].join(open)
	}
}

func (u *unordered) exprs(fn *ir.Func, s *ir.Stmt, open uses, barriers bool) uses {
	open = maps.Clone(open)
	v := &visitor{Kernel: u.Kernel, fn: fn}
	v.access = func(set analysis.ArraySet, write bool, at *ir.Expr) { u.access(open, set, write, Site{fn, at.Range}) }
	v.barrier = func(e *ir.Expr) {
		if barriers && u.aligned(e) {
			clear(open)
		}
	}
	v.call = func(e *ir.Expr, callees []*ir.Func) { open = u.call(fn, e, callees, open, barriers && u.aligned(e)) }
	v.statement(s)
	return open
}

// aligned reports whether a barrier, or a call that holds one, is met by all threads that have not left.
func (u *unordered) aligned(e *ir.Expr) bool {
	l, known := u.among[e]
	return known && l <= analysis.BlockUniform
}

// access notes an access beside what is open.
func (u *unordered) access(open uses, set analysis.ArraySet, write bool, at Site) {
	for i := range u.Shared {
		if set&(1<<i) == 0 {
			continue
		}
		for other := range u.Shared {
			first, uses := open[use{other, true}]
			if !uses && write {
				first, uses = open[use{other, false}]
			}
			if key := (unorderedKey{pair(u.Kernel, i, other), u.in}); other != i && uses && !u.seen[key] {
				u.seen[key] = true
				u.found = append(u.found, Unordered{key.pair, first, at, u.in})
			}
		}
		if _, known := open[use{i, write}]; !known {
			open[use{i, write}] = at
		}
	}
}

// call goes through the functions that a call may be of.
func (u *unordered) call(fn *ir.Func, e *ir.Expr, callees []*ir.Func, open uses, barriers bool) uses {
	var out uses
	for _, c := range callees {
		for _, f := range u.calls {
			if f == c || len(u.calls) > footprint.MaxInline {
				u.left = 0 // nothing is known of the kernel
				return open
			}
		}
		u.calls = append(u.calls, c)
		u.returns = append(u.returns, nil)
		jumps, again := u.jumps, u.again
		u.jumps, u.again = nil, nil
		end := u.list(c, c.Body.List, maps.Clone(open), barriers)
		u.jumps, u.again = jumps, again
		out = out.join(end).join(u.returns[len(u.returns)-1])
		u.returns = u.returns[:len(u.returns)-1]
		u.calls = u.calls[:len(u.calls)-1]
	}
	if out == nil {
		out = uses{}
	}
	return out
}

// branch is an if. Where threads may differ in which branch they take, both are run side
// by side, which running them one after the other tells as well.
func (u *unordered) branch(fn *ir.Func, s *ir.Stmt, open uses, barriers bool) uses {
	apart := s.Preproc
	if !s.Preproc {
		open = u.exprs(fn, &ir.Stmt{Op: ir.StmtExpr, Cond: s.Cond}, open, barriers)
		apart = uniformity.Of(u.Kernel, fn, s.Cond) <= analysis.BlockUniform
	}
	body := []*ir.Stmt{s.Body}
	if s.Else == nil {
		return open.join(u.list(fn, body, maps.Clone(open), barriers))
	}
	if apart {
		return u.list(fn, body, maps.Clone(open), barriers).join(u.list(fn, []*ir.Stmt{s.Else}, maps.Clone(open), barriers))
	}
	open = open.join(u.list(fn, body, maps.Clone(open), false))
	return open.join(u.list(fn, []*ir.Stmt{s.Else}, maps.Clone(open), false))
}

// loop runs a loop until nothing new is open at its head.
func (u *unordered) loop(fn *ir.Func, s *ir.Stmt, open uses, barriers bool) uses {
	head := &ir.Stmt{Op: ir.StmtExpr, Cond: s.Cond}
	if s.Init != nil {
		open = u.stmt(fn, s.Init, open, barriers)
	}
	u.jumps, u.again = append(u.jumps, nil), append(u.again, nil)
	end := open
	for {
		before := len(open)
		in := maps.Clone(open)
		if s.Op != ir.StmtDo {
			in = u.exprs(fn, head, in, barriers)
			end = end.join(in)
		}
		in = u.list(fn, []*ir.Stmt{s.Body}, in, barriers).join(u.again[len(u.again)-1])
		if s.Post != nil {
			in = u.exprs(fn, &ir.Stmt{Op: ir.StmtExpr, Post: s.Post}, in, barriers)
		}
		if s.Op == ir.StmtDo {
			in = u.exprs(fn, head, in, barriers)
			end = end.join(in)
		}
		if open = open.join(in); len(open) == before || u.left < 0 {
			break
		}
	}
	end = end.join(u.jumps[len(u.jumps)-1])
	u.jumps, u.again = u.jumps[:len(u.jumps)-1], u.again[:len(u.again)-1]
	return end
}

// choose is a switch: each case is entered from its head, or from the case before.
func (u *unordered) choose(fn *ir.Func, s *ir.Stmt, open uses, barriers bool) uses {
	open = u.exprs(fn, &ir.Stmt{Op: ir.StmtExpr, Cond: s.Cond}, open, barriers)
	u.jumps = append(u.jumps, nil)
	cur := open
	for _, c := range bodyList(s.Body) {
		cur = u.stmt(fn, c, cur.join(open), false)
	}
	cur = cur.join(open).join(u.jumps[len(u.jumps)-1])
	u.jumps = u.jumps[:len(u.jumps)-1]
	return cur
}

package slice

import (
	"slices"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/barriers"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/liveness"
	"github.com/smux-cuda/smux/analysis/regions"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/rewrite/kit"
)

// exchange is a run of statements of one list in which every thread first writes
// arrays, then meets a barrier, then reads them.
type exchange struct {
	fn      *ir.Func
	stmts   []*ir.Stmt // from the first use to the last
	barrier *ir.Stmt   // between writes and reads
	ofWarp  bool       // the barrier is one of each warp
	uses    []*sliceUse
	check   *roundsCheck
	// ahead is set where a barrier must stand before the first round: what the last
	// exchange read last may lie where this one writes first.
	ahead bool
}

// calls reports whether a function with a form is called in the exchange.
func (x *exchange) calls(fn *ir.Func) bool {
	return slices.ContainsFunc(x.uses, func(u *sliceUse) bool { return u.call != nil && u.form.fn == fn })
}

// findExchanges parts the uses of all arrays into exchanges. Where one can't be made in
// rounds it drops the arrays of that one, and reports that: others may do without them.
func (p *sliceProof) findExchanges() (dropped bool) {
	p.exchanges = nil
	if len(p.arrays) == 0 {
		return false
	}
	drop := func(arrays map[*slicedArray]bool) bool {
		p.arrays = slices.DeleteFunc(p.arrays, func(a *slicedArray) bool { return arrays[a] })
		return true
	}
	if p.byArray() && !p.inTurn() {
		return false
	}
	p.own = p.ownElements()
	left := map[*sliceUse]bool{}
	for _, a := range p.arrays {
		for _, u := range a.uses {
			left[u] = true
		}
	}
	seen := map[*ir.Stmt]bool{}
	for _, r := range p.regions() {
		if r.Func != p.Kernel.Func && seen[r.Stmts[0]] {
			continue // at another call
		}
		seen[r.Stmts[0]] = true
		x := &exchange{fn: r.Func}
		arrays := map[*slicedArray]bool{}
		for _, a := range p.arrays {
			for _, u := range a.uses {
				if slices.ContainsFunc(r.Stmts, u.stmt.Inside) {
					x.uses, arrays[a] = append(x.uses, u), true
					delete(left, u)
				}
			}
		}
		if len(x.uses) == 0 {
			continue
		}
		before := len(p.Reasons)
		p.makeExchange(x, r)
		if len(p.Reasons) > before {
			return drop(arrays)
		}
		p.exchanges = append(p.exchanges, x)
	}
	outside := map[*slicedArray]bool{}
	for _, a := range p.arrays {
		for _, u := range a.uses {
			if left[u] {
				p.Refuse(u.fn.File, u.name.Range.Start, CodeNoExchange, "%s is used here outside of any exchange that smux finds", a.Name)
				outside[a] = true
			}
		}
		if len(a.uses) == 0 {
			p.Refuse(a.Var.File, a.Var.Range.Start, CodeNoExchange, "%s is not used", a.Name)
			outside[a] = true
		}
	}
	return len(outside) > 0 && drop(outside)
}

// regions are those of the arrays to be sliced alone.
func (p *sliceProof) regions() []*analysis.Region {
	others := lists.Filter(p.Kernel.Shared, func(s *analysis.Shared) bool {
		return !slices.ContainsFunc(p.arrays, func(a *slicedArray) bool { return a.Shared == s })
	})
	if len(p.inside) > 0 {
		return regions.Opened(p.Kernel, analysis.BlockUniform, others...)
	}
	return regions.Under(p.Kernel, analysis.BlockUniform, others...)
}

// makeExchange proves that a region is an exchange that can be made in rounds.
func (p *sliceProof) makeExchange(x *exchange, r *analysis.Region) {
	k, f := p.Kernel, r.Func.File
	refuse := func(at int, format string, args ...any) { p.Refuse(f, at, CodeNoExchange, format, args...) }
	if r.Func != k.Func && p.inside[r.Func] == nil {
		refuse(r.Start(), "the exchange is made inside of a device function")
		return
	}
	top := func(u *sliceUse) int { return slices.IndexFunc(r.Stmts, u.stmt.Inside) }
	slices.SortStableFunc(x.uses, func(a, b *sliceUse) int { return a.name.Range.Start - b.name.Range.Start })
	first, last, lastWrite, firstRead := len(r.Stmts), -1, -1, len(r.Stmts)
	for _, u := range x.uses {
		i := top(u)
		first, last = min(first, i), max(last, i)
		if u.reads() {
			firstRead = min(firstRead, i)
		} else {
			lastWrite = max(lastWrite, i)
		}
	}
	switch {
	case lastWrite < 0:
		refuse(r.Start(), "no statement of the same list writes the values that are read here")
		return
	case firstRead == len(r.Stmts):
		refuse(r.Start(), "the values written here are not read")
		return
	case firstRead <= lastWrite:
		refuse(r.Stmts[lastWrite].Range.Start, "threads write here after some have read, and what was written before is still needed")
		return
	}
	for _, s := range r.Stmts[lastWrite+1 : firstRead] {
		if s.Op == ir.StmtExpr && barriers.IsBarrier(k, r.Func, s.Expr) && !barriers.IsVote(k, r.Func, s.Expr) {
			x.barrier, x.ofWarp = s, false
		}
		if x.barrier == nil && p.isWarpBarrier(s) {
			x.barrier, x.ofWarp = s, true
		}
	}
	if x.ofWarp && !p.own && !p.inWarps(x) {
		return
	}
	if x.barrier == nil && !p.own {
		refuse(r.Stmts[firstRead].Range.Start, "no barrier of the thread block stands between the writes and these reads")
		return
	}
	x.stmts = r.Stmts[first : last+1]
	if (!p.own || x.barrier != nil) && !x.ofWarp {
		p.checkBarrier(x, r)
	}
	p.Editable(&analysis.Region{Func: r.Func, Stmts: x.stmts})
	behind := 0
	if x.barrier != nil {
		behind = x.barrier.Range.End
	}
	x.check = p.checkRounds(r.Func, x.stmts, x.uses, behind)
	x.ahead = !p.byComponent() && !p.own && !p.separated(x, x.fn, x.stmts[0], x.stmts[len(x.stmts)-1])
}

// isWarpBarrier reports whether a statement has all threads of each warp meet.
func (p *sliceProof) isWarpBarrier(s *ir.Stmt) bool {
	return s.Op == ir.StmtExpr && !s.Macro && s.Expr.Op == ir.OpCall && s.Expr.Name == "__syncwarp" && len(s.Expr.Args()) == 0 && len(p.Kernel.Callees(p.Kernel.Func, s.Expr)) == 0
}

// inWarps proves that threads of one warp alone use an element of the arrays of an exchange
// both, and refuses others: then barriers of the warp are enough between its rounds. Where
// the rounds are of other elements than the subscripts say, warps meet in these.
func (p *sliceProof) inWarps(x *exchange) bool {
	for _, u := range x.uses {
		switch at := u.name.Range.Start; {
		case !p.byComponent():
			p.Refuse(u.fn.File, at, CodeNoExchange, "threads of a warp alone meet between the writes and reads of %s, and other warps may use the same bytes in other rounds", u.array.Name)
			return false
		case u.fn != p.Kernel.Func || u.call != nil || !liveness.WarpElements(p.Kernel, u.array.Shared):
			p.Refuse(u.fn.File, at, CodeNoExchange, "threads of a warp alone meet between the writes and reads of %s, and nothing proves that one warp alone uses each of its elements", u.array.Name)
			return false
		}
	}
	return true
}

// Meet is the barrier that stands between rounds.
func (x *exchange) Meet() string {
	if x.ofWarp {
		return "__syncwarp();"
	}
	return "__syncthreads();"
}

// checkBarrier proves that more barriers can stand where the exchange has its own.
func (p *sliceProof) checkBarrier(x *exchange, r *analysis.Region) {
	k := p.Kernel
	for _, b := range k.Barriers {
		if b.Stmt == x.barrier && b.Control > analysis.BlockUniform {
			p.Refuse(b.Func.File, b.Expr.Range.Start, kit.CodeDivergent, "the control around this barrier is %s: not all threads of a block may meet those of more rounds", b.Control)
		}
	}
	if l := regions.Control(k, r); x.fn != k.Func && l > analysis.BlockUniform {
		p.Refuse(x.fn.File, x.stmts[0].Range.Start, kit.CodeDivergent, "the control around this exchange, or around a call that leads here, is %s", l)
	}
	for _, e := range k.Exits {
		if (x.fn != k.Func || e.Stmt.Range.Start < x.stmts[0].Range.Start) && e.Control > analysis.BlockUniform {
			p.Refuse(k.File, e.Stmt.Range.Start, kit.CodeEarlyExit, "threads may leave here, before an exchange (%s)", e.Control)
		}
	}
}

// separated reports whether a barrier stands between a run of statements and all reads
// before it of what an exchange writes, those of an earlier turn of the loops around it included.
func (p *sliceProof) separated(x *exchange, fn *ir.Func, first, last *ir.Stmt) bool {
	for {
		inner, owner := first, first.Parent
		list := []*ir.Stmt{first}
		if owner != nil && owner.Op == ir.StmtCompound && !owner.Macro {
			inner, list, owner = owner, owner.List, owner.Parent
		}
		if met, used := p.firstMet(x, fn, list[:slices.Index(list, first)]); met || used {
			return met
		}
		switch {
		case owner == nil:
			return fn == p.Kernel.Func || p.separatedCalls(x, fn)
		case owner.IsLoop():
			if owner.Any(func(s *ir.Stmt) bool { return s.Op == ir.StmtContinue }) {
				return false
			}
			if met, _ := p.firstMet(x, fn, list[slices.Index(list, last)+1:]); !met {
				return false
			}
		case owner.Op == ir.StmtCompound:
			first, last = inner, inner
			continue
		case owner.Op != ir.StmtIf:
			return false
		}
		first, last = owner, owner
	}
}

// separatedCalls reports the same of all calls of a device function, which the kernel makes.
func (p *sliceProof) separatedCalls(x *exchange, fn *ir.Func) bool {
	k := p.Kernel
	return !k.Func.Body.Any(func(s *ir.Stmt) bool {
		calls := false
		s.Exprs(func(top *ir.Expr) {
			calls = calls || top.Any(func(e *ir.Expr) bool { return e.Op == ir.OpCall && slices.Contains(k.Callees(k.Func, e), fn) })
		})
		return calls && !p.separated(x, k.Func, s, s)
	})
}

// firstMet looks through a list of statements from its end: whether a barrier comes first,
// or a use of one of the arrays.
func (p *sliceProof) firstMet(x *exchange, fn *ir.Func, list []*ir.Stmt) (barrier, used bool) {
	k := p.Kernel
	for _, s := range slices.Backward(list) {
		switch {
		case s.Op == ir.StmtExpr && barriers.IsBarrier(k, fn, s.Expr):
			return true, false
		case p.usesUnder(x, fn, s):
			return false, true
		}
	}
	return false, false
}

// usesUnder reports whether a statement uses bytes that an exchange writes, or calls a
// function that does. Arrays that are cut have bytes of their own.
func (p *sliceProof) usesUnder(x *exchange, fn *ir.Func, s *ir.Stmt) bool {
	calls := map[*ir.Func]bool{}
	for e := range s.AllExprs() {
		for _, c := range p.Kernel.Callees(fn, e) {
			calls[c] = true
		}
	}
	return slices.ContainsFunc(p.arrays, func(a *slicedArray) bool {
		of := func(u *sliceUse) bool { return u.array == a }
		return (p.byArray() || slices.ContainsFunc(x.uses, of)) && slices.ContainsFunc(a.uses, func(u *sliceUse) bool {
			return u.stmt.Inside(s) || calls[u.fn]
		})
	})
}

package analysis

import (
	"slices"

	"github.com/smux-cuda/smux/analysis/ir"
)

// leastOutside is the part of a device function's work, as the report counts it,
// that must stand outside of its regions for them to come in the place of its call.
const leastOutside = 0.05

// RegionsInCalls returns the regions as RegionsUnder does, and where a region
// would be one statement with a call of a device function those inside of that
// function, if
//
//   - the function is in view, can be none but this one, and is called in one
//     place alone of all that the kernel reaches: its text then stands for one
//     place in the kernel;
//   - the threads that call it go through it alike: it returns elsewhere than at its
//     end only where all threads do that the limit is about, so that what the call's
//     control promises holds for its regions;
//   - nothing else in the statement uses shared memory.
//
// Functions for which but is true are left closed.
func (k *Kernel) RegionsInCalls(limit Uniformity, but ...func(*ir.Func) bool) []*Region {
	calls := false
	for _, r := range k.RegionsUnder(limit) {
		calls = calls || r.Hold.Kind == HoldCall
	}
	if !calls {
		return k.RegionsUnder(limit)
	}
	return (&regionSearch{sharing: k.sharing(), limit: limit, openCalls: true, closed: but}).regions()
}

// RegionsOpened returns the regions as RegionsUnder does, and where a region would be one
// statement with a call of a device function those inside of that function, however
// little they leave outside of them. Such a function may be called in several places, at
// all of which it has the same regions: they are listed once for each.
func (k *Kernel) RegionsOpened(limit Uniformity, owned ...*Shared) []*Region {
	closed := map[*ir.Func]bool{}
	for {
		s := &regionSearch{
			sharing: k.sharingFor(owned), limit: limit, openCalls: true,
			closed: []func(*ir.Func) bool{func(fn *ir.Func) bool { return closed[fn] }}, opened: map[*ir.Func][]*Region{},
		}
		found := s.regions()
		before := len(closed)
		for fn := range s.opened {
			if slices.ContainsFunc(found, func(r *Region) bool { return r.Func != fn && k.callsUnder(r, fn) }) {
				closed[fn] = true
			}
		}
		for _, fn := range s.differs {
			closed[fn] = true
		}
		if len(closed) == before {
			return found
		}
	}
}

// callsUnder reports whether a function may be called in a region, by others as well.
func (k *Kernel) callsUnder(r *Region, fn *ir.Func) bool {
	seen := map[*ir.Func]bool{}
	var reaches func(in *ir.Func, s *ir.Stmt) bool
	reaches = func(in *ir.Func, s *ir.Stmt) bool {
		return s.AnyExpr(func(e *ir.Expr) bool {
			return slices.ContainsFunc(k.Callees(in, e), func(c *ir.Func) bool {
				if c == fn {
					return true
				}
				again := seen[c]
				seen[c] = true
				return !again && reaches(c, c.Body)
			})
		})
	}
	return slices.ContainsFunc(r.Stmts, func(s *ir.Stmt) bool { return reaches(r.Func, s) })
}

// descendCall looks for regions inside the one function that a statement calls.
func (k *regionSearch) descendCall(s *ir.Stmt, ctxs []*context, ins [][]flow, at int, around surroundings) Hold {
	hold := k.holdOfStatement(around.fn, s)
	if hold.Kind != HoldCall || !k.openCalls {
		return hold
	}
	call := k.onlyCall(around.fn, s)
	if call == nil {
		return hold
	}
	callee := k.Callees(around.fn, call)[0]
	for _, closed := range k.closed {
		if closed(callee) {
			return hold
		}
	}
	inner := make([]*context, 0, len(ctxs))
	for ci, c := range ctxs {
		if c.x.depth >= maxInline || k.onStack(callee, c.x.frame) {
			return hold
		}
		c.enter()
		x := &execution{frame: c.x.enter(callee, call), k: k.sharing} // as in the kernel: what follows is for those that stay
		c.exit()
		inner = append(inner, &context{x: x, in: ins[ci][at], outer: c})
	}
	inside := around
	inside.fn = callee
	if inside.call == nil {
		inside.call = s
	}
	before := len(k.found)
	k.regionsIn(callee.Body, callee.Body.List, inner, inside)
	switch inside := k.found[before:]; {
	case k.opened != nil:
		same := func(a, b *Region) bool { return slices.Equal(a.Stmts, b.Stmts) }
		if known, again := k.opened[callee]; again && !slices.EqualFunc(known, inside, same) {
			k.differs = append(k.differs, callee)
		}
		k.opened[callee] = slices.Clone(inside)
	case !k.worthOpening(callee, inside):
		k.found = k.found[:before]
		return hold
	}
	return Hold{}
}

// onlyCall returns the call of a statement if regions may lie inside of what it
// calls, nil if not.
func (k *regionSearch) onlyCall(fn *ir.Func, s *ir.Stmt) *ir.Expr {
	if s.Macro || s.Op != ir.StmtExpr && s.Op != ir.StmtDecl {
		return nil
	}
	var call *ir.Expr
	others := false
	s.Exprs(func(top *ir.Expr) {
		conditionally(top, nil, func(e *ir.Expr, under []*ir.Expr) {
			switch {
			case e.Op == ir.OpLambda && k.touchedBy(fn, e) != 0:
				others = true
			case e.Op == ir.OpCall && k.touchedBy(fn, e) != 0:
				others = others || call != nil || e.Macro || len(under) > 0
				call = e
			}
		})
	})
	if call == nil || others || k.accessesBeside(fn, s, call) {
		return nil
	}
	callees := k.Callees(fn, call)
	if len(callees) != 1 || !k.opens(callees[0]) {
		return nil
	}
	if _, member := call.IsMemberCall(); member {
		return nil
	}
	return call
}

// accessesBeside reports whether a statement uses shared memory elsewhere than in
// what it calls: passing an address is not an access.
func (k *regionSearch) accessesBeside(fn *ir.Func, s *ir.Stmt, call *ir.Expr) bool {
	found := false
	s.Exprs(func(top *ir.Expr) {
		top.Walk(func(e *ir.Expr) bool {
			if e == call {
				for _, a := range e.Args() {
					found = found || k.Touches(fn, a) && !(k.pointerValue(fn, a) != 0 && k.addressOnly(fn, a))
				}
				return false
			}
			found = found || k.touchedHere(fn, e) != 0
			return !found
		})
	})
	return found
}

// opens reports whether a function's text stands for one place in the kernel, and
// whether the threads that enter it come to its end or leave it together.
func (k *regionSearch) opens(fn *ir.Func) bool {
	if fn.View.Class != "" || fn.View.IsKernel() || slices.Contains(k.Recursive, fn) {
		return false
	}
	if n := k.callsOf(fn); n != 1 && (k.opened == nil || k.countCalls().inLambdas[fn.View.Name] > 0) {
		return false
	}
	ends := true
	list := fn.Body.List
	fn.Body.Walk(func(s *ir.Stmt) bool {
		if s.Op == ir.StmtGoto || s.Op == ir.StmtReturn && s != list[len(list)-1] && k.wayTo(fn, s, nil) > k.limit {
			ends = false
		}
		return ends
	})
	return ends
}

// callsOf counts the places, in all functions that the kernel reaches, where a
// function may be called, or named otherwise.
func (k *Kernel) callsOf(fn *ir.Func) int {
	c := k.countCalls()
	return c.called[fn] + 2*c.inLambdas[fn.View.Name]
}

// callCounts counts calls by function, and names in lambdas.
type callCounts struct {
	called    map[*ir.Func]int
	inLambdas map[string]int
}

// countCalls counts for all functions at once, and the names in lambdas.
func (k *Kernel) countCalls() *callCounts {
	type key struct{}
	return Once(&k.memo, key{}, func() *callCounts {
		count := &callCounts{map[*ir.Func]int{}, map[string]int{}}
		for _, in := range k.Functions {
			in.Body.WalkExprs(func(e *ir.Expr) bool {
				switch {
				case e.Op == ir.OpCall:
					for _, c := range k.Callees(in, e) {
						count.called[c]++
					}
				case e.Op == ir.OpLambda && e.Lambda != nil:
					e.Lambda.WalkExprs(func(t *ir.Expr) bool {
						if t.Op == ir.OpIdent {
							count.inLambdas[t.Name]++
						}
						return true
					})
				}
				return true
			})
		}
		return count
	})
}

// worthOpening reports whether a function's regions can and should come in the
// place of its call: none holds a return, and enough is outside of them.
func (k *Kernel) worthOpening(fn *ir.Func, regions []*Region) bool {
	inside := map[*ir.Stmt]bool{}
	for _, r := range regions {
		if r.Returns {
			return false
		}
		for _, s := range r.Stmts {
			inside[s] = true
		}
	}
	w := weights{k: k, callees: map[*ir.Func]float64{}}
	return k.outside(w, fn, fn.Body, inside) >= leastOutside*w.of(fn, fn.Body)
}

// outside is the weight of what a statement does outside of some others. Barriers
// and what the function returns are nothing to do at another's turn.
func (k *Kernel) outside(w weights, fn *ir.Func, s *ir.Stmt, inside map[*ir.Stmt]bool) float64 {
	switch {
	case inside[s], s.Op == ir.StmtReturn, s.Op == ir.StmtExpr && k.IsBarrier(fn, s.Expr):
		return 0
	case len(s.Children()) == 0:
		own := w.of(fn, s)
		s.WalkExprs(func(e *ir.Expr) bool { // a call that regions are inside of
			for _, c := range k.Callees(fn, e) {
				if e.Op == ir.OpCall && slices.ContainsFunc(c.Body.List, func(t *ir.Stmt) bool { return holds(t, inside) }) {
					own += k.outside(w, c, c.Body, inside) - w.callee(c)
				}
			}
			return true
		})
		return own
	}
	n := 0.0
	for _, c := range s.Children() {
		out := k.outside(w, fn, c, inside)
		if s.IsLoop() && c == s.Body {
			out *= 10
		}
		n += out
	}
	return n
}

// holds reports whether a statement is or holds one of some others.
func holds(s *ir.Stmt, others map[*ir.Stmt]bool) bool {
	return s.Any(func(t *ir.Stmt) bool { return others[t] })
}

// RegionControl returns the uniformity of the control around a region, in its function and
// around the call that leads there.
func (k *Kernel) RegionControl(r *Region) Uniformity {
	l := k.controlUniformity(r.Func, r.List, nil)
	if r.Call != nil {
		l = max(l, k.controlUniformity(k.Func, r.Call, nil))
	}
	return l
}

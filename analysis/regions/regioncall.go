package regions

import (
	"slices"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/barriers"
	"github.com/smux-cuda/smux/analysis/footprint"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/pointers"
	"github.com/smux-cuda/smux/analysis/uniformity"
)

// leastOutside is the part of a device function's work, as the report counts it,
// that must stand outside of its regions for them to come in the place of its call.
const leastOutside = 0.05

// InCalls returns the regions as Under does, and where a region would be one statement with a call of a
// device function those inside of that function, if
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
func InCalls(k *analysis.Kernel, limit analysis.Uniformity, but ...func(*ir.Func) bool) []*analysis.Region {
	calls := false
	for _, r := range Under(k, limit) {
		calls = calls || r.Hold.Kind == analysis.HoldCall
	}
	if !calls {
		return Under(k, limit)
	}
	return (&Search{Sharing: pointers.AllShared(k), limit: limit, openCalls: true, closed: but}).regions()
}

// Opened returns the regions as Under does, and where a region would be one statement with a call of a
// device function those inside of that function, however little they leave outside of them. Such a function may be
// called in several places, at all of which it has the same regions: they are listed once for each.
func Opened(k *analysis.Kernel, limit analysis.Uniformity, owned ...*analysis.Shared) []*analysis.Region {
	closed := map[*ir.Func]bool{}
	for {
		s := &Search{
			Sharing: sharingFor(k, owned), limit: limit, openCalls: true,
			closed: []func(*ir.Func) bool{func(fn *ir.Func) bool { return closed[fn] }}, opened: map[*ir.Func][]*analysis.Region{},
		}
		found := s.regions()
		before := len(closed)
		for fn := range s.opened {
			if slices.ContainsFunc(found, func(r *analysis.Region) bool { return r.Func != fn && callsUnder(k, r, fn) }) {
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
func callsUnder(k *analysis.Kernel, r *analysis.Region, fn *ir.Func) bool {
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
func (k *Search) descendCall(s *ir.Stmt, ctxs []*Context, ins [][]footprint.Flow, at int, around surroundings) analysis.Hold {
	hold := holdOfStatement(k.Sharing.Kernel, around.fn, s)
	if hold.Kind != analysis.HoldCall || !k.openCalls {
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
	inner := make([]*Context, 0, len(ctxs))
	for ci, c := range ctxs {
		if c.X.Depth >= footprint.MaxInline || c.X.OnStack(callee) {
			return hold
		}
		c.Enter()
		x := &footprint.Execution{Frame: c.X.Enter(callee, call), K: k.Sharing} // as in the kernel: what follows is for those that stay
		c.Exit()
		inner = append(inner, &Context{X: x, In: ins[ci][at], Outer: c})
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
		same := func(a, b *analysis.Region) bool { return slices.Equal(a.Stmts, b.Stmts) }
		if known, again := k.opened[callee]; again && !slices.EqualFunc(known, inside, same) {
			k.differs = append(k.differs, callee)
		}
		k.opened[callee] = slices.Clone(inside)
	case !worthOpening(k.Sharing.Kernel, callee, inside):
		k.found = k.found[:before]
		return hold
	}
	return analysis.Hold{}
}

// onlyCall returns the call of a statement if regions may lie inside of what it calls, nil if not.
func (k *Search) onlyCall(fn *ir.Func, s *ir.Stmt) *ir.Expr {
	if s.Macro || s.Op != ir.StmtExpr && s.Op != ir.StmtDecl {
		return nil
	}
	var call *ir.Expr
	others := false
	s.Exprs(func(top *ir.Expr) {
		uniformity.Conditionally(top, nil, func(e *ir.Expr, under []*ir.Expr) {
			switch {
			case e.Op == ir.OpLambda && pointers.TouchedBy(k.Sharing.Kernel, fn, e) != 0:
				others = true
			case e.Op == ir.OpCall && pointers.TouchedBy(k.Sharing.Kernel, fn, e) != 0:
				others = others || call != nil || e.Macro || len(under) > 0
				call = e
			}
		})
	})
	if call == nil || others || k.AccessesBeside(fn, s, call) {
		return nil
	}
	callees := k.Callees(fn, call)
	if len(callees) != 1 || !k.opens(callees[0]) {
		return nil
	}
	if call.Object() != nil {
		return nil
	}
	return call
}

// AccessesBeside reports whether a statement uses shared memory elsewhere than in
// what it calls: passing an address is not an access.
func (k *Search) AccessesBeside(fn *ir.Func, s *ir.Stmt, call *ir.Expr) bool {
	found := false
	s.Exprs(func(top *ir.Expr) {
		top.Walk(func(e *ir.Expr) bool {
			if e == call {
				for _, a := range e.Args() {
					found = found || k.Touches(fn, a) && !(pointers.PointerValue(k.Sharing.Kernel, fn, a) != 0 && k.AddressOnly(fn, a))
				}
				return false
			}
			found = found || pointers.TouchedHere(k.Sharing.Kernel, fn, e) != 0
			return !found
		})
	})
	return found
}

// opens reports whether a function's text stands for one place in the kernel, and
// whether the threads that enter it come to its end or leave it together.
func (k *Search) opens(fn *ir.Func) bool {
	if fn.View.Class != "" || fn.View.IsKernel() || slices.Contains(k.Recursive, fn) {
		return false
	}
	if n := callsOf(k.Sharing.Kernel, fn); n != 1 && (k.opened == nil || countCalls(k.Sharing.Kernel).inLambdas[fn.View.Name] > 0) {
		return false
	}
	ends := true
	list := fn.Body.List
	fn.Body.Walk(func(s *ir.Stmt) bool {
		if s.Op == ir.StmtGoto || s.Op == ir.StmtReturn && s != list[len(list)-1] && uniformity.WayTo(k.Sharing.Kernel, fn, s, nil) > k.limit {
			ends = false
		}
		return ends
	})
	return ends
}

// CallsOf counts the places, in all functions that the kernel reaches, where a
// function may be called, or named otherwise.
func callsOf(k *analysis.Kernel, fn *ir.Func) int {
	c := countCalls(k)
	return c.called[fn] + 2*c.inLambdas[fn.View.Name]
}

// callCounts counts calls by function, and names in lambdas.
type callCounts struct {
	called    map[*ir.Func]int
	inLambdas map[string]int
}

// countCalls counts for all functions at once, and the names in lambdas.
func countCalls(k *analysis.Kernel) *callCounts {
	type key struct{}
	return analysis.Once(&k.Memo, key{}, func() *callCounts {
		count := &callCounts{map[*ir.Func]int{}, map[string]int{}}
		for _, in := range k.Functions {
			for e := range in.Body.AllExprs() {
				switch {
				case e.Op == ir.OpCall:
					for _, c := range k.Callees(in, e) {
						count.called[c]++
					}
				case e.Op == ir.OpLambda && e.Lambda != nil:
					for t := range e.Lambda.AllExprs() {
						if t.Op == ir.OpIdent {
							count.inLambdas[t.Name]++
						}
					}
				}
			}
		}
		return count
	})
}

// worthOpening reports whether a function's regions can and should come in the
// place of its call: none holds a return, and enough is outside of them.
func worthOpening(k *analysis.Kernel, fn *ir.Func, regions []*analysis.Region) bool {
	inside := map[*ir.Stmt]bool{}
	for _, r := range regions {
		if r.Returns {
			return false
		}
		for _, s := range r.Stmts {
			inside[s] = true
		}
	}
	w := Weights{K: k, Callees: map[*ir.Func]float64{}}
	return outside(k, w, fn, fn.Body, inside) >= leastOutside*w.Of(fn, fn.Body)
}

// outside is the weight of what a statement does outside of some others. Barriers
// and what the function returns are nothing to do at another's turn.
func outside(k *analysis.Kernel, w Weights, fn *ir.Func, s *ir.Stmt, inside map[*ir.Stmt]bool) float64 {
	switch {
	case inside[s], s.Op == ir.StmtReturn, s.Op == ir.StmtExpr && barriers.IsBarrier(k, fn, s.Expr):
		return 0
	case len(s.Children()) == 0:
		own := w.Of(fn, s)
		for e := range s.AllExprs() { // a call that regions are inside of
			for _, c := range k.Callees(fn, e) {
				if e.Op == ir.OpCall && slices.ContainsFunc(c.Body.List, func(t *ir.Stmt) bool { return holds(t, inside) }) {
					own += outside(k, w, c, c.Body, inside) - w.callee(c)
				}
			}
		}
		return own
	}
	n := 0.0
	for _, c := range s.Children() {
		out := outside(k, w, fn, c, inside)
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

// Control returns the uniformity of the control around a region, in its function and
// around the call that leads there.
func Control(k *analysis.Kernel, r *analysis.Region) analysis.Uniformity {
	l := uniformity.ControlUniformity(k, r.Func, r.List, nil)
	if r.Call != nil {
		l = max(l, uniformity.ControlUniformity(k, k.Func, r.Call, nil))
	}
	return l
}

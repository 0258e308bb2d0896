package overlay

import (
	"slices"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/liveness"
	"github.com/smux-cuda/smux/rewrite/packing"
)

// leastBytes is the smallest unit in which SMs give out shared memory: so many bytes must
// be saved, and so many by two variables for a barrier to be added between them.
const leastBytes = 128

// findOverlays decides which variables share bytes. What keeps two of them apart is added to the reasons.
func (p *OverlayProof) findOverlays() {
	vars := p.overlayable()
	if len(vars) < 2 {
		return
	}
	o := &overlayPlan{OverlayProof: p, live: liveness.LiveTogether(p.Kernel)}
	found, ok := liveness.UnorderedAccesses(p.Kernel, nil)
	if !ok {
		p.Refuse(p.Kernel.File, p.Kernel.View.Start, analysis.CodeGaveUp, "the ways between its uses of shared memory are too many to look at")
		return
	}
	o.all, o.unordered = found, map[liveness.Pair]liveness.Unordered{}
	for _, u := range found {
		if _, seen := o.unordered[u.Pair]; !seen {
			o.unordered[u.Pair] = u
		}
	}
	for len(vars) > 1 {
		out, fits := o.plan(vars)
		if fits {
			return
		}
		vars = slices.DeleteFunc(vars, func(a *overlaid) bool { return a == out })
	}
}

// overlayPlan holds the facts about pairs of variables.
type overlayPlan struct {
	*OverlayProof
	live      map[liveness.Pair]liveness.Site
	unordered map[liveness.Pair]liveness.Unordered // one of each pair
	all       []liveness.Unordered
	apart     map[[2]*overlaid]bool
}

// plan packs the variables into unions; where one of them can't follow it is returned.
func (o *overlayPlan) plan(vars []*overlaid) (out *overlaid, fits bool) {
	o.Overlays = nil
	o.apart = map[[2]*overlaid]bool{}
	for i, a := range vars {
		for _, b := range vars[:i] {
			o.apart[[2]*overlaid{b, a}] = !o.mayShare(b, a)
		}
	}
	for {
		tree := packing.Pack(sizesOf(vars), func(i, j int) bool {
			return o.apart[[2]*overlaid{vars[min(i, j)], vars[max(i, j)]}]
		})
		o.Overlays = nil
		shares := map[liveness.Pair]bool{}
		tree.Each(func(i, j int) { shares[pairOf(vars[i], vars[j])] = true })
		for _, u := range tree.Unions() {
			s := OverlaySet{Tree: u, Vars: vars}
			if bad := o.PlaceUnion(&s); bad != nil {
				o.Overlays = nil
				return bad, false
			}
			o.Overlays = append(o.Overlays, s)
		}
		barriers, bad := o.barriersFor(shares)
		if bad == nil {
			o.barriers = barriers
			return nil, true
		}
		// Each two of them can be ordered, and not all at once.
		for pair := range o.apart {
			if pairOf(pair[0], pair[1]) == *bad {
				o.apart[pair] = true
			}
		}
	}
}

// pairOf is two variables in the order of Kernel.Shared, which is that of overlayable.
func pairOf(a, b *overlaid) liveness.Pair {
	if a.index > b.index {
		a, b = b, a
	}
	return liveness.Pair{A: a.shared, B: b.shared}
}

// mayShare reports whether two variables may have the same bytes.
func (o *overlayPlan) mayShare(a, b *overlaid) bool {
	pair := pairOf(a, b)
	if at, live := o.live[pair]; live {
		o.Refuse(at.Func.File, at.At.Start, CodeOverlayLive, "%s and %s can't share bytes: here one is written while the other holds values that may be read", pair.A.Name, pair.B.Name)
		return false
	}
	u, unordered := o.unordered[pair]
	if !unordered {
		return true
	}
	refuse := func(why string) bool {
		o.Refuse(u.Then.Func.File, u.Then.At.Start, CodeUnordered, "%s and %s can't share bytes: threads may come here while others are not through with line %d, %s",
			pair.A.Name, pair.B.Name, u.First.Func.File.Position(u.First.At.Start).Line, why)
		return false
	}
	if min(a.bytes, b.bytes) < leastBytes {
		return refuse("and a barrier would cost more than the bytes that it saves")
	}
	if _, bad := o.barriersFor(map[liveness.Pair]bool{pair: true}); bad != nil {
		return refuse("and no barrier can be added that all threads meet")
	}
	return true
}

// mostBarriers is the largest number of barriers that are added.
const mostBarriers = 8

// barriersFor returns statements before which barriers must stand for pairs of variables
// to share bytes, in source order; or a pair for which that can't be.
func (o *overlayPlan) barriersFor(pairs map[liveness.Pair]bool) ([]*ir.Stmt, *liveness.Pair) {
	added := map[*ir.Stmt]bool{}
	open := func() []liveness.Unordered {
		found, ok := liveness.UnorderedAccesses(o.Kernel, added)
		if !ok {
			return o.all // nothing is known of what the barriers change
		}
		return slices.DeleteFunc(found, func(u liveness.Unordered) bool { return !pairs[u.Pair] })
	}
	found := open()
	for len(found) > 0 {
		u := found[0]
		if len(added) == mostBarriers {
			return nil, &u.Pair
		}
		var after []liveness.Unordered
		ordered := false
		for _, s := range waysTo(u.In) {
			if added[s] || !liveness.BarrierFits(o.Kernel, s) {
				continue
			}
			added[s] = true
			after = open()
			if ordered = !slices.ContainsFunc(after, func(v liveness.Unordered) bool { return v.Pair == u.Pair && v.In == u.In }); ordered {
				break
			}
			delete(added, s)
		}
		if !ordered {
			return nil, &u.Pair
		}
		found = after
	}
	var out []*ir.Stmt
	for s := range added { // one that a later one has made needless
		delete(added, s)
		if len(open()) > 0 {
			added[s] = true
			out = append(out, s)
		}
	}
	slices.SortFunc(out, func(a, b *ir.Stmt) int { return a.Range.Start - b.Range.Start })
	return out, nil
}

// waysTo are the statements of lists that hold a statement, the outermost first, and
// itself: a barrier before an outer one runs less often.
func waysTo(s *ir.Stmt) (out []*ir.Stmt) {
	for ; s != nil; s = s.Parent {
		if s.Parent != nil && s.Parent.Op == ir.StmtCompound {
			out = append(out, s)
		}
	}
	slices.Reverse(out)
	return out
}

package merge

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/barriers"
	"github.com/smux-cuda/smux/analysis/intrinsic"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/motion"
	"github.com/smux-cuda/smux/analysis/uniformity"
	"github.com/smux-cuda/smux/model/hardware"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// folds are the barriers right before and right after regions. Taking a turn is a barrier of the v-TB as well and
// comes in the place of the one before. What stands after is, in lock mode, replaced by the barrier that giving the
// slot back holds; in named mode it moves into the region, where all v-TBs can use one barrier number, since one of
// them is there at a time.
type folds struct {
	before, behind map[*analysis.Region]*ir.Stmt
	replaced       map[*ir.Expr]bool // barriers that something else comes in place of
}

// fold finds these barriers in the modes in which v-TBs have barriers of their
// own, and whether others are left outside of regions.
func (p *mergeProof) fold() {
	if !p.perVTBBarriers() {
		return
	}
	p.folds = folds{map[*analysis.Region]*ir.Stmt{}, map[*analysis.Region]*ir.Stmt{}, map[*ir.Expr]bool{}}
	taken := map[*ir.Stmt]bool{}
	take := func(m map[*analysis.Region]*ir.Stmt, r *analysis.Region, i int) {
		l := r.List
		if l.Op != ir.StmtCompound || l.Macro || l.Parent != nil && l.Parent.Op == ir.StmtSwitch || i < 0 || i >= len(l.List) {
			return
		}
		if b := l.List[i]; p.plainBarrier(b) && !taken[b] {
			m[r], taken[b] = b, true
		}
	}
	for _, r := range p.regions {
		if r.Func == p.Kernel.Func && !p.stages(r) { // loads ahead of the region must stay after the barrier
			take(p.before, r, slices.Index(r.List.List, r.Stmts[0])-1)
		}
	}
	for _, r := range p.regions {
		if r.Func != p.Kernel.Func || len(p.lateStatements(r)) > 0 {
			continue
		}
		take(p.behind, r, slices.Index(r.List.List, r.Stmts[len(r.Stmts)-1])+1)
	}
	for _, b := range p.before {
		p.replaced[b.Expr] = true
	}
	if p.Sync == variant.SyncLock {
		for _, b := range p.behind {
			p.replaced[b.Expr] = true
		}
	}
	k := p.Kernel
	p.outer = p.outer || p.meetsBetween()
	for _, b := range slices.Concat(k.Barriers, uniformity.BarrierCalls(k)) {
		p.outer = p.outer || b.Func == k.Func && !p.inRegion(b.Stmt) && !taken[b.Stmt]
	}
}

// stages reports whether loads are made ahead of a region.
func (p *mergeProof) stages(r *analysis.Region) bool {
	if p.Compute {
		if _, last := motion.ComputedStores(p.Kernel, r); last != nil {
			return true
		}
	}
	return len(motion.SplitsUpTo(p.Kernel, r, p.Stage)) > 0
}

// plainBarrier reports whether a statement is a barrier of the block and nothing else.
func (p *mergeProof) plainBarrier(s *ir.Stmt) bool {
	return s.Op == ir.StmtExpr && !s.Macro && !s.Expr.Macro && s.Expr.Op == ir.OpCall &&
		intrinsic.Of(s.Expr.Name).Kind == intrinsic.Barrier && barriers.IsBarrier(p.Kernel, p.Kernel.Func, s.Expr)
}

// turnsInCalls reports whether v-TBs can take turns inside of device functions that the kernel calls: where each has
// its own barrier, so that the text of a region stays as it is, and where a region's arrays have one name for all.
//
//	__device__ float sum(float *s, …) {      __device__ float sum(const smux::vtb_named_own<2>& vtb, float *s, …) {
//	    float x = 0;                             float x = 0;
//	    for (…) x += a[i];                       for (…) x += a[i];
//	    s[threadIdx.x] = x;          -->         vtb.acquire();  // guards s
//	    …                                        s[threadIdx.x] = x;
//	                                             …
//	                                             vtb.release();  // s
//	    return r;                                return r;
//	}                                        }
//
// In named mode the v-TBs then need barriers for what the function does outside of
// the region; where there are too few the call is the region.
func (p *mergeProof) turnsInCalls() bool {
	return p.perVTBBarriers() && p.SharedSets <= 1 && len(p.privatized) == 0 && (p.Sync != variant.SyncNamed || 2*p.Factor <= hardware.NamedBarriers)
}

// turnsIn tells the regions in a device function apart from those that another
// kernel may have there; it is "" where there are none.
func (p *mergeProof) turnsIn(fn *ir.Func) string {
	var b strings.Builder
	if fn != p.Kernel.Func {
		for _, r := range p.regions {
			if r.Func == fn {
				fmt.Fprintf(&b, "%d-%d ", r.Start(), r.End())
			}
		}
	}
	return b.String()
}

// site is the kernel's first or last statement of a region, or the one whose call leads to it.
func (p *mergeProof) site(r *analysis.Region, first bool) *ir.Stmt {
	switch {
	case r.Call != nil:
		return r.Call
	case first:
		return r.Stmts[0]
	}
	return r.Stmts[len(r.Stmts)-1]
}

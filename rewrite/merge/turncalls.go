package merge

import (
	"fmt"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/model/hardware"
	"github.com/smux-cuda/smux/rewrite/variant"
)

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

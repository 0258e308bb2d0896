// Package merge holds the rewriters that merge thread blocks (PACT'12): vtb, vtb-pipe, co-vtb, dyn and merge, the
// launches that follow, and stage-loads, which moves the same loads and merges nothing.
package merge

import (
	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/barriers"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/regions"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/rewrite/kit"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// CheckVTB proves that a kernel can be merged N-fold with its regions made
// critical sections, in the sync mode that opt names .
//
//	__global__ void k(float *a) {           __global__ void k(float *a, unsigned g) {
//	    __shared__ float s[64];                 const smux::vtb_named<2> vtb(g);
//	    s[t] = a[i];                            if (!vtb.active) return;
//	    __syncthreads();               -->      __shared__ float s[64];
//	    a[i] = s[63 - t];                       vtb.acquire();
//	}                                           s[t] = a[i];
//	                                            vtb.sync();
//	                                            a[i] = s[63 - t];
//	                                            vtb.release();
//	                                        }
func CheckVTB(k *analysis.Kernel, opt kit.Options) (kit.Proof, []diag.Message) {
	return check(k, variant.VTB, opt)
}

// check is the proof that the rewriters share which make regions critical sections; name is that of the rewriter. Of
// the owned variables each v-TB gets a copy of its own: they need no turns.
func check(k *analysis.Kernel, name string, opt kit.Options, owned ...*analysis.Shared) (kit.Proof, []diag.Message) {
	p, reasons := beginMerge(k, name, opt)
	if p == nil {
		return nil, reasons
	}
	if len(k.Shared) == 0 || len(k.Regions) == 0 {
		p.Refuse(k.File, k.View.Start, kit.CodeNoShared, "the kernel uses no shared memory: there is nothing to multiplex")
		return p, p.Reasons // what its launches refuse holds for every rewriter that merges
	}
	p.privatized = owned
	limit := analysis.GridUniform
	if p.Sync == variant.SyncLock {
		limit = analysis.BlockUniform
	}
	if p.turnsInCalls() {
		p.regions = regions.InCalls(k, limit, func(fn *ir.Func) bool { return opt.Closed[fn] })
	} else {
		p.regions = regions.Under(k, limit, owned...)
	}
	p.regions = opt.Unsafe.Shrink(p.regions)
	p.Prove()
	switch {
	case p.Sync == variant.SyncBlock:
		p.proveCuts()
	case len(p.regions) == 0:
		p.proveApart()
	default:
		p.proveTurns()
	}
	return p, p.Reasons
}

// beginMerge begins a proof, or says why there can be none of any kind.
func beginMerge(k *analysis.Kernel, name string, opt kit.Options) (*mergeProof, []diag.Message) {
	p := newMergeProof(k, name, opt)
	if p.Sync == variant.SyncLock {
		p.SharedSets = max(1, opt.SharedSets)
	}
	if kit.AlreadyMultiplexed(k) {
		p.Refuse(k.File, k.View.Start, kit.CodeAlready, "the kernel is already multiplexed")
		return nil, p.Reasons
	}
	if len(k.Hazards) > 0 && !(p.copiesAll() && barriers.OnlyCollectives(k)) {
		return nil, k.Hazards
	}
	return p, nil
}

// Prove makes the proofs that do not depend on the sync mode.
func (p *mergeProof) Prove() {
	p.fold()
	p.checkShapes()
	p.checkWarps()
	p.CheckShadows(kit.Uses.Any)
	if p.Assume {
		u := kit.UsesOf(p.Kernel, p.Kernel.Func)
		p.assumed = p.AssumedShape(u.ThreadIdx, u.BlockDim)
	}
	p.checkSignature()
}

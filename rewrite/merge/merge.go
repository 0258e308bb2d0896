package merge

import (
	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/barriers"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/rewrite/kit"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// CheckMerge proves that a kernel can be merged N-fold with a copy of all its shared variables for each v-TB. Nothing
// is shared then, so there are no regions and no turns: what binds such a kernel is the number of thread blocks that
// an SM takes, not its shared memory. It need not use any, nor hold a barrier.
//
//	__shared__ float s[64];                 __shared__ float smux_s[2][64];
//	s[t] = a[i];                            auto s = smux_s[vtb.id];
//	__syncthreads();              -->       s[t] = a[i];
//	a[i] = s[63 - t];                       vtb.sync();
//	                                        a[i] = s[63 - t];
//
// Barriers are the v-TB's own in the sync mode named. In the sync mode block they
// stay those of the launched block, and all v-TBs must meet them alike.
func CheckMerge(k *analysis.Kernel, opt kit.Options) (kit.Proof, []diag.Message) {
	p, reasons := beginMerge(k, variant.Merge, opt)
	if p == nil {
		return nil, reasons
	}
	switch {
	case p.Sync == variant.SyncLock:
		p.Refuse(k.File, k.View.Start, CodeSync, "each merged block has its own shared arrays: there is nothing to take by a lock")
		return nil, p.Reasons
	case p.Sync == variant.SyncNamed && len(k.Barriers) == 0:
		p.Refuse(k.File, k.View.Start, CodeSync, "the kernel holds no barrier that could be a v-TB's own: sync mode block makes the same of it")
		return nil, p.Reasons
	}
	p.privatized = k.Shared
	p.checkCollectives()
	p.Prove()
	if p.Sync == variant.SyncBlock {
		p.proveTogether()
	} else {
		p.proveApart()
	}
	return p, p.Reasons
}

// copiesAll reports whether each v-TB gets a copy of all shared variables, and all meet
// the barriers of the launched block together.
func (p *mergeProof) copiesAll() bool {
	return p.Rewriter == variant.Merge && p.Sync == variant.SyncBlock
}

// checkCollectives proves that the collectives of CUB that the kernel calls, whose code is out of view, do in each
// v-TB what they did in a block: storage is copied like all shared variables, that the v-TBs call them together is
// proved as for barriers and that warps are whole as for warp intrinsics (checkBarriers, checkWarps). What is left is
// the thread's number, which they make of threadIdx: its z, along which blocks are merged, must not count, so the
// original blocks are one deep.
func (p *mergeProof) checkCollectives() {
	k := p.Kernel
	if !barriers.OnlyCollectives(k) {
		return
	}
	for _, in := range k.Instances {
		if d, ok := in.BlockShape(); !ok || d[2] != 1 {
			p.Reasons = append(p.Reasons, k.Hazards...)
			return
		}
	}
}

// The codes of what these rewriters refuse or remark. diag documents each.
const (
	CodeBlockUnknown  diag.Code = "block-unknown"
	CodeBlockTooLarge diag.Code = "block-too-large"
	CodeBarrierIDs    diag.Code = "barrier-ids"
	CodeNotWarps      diag.Code = "not-whole-warps"
	CodeSignature     diag.Code = "signature"
	CodeLaunchByHand  diag.Code = "launch-by-hand"
	CodeLaunch        diag.Code = "launch"
	CodeLaunchCall    diag.Code = "launch-call"
	CodeHoist         diag.Code = "hoist"
	CodeTurnState     diag.Code = "turn-state"
	CodeVote          diag.Code = "block-vote"
	CodeBarrierCall             = analysis.CodeBarrierCall
	CodeSlots         diag.Code = "slots"
	CodeSync          diag.Code = "sync-mode"
	CodePartition     diag.Code = "partition"
	CodeNoStage       diag.Code = "nothing-to-stage"
	CodePersistent    diag.Code = "persistent"
	CodeLocks         diag.Code = "separate-locks"
	CodePipe          diag.Code = "pipe-form"
	CodeNoOverlap     diag.Code = "no-overlap"
	CodeOverlapMark   diag.Code = "overlap-mark"
)

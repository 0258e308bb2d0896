package merge

import (
	"fmt"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/rewrite/kit"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// CheckCoVTB proves that a kernel's largest shared array can be split by rows, and that the kernel can then be merged
// N-fold with the first P rows N times and the rest once: v-TBs take turns only with those (PACT'12 §4.3). These are
// two rewrites, each proved by itself: the partition of the original kernel, and on what comes of it that of vtb,
// with the private rows owned.
//
// The second proof is of text that the first rewrite makes and that is read again, so the
// check makes that text: the kernel with two arrays, which is not merged yet.
func CheckCoVTB(k *analysis.Kernel, opt kit.Options) (kit.Proof, []diag.Message) {
	p, reasons := beginMerge(k, variant.CoVTB, opt)
	if p == nil {
		return nil, reasons
	}
	c := newPartition(p, opt.PrivateRows)
	if c == nil {
		return nil, p.Reasons
	}
	if kit.RereadsTooMuch(k.File) {
		c.Refuse(k.File, k.View.Start, analysis.CodeGaveUp, "the file would be read again for each of its kernels, and is too large for that")
		return nil, c.Reasons
	}
	if c.proveAccesses(limit(opt.Sync)); len(c.Reasons) > 0 {
		return nil, c.Reasons
	}
	first := c.write()
	s, err := kit.NewSnapshot(k, first.Buffer(k.File).Edits())
	if err != nil {
		c.Refuse(k.File, k.View.Start, CodePartition, "the kernel with a split array can't be read again: %v", err)
		return nil, c.Reasons
	}
	opt.PrivateRows = c.private
	second, reasons := check(s.Kernel, variant.CoVTB, opt, first.owned(s.Kernel)...)
	if len(reasons) > 0 {
		return nil, s.Messages(reasons)
	}
	merged := *MergedBy(second)
	merged.Kernel, merged.Notes, merged.Rests = k, s.Messages(merged.Notes), nil
	return &coProof{mergeProof: &merged, partition: c, parted: s, second: second}, nil
}

// coProof is the proof of two rewrites, of which the second is one of the kernel that the
// first leaves. The embedded one is that of the second, told of the original kernel.
type coProof struct {
	*mergeProof
	partition *partition
	parted    *kit.Snapshot
	second    kit.Proof
}

// Apply writes the merged kernel, and brings the edits back to the original text.
func (p *coProof) Apply() *kit.Edits {
	if !p.Opt.Unchecked {
		p.second.Found().Rests = p.RestsOn() // what the first rewrite rests on, too
		p.Shapes()
	}
	edits := p.second.Apply()
	if err := p.parted.Rebase(edits); err != nil {
		panic(fmt.Sprintf("both rewrites of %s want to change the same: %v", p.Kernel.Name, err))
	}
	return edits
}

func (p *coProof) Functions() []*ir.Func {
	return lists.Map(p.second.Functions(), func(fn *ir.Func) *ir.Func { return p.parted.Function(fn) })
}

// String shows both proofs, the second with places in the text that the first leaves.
func (p *coProof) String() string {
	return p.Title() + p.partition.Describe() + "\n\tof what that leaves:" + strings.TrimPrefix(p.second.String(), p.Title())
}

// limit returns the unevenness that a sync mode allows of the control around regions.
func limit(sync string) analysis.Uniformity {
	if sync == variant.SyncLock {
		return analysis.BlockUniform
	}
	return analysis.GridUniform
}

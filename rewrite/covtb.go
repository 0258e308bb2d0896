package rewrite

import (
	"fmt"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/diag"
)

// checkCoVTB proves that a kernel's largest shared array can be split by rows,
// and that the kernel can then be merged N-fold with the first P rows N times and
// the rest once: v-TBs take turns only with those (PACT'12 §4.3). These are two
// rewrites, each proved by itself: the partition of the original kernel, and on
// what comes of it that of vtb, with the private rows owned.
//
// The second proof is of text that the first rewrite makes and that is read again, so the
// check makes that text: the kernel with two arrays, which is not merged yet.
func checkCoVTB(k *analysis.Kernel, opt Options) (Proof, []diag.Message) {
	p, reasons := beginMerge(k, "co-vtb", opt)
	if p == nil {
		return nil, reasons
	}
	c := newPartition(p, opt.PrivateRows)
	if c == nil {
		return nil, p.reasons
	}
	if rereadsTooMuch(k.File) {
		c.refuse(k.File, k.View.Start, analysis.CodeGaveUp, "the file would be read again for each of its kernels, and is too large for that")
		return nil, c.reasons
	}
	if c.proveAccesses(limit(opt.Sync)); len(c.reasons) > 0 {
		return nil, c.reasons
	}
	first := c.write()
	s, err := newSnapshot(k, first.buffer(k.File).Edits())
	if err != nil {
		c.refuse(k.File, k.View.Start, CodePartition, "the kernel with a split array can't be read again: %v", err)
		return nil, c.reasons
	}
	opt.PrivateRows = c.private
	second, reasons := check(s.kernel, "co-vtb", opt, first.owned(s.kernel)...)
	if len(reasons) > 0 {
		return nil, s.messages(reasons)
	}
	merged := *mergedBy(second)
	merged.Kernel, merged.notes, merged.rests = k, s.messages(merged.notes), nil
	return &coProof{mergeProof: &merged, partition: c, parted: s, second: second}, nil
}

// coProof is the proof of two rewrites, of which the second is one of the kernel that the
// first leaves. The embedded one is that of the second, told of the original kernel.
type coProof struct {
	*mergeProof
	partition *partition
	parted    *snapshot
	second    Proof
}

// Apply writes the merged kernel, and brings the edits back to the original text.
func (p *coProof) Apply() *Edits {
	if !p.opt.unchecked {
		p.second.found().rests = p.restsOn() // what the first rewrite rests on, too
		p.shapes()
	}
	edits := p.second.Apply()
	if err := p.parted.rebase(edits); err != nil {
		panic(fmt.Sprintf("both rewrites of %s want to change the same: %v", p.Kernel.Name, err))
	}
	return edits
}

func (p *coProof) functions() (out []*ir.Func) {
	for _, fn := range p.second.functions() {
		out = append(out, p.parted.function(fn))
	}
	return out
}

// String shows both proofs, the second with places in the text that the first leaves.
func (p *coProof) String() string {
	return p.title() + p.partition.describe() + "\n\tof what that leaves:" + strings.TrimPrefix(p.second.String(), p.title())
}

// limit is how uneven the control around regions may be in a sync mode.
func limit(sync string) analysis.Uniformity {
	if sync == "lock" {
		return analysis.BlockUniform
	}
	return analysis.GridUniform
}

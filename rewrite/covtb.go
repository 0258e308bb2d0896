package rewrite

import (
	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/parser"
)

// checkCoVTB proves that a kernel's largest shared array can be split by rows,
// and that the kernel can then be merged N-fold with the first P rows N times and
// the rest once: v-TBs take turns only with those (PACT'12 §4.3). These are two
// rewrites, each proved by itself: the partition of the original kernel, and on
// what comes of it that of vtb, with the private rows owned.
func checkCoVTB(k *analysis.Kernel, opt Options) (Proof, []diag.Message) {
	proof, reasons := beginMerge(k, "co-vtb", opt)
	if proof == nil {
		return nil, reasons
	}
	first := newMerger(proof)
	c := newPartition(first, opt.PrivateRows)
	if c == nil {
		return nil, first.reasons
	}
	if n := kernelsIn(k.File); n > fewKernels && len(k.File.Src)*n > maxReread {
		c.refuse(k.File, k.View.Start, analysis.CodeGaveUp, "the file would be read again for each of its kernels, and is too large for that")
		return nil, c.reasons
	}
	c.split(limit(opt.Sync))
	if len(c.reasons) > 0 {
		return nil, c.reasons
	}
	s, err := newSnapshot(k, c.buffer(k.File).Edits())
	if err != nil {
		c.refuse(k.File, k.View.Start, CodePartition, "the kernel with a split array can't be read again: %v", err)
		return nil, c.reasons
	}
	opt.PrivateRows = c.private
	p, reasons := check(s.kernel, "co-vtb", opt, c.owned(s.kernel)...)
	if len(reasons) > 0 {
		return nil, s.messages(reasons)
	}
	w := &coProof{p.merged(), p.Apply()}
	if err := s.rebase(w.mergeProof, w.edits); err != nil {
		c.refuse(k.File, k.View.Start, CodePartition, "both rewrites want to change the same: %v", err)
		return nil, c.reasons
	}
	return w, nil
}

// coProof is a proof that holds its edits.
type coProof struct {
	*mergeProof
	edits *Edits
}

func (p *coProof) Apply() *Edits { return p.edits }

func (p *coProof) functions() (out []*ir.Func) {
	for _, c := range p.edits.clones {
		out = append(out, c.fn)
	}
	return out
}

// maxReread is how many bytes may be read again for one split of each kernel of a file
// with more than a few: half a second of parsing, and a few splits are tried. Of the
// code that smux is tried on, no file takes a sixth of that.
const (
	maxReread  = 2 << 20
	fewKernels = 10
)

// kernelsIn counts the kernels that a file defines.
func kernelsIn(f *parser.File) (n int) {
	for _, fn := range f.Functions {
		if fn.IsKernel() && fn.Body != nil {
			n++
		}
	}
	return n
}

// limit is how uneven the control around regions may be in a sync mode.
func limit(sync string) analysis.Uniformity {
	if sync == "lock" {
		return analysis.BlockUniform
	}
	return analysis.GridUniform
}

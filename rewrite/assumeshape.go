package rewrite

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/diag"
)

// checkAssume proves that every launch of a kernel has blocks of one shape, and
// tells the compiler (design §5, "Be fair to the original"): it then knows the
// range of thread ids, and computes fewer addresses and bounds.
//
//	__global__ void k(float *a) {           __global__ void k(float *a) {
//	    a[threadIdx.x] = …        -->           __builtin_assume(threadIdx.x < 64);
//	}                                           a[threadIdx.x] = …
//	                                        }
//
// A launch with other blocks would be undefined, and compiles and links as
// before. So a shape that only the command line gives does not count, and what
// could hide a launch refuses the kernel (launchProof.check). What is left is
// another file, not named, with a declaration of its own: a note says so.
func checkAssume(k *analysis.Kernel, opt Options) (Proof, []diag.Message) {
	p := &assumeProof{findings: newFindings(k, "assume-shape", opt)}
	if len(k.Hazards) > 0 {
		return nil, k.Hazards
	}
	if alreadyMultiplexed(k) || p.says(assumeMark) {
		p.refuse(k.File, k.View.Start, CodeAlready, "the compiler is already told the block shape")
		return nil, p.reasons
	}
	p.shape = p.assumedShape(true, true)
	return p, p.reasons
}

const assumeMark = "// smux assume-shape:"

// assumeProof says what every launch's blocks have in common.
type assumeProof struct {
	findings
	shape assumedShape
}

// String lists the assumptions.
func (p *assumeProof) String() string {
	return p.title() + "\n\t" + strings.Join(p.shape.lines(), "\n\t")
}

// Apply puts the assumptions at the kernel's top.
func (p *assumeProof) Apply() *Edits {
	w := newEmitter(p.Kernel)
	lines := []string{fmt.Sprintf("%s every launch has blocks of %s threads.", assumeMark, shapeText(p.shape.extents))}
	w.atTop(slices.Concat(lines, w.checks(&p.findings), p.shape.lines()))
	return w.done()
}

// Package shape tells the compiler the shape that the blocks of all launches have.
package shape

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/rewrite/kit"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// Check proves that every launch of a kernel has blocks of one shape, and tells the compiler: it then knows the range
// of thread ids, and computes fewer addresses and bounds.
//
//	__global__ void k(float *a) {           __global__ void k(float *a) {
//	    a[threadIdx.x] = …        -->           __builtin_assume(threadIdx.x < 64);
//	}                                           a[threadIdx.x] = …
//	                                        }
//
// A launch with other blocks would be undefined, and compiles and links as before. So a shape that only the command
// line gives does not count, and what could hide a launch refuses the kernel (LaunchProof.check). What is left is
// another file, not named, with a declaration of its own: a note says so.
func Check(k *analysis.Kernel, opt kit.Options) (kit.Proof, []diag.Message) {
	p := &assumeProof{Findings: kit.NewFindings(k, variant.AssumeShape, opt)}
	if len(k.Hazards) > 0 {
		return nil, k.Hazards
	}
	if kit.AlreadyMultiplexed(k) || p.Says(assumeMark) {
		p.Refuse(k.File, k.View.Start, kit.CodeAlready, "the compiler is already told the block shape")
		return nil, p.Reasons
	}
	p.shape = p.AssumedShape(true, true)
	return p, p.Reasons
}

const assumeMark = "// smux assume-shape:"

// assumeProof says what every launch's blocks have in common.
type assumeProof struct {
	kit.Findings
	shape kit.AssumedShape
}

// String lists the assumptions.
func (p *assumeProof) String() string {
	return p.Title() + "\n\t" + strings.Join(p.shape.Lines(), "\n\t")
}

// Apply puts the assumptions at the kernel's top.
func (p *assumeProof) Apply() *kit.Edits {
	w := kit.NewEmitter(p.Kernel)
	lines := []string{fmt.Sprintf("%s every launch has blocks of %s threads.", assumeMark, analysis.ShapeText(p.shape.Extents))}
	w.AtTop(slices.Concat(lines, w.Checks(&p.Findings), p.shape.Lines()))
	return w.Done()
}

// Package overlay puts shared variables that are never live together on the same bytes.
package overlay

import (
	"fmt"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/launches"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite/kit"
	"github.com/smux-cuda/smux/rewrite/packing"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// The codes of overlay.
const (
	CodeNoOverlay   diag.Code = "nothing-to-overlay"
	CodeOverlayLive diag.Code = "live-together"
	CodeUnordered   diag.Code = "not-ordered"
	CodeOverlayForm diag.Code = "overlay-form"
	CodeOverlaid    diag.Code = "bytes-shared"
)

// Check proves that shared variables of a kernel and of its device functions can
// have the same bytes, so that a thread block takes fewer.
//
//	__shared__ float sums[256];             __shared__ union { float sums[256]; int order[256]; } smux_shared;
//	__shared__ int order[256];       -->    auto &sums = smux_shared.sums;
//	                                        auto &order = smux_shared.order;
//
// Of two variables that have bytes in common neither is written while the other holds a value that may be read
// (Kernel.LiveTogether), and between any use of the one and any of the other, one of them a write, all threads of the
// block meet at a barrier (Kernel.Unordered). Where none does, one is added, if all threads come there and none has
// left. What is read before anything has written it has no value before or after.
//
// A union and not a buffer of bytes: nvcc 11.8 makes the same code of both for sm_52 to sm_90, and of a union sizes
// and alignments need not be written down, so that they can't be wrong under another -D or another template argument.
func Check(k *analysis.Kernel, opt kit.Options) (kit.Proof, []diag.Message) {
	p := &OverlayProof{Findings: kit.NewFindings(k, variant.Overlay, opt)}
	if len(k.Hazards) > 0 {
		return nil, k.Hazards
	}
	if kit.AlreadyMultiplexed(k) || p.Says(overlayMark) {
		p.Refuse(k.File, k.View.Start, kit.CodeAlready, "smux has rewritten this kernel before")
		return nil, p.Reasons
	}
	for _, fn := range k.Recursive {
		p.Refuse(fn.File, fn.View.Start, analysis.CodeRecursion, "device function %s may reach itself", fn.View.Name)
		return nil, p.Reasons
	}
	p.findOverlays()
	if len(p.Overlays) == 0 {
		if len(p.Reasons) == 0 {
			p.Refuse(k.File, k.View.Start, CodeNoOverlay, "the kernel has no two shared variables of known size that could share bytes")
		}
		return nil, p.Reasons
	}
	if n := p.saved(); n < leastBytes {
		p.Reasons = nil
		p.Refuse(k.File, k.View.Start, CodeNoOverlay, "%s could share bytes, and would save %d: SMs give out shared memory in units of %d bytes or more", p.summary(), n, leastBytes)
		return nil, p.Reasons
	}
	// What keeps single variables apart is no reason against the others.
	p.Reasons = nil
	p.Closed = launches.IsLaunched(k)
	p.Note(k.File, k.View.Start, CodeOverlaid, "%s share bytes; %d bytes of shared memory less in each thread block%s", p.summary(), p.saved(), p.barrierText())
	return p, nil
}

// overlayMark begins the comment above variables that have the same bytes.
const overlayMark = "// smux overlay:"

// OverlayProof says which shared variables get the same bytes, and where barriers are added for that.
type OverlayProof struct {
	kit.Findings
	Overlays []OverlaySet
	barriers []*ir.Stmt // of the kernel, in source order: one is added before each
}

// OverlaySet is variables that become members of one union.
type OverlaySet struct {
	Tree *packing.Tree // its Arrays count in vars
	Vars []*overlaid
	// Place is the statement of the kernel before which the union is declared; nil where
	// it is declared at namespace scope, before the function first.
	Place *ir.Stmt
	first *ir.Func
}

// names are those of the variables of a union: a + b lie side by side.
func (s OverlaySet) names() string {
	out := lists.Map(s.Tree.Parts, s.namesIn)
	return diag.AndList(out)
}

func (s OverlaySet) namesIn(t *packing.Tree) string {
	if len(t.Parts) == 0 {
		return s.Vars[t.Array].V.Name
	}
	between := " + "
	if t.Union {
		between = "/"
	}
	out := lists.Map(t.Parts, s.namesIn)
	return strings.Join(out, between)
}

// saved counts the bytes that the variables save, without what alignment adds.
func (p *OverlayProof) saved() (bytes int) {
	for _, s := range p.Overlays {
		sizes := sizesOf(s.Vars)
		for _, i := range s.Tree.Arrays() {
			bytes += sizes[i]
		}
		bytes -= s.Tree.Size(sizes)
	}
	return bytes
}

func (p *OverlayProof) summary() string {
	out := lists.Map(p.Overlays, OverlaySet.names)
	return strings.Join(out, ", ")
}

func (p *OverlayProof) barrierText() string {
	switch n := len(p.barriers); n {
	case 0:
		return ""
	case 1:
		return ", and a barrier more"
	default:
		return fmt.Sprintf(", and %d barriers more", n)
	}
}

// String lists the unions and the added barriers.
func (p *OverlayProof) String() string {
	var b strings.Builder
	b.WriteString(p.Title())
	for _, s := range p.Overlays {
		at := "at namespace scope"
		if s.Place != nil {
			at = "before " + p.At(s.Place.Range.Start)
		}
		fmt.Fprintf(&b, "\n\t%s %s: %d bytes", s.names(), at, s.Tree.Size(sizesOf(s.Vars)))
	}
	for _, s := range p.barriers {
		fmt.Fprintf(&b, "\n\tbarrier before %s", p.At(s.Range.Start))
	}
	return b.String()
}

func (p *OverlayProof) Files() []*parser.File {
	out := []*parser.File{p.Kernel.File}
	for _, s := range p.Overlays {
		for _, a := range s.Vars {
			out = append(out, a.fn.File)
		}
	}
	return out
}

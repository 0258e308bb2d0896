// Package space lists the forms of a kernel that can be measured, and writes each
// of them. Only what the rewriters can prove right is listed, and where Input.Sizes asks
// for it what runs must show to be right: each form has been written once before it is.
//
// The full product of all knobs has thousands of forms, of which most differ in
// nothing that matters. So it is cut: what merges thread blocks is listed with
// every value of its main knobs, and the finer ones, a cap on registers and a
// carve-out of shared memory are tried after the few forms of which a model
// expects most. docs/develop/measuring.md says how. What was looked at and left out is named, with
// the reason.
package space

import (
	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/pipeline/selection"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/tune/record"
)

// Input is a kernel, or kernels that are rewritten together, of a program.
type Input struct {
	Program  *parser.Program
	Parse    parser.Options
	Analysed *analysis.Program // of Program
	Group    rewrite.Group     // with the offers that rewrite.Groups makes under Options
	// Options are Block and Runtime. What Variant says restricts what is listed; the
	// original and its forms stay, as gains are reported against them.
	Options rewrite.Options
	GPU     *gpu.GPU
	// Report is selection.Group's on Group for GPU; nil where the model has nothing to
	// say.
	Report *selection.Report
	// All also lists the forms that no measurement has found to pay (rare): what is asked for by name is
	// listed without it.
	All bool
	// Sizes has the original listed with other values of the constants that set its
	// sizes, which nothing proves right.
	Sizes bool
	// CPU says that forms run on the CPU: what a compiler for a GPU is told of registers, and how a GPU
	// divides its memory, mean nothing there.
	CPU bool
}

// ListedVariant is a form that can be measured.
type ListedVariant struct {
	record.TunedVariant
	// Predicted is the time of the original over its own that the model expects, 0
	// where it says nothing.
	Predicted float64
	Registers int
	Shared    int // bytes of a launched thread block
	VTBs      int // original thread blocks at once per SM
	Limiter   string
	Traits    []string // as search.Variant has them
}

// OmittedVariant is a form that is not listed.
type OmittedVariant struct {
	record.TunedVariant
	Why string
}

// Package space lists the forms of a kernel that can be measured, and writes each of them: what the rewriters prove right, and with
// Input.Sizes what runs must show to be right. Of the thousands of forms most differ in nothing that matters: so the finer
// knobs, a cap on registers and a carve-out are tried after the few forms of which a model expects most
// (docs/develop/measuring.md). What is left out is named, with the reason.
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
	// Options are Block and Runtime; Variant restricts what is listed besides the original and its forms.
	Options rewrite.Options
	GPU     *gpu.GPU
	// Report is selection.Group's on Group for GPU; nil where the model has nothing to say.
	Report *selection.Report
	// All also lists unnamed forms that no measurement has found to pay (rare).
	All bool
	// Sizes has the original listed with other values of the constants that set its sizes, which nothing proves right.
	Sizes bool
	// CPU says that forms run on the CPU, where a GPU's registers and division of memory mean nothing.
	CPU bool
}

type ListedVariant struct {
	record.TunedVariant
	// Predicted is the time of the original over its own that the model expects, 0 where it says nothing.
	Predicted float64
	Registers int
	Shared    int // bytes of a launched thread block
	VTBs      int // original thread blocks at once per SM
	Limiter   string
	Traits    []string // as search.Variant has them
}

type OmittedVariant struct {
	record.TunedVariant
	Why string
}

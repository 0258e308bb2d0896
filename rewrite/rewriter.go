package rewrite

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/rewrite/runtime"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// Variant is a rewriter with its knobs set.
type Variant = variant.Variant

// Rewriter is one way to rewrite a kernel. Check proves that the rewrite keeps
// the kernel's meaning or says why not; the edits follow mechanically from the proof.
type Rewriter struct {
	*variant.Rewriter
	// Check proves the rewrite of a kernel, or gives the reasons against it.
	Check func(*analysis.Kernel, Options) (Proof, []diag.Message)
}

// Rewriters are all rewriters in the order of variant.Rewriters, the preferred first.
var Rewriters = []*Rewriter{
	{variant.Named("vtb"), checkVTB},
	{variant.Named("vtb-pipe"), checkPipe},
	{variant.Named("co-vtb"), checkCoVTB},
	{variant.Named("dyn"), checkDyn},
	{variant.Named("merge"), checkMerge},
	{variant.Named("stage-loads"), checkStage},
	{variant.Named(variant.Overlay), checkOverlay},
	{variant.Named("assume-shape"), checkAssume},
	{variant.Named("slice"), checkSlice},
	{variant.Named(variant.Stage), checkSchemes},
	{variant.Named(variant.Demote), checkDemote},
}

// rewriter returns the rewriter of a name, the preferred one for "", nil for any other.
func rewriter(name string) *Rewriter {
	i := slices.IndexFunc(Rewriters, func(r *Rewriter) bool { return r.Name == cmp.Or(name, Rewriters[0].Name) })
	if i < 0 {
		return nil
	}
	return Rewriters[i]
}

// noRewriter is the error that a name is of no rewriter.
func noRewriter(name string) error { return fmt.Errorf("there is no rewriter %q", name) }

// CheckedVariant says whether a rewriter can be applied to a kernel with a sync mode.
type CheckedVariant struct {
	Variant
	Can     bool           `json:"can"`
	Refused []diag.Message `json:"refused,omitempty"`
	Staged  []Staged       `json:"-"` // by CheckedVariants, where stage can be applied
}

// sharedSets are the values of the knob of that name, as far as opt leaves it open.
func (r *Rewriter) sharedSets(opt Options) []int {
	switch {
	case r.SharedSets == nil:
		return []int{0}
	case opt.SharedSets != 0:
		return []int{opt.SharedSets}
	case opt.Rewriter == r.Name:
		return []int{1} // as Run does
	}
	return r.SharedSets
}

// cuts are the ways to exchange in rounds, as far as opt leaves them open.
func (r *Rewriter) cuts(opt Options) []variant.Cut {
	switch {
	case r.Cuts == nil && opt.Rewriter != r.Name:
		return []variant.Cut{{}}
	case opt.Rewriter == r.Name || opt.By != "" || opt.Rounds != 0:
		return []variant.Cut{{By: opt.By, Rounds: opt.Rounds}}
	}
	return r.Cuts
}

// checked is what the options ask for, which is available or not.
func (o Options) checked(can bool) CheckedVariant {
	return CheckedVariant{Variant: o.Variant, Can: can}
}

func (o Options) withDefaults() Options {
	o.Variant = o.Variant.WithDefaults()
	if o.Runtime == "" {
		o.Runtime = runtime.Inline
	}
	return o
}

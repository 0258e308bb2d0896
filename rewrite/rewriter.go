package rewrite

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/smux-cuda/smux/rewrite/variant"
)

// Rewriters are all rewriters in the order of variant.Rewriters, the preferred first.
var Rewriters = []*Rewriter{
	{Rewriter: variant.Named("vtb"), Check: checkVTB},
	{Rewriter: variant.Named("vtb-pipe"), Check: checkPipe},
	{Rewriter: variant.Named("co-vtb"), Check: checkCoVTB},
	{Rewriter: variant.Named("dyn"), Check: checkDyn},
	{Rewriter: variant.Named("merge"), Check: checkMerge},
	{Rewriter: variant.Named("stage-loads"), Check: checkStage},
	{Rewriter: variant.Named(variant.Overlay), Check: checkOverlay},
	{Rewriter: variant.Named("assume-shape"), Check: checkAssume},
	{Rewriter: variant.Named("slice"), Check: checkSlice},
	{Rewriter: variant.Named(variant.Stage), Check: checkSchemes},
	{Rewriter: variant.Named(variant.Demote), Check: checkDemote},
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

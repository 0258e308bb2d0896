package rewrite

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/smux-cuda/smux/rewrite/variant"
)

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

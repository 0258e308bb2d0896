package rewrite

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/smux-cuda/smux/rewrite/coarsen"
	"github.com/smux-cuda/smux/rewrite/merge"
	"github.com/smux-cuda/smux/rewrite/overlay"
	"github.com/smux-cuda/smux/rewrite/registers"
	"github.com/smux-cuda/smux/rewrite/reshape"
	"github.com/smux-cuda/smux/rewrite/shape"
	"github.com/smux-cuda/smux/rewrite/slice"
	"github.com/smux-cuda/smux/rewrite/stage"
	"github.com/smux-cuda/smux/rewrite/swizzle"
	"github.com/smux-cuda/smux/rewrite/unroll"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// Rewriters are all rewriters in the order of variant.Rewriters, the preferred first.
var Rewriters = []*Rewriter{
	{Rewriter: variant.Named(variant.VTB), Check: merge.CheckVTB},
	{Rewriter: variant.Named(variant.VTBPipe), Check: merge.CheckPipe},
	{Rewriter: variant.Named(variant.CoVTB), Check: merge.CheckCoVTB},
	{Rewriter: variant.Named(variant.Dyn), Check: merge.CheckDyn},
	{Rewriter: variant.Named(variant.Merge), Check: merge.CheckMerge},
	{Rewriter: variant.Named(variant.StageLoads), Check: merge.CheckStageLoads},
	{Rewriter: variant.Named(variant.Overlay), Check: overlay.Check},
	{Rewriter: variant.Named(variant.AssumeShape), Check: shape.Check},
	{Rewriter: variant.Named(variant.Slice), Check: slice.Check},
	{Rewriter: variant.Named(variant.Stage), Check: stage.Check},
	{Rewriter: variant.Named(variant.Demote), Check: registers.Check},
	{Rewriter: variant.Named(variant.Coarsen), Check: coarsen.Check},
	{Rewriter: variant.Named(variant.Swizzle), Check: swizzle.Check},
	{Rewriter: variant.Named(variant.Unroll), Check: unroll.Check},
	{Rewriter: variant.Named(variant.Reshape), Check: reshape.Check},
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

package selection

import (
	"fmt"
	"slices"

	"github.com/smux-cuda/smux/model/profile"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// answers are, for each part of a GPU that may limit a kernel, the rewriters that ask less of it: those that only run more
// thread blocks at once, or hide latencies, do not.
var answers = map[string][]string{
	profile.DRAM: {variant.Stage, variant.Coarsen, variant.Swizzle, variant.Reshape},
	profile.L2:   {variant.Stage, variant.Coarsen, variant.Swizzle, variant.Reshape},
	profile.L1:   {variant.Stage, variant.Coarsen, variant.Demote},
	profile.SM:   {variant.Coarsen, variant.Unroll, variant.AssumeShape},
}

// answered reports whether a step of a rewrite asks less of a part of the GPU. Threads of one block share what its L1 holds.
func answered(w Variant, part string) bool {
	return slices.ContainsFunc(w.Steps(), func(step Variant) bool {
		return slices.Contains(answers[part], step.Rewriter) && (step.Of == "" || part == profile.L1 || part == profile.SM)
	})
}

// measured puts beside a ranking what a profile says of the kernels, where it was made with as many threads in a block, and excludes
// the rewrites that don't answer what limits them on a GPU that was asked for.
func (r *Report) measured(kernels []profile.Kernel) {
	for _, k := range kernels {
		matches := func(p Place) bool {
			threads := k.Block[0] * k.Block[1] * k.Block[2]
			return p.name() == k.Name && (threads == 0 || threads == p.Work.Threads)
		}
		if !slices.ContainsFunc(r.places, matches) {
			continue
		}
		k.Show()
		r.Profile = append(r.Profile, k)
		limit, ok := k.Limit()
		if !ok || !slices.ContainsFunc(r.places, func(p Place) bool { return matches(p) && p.GPU.CC() == k.Capability }) {
			continue
		}
		for i, w := range r.Ranking {
			if w.Excluded == "" && !answered(w.Variant, limit.Of) {
				r.Ranking[i] = RankedVariant{Variant: w.Variant, Excluded: fmt.Sprintf("%s is %.0f %% busy by the profile, and it asks no less of it", limit.Of, limit.Percent)}
			}
		}
	}
}

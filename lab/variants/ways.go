package variants

import (
	"slices"

	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// The values of the knobs that are tabulated. All others are left to the rewriter.
var (
	factors = []int{2, 4}
	slots   = []int{1, 2}
)

// ways are the rewrites that are tabulated: each rewriter in each sync mode, with
// those factors that it compares by itself.
func ways() []rewrite.Variant {
	var out []rewrite.Variant
	for _, r := range rewrite.Rewriters {
		if r.Searched {
			continue // docs/evidence/registers.md shows it
		}
		for _, n := range values(r, variant.KnobFactor, factors) {
			if n > 0 && !slices.Contains(r.Factors, n) {
				continue
			}
			for _, m := range values(r, variant.KnobSharedSets, slots) {
				for _, opt := range rewrite.Variants(rewrite.Options{Variant: rewrite.Variant{Rewriter: r.Name, Factor: n, SharedSets: m}}) {
					out = append(out, opt.Variant)
				}
			}
		}
	}
	return out
}

// sets are the knobs that make turns shorter, each alone and all of them, and blocks that stay.
func sets() [][]string {
	var out [][]string
	for _, knob := range variant.OfTurns() {
		out = append(out, []string{knob})
	}
	return append(out, variant.OfTurns(), []string{variant.KnobPersistent})
}

// shorter are vtb in mode named with each set of these knobs, none first, for each factor that is
// tabulated.
func shorter() (out [][]rewrite.Variant) {
	for _, n := range factors {
		plain := rewrite.Variant{Rewriter: "vtb", Sync: "named", Factor: n}
		row := []rewrite.Variant{plain}
		for _, set := range sets() {
			w := plain
			for _, knob := range set {
				*w.Switch(knob) = true
			}
			row = append(row, w)
		}
		out = append(out, row)
	}
	return out
}

// staying are other rewriters and modes without and with blocks that stay.
func staying() (out [][]rewrite.Variant) {
	for _, plain := range []rewrite.Variant{
		{Rewriter: "vtb", Sync: "lock", Factor: 2},
		{Rewriter: "co-vtb", Sync: "named", Factor: 2},
		{Rewriter: "co-vtb", Sync: "lock", Factor: 2},
		{Rewriter: "dyn", Sync: "lock", Factor: 4, SharedSets: 2},
	} {
		stays := plain
		stays.Persistent = true
		out = append(out, []rewrite.Variant{plain, stays})
	}
	return out
}

// values are those of a knob, 0 alone where the rewriter does not have it.
func values(r *rewrite.Rewriter, knob string, all []int) []int {
	if r.Has(knob) {
		return all
	}
	return []int{0}
}

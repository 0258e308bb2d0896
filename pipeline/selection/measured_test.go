package selection

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/model/profile"
	"github.com/smux-cuda/smux/model/workload"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// TestWhatLimitsAKernelExcludesRewrites: what does not ask less of a saturated part of the GPU is excluded, where the profile is
// of that kernel, with as many threads, on a GPU that was asked for; elsewhere it is shown, or not even that.
func TestWhatLimitsAKernelExcludesRewrites(t *testing.T) {
	kernel := &analysis.Kernel{}
	kernel.Name = "k"
	k := profile.Kernel{Name: "k", Capability: "8.0", Block: [3]int{64, 1, 1}, Busy: []profile.Share{{Of: profile.DRAM, Percent: 90}}}
	with := func(change func(*profile.Kernel)) profile.Kernel {
		out := k
		change(&out)
		return out
	}
	for name, c := range map[string]struct {
		profile         profile.Kernel
		shown, excludes bool
	}{
		"of the kernel":       {k, true, true},
		"of any block":        {with(func(k *profile.Kernel) { k.Block = [3]int{} }), true, true},
		"of other threads":    {with(func(k *profile.Kernel) { k.Block[1] = 2 }), false, false},
		"of another kernel":   {with(func(k *profile.Kernel) { k.Name = "g" }), false, false},
		"on another GPU":      {with(func(k *profile.Kernel) { k.Capability = "9.0" }), true, false},
		"nothing is limiting": {with(func(k *profile.Kernel) { k.Busy = nil }), true, false},
	} {
		t.Run(name, func(t *testing.T) {
			r := &Report{
				places:  []Place{{GPU: board(t, "a100"), Kernel: kernel, Work: &workload.Kernel{Threads: 64}}},
				Ranking: []RankedVariant{ranked(2, 1.5), {Variant: Variant{Rewriter: variant.Stage}}, {Variant: Variant{Rewriter: variant.VTB, Staged: true}}},
			}
			r.measured([]profile.Kernel{c.profile})
			assert.Equal(t, c.shown, len(r.Profile) == 1)
			assert.Equal(t, c.excludes, r.Ranking[0].Excluded != "")
			assert.Empty(t, r.Ranking[1].Excluded, "stage asks less of the DRAM")
			assert.Empty(t, r.Ranking[2].Excluded, "a step of it does")
		})
	}
}

func TestAnswersAreRewriters(t *testing.T) {
	for part, names := range answers {
		for _, name := range names {
			assert.Contains(t, variant.Names(), name, part)
		}
	}
}

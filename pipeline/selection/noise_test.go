package selection

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/model/sim"
)

// BenchmarkNoise prints how far the predictions for the ten benchmarks on the
// default GPUs move when the simulated SM is filled 50 times instead of 20: what Noise and docs/use/choice.md go by.
func BenchmarkNoise(b *testing.B) {
	longer := func(p Place, policy sim.Policy) (float64, error) {
		r, err := sim.Run(p.GPU, p.Work, policy, sim.Options{Waves: 50})
		if err != nil {
			return 0, err
		}
		return r.CyclesPerBlock, nil
	}
	var moved []float64
	for b.Loop() {
		moved = nil
		for _, g := range exampleGroups(b) {
			req := Request{GPUs: gpu.NamedSet(), MinGain: 5, Source: Estimates{}}
			usual := ratios(Group(g, req))
			req.Clock = longer
			for where, ratio := range ratios(Group(g, req)) {
				moved = append(moved, math.Abs(ratio/usual[where]-1))
			}
		}
	}
	require.NotEmpty(b, moved)
	slices.Sort(moved)
	under := slices.IndexFunc(moved, func(x float64) bool { return x >= Noise })
	if under < 0 {
		under = len(moved)
	}
	b.ReportMetric(float64(len(moved)), "ratios")
	b.ReportMetric(100*float64(under)/float64(len(moved)), "%-under-noise")
	b.ReportMetric(100*moved[len(moved)/2], "%-median")
	b.ReportMetric(100*moved[len(moved)-1], "%-largest")
}

// where is a rewrite in a place.
type where struct {
	way        Variant
	gpu, block string
}

func ratios(r *Report) map[where]float64 {
	out := map[where]float64{}
	for _, ranked := range r.Ranking {
		for _, p := range ranked.Places {
			if ranked.Excluded == "" {
				out[where{ranked.Variant, p.GPU, p.Block}] = p.Ratio
			}
		}
	}
	return out
}

package judge

import (
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// Bootstrap is the bootstrap's interval alone: by a number of draws, or as it is computed at 0.
func Bootstrap(samples []Sample, confidence float64, resamples int) (low, high float64) {
	var sorted []float64
	for _, s := range samples {
		sorted = append(sorted, s.Ratio())
	}
	slices.Sort(sorted)
	if resamples == 0 {
		k := bootstrapRank(len(sorted), confidence)
		return sorted[k-1], sorted[len(sorted)-k]
	}
	random := rand.New(rand.NewPCG(0, uint64(len(sorted))))
	medians, draw := make([]float64, resamples), make([]float64, len(sorted))
	for i := range medians {
		for j := range draw {
			draw[j] = sorted[random.IntN(len(sorted))]
		}
		slices.Sort(draw)
		medians[i] = middle(draw)
	}
	slices.Sort(medians)
	tail := (1 - confidence) / 2
	return stat.Quantile(tail, stat.Empirical, medians, nil), stat.Quantile(1-tail, stat.Empirical, medians, nil)
}

package judge

import "slices"

// Bootstrap is the bootstrap's interval alone.
func Bootstrap(samples []Sample, o EstimateOptions) (low, high float64) {
	var sorted []float64
	for _, s := range samples {
		sorted = append(sorted, s.Ratio())
	}
	slices.Sort(sorted)
	if o.Resamples > 0 {
		return drawn(sorted, o)
	}
	k := bootstrapRank(len(sorted), o.Confidence)
	return sorted[k-1], sorted[len(sorted)-k]
}

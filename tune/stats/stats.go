// Package stats says what a few noisy times tell of two programs: the ratio of
// their times with an interval, and whether the machine drifted.
package stats

// Ratio is an estimate of the time of the original over that of a variant: above
// 1 the variant is faster.
type Ratio struct {
	Median float64 `json:"median"`
	Low    float64 `json:"low"` // the ends of the interval
	High   float64 `json:"high"`
	Pairs  int     `json:"pairs"`
}

// Sample is the times of one pair, in milliseconds: of the original, and of the
// variant directly before or behind it.
type Sample struct {
	Base, Variant []float64
}

// Options say how sure an interval is.
type Options struct {
	Confidence float64 // 0.95
	Resamples  int     // 0 for the default
	Seed       uint64
}

// Estimate is the ratio of the times with its interval. Without samples it is zero.
func Estimate(samples []Sample, o Options) Ratio {
	return Ratio{}
}

// Width is the width of the interval as a part of the median.
func (r Ratio) Width() float64 {
	if r.Median == 0 {
		return 0
	}
	return (r.High - r.Low) / r.Median
}

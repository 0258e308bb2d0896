package judge

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"github.com/smux-cuda/smux/internal/lists"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Ratio is an estimate of the time of the original over that of a variant: above 1 the variant is faster.
type Ratio struct {
	Median float64 `json:"median"`
	Low    float64 `json:"low"` // the ends of the interval
	High   float64 `json:"high"`
	Pairs  int     `json:"pairs"`
}

// Sample holds the times of one pair in milliseconds, one for each repetition within a run.
type Sample struct {
	Base, Variant []float64
}

// Ratio returns the median time of the original over the variant's; 0 where either is no positive number, or beyond Unknown.
func (s Sample) Ratio() float64 {
	base, variant := Median(s.Base), Median(s.Variant)
	if !(base > 0) || !(variant > 0) || math.IsInf(base, 0) {
		return 0
	}
	if ratio := base / variant; ratio > 1/Unknown && ratio < Unknown {
		return ratio
	}
	return 0
}

// Estimate returns the median of the pairs' ratios, with the wider of two intervals at each end.
//
// Times of programs are skewed, have far outliers, and jump between the clocks of a GPU, so nothing is taken for granted
// on how they are distributed. What changes slowly cancels out in a pair's ratio. The same times give the same numbers.
//
// One interval is the bootstrap's: the middle part of the medians of draws with replacement. It covers too little where
// there are few pairs, so the other is the order statistic's: each ratio is above the true median with probability 1/2,
// whatever the noise, so a binomial distribution says how many of the smallest may be left out. There is one from Needs
// pairs on; with fewer, Student's for normal noise takes its place, and with one pair the interval ends at 0 and Unknown.
// Pairs without a ratio are passed over. Without any pair the result is zero.
func Estimate(samples []Sample, confidence float64) Ratio {
	ratios := make([]float64, 0, len(samples))
	for _, s := range samples {
		if r := s.Ratio(); r > 0 {
			ratios = append(ratios, r)
		}
	}
	if len(ratios) == 0 {
		return Ratio{}
	}
	slices.Sort(ratios)
	r := Ratio{Median: middle(ratios), Pairs: len(ratios)}
	r.Low, r.High = interval(ratios, confidence)
	return r
}

func (r Ratio) Width() float64 {
	if r.Median == 0 {
		return 0
	}
	return (r.High - r.Low) / r.Median
}

// Known reports whether the interval has two ends: more than one pair was measured.
func (r Ratio) Known() bool { return r.Pairs > 0 && r.High < Unknown }

// Excludes reports whether the interval doesn't hold a ratio; one of no pairs excludes nothing.
func (r Ratio) Excludes(ratio float64) bool {
	return r.Pairs > 0 && (r.Low > ratio || r.High < ratio)
}

// Over returns this ratio over another one of the same original. The far ends of both intervals stand against each other.
func (r Ratio) Over(other Ratio) Ratio {
	if r.Pairs == 0 || other.Pairs == 0 {
		return Ratio{}
	}
	low, high := 0.0, Unknown
	if other.High > 0 {
		low = r.Low / other.High
	}
	if other.Low > 0 {
		high = min(r.High/other.Low, Unknown)
	}
	return Ratio{Median: r.Median / other.Median, Low: low, High: high, Pairs: min(r.Pairs, other.Pairs)}
}

// Median returns the middle of some values, 0 of none. The values are left as they are.
func Median(values []float64) float64 {
	switch len(values) {
	case 0:
		return 0
	case 1:
		return values[0]
	case 3: // the usual number of repetitions, of which there are many
		return max(min(values[0], values[1]), min(max(values[0], values[1]), values[2]))
	}
	sorted := slices.Clone(values)
	slices.Sort(sorted)
	return middle(sorted)
}

// middle returns the median of sorted values.
func middle(sorted []float64) float64 {
	n := len(sorted)
	return sorted[(n-1)/2]/2 + sorted[n/2]/2 // the sum of large ones may be none
}

// FirstRepetition returns the ratio by the first repetition within each run alone, and by the others alone; ok is false
// without repetitions. A variant may find something prepared at first, or leave its work undone afterwards.
func FirstRepetition(samples []Sample, confidence float64) (first, behind Ratio, ok bool) {
	var firsts, others []Sample
	for _, s := range samples {
		if len(s.Base) < 2 || len(s.Variant) < 2 {
			continue
		}
		firsts = append(firsts, Sample{s.Base[:1], s.Variant[:1]})
		others = append(others, Sample{s.Base[1:], s.Variant[1:]})
	}
	if len(firsts) == 0 {
		return Ratio{}, Ratio{}, false
	}
	return Estimate(firsts, confidence), Estimate(others, confidence), true
}

// Unknown is the upper end of an unknown interval.
const Unknown = 1e6

// Needs returns the number of pairs from which on an interval of a confidence holds for any noise: 6 for 0.95, 8 for 0.99.
func Needs(confidence float64) int {
	n := 2
	for 2*math.Pow(0.5, float64(n)) > 1-confidence {
		n++
	}
	return n
}

// Rank returns which of n sorted ratios, from 1, is the lower end of the order statistic's interval: the largest k for which
// fewer than k of n coins show heads in at most (1-confidence)/2 of all cases; 0 where n is below Needs.
func Rank(n int, confidence float64) int {
	coins := distuv.Binomial{N: float64(n), P: 0.5}
	return sort.Search(n/2, func(k int) bool { return 2*coins.CDF(float64(k)) > 1-confidence })
}

// interval is that of the median of sorted ratios, as Estimate promises it.
func interval(sorted []float64, confidence float64) (low, high float64) {
	n := len(sorted)
	rank := Rank(n, confidence)
	if rank == 0 {
		return student(sorted, confidence)
	}
	low, high = sorted[rank-1], sorted[n-rank]
	k := bootstrapRank(n, confidence)
	return min(low, sorted[k-1]), max(high, sorted[n-k])
}

// bootstrapRank returns which of n sorted values, from 1, is the lower end of the percentile bootstrap's interval of the
// median (Efron, "Bootstrap Methods: Another Look at the Jackknife", 1979, section 3): a draw has its median at or below
// the k-th where half of its values are. Of an even number the lower middle value counts, so the interval is wider.
func bootstrapRank(n int, confidence float64) int {
	half := (n + 1) / 2
	return 1 + sort.Search(half-1, func(i int) bool {
		below := distuv.Binomial{N: float64(n), P: float64(i+1) / float64(n)}
		return 1-below.CDF(float64(half-1)) >= (1-confidence)/2
	})
}

// student returns the interval of fewer ratios than Needs: Student's for their logarithms, and no less than all of them.
func student(sorted []float64, confidence float64) (low, high float64) {
	n := len(sorted)
	if n < 2 {
		return 0, Unknown
	}
	logs := make([]float64, n)
	for i, r := range sorted {
		logs[i] = math.Log(r)
	}
	mean, deviation := stat.MeanStdDev(logs, nil)
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(n - 1)}.Quantile(1 - (1-confidence)/2)
	reach := t * deviation / math.Sqrt(float64(n))
	return min(sorted[0], math.Exp(mean-reach)), min(max(sorted[n-1], math.Exp(mean+reach)), Unknown)
}

// Drift says how a program's times changed from the beginning of a run of measurements to its end.
type Drift struct {
	// Change is the part of the median by which the times grew: the median slope between two (Theil and Sen). 0.05 is 5 % slower.
	Change float64
	// Chance is the probability that times without any drift have such an order, by the test of Mann and Kendall.
	Chance float64
	// Scatter is 1.4826 times the median deviation over the median: the standard deviation of normal noise.
	Scatter float64
}

// points bounds what slopes are computed of. Medians of neighbours stand for longer rows.
const points = 64

// DriftOf looks at times in the order in which they were measured. With fewer than 6 it is zero but for Scatter.
func DriftOf(times []float64) Drift {
	if len(times) == 0 {
		return Drift{}
	}
	median := Median(times)
	deviations := lists.Map(times, func(t float64) float64 { return math.Abs(t - median) })
	var d Drift
	if median > 0 {
		d.Scatter = 1.4826 * Median(deviations) / median
	}
	if len(times) < 6 || median <= 0 {
		return d
	}
	var row, slopes []float64
	for part := range slices.Chunk(times, (len(times)+points-1)/points) {
		row = append(row, Median(part))
	}
	order := 0.0 // the pairs of points that rise less those that fall
	for i, a := range row {
		for j, b := range row[i+1:] {
			slopes = append(slopes, (b-a)/float64(j+1))
			order += float64(cmp.Compare(b, a))
		}
	}
	n := float64(len(row))
	d.Change = Median(slopes) * (n - 1) / median
	deviation := math.Sqrt(n * (n - 1) * (2*n + 5) / 18)
	d.Chance = 2 * distuv.UnitNormal.Survival(max(math.Abs(order)-1, 0)/deviation)
	return d
}

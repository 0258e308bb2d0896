package judge

import (
	"math"
	"slices"
	"sort"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Ratio is an estimate of the time of the original over that of a variant: above
// 1 the variant is faster.
type Ratio struct {
	Median float64 `json:"median"`
	Low    float64 `json:"low"` // the ends of the interval
	High   float64 `json:"high"`
	Pairs  int     `json:"pairs"`
}

// Sample is the times of one pair, in milliseconds: of the original, and of the
// variant directly before or after it. There is one time for each repetition
// within the run.
type Sample struct {
	Base, Variant []float64
}

// Ratio returns the median time of the original over that of the variant; 0 where
// either has no time that is a positive number, or where they are further apart
// than times of one kernel can be (Unknown).
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

// Estimate returns the ratio of the times with its interval: the median of the pairs'
// ratios, and the wider of two intervals at each end.
//
// Nothing is taken for granted on how times are distributed: those of programs are
// skewed, have far outliers, and jump between the clocks of a GPU. What is
// looked at is the ratio of two runs that were made one directly after the other,
// so that what changes slowly cancels out, and of these ratios the median, which
// a few bad runs don't move. Everything is computed from the input alone: the same
// times always give the same numbers.
//
// One is the bootstrap's: pairs are drawn with replacement, and the interval holds
// the middle part of the medians of such draws. It covers too little where
// there are few pairs, so the other is the order statistic's: of n ratios each is
// above the true median with probability 1/2, whatever the noise, so a binomial
// distribution says how many of the smallest may be left out. That interval covers
// at least as often as promised for any noise that is independent from pair to
// pair; but there is one only from Needs pairs on. With fewer, the one that
// Student's distribution gives for normal noise takes its place, and with a
// single pair the interval ends at 0 and at Unknown.
//
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

// Width returns the width of the interval as a part of the median.
func (r Ratio) Width() float64 {
	if r.Median == 0 {
		return 0
	}
	return (r.High - r.Low) / r.Median
}

// Known reports whether the interval has two ends: more than one pair was measured.
func (r Ratio) Known() bool { return r.Pairs > 0 && r.High < Unknown }

// Excludes reports whether the interval doesn't hold a ratio; one of no pairs
// excludes nothing.
func (r Ratio) Excludes(ratio float64) bool {
	return r.Pairs > 0 && (r.Low > ratio || r.High < ratio)
}

// Over is this ratio over another one of the same original: how much faster this
// variant is than that one, where they were never run side by side. The ends are
// those of both intervals, the far ends against each other, so it covers at least
// as often as both intervals together.
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

// FirstRepetition compares the first repetition within each run with the others:
// the ratio by the first ones alone, and by the others alone. ok is false where
// no run was repeated. A variant may be fast at first because it finds
// something prepared, and slow from then on, or leave its work undone once it was
// done; what counts is the ratio after.
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

// Needs returns the number of pairs from which on there is an interval of a confidence
// that holds for any noise: 6 for 0.95, 8 for 0.99. From the smallest to the largest
// of n ratios an interval holds their true median unless all are on one side.
func Needs(confidence float64) int {
	n := 2
	for 2*math.Pow(0.5, float64(n)) > 1-confidence {
		n++
	}
	return n
}

// Rank returns which of n sorted ratios, from 1, is the lower end of the order
// statistic's interval: the largest k for which fewer than k of n coins show heads
// in at most (1-confidence)/2 of all cases. The upper end is the k-th from the
// top. It is 0 where n is below Needs.
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

// bootstrapRank returns which of n sorted values, from 1, is the lower end of the
// percentile bootstrap's interval of the median. A draw of n values has its median
// at or below the k-th where at least half of its values are, which is a binomial
// number (Efron, "Bootstrap Methods: Another Look at the Jackknife", 1979, section
// 3). Of an even number the lower of the two middle values is looked at, so that
// the interval becomes wider, if anything.
func bootstrapRank(n int, confidence float64) int {
	half := (n + 1) / 2
	return 1 + sort.Search(half-1, func(i int) bool {
		below := distuv.Binomial{N: float64(n), P: float64(i+1) / float64(n)}
		return 1-below.CDF(float64(half-1)) >= (1-confidence)/2
	})
}

// student returns the interval of fewer ratios than Needs: Student's for their
// logarithms, and no less than all of them.
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

package judge

import (
	"math"
	"sort"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

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

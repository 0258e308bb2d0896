package judge

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/smux-cuda/smux/internal/lists"
)

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

package judge

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// Drift says how a program's times changed from the beginning of a run of
// measurements to its end.
type Drift struct {
	// Change is the part of the median by which the times grew over all, by the median of
	// the slopes between any two of them (Theil and Sen): 0.05 is 5 % slower.
	Change float64 `json:"change"`
	// Early and Late are the medians of the first and of the last third.
	Early float64 `json:"early"`
	Late  float64 `json:"late"`
	// Chance is the probability that times without any drift have such an order, by the test of
	// Mann and Kendall.
	Chance float64 `json:"chance"`
	// Scatter is the distance of times from their median, as a part of it: 1.4826 times
	// the median deviation, which is the standard deviation of normal noise.
	Scatter float64 `json:"scatter"`
}

// points bounds what slopes are computed of. Longer rows of times are taken
// together by medians, which also makes neighbours less alike.
const points = 64

// DriftOf looks at a program's times in the order in which they were measured. With
// fewer than 6 it is zero but for Scatter.
func DriftOf(times []float64) Drift {
	if len(times) == 0 {
		return Drift{}
	}
	median := Median(times)
	deviations := make([]float64, len(times))
	for i, t := range times {
		deviations[i] = math.Abs(t - median)
	}
	var d Drift
	if median > 0 {
		d.Scatter = 1.4826 * Median(deviations) / median
	}
	if len(times) < 6 || median <= 0 {
		return d
	}
	third := len(times) / 3
	d.Early, d.Late = Median(times[:third]), Median(times[len(times)-third:])
	row := thinned(times)
	slope, order := trend(row)
	d.Change = slope * float64(len(row)-1) / median
	d.Chance = chance(order, len(row))
	return d
}

// thinned takes neighbours together until there are at most so many points.
func thinned(times []float64) []float64 {
	size := (len(times) + points - 1) / points
	if size == 1 {
		return times
	}
	var out []float64
	for part := range slices.Chunk(times, size) {
		out = append(out, Median(part))
	}
	return out
}

// trend returns the median slope per point, and the pairs of points that rise less those
// that fall.
func trend(row []float64) (slope, order float64) {
	var slopes []float64
	for i, a := range row {
		for j, b := range row[i+1:] {
			slopes = append(slopes, (b-a)/float64(j+1))
			switch {
			case b > a:
				order++
			case b < a:
				order--
			}
		}
	}
	return Median(slopes), order
}

// chance returns how likely the order of n points without a trend is as far from none
// as this one.
func chance(order float64, n int) float64 {
	m := float64(n)
	deviation := math.Sqrt(m * (m - 1) * (2*m + 5) / 18)
	z := max(math.Abs(order)-1, 0) / deviation
	return 2 * distuv.UnitNormal.Survival(z)
}

// Package plot draws charts of step functions: as SVG for documents, and with
// characters for a terminal.
//
// Both show the same: curves whose value stays until the next point, as
// resources of an SM do, and on each curve a mark where the kernel stands. The
// package knows nothing of GPUs; the caller decides what the axes mean.
package plot

import (
	"math"
	"slices"
)

// Series is one curve. Its value is Y[i] from X[i] up to X[i+1].
type Series struct {
	Name string
	X, Y []float64 // of equal length, X ascending
	Mark *float64  // the X to mark, nil for none
}

// At returns the curve's value at x; ok is false in front of its first point,
// after its last one, and where it has none.
func (s Series) At(x float64) (y float64, ok bool) {
	if len(s.X) == 0 || x < s.X[0] || x > s.X[len(s.X)-1] {
		return 0, false
	}
	i, found := slices.BinarySearch(s.X, x)
	if !found {
		i--
	}
	return s.Y[i], true
}

// Chart is a set of curves over the same axes. Both axes begin at 0.
type Chart struct {
	Title  string
	XLabel string
	YLabel string
	Series []Series
}

// extents returns the ends of the axes: the largest X and Y over all series, at
// least 1; Y is rounded up so that it divides evenly.
func (c Chart) extents() (x, y float64) {
	x, y = 1, 1
	for _, s := range c.Series {
		if len(s.X) > 0 {
			x, y = max(x, s.X[len(s.X)-1]), max(y, slices.Max(s.Y))
		}
	}
	if y > 8 {
		y = 8 * math.Ceil(y/8)
	}
	return x, y
}

// ticks returns round numbers from 0 to limit, about n of them.
func ticks(limit float64, n int) []float64 {
	step := tickStep(limit, n)
	var out []float64
	for i := 0; float64(i)*step <= limit; i++ {
		out = append(out, float64(i)*step)
	}
	return out
}

// tickStep is 1, 2, 4 or 8 times a power of 16 where resources come in powers of
// two and limit is one, else 1, 2 or 5 times a power of ten.
func tickStep(limit float64, n int) float64 {
	raw := limit / float64(n)
	if limit >= 16 && math.Mod(limit, 16) == 0 {
		return math.Exp2(math.Ceil(math.Log2(raw)))
	}
	power := math.Pow(10, math.Floor(math.Log10(raw)))
	for _, m := range []float64{1, 2, 5} {
		if m*power >= raw {
			return max(1, m*power)
		}
	}
	return max(1, 10*power)
}

package stress

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/smux-cuda/smux/internal/prose"
)

// Point is one point of the curve of time against thread blocks per SM.
type Point struct {
	Blocks int  `json:"blocks"`
	Capped bool `json:"capped,omitempty"` // had by capping registers
	// Median is the kernel's milliseconds in a run; Spread half the range between quartiles, as a part of it.
	Median float64 `json:"median"`
	Spread float64 `json:"spread"`
}

// NewPoint returns the point of some runs of one level; ok is false without any.
func NewPoint(blocks int, capped bool, milliseconds []float64) (p Point, ok bool) {
	if len(milliseconds) == 0 {
		return Point{}, false
	}
	median := quantile(milliseconds, 0.5)
	p = Point{Blocks: blocks, Capped: capped, Median: median}
	if median > 0 {
		p.Spread = (quantile(milliseconds, 0.75) - quantile(milliseconds, 0.25)) / 2 / median
	}
	return p, true
}

// quantile is that of the values, at least one, with the positions between two of them interpolated.
func quantile(values []float64, q float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	at := q * float64(len(sorted)-1)
	low := int(at)
	high := min(low+1, len(sorted)-1)
	return sorted[low] + (at-float64(low))*(sorted[high]-sorted[low])
}

// DefaultTolerance is the part of the time that a gain must be above to count.
const DefaultTolerance = 0.03

// Flatness is from where on a curve is flat.
type Flatness struct {
	// Blocks is the least thread blocks per SM after which no point gains; 0 where the last still does, or without two points.
	Blocks int `json:"blocks"`
	// Capped says that points after it were had by capping registers only: what these lost to spills may hide a gain.
	Capped    bool    `json:"capped,omitempty"`
	Most      int     `json:"most"`      // the most thread blocks per SM of the curve
	Points    int     `json:"points"`    // of different numbers of thread blocks
	Tolerance float64 `json:"tolerance"` // as asked
	// Threshold is the part of the time that no point after Blocks gains: the tolerance, or the noise above it.
	Threshold float64 `json:"threshold,omitempty"`
	Best      int     `json:"best"`
}

// Flat finds the smallest number of thread blocks for which no point with more of them takes less time by more than the
// tolerance, a part of that time (0.03 for 3 %), and by more than the spreads of both. The rule is monotone: what is slower
// with more blocks gains nothing, so a rising curve is flat from its lowest point on, and a single slow level changes nothing
// after it. Of two points with the same number of blocks the faster one counts.
func Flat(curve []Point, tolerance float64) Flatness {
	points := slices.SortedFunc(slices.Values(curve), func(a, b Point) int {
		return cmp.Or(cmp.Compare(a.Blocks, b.Blocks), cmp.Compare(a.Median, b.Median))
	})
	points = slices.CompactFunc(points, func(a, b Point) bool { return a.Blocks == b.Blocks })
	f := Flatness{Tolerance: tolerance, Points: len(points)}
	if len(points) == 0 {
		return f
	}
	best := slices.MinFunc(points, func(a, b Point) int { return cmp.Compare(a.Median, b.Median) })
	f.Most, f.Best = points[len(points)-1].Blocks, best.Blocks
	for i, p := range points[:len(points)-1] {
		rest := points[i+1:]
		threshold := func(q Point) float64 { return math.Max(tolerance, p.Spread+q.Spread) }
		if slices.ContainsFunc(rest, func(q Point) bool { return p.Median > 0 && (p.Median-q.Median)/p.Median > threshold(q) }) {
			continue
		}
		f.Blocks = p.Blocks
		for _, q := range rest {
			f.Threshold = math.Max(f.Threshold, threshold(q))
		}
		f.Capped = !slices.ContainsFunc(rest, func(q Point) bool { return !q.Capped })
		return f
	}
	return f
}

func (f Flatness) String() string {
	switch {
	case f.Points == 0:
		return "nothing was measured"
	case f.Points == 1:
		return "one number of thread blocks was measured: nothing can be said"
	case f.Blocks == 0:
		return fmt.Sprintf("not flat: the time still falls at %s per SM, the most that were measured", prose.Count(f.Most, "thread block"))
	}
	text := fmt.Sprintf("flat from %s per SM on: more gain less than %.3g %%", prose.Count(f.Blocks, "thread block"), 100*f.Threshold)
	if f.Threshold > f.Tolerance {
		text += ", which is noise"
	}
	if f.Capped {
		text += "; more were had by capped registers only"
	}
	return text
}

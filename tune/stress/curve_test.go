package stress

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// steady is a curve without spread, with 1, 2, … thread blocks.
func steady(times ...float64) []Point {
	var out []Point
	for i, t := range times {
		out = append(out, Point{Blocks: i + 1, Median: t})
	}
	return out
}

func TestFromWhereACurveIsFlat(t *testing.T) {
	for _, c := range []struct {
		name  string
		curve []Point
		want  int
		text  string
	}{
		{"bound by memory", steady(20, 10.1, 10, 10, 10.05, 9.9), 2, "flat from 2 thread blocks per SM on: more gain less than 3 %"},
		{"bound by latency", steady(80, 40, 27, 20, 16, 13.4), 0, "not flat: the time still falls at 6 thread blocks per SM, the most that were measured"},
		{"flat from the start", steady(5, 5, 5), 1, "flat from 1 thread block per SM on: more gain less than 3 %"},
		{"slower with more", steady(10, 6, 7, 9), 2, "flat from 2 thread blocks per SM on: more gain less than 3 %"},
		{"small steps add up", steady(100, 98, 96, 94, 92), 4, "flat from 4 thread blocks per SM on: more gain less than 3 %"},
		{"one slow level", steady(20, 10, 10, 17, 10, 10), 2, "flat from 2 thread blocks per SM on: more gain less than 3 %"},
		{"a gain behind a slow level", steady(20, 10, 13, 9), 0, "not flat: the time still falls at 4 thread blocks per SM, the most that were measured"},
		{"one point", steady(10), 0, "one number of thread blocks was measured: nothing can be said"},
		{"none", nil, 0, "nothing was measured"},
	} {
		f := Flat(c.curve, DefaultTolerance)
		assert.Equal(t, c.want, f.Blocks, c.name)
		assert.Equal(t, c.text, f.String(), c.name)
	}
}

func TestTheFasterOfEqualBlocksCounts(t *testing.T) {
	curve := []Point{{Blocks: 2, Median: 12}, {Blocks: 1, Median: 20}, {Blocks: 2, Median: 10}, {Blocks: 3, Median: 10}}
	f := Flat(curve, DefaultTolerance)
	assert.Equal(t, 2, f.Blocks)
	assert.Equal(t, 3, f.Points)
}

func TestFlatByCappedLevelsOnlySaysSo(t *testing.T) {
	curve := append(steady(20, 10), Point{Blocks: 3, Median: 11, Capped: true})
	f := Flat(curve, DefaultTolerance)
	assert.Equal(t, 2, f.Blocks)
	assert.True(t, f.Capped)
	assert.Equal(t, "flat from 2 thread blocks per SM on: more gain less than 3 %; more were had by capped registers only", f.String())

	// Two levels that are no capped ones show it, too.
	assert.False(t, Flat(append(steady(10, 10), curve[2]), DefaultTolerance).Capped)
}

// noisy is a curve as runs give it: times with noise of a few per cent, and an
// outlier in each level.
func noisy(random *rand.Rand, noise float64, times ...float64) []Point {
	var out []Point
	for i, t := range times {
		var runs []float64
		for range 9 {
			runs = append(runs, t*(1+noise*random.NormFloat64()))
		}
		runs[random.IntN(9)] *= 5
		p, _ := NewPoint(i+1, false, runs)
		out = append(out, p)
	}
	return out
}

func TestNoiseAndOutliersDontMoveTheFlatPoint(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		// Each of the first steps is far above the noise, the rest is level.
		f := Flat(noisy(random, 0.01, 40, 20, 10, 10, 10, 10), DefaultTolerance)
		require.Equal(t, 3, f.Blocks)
		f = Flat(noisy(random, 0.01, 60, 30, 20, 15, 12, 10), DefaultTolerance)
		require.Zero(t, f.Blocks, "it falls to the end")
	}
}

// Spread above the tolerance is a reason to trust a gain less, and is told.
func TestAGainWithinTheSpreadsIsNone(t *testing.T) {
	curve := []Point{{Blocks: 1, Median: 10, Spread: 0.04}, {Blocks: 2, Median: 9.5, Spread: 0.04}}
	f := Flat(curve, DefaultTolerance)
	assert.Equal(t, 1, f.Blocks)
	assert.Equal(t, "flat from 1 thread block per SM on: more gain less than 8 %, which is noise", f.String())
	curve[0].Spread, curve[1].Spread = 0, 0
	assert.Zero(t, Flat(curve, DefaultTolerance).Blocks)
}

// A wider tolerance never finds the flat part later.
func TestFlatPointFallsWithTheTolerance(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 500 {
		var times []float64
		for range 2 + random.IntN(8) {
			times = append(times, 1+random.Float64())
		}
		at := func(tolerance float64) int {
			if n := Flat(steady(times...), tolerance).Blocks; n > 0 {
				return n
			}
			return len(times)
		}
		require.GreaterOrEqual(t, at(0.01), at(0.03), "%v", times)
		require.GreaterOrEqual(t, at(0.03), at(0.5), "%v", times)
		require.Equal(t, 1, at(1))
	}
}

func TestAPointIsTheMedianWithHalfTheQuartileRange(t *testing.T) {
	p, ok := NewPoint(4, true, []float64{5, 1, 2, 100, 3})
	require.True(t, ok)
	assert.Equal(t, Point{Blocks: 4, Capped: true, Median: 3, Spread: 0.5}, p)
	p, _ = NewPoint(1, false, []float64{2, 1})
	assert.Equal(t, 1.5, p.Median)
	_, ok = NewPoint(1, false, nil)
	assert.False(t, ok)
}

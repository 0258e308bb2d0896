package judge_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/smux-cuda/smux/tune/judge"
)

func TestDriftIsSeenThroughNoiseAndOutliers(t *testing.T) {
	for _, n := range []int{20, 150, 1000} {
		random := rand.New(rand.NewPCG(1, uint64(n)))
		steady, slower := make([]float64, n), make([]float64, n)
		for i := range n {
			steady[i] = 3 * (1 + 0.01*random.NormFloat64())
			slower[i] = steady[i] * (1 + 0.1*float64(i)/float64(n-1))
			if random.IntN(10) == 0 {
				steady[i], slower[i] = 40, 40
			}
		}
		d := judge.DriftOf(slower)
		assert.InDelta(t, 0.1, d.Change, 0.02, "%d times", n)
		assert.Less(t, d.Chance, 0.001, "%d times", n)
		d = judge.DriftOf(steady)
		assert.InDelta(t, 0, d.Change, 0.015, "%d times", n)
		assert.Greater(t, d.Chance, 0.01, "%d times", n)
		assert.InDelta(t, 0.01, d.Scatter, 0.006)
	}
}

func TestFewTimesHaveNoDrift(t *testing.T) {
	assert.Zero(t, judge.DriftOf(nil))
	assert.Zero(t, judge.DriftOf([]float64{1, 2, 3, 4, 5}).Change)
	assert.Zero(t, judge.DriftOf([]float64{0, 0, 0, 0, 0, 0, 0}))
	assert.Equal(t, 0.0, judge.DriftOf([]float64{2, 2, 2, 2, 2, 2, 2}).Change)
}

func TestAFirstRepetitionIsToldFromTheOthers(t *testing.T) {
	var s []judge.Sample
	for range 8 {
		s = append(s, judge.Sample{Base: []float64{2, 2, 2, 2}, Variant: []float64{1, 2, 2, 2}})
	}
	first, behind, ok := judge.FirstRepetition(s, 0.95)
	assert.True(t, ok)
	assert.Equal(t, 2.0, first.Median)
	assert.Equal(t, 1.0, behind.Median)
	assert.Equal(t, 1.0, judge.Estimate(s, 0.95).Median, "it doesn't count")

	_, _, ok = judge.FirstRepetition(samples(8, 2, func() float64 { return 1 }), 0.95)
	assert.False(t, ok, "runs of one repetition have no first one")
}

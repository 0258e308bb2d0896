package judge_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/smux-cuda/smux/tune/judge"
)

func TestIntervalsCoverTheRatioAsOftenAsPromised(t *testing.T) {
	const trials = 2000
	for name, start := range noises {
		t.Run(name, func(t *testing.T) {
			for _, c := range []struct {
				pairs      int
				confidence float64
			}{{6, 0.95}, {7, 0.95}, {11, 0.95}, {20, 0.95}, {24, 0.99}, {60, 0.95}} {
				random, held := rand.New(rand.NewPCG(7, uint64(c.pairs))), 0
				for range trials {
					r := judge.Estimate(samples(c.pairs, 1.1, start(random)), c.confidence)
					if !r.Excludes(1.1) {
						held++
					}
				}
				luck := 3 * math.Sqrt(c.confidence*(1-c.confidence)/trials)
				assert.GreaterOrEqual(t, float64(held)/trials, c.confidence-luck, "%d pairs", c.pairs)
			}
		})
	}
}

// The percentile bootstrap alone would not do: that is why there is the other
// interval.
func TestTheBootstrapAloneCoversTooLittleWithFewPairs(t *testing.T) {
	const trials = 2000
	random, drawn := rand.New(rand.NewPCG(1, 1)), 0
	for range trials {
		s := samples(7, 1.1, noises["normal"](random))
		low, high := judge.Bootstrap(s, 0.95, 400)
		if low <= 1.1 && 1.1 <= high {
			drawn++
		}
	}
	assert.Less(t, float64(drawn)/trials, 0.945)
}

func TestFewerPairsThanNeededGiveStudentsInterval(t *testing.T) {
	const trials = 2000
	for n := 2; n < judge.Needs(0.95); n++ {
		for _, name := range []string{"normal", "lognormal", "heavy tail"} {
			random, held := rand.New(rand.NewPCG(3, uint64(n))), 0
			for range trials {
				if !judge.Estimate(samples(n, 0.8, noises[name](random)), 0.95).Excludes(0.8) {
					held++
				}
			}
			assert.GreaterOrEqual(t, float64(held)/trials, 0.935, "%d pairs of %s noise", n, name)
		}
	}
}

func TestOnePairSaysNothingForSure(t *testing.T) {
	r := judge.Estimate([]judge.Sample{{Base: []float64{2, 9, 2}, Variant: []float64{1}}}, 0.95)
	assert.Equal(t, judge.Ratio{Median: 2, Low: 0, High: judge.Unknown, Pairs: 1}, r)
	assert.False(t, r.Excludes(1))
}

func TestPairsWithoutATimeArePassedOver(t *testing.T) {
	for name, s := range map[string]judge.Sample{
		"no repetition": {Base: []float64{1}}, "no time": {Base: []float64{1}, Variant: []float64{0}},
		"negative": {Base: []float64{-1}, Variant: []float64{-2}}, "not a number": {Base: []float64{math.NaN()}, Variant: []float64{1}},
		"infinite": {Base: []float64{math.Inf(1)}, Variant: []float64{1}}, "no end of it": {Base: []float64{1}, Variant: []float64{math.Inf(1)}},
		"far apart": {Base: []float64{1e308, 1e308}, Variant: []float64{1e-308}},
	} {
		assert.Zero(t, s.Ratio(), name)
		assert.Zero(t, judge.Estimate([]judge.Sample{s}, 0.95), name)
	}
	assert.Zero(t, judge.Ratio{}.Width())
	assert.False(t, judge.Ratio{}.Excludes(1), "nothing measured excludes nothing")
}

func TestRanksAreThoseOfTheSignTest(t *testing.T) {
	// Tables of the sign test, for instance Conover, Practical Nonparametric
	// Statistics: the interval of 95 % of 20 values is from the 6th to the 15th.
	for n, rank := range map[int]int{2: 0, 5: 0, 6: 1, 8: 1, 9: 2, 12: 3, 20: 6, 25: 8, 40: 14, 100: 40} {
		assert.Equal(t, rank, judge.Rank(n, 0.95), "%d values", n)
	}
	assert.Equal(t, 4, judge.Rank(20, 0.99))
	for _, confidence := range []float64{0.5, 0.9, 0.95, 0.99, 0.999} {
		n := judge.Needs(confidence)
		assert.Positive(t, judge.Rank(n, confidence))
		assert.True(t, n == 2 || judge.Rank(n-1, confidence) == 0)
	}
}

func TestManyDrawsGiveTheBootstrapsIntervalThatIsComputed(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 5))
	for _, n := range []int{11, 25, 51, 101} {
		s := samples(n, 1, noises["normal"](random))
		low, high := judge.Bootstrap(s, 0.95, 20000)
		wantLow, wantHigh := judge.Bootstrap(s, 0.95, 0)
		assert.InDelta(t, wantLow, low, 1e-12, "%d values", n)
		assert.InDelta(t, wantHigh, high, 1e-12, "%d values", n)
	}
}

func TestTheSameTimesGiveTheSameNumbers(t *testing.T) {
	s := samples(20, 1.2, noises["lognormal"](rand.New(rand.NewPCG(1, 2))))
	const o = 0.95
	assert.Equal(t, judge.Estimate(s, o), judge.Estimate(s, o))
	turned := append(append([]judge.Sample(nil), s[10:]...), s[:10]...)
	assert.Equal(t, judge.Estimate(s, o), judge.Estimate(turned, o), "the order of the pairs says nothing")
}

func TestSwappingTheProgramsInvertsTheRatio(t *testing.T) {
	for n := 2; n < 40; n++ {
		s := samples(n, 1.3, noises["normal"](rand.New(rand.NewPCG(2, uint64(n)))))
		other := make([]judge.Sample, n)
		for i, p := range s {
			other[i] = judge.Sample{Base: p.Variant, Variant: p.Base}
		}
		a, b := judge.Estimate(s, 0.95), judge.Estimate(other, 0.95)
		assert.InDelta(t, a.Low, 1/b.High, 1e-9)
		assert.InDelta(t, a.High, 1/b.Low, 1e-9)
	}
}

func TestRatiosOfRatiosAreNoSurerThanTheirParts(t *testing.T) {
	a, b := judge.Ratio{Median: 1.2, Low: 1.1, High: 1.3, Pairs: 9}, judge.Ratio{Median: 1.1, Low: 1, High: 1.2, Pairs: 7}
	over := a.Over(b)
	assert.InDelta(t, 1.2/1.1, over.Median, 1e-9)
	assert.InDelta(t, 1.1/1.2, over.Low, 1e-9)
	assert.InDelta(t, 1.3, over.High, 1e-9)
	assert.Equal(t, 7, over.Pairs)
	assert.Zero(t, a.Over(judge.Ratio{}))
	unknown := judge.Ratio{Median: 1, High: judge.Unknown, Pairs: 1}
	assert.Equal(t, judge.Unknown, a.Over(unknown).High)
}

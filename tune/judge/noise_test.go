package judge_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/tune/judge"
	"github.com/smux-cuda/smux/tune/record"
)

// identical are recorded pairs of two builds of one program.
func identical(t testing.TB) (pairs [][2][]float64) {
	text, err := os.ReadFile(recorded)
	require.NoError(t, err)
	lines := bufio.NewScanner(bytes.NewReader(text))
	for lines.Scan() {
		var pair [2][]float64
		require.NoError(t, json.Unmarshal(lines.Bytes(), &pair))
		pairs = append(pairs, pair)
	}
	return pairs
}

// replay draws recorded pairs one after the other, from one of them on.
func replay(pairs [][2][]float64, at int) func(string, record.TunedVariant) (base, variant []float64) {
	return func(string, record.TunedVariant) (base, variant []float64) {
		pair := pairs[at%len(pairs)]
		at++
		return pair[0], pair[1]
	}
}

func TestOneOfTwoIdenticalProgramsIsNotChosen(t *testing.T) {
	pairs, rules := identical(t), judge.DefaultRules()
	each := 2*rules.MinPairs + rules.Confirm // of the original, of the other program, to confirm
	runs, tried, chosen := len(pairs)/each, 0, 0
	require.GreaterOrEqual(t, runs, 100)
	for i := range runs {
		r := newRun(rules, replay(pairs[i*each:(i+1)*each], 0))
		r.search(rules.MinPairs, original, merging(2))
		v := r.finish(t)
		if v.Rows[1].Confirm.Pairs > 0 {
			tried++
		}
		if v.Chosen >= 0 {
			chosen++
		}
	}
	t.Logf("%d runs: in %d the other program was fast enough in the search to be tried, in %d it was chosen", runs, tried, chosen)
	assert.Greater(t, tried, runs/10, "the noise is a trial")
	assert.LessOrEqual(t, chosen, runs/100)
}

// The best of thirty identical programs is taken: what is fast by luck.
func TestTheBestOfThirtyIdenticalProgramsIsNotChosen(t *testing.T) {
	t.Parallel()
	pairs, rules := identical(t), judge.DefaultRules()
	random := rand.New(rand.NewPCG(1, 2))
	falseChoices(t, rules, func() func(string, record.TunedVariant) (base, variant []float64) {
		return replay(pairs, random.IntN(len(pairs)))
	})
}

// models are noises of computed times: what a run's time is multiplied by.
var models = map[string]func(r *rand.Rand) func() float64{
	"normal 2 %": func(r *rand.Rand) func() float64 { return func() float64 { return 1 + 0.02*r.NormFloat64() } },
	"outliers": func(r *rand.Rand) func() float64 {
		return func() float64 {
			if r.IntN(10) == 0 {
				return 1 + 5*r.Float64()
			}
			return 1 + 0.01*r.NormFloat64()
		}
	},
	"two clocks": func(r *rand.Rand) func() float64 {
		slow := false
		return func() float64 {
			if r.IntN(3) == 0 {
				slow = !slow
			}
			if slow {
				return 1.06 * (1 + 0.01*r.NormFloat64())
			}
			return 1 + 0.01*r.NormFloat64()
		}
	},
	"drift": func(r *rand.Rand) func() float64 {
		at := 0.0
		return func() float64 { at++; return (1 + 0.002*at) * (1 + 0.02*r.NormFloat64()) }
	},
	"autocorrelated": func(r *rand.Rand) func() float64 {
		state := 0.0
		return func() float64 { state = 0.8*state + 0.6*r.NormFloat64(); return math.Exp(0.1 * state) }
	},
}

// timed draws pairs under a noise. The variant runs first in every other pair, and
// is gain times as fast if it is the one that is.
func timed(noise func() float64, fast string, gain float64) func(string, record.TunedVariant) (base, variant []float64) {
	n := 0
	return func(_ string, c record.TunedVariant) (base, variant []float64) {
		a, b := noise(), noise()
		if n++; n%2 == 0 {
			a, b = b, a
		}
		if c.String() == fast {
			b /= gain
		}
		return []float64{a}, []float64{b}
	}
}

func TestTheBestOfThirtyNoisyOnesIsNotChosen(t *testing.T) {
	for name, start := range models {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(11, 12))
			falseChoices(t, judge.DefaultRules(), func() func(string, record.TunedVariant) (base, variant []float64) {
				return timed(start(random), "", 1)
			})
		})
	}
}

// falseChoices makes 1000 runs with thirty variants that are all the same. Each is
// measured no more often than it must be: so luck has the most room.
func falseChoices(t *testing.T, rules judge.Rules, start func() func(string, record.TunedVariant) (base, variant []float64)) {
	const runs = 1000
	candidates := []record.TunedVariant{original}
	for i := range 30 {
		candidates = append(candidates, merging(i+2))
	}
	lucky, tried, chosen := 0, 0, 0
	for range runs {
		r := newRun(rules, start())
		r.search(rules.MinPairs, candidates...)
		v := judge.Decide(r.lines, rules)
		if slices.ContainsFunc(v.Rows[1:], func(row judge.Row) bool { return row.Search.Low > 1 && row.Search.Median >= 1+rules.MinGain/100 }) {
			lucky++
		}
		for ; v.Waits != nil; v = judge.Decide(r.lines, rules) {
			r.do(t, *v.Waits)
			tried++
		}
		if v.Chosen >= 0 {
			chosen++
		}
	}
	t.Logf("%d runs: %d would have chosen by the search's intervals; %d variants were tried to be confirmed, %d were chosen", runs, lucky, tried, chosen)
	assert.Greater(t, lucky, runs/50, "the noise is a trial")
	assert.LessOrEqual(t, chosen, runs/100)
}

func TestAGainOfFivePercentIsFoundThroughTwoPercentNoise(t *testing.T) {
	const runs = 300
	rules, fast := judge.DefaultRules(), merging(4)
	random := rand.New(rand.NewPCG(21, 22))
	found := 0
	for range runs {
		r := newRun(rules, timed(models["normal 2 %"](random), fast.String(), 1.05))
		for _, c := range []record.TunedVariant{original, merging(2), merging(3), fast, merging(5), capped(2), capped(3)} {
			r.list(c)
			var pairs []record.Pair
			for !rules.Enough(pairs) {
				r.measure(c, record.Search, "", 1)
				pairs = append(pairs, *r.lines[len(r.lines)-1].Pair)
			}
		}
		v := r.finish(t)
		if name(v) == fast.String() {
			found++
		} else {
			t.Log(describe(v))
		}
	}
	t.Logf("found in %d of %d runs", found, runs)
	assert.Greater(t, found, runs*95/100)
}

// The recording itself is a trial of the intervals: each pair of times is of the
// same program.
func TestIntervalsHoldOneForRecordedIdenticalPrograms(t *testing.T) {
	pairs := identical(t)
	for _, n := range []int{6, 20, 24} {
		held, windows := 0, len(pairs)/n
		for i := range windows {
			var samples []judge.Sample
			for _, p := range pairs[i*n : (i+1)*n] {
				samples = append(samples, judge.Sample{Base: p[0], Variant: p[1]})
			}
			if !judge.Estimate(samples, 0.95).Excludes(1) {
				held++
			}
		}
		luck := 3 * math.Sqrt(0.95*0.05/float64(windows))
		assert.GreaterOrEqual(t, float64(held)/float64(windows), 0.95-luck, "%d pairs", n)
	}
}

package judge_test

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/tune/judge"
	"github.com/smux-cuda/smux/tune/record"
)

// whole are the lines of a run from its beginning to its end.
func whole(t *testing.T) []record.Line {
	rules := judge.DefaultRules()
	r := newRun(rules, speeds(map[string]float64{merging(2).String(): 1.101, capped(2).String(): 1.1}))
	r.search(rules.MinPairs, original, capped(2), merging(2), merging(3))
	v := r.finish(t)
	require.Equal(t, capped(2).String(), name(v), "%s", describe(v))
	return r.lines
}

// Lines may come from files that others wrote: whatever they hold, there is a verdict,
// and it can be written.
func FuzzAnyRecordIsJudged(f *testing.F) {
	for _, l := range []record.Line{
		{Key: "a", Variant: &record.MeasuredVariant{Subject: kernel, Name: "original"}},
		{Key: "a", Pair: &record.Pair{Phase: record.Search, Base: []float64{1e-300, 2}, Variant: []float64{1e300}, State: &record.State{ClockSM: -1, Throttled: "x"}}},
		{Key: "b", Failure: &record.Failure{Kind: record.FailedRun, Text: "it fails"}},
	} {
		text, err := json.Marshal(l)
		require.NoError(f, err)
		f.Add(text)
	}
	lines, err := json.Marshal(beginning())
	require.NoError(f, err)
	f.Add(append(bytes.ReplaceAll(lines[1:len(lines)-1], []byte(`},{"schema"`), []byte("}\n{\"schema\"")), '\n'))
	f.Fuzz(func(t *testing.T, text []byte) {
		var lines []record.Line
		for part := range bytes.Lines(text) {
			var l record.Line
			if json.Unmarshal(part, &l) == nil {
				lines = append(lines, l)
			}
		}
		for _, v := range judge.Of(lines, judge.DefaultRules()) {
			_, err := json.Marshal(v)
			require.NoError(t, err)
			assert.NotEmpty(t, v.Why)
			assert.Less(t, v.Chosen, len(v.Rows))
			assert.True(t, v.Waits == nil || v.Waits.Pairs > 0)
		}
	})
}

// beginning are the first lines of a run, up to where something is confirmed.
func beginning() []record.Line {
	r := newRun(judge.DefaultRules(), speeds(map[string]float64{merging(2).String(): 1.1}))
	r.search(6, original, merging(2))
	r.measure(merging(2), record.Confirm, "", 2)
	return r.lines
}

// A run may end after any line. What is there is judged, and what is missing is said;
// going on from there leads to where the whole run led.
func TestEveryBeginningOfARunIsJudged(t *testing.T) {
	lines, rules := whole(t), judge.DefaultRules()
	want := judge.Of(lines, rules)[0]
	for n := range lines {
		verdicts := judge.Of(lines[:n], rules)
		if n == 0 {
			assert.Empty(t, verdicts)
			continue
		}
		v := verdicts[0]
		assert.Equal(t, -1, v.Chosen, "after %d lines", n)
		assert.True(t, v.Waits != nil || len(v.Missing) > 0, "after %d lines: %s", n, v.Why)
		_, err := json.Marshal(v)
		assert.NoError(t, err)
		if len(v.Missing) == 0 && n%5 == 0 {
			r := newRun(rules, speeds(map[string]float64{merging(2).String(): 1.101, capped(2).String(): 1.1}))
			r.lines = append(r.lines, lines[:n]...)
			assert.Equal(t, want.Chosen, r.finish(t).Chosen, "going on after %d lines", n)
		}
	}
}

func TestLinesThatStandTwiceCountOnce(t *testing.T) {
	lines, rules := whole(t), judge.DefaultRules()
	twice := append(append([]record.Line(nil), lines...), lines...)
	assert.Equal(t, judge.Of(lines, rules), judge.Of(twice, rules))

	half := lines[:len(lines)/2]
	a := judge.Waits(half, rules)
	twice = append(append([]record.Line(nil), half...), half...)
	b := judge.Waits(twice, rules)
	assert.Equal(t, a, b)
}

func TestSubjectsAreJudgedApart(t *testing.T) {
	lines, rules := whole(t), judge.DefaultRules()
	var mixed []record.Line
	for _, l := range lines {
		other := l
		other.Key = "other " + l.Key
		if l.Variant != nil {
			v := *l.Variant
			v.Subject.Kernel = "another"
			other.Variant = &v
		}
		mixed = append(mixed, l, other)
	}
	verdicts := judge.Of(mixed, rules)
	require.Len(t, verdicts, 2)
	assert.Equal(t, "another", verdicts[1].Subject.Kernel)
	assert.Equal(t, judge.Of(lines, rules)[0], verdicts[0])
	assert.Equal(t, verdicts[0].Why, verdicts[1].Why)
}

func TestPairsThatSayNothingAreLeftOut(t *testing.T) {
	lines, rules := whole(t), judge.DefaultRules()
	want := judge.Of(lines, rules)
	for _, l := range []record.Line{
		{Key: "of nothing", Pair: &record.Pair{Phase: record.Search, Base: []float64{9}, Variant: []float64{1}}},
		{Key: keyOf(merging(3)), Pair: &record.Pair{Phase: record.Search, Base: []float64{9}}},
		{Key: keyOf(merging(3)), Pair: &record.Pair{Phase: record.Search, Base: []float64{9}, Variant: []float64{0}}},
		{Key: keyOf(merging(3))},
		{},
	} {
		assert.Equal(t, want, judge.Of(append(append([]record.Line(nil), lines...), l), rules))
	}
}

// A clock that is too coarse, say, must not keep a run from its end.
func TestARunWhoseTimesCantBeComparedEnds(t *testing.T) {
	rules, fast := judge.DefaultRules(), true
	r := newRun(rules, func(string, record.TunedVariant) (base, variant []float64) {
		if fast {
			return []float64{2}, []float64{1}
		}
		return []float64{0}, []float64{0}
	})
	r.list(original)
	r.list(merging(2))
	r.measure(merging(2), record.Search, "", rules.MinPairs)
	fast = false
	var pairs []record.Pair
	for !rules.Enough(pairs) {
		r.measure(original, record.Search, "", 1)
		pairs = append(pairs, *r.lines[len(r.lines)-1].Pair)
	}
	assert.Len(t, pairs, rules.MaxPairs)
	v := r.finish(t)
	assert.Equal(t, -1, v.Chosen)
	assert.Contains(t, v.Why, "only 0 of 24 fresh pairs have times that can be compared")
	assert.Zero(t, v.Rows[0].Search)
	assert.Equal(t, 2.0, v.Rows[1].Base)
}

// Each further variant that is tried takes a surer interval, and what was tried
// before counts, in whatever order the search ranks it now.
func TestFurtherTriesHaveToBeSurer(t *testing.T) {
	rules := judge.DefaultRules()
	rules.Confirm = 9
	drawn := []float64{1.2, 1.2, 1.2, 1.2, 1.2, 1.2, 1.2, 1.2, 1.2}
	at := 0
	r := newRun(rules, func(_ string, c record.TunedVariant) (base, variant []float64) {
		at++
		if c.IsOriginal() {
			return []float64{1}, []float64{1}
		}
		return []float64{drawn[at%len(drawn)]}, []float64{1}
	})
	r.search(rules.MinPairs, original, merging(2), merging(3))
	task := judge.Waits(r.lines, rules)
	require.NotNil(t, task)
	assert.Equal(t, 9, task.Pairs, "nine of nine pairs are 99.5 %: half of the error")

	// The other one was tried in vain before.
	slow := newRun(rules, func(string, record.TunedVariant) (base, variant []float64) { return []float64{1}, []float64{1} })
	slow.measure(merging(3), record.Confirm, "", 1)
	r.lines = append(r.lines, slow.lines...)
	task = judge.Waits(r.lines, rules)
	assert.Equal(t, &judge.Task{Key: keyOf(merging(2)), Pairs: 11}, task, "a sixth of the error takes eleven")
}

func TestAnEndThatIsSettledIsNotMeasured(t *testing.T) {
	rules := judge.DefaultRules()
	r := newRun(rules, speeds(map[string]float64{merging(2).String(): 1.2}))
	r.search(rules.MinPairs, original, merging(2))
	slow := newRun(rules, func(string, record.TunedVariant) (base, variant []float64) { return []float64{1}, []float64{1.1} })
	for n := range 6 {
		ok := judge.Waits(r.lines, rules) != nil
		require.Equal(t, n < 5, ok, "after %d slow pairs", n)
		if !ok {
			break
		}
		slow.measure(merging(2), record.Confirm, "", 1)
		r.lines = append(r.lines, slow.lines[len(slow.lines)-1])
	}
	assert.Contains(t, r.finish(t).Why, "5 of 5 fresh pairs are no faster")
}

func TestEnoughIsANarrowIntervalOrManyPairs(t *testing.T) {
	rules := judge.DefaultRules()
	pairs := func(n int, spread float64) (out []record.Pair) {
		for i := range n {
			out = append(out, record.Pair{Phase: record.Search, Base: []float64{1 + spread*float64(i%2)}, Variant: []float64{1}})
		}
		return out
	}
	assert.False(t, rules.Enough(pairs(5, 0)))
	assert.True(t, rules.Enough(pairs(6, 0.01)))
	assert.False(t, rules.Enough(pairs(6, 0.1)))
	assert.False(t, rules.Enough(pairs(19, 0.1)))
	assert.True(t, rules.Enough(pairs(20, 0.1)))
	confirming := pairs(20, 0)
	for i := range confirming {
		confirming[i].Phase = record.Confirm
	}
	assert.False(t, rules.Enough(confirming), "only what was searched counts")
}

func TestTimesOfLinesTellEqualPairsApart(t *testing.T) {
	rules := judge.DefaultRules()
	lines := []record.Line{{Key: "a", Variant: &record.MeasuredVariant{Subject: kernel, Name: "original"}}}
	for i := range 3 {
		lines = append(lines, record.Line{Key: "a", Time: time.Unix(int64(i), 0), Pair: &record.Pair{Phase: record.Search, Base: []float64{1}, Variant: []float64{1}}})
	}
	assert.Equal(t, 3, judge.Of(lines, rules)[0].Rows[0].Search.Pairs)
}

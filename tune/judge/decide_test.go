package judge_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/smux-cuda/smux/tune/judge"
	"github.com/smux-cuda/smux/tune/record"
)

func TestTheFastestConfirmedVariantIsChosen(t *testing.T) {
	rules := judge.DefaultRules()
	form, merged := capped(3).String(), merging(2).String()
	for name, c := range map[string]struct {
		speeds map[string]float64
		chosen string
		form   string
	}{
		"nothing is faster":                      {nil, "original", "original"},
		"a gain that is not worth it":            {map[string]float64{merged: 1.015}, "original", "original"},
		"slower":                                 {map[string]float64{merged: 0.8, form: 0.9}, "original", "original"},
		"merging is faster":                      {map[string]float64{merged: 1.3}, merged, "original"},
		"merging is faster than a faster form":   {map[string]float64{merged: 1.3, form: 1.1}, merged, form},
		"merging is a little faster than a form": {map[string]float64{merged: 1.11, form: 1.1}, merged, form},
		"a form does as well":                    {map[string]float64{merged: 1.1, form: 1.1}, form, form},
		"a form is faster":                       {map[string]float64{merged: 1.1, form: 1.2}, form, form},
		"the best of several":                    {map[string]float64{merged: 1.1, merging(3).String(): 1.2, merging(4).String(): 1.15}, merging(3).String(), "original"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRun(rules, speeds(c.speeds))
			r.search(rules.MinPairs, original, capped(2), capped(3), merging(2), merging(3), merging(4))
			v := r.finish(t)
			assert.Equal(t, c.chosen, nameOf(v, v.Chosen), describe(v))
			assert.Equal(t, c.form, nameOf(v, v.Form), describe(v))
			assert.Empty(t, v.Remarks)
			assert.Equal(t, v, judge.Of(r.lines, rules)[0], "the same lines give the same verdict")
		})
	}
}

func nameOf(v judge.Verdict, row int) string {
	if row < 0 {
		return "original"
	}
	return v.Rows[row].Name
}

// A variant that is fast in the search by luck is not faster in fresh pairs.
func TestWhatIsOnlyFastInTheSearchIsNotChosen(t *testing.T) {
	rules := judge.DefaultRules()
	lucky := map[string]float64{}
	for n := range 5 {
		lucky[merging(n+2).String()] = 1.1 + 0.01*float64(n)
	}
	steady := speeds(nil)
	searching := true
	r := newRun(rules, func(against string, c record.TunedVariant) (base, variant []float64) {
		if searching {
			return speeds(lucky)(against, c)
		}
		return steady(against, c)
	})
	r.search(rules.MinPairs, original, merging(2), merging(3), merging(4), merging(5), merging(6))
	searching = false
	v := r.finish(t)
	assert.Equal(t, -1, v.Chosen)
	assert.Contains(t, v.Why, "Keep the original: the best in the search, vtb named N=6")
	assert.Contains(t, v.Why, "is not confirmed")
	assert.Contains(t, v.Why, "neither is vtb named N=5 or vtb named N=4")
	tried := 0
	for _, row := range v.Rows {
		if row.Confirm.Pairs > 0 {
			tried++
			assert.NotEmpty(t, row.Refused)
		}
	}
	assert.Equal(t, rules.Finalists, tried)
}

func TestALaterFinalistIsChosenWhereTheFirstIsNotConfirmed(t *testing.T) {
	rules, confirming := judge.DefaultRules(), false
	true2 := map[string]float64{merging(2).String(): 1.2}
	lucky := map[string]float64{merging(2).String(): 1.2, merging(3).String(): 1.4}
	r := newRun(rules, func(against string, c record.TunedVariant) (base, variant []float64) {
		if confirming {
			return speeds(true2)(against, c)
		}
		return speeds(lucky)(against, c)
	})
	r.search(rules.MinPairs, original, merging(2), merging(3))
	confirming = true
	v := r.finish(t)
	assert.Equal(t, merging(2).String(), name(v), describe(v))
}

// An unconfirmed form gives way: the variant that is confirmed stays.
func TestAFormThatIsNotConfirmedDoesNotTakeTheVariantsPlace(t *testing.T) {
	rules, phase := judge.DefaultRules(), 0
	r := newRun(rules, func(against string, c record.TunedVariant) (base, variant []float64) {
		switch {
		case phase == 0: // both look the same in the search
			return speeds(map[string]float64{merging(2).String(): 1.1, capped(2).String(): 1.09})(against, c)
		case against != "": // and side by side
			return speeds(map[string]float64{merging(2).String(): 1.1, capped(2).String(): 1.1})(against, c)
		}
		return speeds(map[string]float64{merging(2).String(): 1.1})(against, c)
	})
	r.search(rules.MinPairs, original, capped(2), merging(2))
	phase = 1
	v := r.finish(t)
	assert.Equal(t, merging(2).String(), name(v), describe(v))
}

func TestMerelyTheOutputsThatWereComparedCount(t *testing.T) {
	rules, was := judge.DefaultRules(), checked
	t.Cleanup(func() { checked = was })
	checked = record.Evidence{}
	r := newRun(rules, speeds(map[string]float64{merging(2).String(): 2}))
	r.search(rules.MinPairs, original, merging(2))
	v := r.finish(t)
	assert.Equal(t, -1, v.Chosen)
	assert.Contains(t, v.Why, "outputs were not compared")
	assert.Contains(t, v.Why, merging(2).String())
	assert.Equal(t, "not compared", v.Rows[1].Correct())
}

func TestFailuresAreRowsAndNeverChosen(t *testing.T) {
	rules := judge.DefaultRules()
	for _, kind := range []record.FailureKind{record.FailedOutput, record.FailedCrash, record.FailedTimeout} {
		r := newRun(rules, speeds(map[string]float64{merging(2).String(): 2}))
		r.search(rules.MinPairs, original, merging(2))
		r.measure(merging(2), record.Confirm, "", rules.Confirm)
		assert.Equal(t, merging(2).String(), name(r.finish(t)))
		r.lines = append(r.lines, record.Line{Key: keyOf(merging(2)), Failure: &record.Failure{Kind: kind, Text: "it fails at last"}})
		v := r.finish(t)
		assert.Equal(t, -1, v.Chosen, string(kind))
		assert.Equal(t, kind, v.Rows[1].Failure.Kind)
		assert.Equal(t, "it fails at last", v.Rows[1].Refused)
		want := "-"
		if kind == record.FailedOutput {
			want = "no"
		}
		assert.Equal(t, want, v.Rows[1].Correct())
	}
	r := newRun(rules, speeds(nil))
	r.list(original)
	r.lines = append(r.lines, record.Line{Key: keyOf(original), Failure: &record.Failure{Kind: record.FailedUnsteady, Text: "equal runs differ"}})
	assert.Contains(t, r.finish(t).Why, "can't be measured: equal runs differ")
}

func TestOnlyTheFirstRepetitionIsFast(t *testing.T) {
	rules := judge.DefaultRules()
	for name, c := range map[string]struct {
		variant []float64
		chosen  bool
	}{
		"of two":        {[]float64{0.5, 2}, false},
		"of three":      {[]float64{0.5, 2, 2}, false},
		"all":           {[]float64{1, 1, 1}, true},
		"all but it":    {[]float64{2, 1, 1}, true},
		"the half of 4": {[]float64{1, 1, 2, 2}, false},
	} {
		t.Run(name, func(t *testing.T) {
			base := []float64{2, 2, 2, 2}[:len(c.variant)]
			r := newRun(rules, func(_ string, k record.TunedVariant) ([]float64, []float64) {
				if k.IsOriginal() {
					return base, base
				}
				return base, c.variant
			})
			r.search(rules.MinPairs, original, merging(2))
			v := r.finish(t)
			assert.Equal(t, c.chosen, v.Chosen >= 0, describe(v))
			if name == "of two" {
				assert.Contains(t, v.Why, "only the first repetition")
				assert.Contains(t, v.Remarks[0], "only the latter counts")
			}
		})
	}
}

func TestGainsBelowTheNoiseFloorAreNotChosen(t *testing.T) {
	rules := judge.DefaultRules()
	for _, c := range []struct {
		gain   float64
		chosen bool
	}{{1.05, false}, {1.2, true}} {
		r := newRun(rules, func(_ string, k record.TunedVariant) ([]float64, []float64) {
			if k.IsOriginal() { // the place makes a difference
				return []float64{1.06}, []float64{1}
			}
			return []float64{c.gain}, []float64{1}
		})
		r.search(rules.MinPairs, original, merging(2))
		v := r.finish(t)
		assert.Equal(t, c.chosen, v.Chosen >= 0, describe(v))
		assert.InDelta(t, 6, v.Floor, 1e-6)
		assert.Contains(t, v.Remarks[0], "gains below 6 % are not trusted")
	}
}

package judge_test

import (
	"fmt"

	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/tune/judge"
	"github.com/smux-cuda/smux/tune/record"
)

var original record.TunedVariant

// merging is one of many candidates that merge thread blocks.
func merging(n int) record.TunedVariant {
	return record.TunedVariant{Variant: rewrite.Variant{Rewriter: "vtb", Sync: "named", Factor: n}}
}

// capped is one of many original forms.
func capped(blocks int) record.TunedVariant { return record.TunedVariant{Blocks: blocks} }

var kernel = record.Subject{Source: "1f", Kernel: "k", Machine: record.Machine{On: "gpu", GPU: "H100"}}

// checked is the evidence if nothing else is said.
var checked = record.Evidence{Copies: 1, Bytes: 64, Memory: 64}

// run is a tuning run whose times are drawn.
type run struct {
	rules judge.Rules
	// draw gives the times of a pair: of the candidate, or of the original or a form in its
	// place, and of the candidate.
	draw  func(against string, c record.TunedVariant) (base, variant []float64)
	lines []record.Line
	turns map[string]int
}

func newRun(rules judge.Rules, draw func(string, record.TunedVariant) (base, variant []float64)) *run {
	return &run{rules: rules, draw: draw, turns: map[string]int{}}
}

func keyOf(c record.TunedVariant) string { return "key of " + c.String() }

// list adds the line of a variant.
func (r *run) list(c record.TunedVariant) {
	r.lines = append(r.lines, record.Line{Key: keyOf(c), Variant: &record.MeasuredVariant{Subject: kernel, Candidate: c, Name: c.String()}})
}

// measure adds pairs.
func (r *run) measure(c record.TunedVariant, phase, against string, pairs int) {
	for range pairs {
		key := keyOf(c)
		turn := r.turns[key+phase+against]
		r.turns[key+phase+against]++
		base, variant := r.draw(against, c)
		r.lines = append(r.lines, record.Line{Key: key, Pair: &record.Pair{
			Phase: phase, Turn: turn, Against: against, Base: base, Variant: variant, VariantFirst: turn%2 == 1, Checked: checked,
		}})
	}
}

// search measures each candidate for so many pairs, in turns.
func (r *run) search(pairs int, candidates ...record.TunedVariant) {
	for _, c := range candidates {
		r.list(c)
	}
	for range pairs {
		for _, c := range candidates {
			r.measure(c, record.Search, "", 1)
		}
	}
}

// finish measures what the decision waits for, and returns the verdict.
func (r *run) finish(t require.TestingT) judge.Verdict {
	for r.confirm(t) {
	}
	v := judge.Of(r.lines, r.rules)
	require.Len(t, v, 1)
	require.Nil(t, v[0].Waits)
	return v[0]
}

// confirm measures what the decision waits for now.
func (r *run) confirm(t require.TestingT) bool {
	task := judge.Waits(r.lines, r.rules)
	if task != nil {
		r.do(t, *task)
	}
	return task != nil
}

// do measures what a decision waits for.
func (r *run) do(t require.TestingT, task judge.Task) {
	require.Positive(t, task.Pairs)
	for _, l := range r.lines {
		if l.Variant != nil && l.Key == task.Key {
			r.measure(l.Variant.Candidate, record.Confirm, task.Against, task.Pairs)
			return
		}
	}
	require.Fail(t, "it waits for a variant that is not listed")
}

// speeds draws steady times: each candidate is so many times as fast as the
// original, by its name, with a small noise that goes up and down.
func speeds(of map[string]float64) func(string, record.TunedVariant) (base, variant []float64) {
	at := 0
	speed := func(name string) float64 {
		if s, ok := of[name]; ok {
			return s
		}
		return 1
	}
	return func(against string, c record.TunedVariant) (base, variant []float64) {
		at++
		noise := 1 + 0.001*float64(at*7%5-2)
		return []float64{2 * noise / speed(against)}, []float64{2 / speed(c.String())}
	}
}

// name is that of the chosen row, "original" where that is kept.
func name(v judge.Verdict) string {
	if v.Chosen < 0 {
		return "original"
	}
	return v.Rows[v.Chosen].Name
}

// describe is a verdict for messages of tests.
func describe(v judge.Verdict) string { return fmt.Sprintf("%s: %s %q", name(v), v.Why, v.Remarks) }

package model_test

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/stat"

	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/tune/machine"
	"github.com/smux-cuda/smux/tune/machine/model"
	"github.com/smux-cuda/smux/tune/record"
)

func vtb(n, blocks int) record.TunedVariant {
	return record.TunedVariant{Variant: rewrite.Variant{Rewriter: "vtb", Sync: "named", Factor: n}, Blocks: blocks}
}

func times(t *testing.T, m *model.Machine, c record.TunedVariant, turn int) []float64 {
	t.Helper()
	b, err := m.Build(t.Context(), machine.Source{Candidate: c, Predicted: 1.25})
	require.NoError(t, err)
	r, err := b.Run(t.Context(), 0, turn)
	require.NoError(t, err)
	return r.Milliseconds
}

func TestTimesDependOnNothingButTheSeedTheFormAndTheTurn(t *testing.T) {
	o := model.Options{GPU: "a100", Seed: 7, Error: 0.1, Noise: 0.01, Jitter: 0.01, Outliers: 0.1}
	one, again := model.New(o), model.New(o)
	later := times(t, one, vtb(2, 0), 3)
	assert.Equal(t, later, times(t, again, vtb(2, 0), 3))
	assert.NotEqual(t, later, times(t, again, vtb(2, 0), 4))
	assert.NotEqual(t, later, times(t, again, vtb(4, 0), 3))
	o.Seed++
	assert.NotEqual(t, later, times(t, model.New(o), vtb(2, 0), 3))
}

func TestWithoutErrorAndNoiseTheModelIsRight(t *testing.T) {
	m := model.New(model.Options{})
	assert.Equal(t, []float64{0.8, 0.8, 0.8, 0.8, 0.8}, times(t, m, vtb(2, 0), 0))
	assert.Equal(t, 1.0, m.Truth(record.TunedVariant{}, 3), "the original is as fast as itself")
	assert.Equal(t, 1.0, m.Truth(vtb(2, 0), 0), "what isn't predicted")
}

func TestTheErrorIsAsLargeAsAskedFor(t *testing.T) {
	var errs, unpredicted []float64
	for seed := range uint64(2000) {
		m := model.New(model.Options{Seed: seed, Error: 0.1, Unpredicted: 0.05})
		errs = append(errs, math.Log(m.Truth(vtb(2, 0), 1.5)/1.5))
		unpredicted = append(unpredicted, math.Log(m.Truth(vtb(2, 0), 0)))
	}
	assert.InDelta(t, 0.1, stat.StdDev(errs, nil), 0.005)
	assert.InDelta(t, 0, stat.Mean(errs, nil), 0.01)
	assert.InDelta(t, 0.05, stat.StdDev(unpredicted, nil), 0.003)
}

func TestFormsShareErrorsByWhatTheyHaveInCommon(t *testing.T) {
	correlation := func(a, b record.TunedVariant) float64 {
		var x, y []float64
		for seed := range uint64(2000) {
			m := model.New(model.Options{Seed: seed, Error: 0.1})
			x, y = append(x, math.Log(m.Truth(a, 1))), append(y, math.Log(m.Truth(b, 1)))
		}
		return stat.Correlation(x, y, nil)
	}
	merge := record.TunedVariant{Variant: rewrite.Variant{Rewriter: "merge", Factor: 8}}
	assert.InDelta(t, 0.94, correlation(vtb(2, 0), vtb(2, 3)), 0.02, "but for a register cap")
	assert.InDelta(t, 0.81, correlation(vtb(2, 0), vtb(4, 0)), 0.05, "rewrite and sync mode")
	assert.InDelta(t, 0.7, correlation(vtb(2, 0), merge), 0.05, "the kernel")
}

func TestNoiseOutliersAndDriftAreAsAskedFor(t *testing.T) {
	m := model.New(model.Options{Noise: 0.02, Repetitions: 1})
	var logs []float64
	for turn := range 2000 {
		logs = append(logs, math.Log(times(t, m, vtb(2, 0), turn)[0]))
	}
	assert.InDelta(t, 0.02, stat.StdDev(logs, nil), 0.002)

	m, late := model.New(model.Options{Outliers: 0.1, Repetitions: 1000}), 0
	for _, ms := range times(t, m, vtb(2, 0), 0) {
		if ms > 0.8 {
			late++
		}
	}
	assert.InDelta(t, 100, late, 40)

	m = model.New(model.Options{Drift: 0.5})
	assert.InDelta(t, 0.8, times(t, m, vtb(2, 0), 0)[0], 1e-9)
	assert.InDelta(t, 1.2, times(t, m, vtb(2, 0), 1000)[0], 1e-9)
}

func TestARunEndsWithItsContext(t *testing.T) {
	m := model.New(model.Options{Devices: 2})
	assert.Equal(t, []int{0, 1}, m.Devices())
	b, err := m.Build(t.Context(), machine.Source{})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = b.Run(ctx, 1, 0)
	assert.ErrorIs(t, err, context.Canceled)
	_, err = m.Build(ctx, machine.Source{})
	assert.ErrorIs(t, err, context.Canceled)
}

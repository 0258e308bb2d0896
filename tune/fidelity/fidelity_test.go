package fidelity_test

import (
	"bytes"
	"encoding/json"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/tune/fidelity"
	"github.com/smux-cuda/smux/tune/judge"
	"github.com/smux-cuda/smux/tune/record"
)

// row is a variant of N thread blocks; 0 is the original.
func row(n int, predicted, measured float64) judge.Row {
	c := record.TunedVariant{}
	if n > 0 {
		c.Variant = rewrite.Variant{Rewriter: "vtb", Factor: n}
	}
	r := judge.Row{MeasuredVariant: record.MeasuredVariant{Candidate: c, Name: c.String(), Predicted: predicted}}
	r.Search = judge.Ratio{Median: measured, Pairs: 6}
	if measured == 0 {
		r.Search, r.Failure = judge.Ratio{}, &record.Failure{Kind: record.FailedRun}
	}
	return r
}

func verdict(rows ...judge.Row) judge.Verdict {
	return judge.Verdict{
		Subject: record.Subject{Files: []string{"src/mv.cu"}, Kernel: "multiply", Machine: record.Machine{On: "gpu", GPU: "a100", Device: "NVIDIA A100"}},
		Rows:    rows,
	}
}

func one(t *testing.T, rows ...judge.Row) fidelity.Subject {
	t.Helper()
	r := fidelity.Of([]judge.Verdict{verdict(rows...)})
	require.Len(t, r.Subjects, 1)
	return r.Subjects[0]
}

func TestTheOrderOfPredictionsIsComparedWithTheMeasuredOne(t *testing.T) {
	cases := []struct {
		name                string
		predicted, measured []float64
		tau, rho            float64
	}{
		{"the same", []float64{1, 2, 3, 4}, []float64{10, 20, 30, 40}, 1, 1},
		{"turned", []float64{1, 2, 3, 4}, []float64{4, 3, 2, 1}, -1, -1},
		{"one pair of six wrong", []float64{1, 2, 3, 4}, []float64{1, 2, 4, 3}, 4.0 / 6, 0.8},
		// Of six pairs one is tied by the model: 5 in order, over the root of 5·6. The places
		// are 1, 2.5, 2.5, 4 and 1, 2, 3, 4.
		{"a tie", []float64{1, 2, 2, 3}, []float64{1, 2, 3, 4}, 5 / math.Sqrt(30), 4.5 / math.Sqrt(4.5*5)},
	}
	for _, c := range cases {
		rows := []judge.Row{row(0, 1, 1.01)}
		for i := range c.predicted {
			rows = append(rows, row(i+2, c.predicted[i], c.measured[i]))
		}
		s := one(t, rows...)
		require.NotNil(t, s.Kendall, c.name)
		assert.InDelta(t, c.tau, *s.Kendall, 1e-12, c.name)
		assert.InDelta(t, c.rho, *s.Spearman, 1e-12, c.name)
		assert.Equal(t, 4, s.Compared)
	}
}

func TestWhereThereIsNoOrderNoneIsClaimed(t *testing.T) {
	s := one(t, row(0, 1, 1), row(2, 1.1, 1.2), row(3, 1.1, 1.3))
	assert.Nil(t, s.Kendall)
	assert.Nil(t, s.Spearman)
	s = one(t, row(0, 1, 1), row(2, 1.1, 1.2))
	assert.Nil(t, s.Kendall)
	text, err := json.Marshal(s)
	require.NoError(t, err)
	assert.Contains(t, string(text), `"kendall":null`)
}

func TestTheLossIsThatOfTheModelsFirstChoice(t *testing.T) {
	s := one(t, row(0, 1, 0.99), row(2, 1.5, 1.2), row(3, 1.4, 1.5), row(4, 2, 0), row(6, 0, 1.1))
	assert.Equal(t, fidelity.Choice{Name: "vtb N=2", Predicted: 1.5, Measured: 1.2}, s.First)
	assert.Equal(t, fidelity.Choice{Name: "vtb N=3", Predicted: 1.4, Measured: 1.5}, s.Best)
	assert.InDelta(t, 20, s.Loss, 1e-9)
	assert.Equal(t, 4, s.Measured)
	assert.Equal(t, 1, s.Failed)
	assert.Equal(t, 2, s.Compared, "of one nothing was predicted")

	s = one(t, row(0, 1, 1), row(2, 0.9, 1.25))
	assert.Equal(t, "original", s.First.Name, "the model keeps the original")
	assert.InDelta(t, 20, s.Loss, 1e-9)
}

func TestTheErrorLeavesOutWhatAllFormsShare(t *testing.T) {
	s := one(t, row(0, 1, 1), row(2, 1, math.Exp(0.5)), row(3, 2, 2*math.Exp(0.3)))
	assert.InDelta(t, 0.4, s.Offset, 1e-9)
	assert.InDelta(t, math.Sqrt(0.02), s.Error, 1e-9)
}

func TestTheSummaryIsOverAllSubjects(t *testing.T) {
	right := verdict(row(0, 1, 1), row(2, 1.5, 1.5), row(3, 1.2, 1.3))
	wrong := verdict(row(0, 1, 1), row(2, 1.5, 1.0), row(3, 1.2, 1.25))
	nothing := verdict(row(0, 1, 0))
	r := fidelity.Of([]judge.Verdict{right, wrong, nothing})
	require.Len(t, r.Subjects, 2, "nothing was measured of the third")
	assert.Equal(t, 2, r.Summary.Subjects)
	assert.InDelta(t, 0, r.Summary.Kendall, 1e-12)
	assert.InDelta(t, 10, r.Summary.MeanLoss, 1e-9)
	assert.InDelta(t, 20, r.Summary.WorstLoss, 1e-9)
	assert.Equal(t, 1, r.Summary.WithinTwo)
	var text bytes.Buffer
	r.Text(&text)
	for _, part := range []string{"mv multiply", "NVIDIA A100", "vtb N=2 (1.500x)", "20.0 %", "2 % or less in 1 of 2"} {
		assert.Contains(t, text.String(), part)
	}
	text.Reset()
	fidelity.Of(nil).Text(&text)
	assert.NotContains(t, text.String(), "NaN")
}

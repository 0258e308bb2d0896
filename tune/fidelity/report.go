// Package fidelity says how far a model can be trusted, by records of what was measured: whether it puts the forms of a kernel in
// the right order, and what is lost by taking its first choice.
package fidelity

import (
	"math"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/model/profile"
	"github.com/smux-cuda/smux/tune/judge"
	"github.com/smux-cuda/smux/tune/record"
)

// Schema is the version of the JSON form of a Report. Members may be added within a version; none changes its meaning.
const Schema = 1

type Report struct {
	Schema   int       `json:"schema"`
	Subjects []Subject `json:"subjects"`
	Summary  Summary   `json:"summary"`
	// Corrections say how --profile corrects the predictions by these records.
	Corrections []profile.Correction `json:"corrections,omitempty"`
}

// Subject says how the model fares on one kernel and machine.
type Subject struct {
	Subject  record.Subject `json:"subject"`
	Measured int            `json:"measured"` // forms, the original included
	Failed   int            `json:"failed"`
	// Compared are the measured variants with a prediction; Kendall (τ-b) and Spearman (ρ) correlate both orders, null without one.
	Compared int      `json:"compared"`
	Kendall  *float64 `json:"kendall"`
	Spearman *float64 `json:"spearman"`
	// Error is the standard deviation of the logarithm of measured over predicted ratios, around Offset: 0.1 is about 10 %.
	Offset float64 `json:"offset"`
	Error  float64 `json:"error"`
	// First is the model's first choice, which may be to keep the original, and Best the fastest that was measured.
	First Choice `json:"first"`
	Best  Choice `json:"best"`
	// Loss is by how many percent the first choice is slower than the best.
	Loss float64 `json:"loss"`
}

// Choice is a form with the time of the original over its own.
type Choice struct {
	Name      string  `json:"name"`
	Predicted float64 `json:"predicted,omitempty"`
	Measured  float64 `json:"measured"`
}

type Summary struct {
	Subjects    int     `json:"subjects"`
	Kendall     float64 `json:"kendall"` // means over the subjects with an order
	Spearman    float64 `json:"spearman"`
	Ordered     int     `json:"ordered"` // how many these are
	MeanLoss    float64 `json:"meanLoss"`
	WorstLoss   float64 `json:"worstLoss"`
	WithinTwo   int     `json:"withinTwoPercent"` // subjects whose first choice loses 2 % or less
	GainOfBest  float64 `json:"gainOfBest"`       // geometric means of the ratios
	GainOfFirst float64 `json:"gainOfFirst"`
}

// Of makes the report of what was measured. Subjects without any measurement are left out.
func Of(verdicts []judge.Verdict) Report {
	out := Report{Schema: Schema, Subjects: []Subject{}}
	for _, v := range verdicts {
		if s, ok := of(v); ok {
			out.Subjects = append(out.Subjects, s)
		}
	}
	out.Summary = summary(out.Subjects)
	out.Corrections = Corrections(verdicts)
	return out
}

// ReadCorrections returns what the records in files say of the predictions, nil of no files; to correct nothing is an error.
func ReadCorrections(files []string) ([]profile.Correction, error) {
	var verdicts []judge.Verdict
	for _, file := range files {
		lines, _, err := record.ReadTorn(file)
		if err != nil {
			return nil, record.Explain(err)
		}
		verdicts = append(verdicts, judge.Of(lines, judge.DefaultRules())...)
	}
	out := Corrections(verdicts)
	if len(files) > 0 && len(out) == 0 {
		return nil, diag.Usagef("measure more with smux tune --store FILE", "no prediction is corrected by %s: no rewriter was measured in %d kernels of one GPU", strings.Join(files, ", "), profile.LeastKernels)
	}
	return out, nil
}

// Corrections returns what GPUs' measurements of rewrites of one step, and nothing besides, say of the predictions.
func Corrections(verdicts []judge.Verdict) []profile.Correction {
	var samples []profile.Sample
	for _, v := range verdicts {
		g, err := gpu.Lookup(v.Subject.Machine.GPU)
		if err != nil || v.Subject.Machine.On != "gpu" {
			continue
		}
		for _, row := range v.Rows {
			if row.Failure == nil && row.Candidate.OneStep() {
				samples = append(samples, profile.Sample{GPU: g.String(), Rewriter: row.Candidate.Rewriter, Kernel: v.Subject.Key(), Predicted: row.Predicted, Measured: row.Gain().Median})
			}
		}
	}
	return profile.Corrections(samples)
}

func of(v judge.Verdict) (Subject, bool) {
	s := Subject{Subject: v.Subject}
	var predicted, measured, off []float64
	for _, row := range v.Rows {
		ratio := row.Search.Median
		if row.Failure != nil {
			s.Failed++
			continue
		}
		if !(ratio > 0) {
			continue
		}
		c := Choice{row.Name, row.Predicted, ratio}
		if row.Candidate.IsOriginal() {
			c.Predicted, c.Measured = 1, 1 // whatever noise makes of it
		}
		s.Measured++
		if c.Predicted > s.First.Predicted {
			s.First = c
		}
		if c.Measured > s.Best.Measured {
			s.Best = c
		}
		if row.Predicted > 0 && !row.Candidate.IsOriginal() {
			predicted, measured = append(predicted, row.Predicted), append(measured, ratio)
			off = append(off, math.Log(ratio/row.Predicted))
		}
	}
	if s.Measured == 0 {
		return s, false
	}
	s.Compared = len(off)
	s.Kendall, s.Spearman = Known(Kendall(predicted, measured)), Known(Spearman(predicted, measured))
	s.Offset, s.Error = meanAndSpread(off)
	if s.First.Measured > 0 {
		s.Loss = 100 * (1 - s.First.Measured/s.Best.Measured)
	}
	return s, true
}

func Known(v float64, ok bool) *float64 {
	if !ok || math.IsNaN(v) {
		return nil
	}
	return &v
}

// meanAndSpread returns the mean and the standard deviation around it, 0 where there are too few values.
func meanAndSpread(x []float64) (mean, sd float64) {
	if len(x) == 0 {
		return 0, 0
	}
	for _, v := range x {
		mean += v / float64(len(x))
	}
	if len(x) < 2 {
		return mean, 0
	}
	for _, v := range x {
		sd += (v - mean) * (v - mean) / float64(len(x)-1)
	}
	return mean, math.Sqrt(sd)
}

func summary(subjects []Subject) Summary {
	var out Summary
	var kendalls, spearmans, losses, best, first []float64
	for _, s := range subjects {
		if s.Compared == 0 || !(s.First.Measured > 0) {
			continue
		}
		out.Subjects++
		if s.Kendall != nil && s.Spearman != nil {
			kendalls, spearmans = append(kendalls, *s.Kendall), append(spearmans, *s.Spearman)
		}
		losses = append(losses, s.Loss)
		best, first = append(best, math.Log(s.Best.Measured)), append(first, math.Log(s.First.Measured))
		if s.Loss <= 2 {
			out.WithinTwo++
		}
	}
	if out.Subjects == 0 {
		return out
	}
	out.Ordered = len(kendalls)
	mean := func(x []float64) float64 {
		m, _ := meanAndSpread(x)
		return m
	}
	out.Kendall, out.Spearman, out.MeanLoss, out.WorstLoss = mean(kendalls), mean(spearmans), mean(losses), slices.Max(losses)
	out.GainOfBest, out.GainOfFirst = math.Exp(mean(best)), math.Exp(mean(first))
	return out
}

// Package modelcheck holds the model against measurements of real GPUs: the order of its times and what a choice by them loses,
// occupancy against active warps and failed launches, and counts. No figure of it goes back into the model.
package modelcheck

import (
	"cmp"
	"context"
	"errors"
	"math"
	"runtime"
	"slices"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/parallel"
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/tune/fidelity"
	"github.com/smux-cuda/smux/tune/record"
)

// Schema is the version of the JSON form of a Report. Members may be added within a version; none changes its meaning.
const Schema = 1

// Report says how the model fares on each kernel and GPU of records.
type Report struct {
	Schema  int      `json:"schema"`
	Kernels []Kernel `json:"kernels"`
}

// Kernel says how it fares on the configurations of one kernel on one GPU.
type Kernel struct {
	Kernel string `json:"kernel"`
	GPU    string `json:"gpu"` // as smux --gpu takes it
	Device string `json:"device"`
	Tuner  string `json:"tuner"`

	Configurations int `json:"configurations"`
	Ran            int `json:"ran"`
	// Predicted are those with a measured and a predicted time; of the others that ran Unpredicted has the reasons.
	Predicted   int      `json:"predicted"`
	Unpredicted []Reason `json:"unpredicted"`
	// Recorded are the predicted ones whose registers the record has; those of the others are estimates.
	Recorded int `json:"recordedRegisters"`

	// Spearman and Kendall (τ-b) correlate predicted with measured times, Occupancy (ρ) the occupancy; null without an order.
	Spearman  *float64 `json:"spearman"`
	Kendall   *float64 `json:"kendall"`
	Occupancy *float64 `json:"occupancySpearman"`
	Regret    *Regret  `json:"regret"` // null if nothing was predicted
	Changes   []Change `json:"changes"`
	Efforts   []Effort `json:"efforts"`

	Residency Residency      `json:"residency"`
	Counters  []CounterError `json:"counters"`

	points []point
}

type Reason struct {
	Why   string `json:"why"`
	Count int    `json:"count"`
}

// Regret is the part by which a choice is slower than the fastest predicted configuration; the first of equal ones counts.
type Regret struct {
	First  float64 `json:"first"`    // the one that is predicted to be the fastest
	Three  float64 `json:"ofThree"`  // the best of the three predicted to be the fastest
	Ten    float64 `json:"ofTen"`    // … of the ten
	Random float64 `json:"ofRandom"` // the median configuration: what a blind choice loses half of the time
	Chosen string  `json:"chosen"`   // the first
	Best   string  `json:"best"`     // the fastest
}

// point is a configuration with all facts about it.
type point struct {
	variant   *record.MeasuredVariant
	constants []record.Constant
	measured  float64 // milliseconds, the median of all repetitions; 0 where it failed
	failure   *record.Failure
	counters  map[string]float64
	predicted *Prediction // nil if nothing can be said
	why       string
}

// compared reports whether there are both times.
func (p *point) compared() bool {
	return p.measured > 0 && p.predicted != nil && p.predicted.Milliseconds > 0
}

// Each calls f with each configuration that ran and was predicted, and its time in milliseconds.
func (k *Kernel) Each(f func(c record.Configuration, measured float64, predicted *Prediction)) {
	for i := range k.points {
		if p := &k.points[i]; p.compared() {
			f(p.variant.Configuration(), p.measured, p.predicted)
		}
	}
}

// Of checks the model on the subjects of a record that another tuner measured and gpu has a GPU for. The error is the context's,
// or a *diag.Failure where the source lacks a subject's kernel. Without a source nothing is predicted.
func Of(ctx context.Context, lines []record.Line, source *Predictor, gpu func(record.Subject) *gpu.GPU) (Report, error) {
	out := Report{Schema: Schema, Kernels: []Kernel{}}
	for _, s := range record.BySubject(lines) {
		if s.Subject.Tuner == "" {
			continue
		}
		g := gpu(s.Subject)
		if g == nil {
			continue
		}
		points := collect(s)
		err := parallel.Each(ctx, len(points), runtime.GOMAXPROCS(0), func(i int) error {
			p := &points[i]
			if source == nil {
				p.why = "there is no source"
				return nil
			}
			predicted, err := source.Of(p.variant, g)
			var missing *diag.Failure
			if errors.As(err, &missing) {
				return err
			}
			if p.predicted = predicted; err != nil {
				p.why = err.Error()
			}
			return nil
		})
		if err != nil {
			return out, err
		}
		out.Kernels = append(out.Kernels, kernelOf(s.Subject, points, g))
	}
	return out, nil
}

// kernelOf returns what follows from the points of a subject.
func kernelOf(s record.Subject, points []point, g *gpu.GPU) Kernel {
	k := Kernel{Kernel: s.Kernel, GPU: g.Name, Device: s.Machine.Device, Tuner: s.Tuner, Configurations: len(points), Unpredicted: []Reason{}, points: points}
	var predicted, measured, occupancy []float64
	var both []*point
	for i := range points {
		p := &points[i]
		if p.measured > 0 {
			k.Ran++
		}
		switch {
		case p.compared():
			k.Predicted++
			if p.predicted.Recorded {
				k.Recorded++
			}
			both = append(both, p)
			predicted, measured = append(predicted, p.predicted.Milliseconds), append(measured, p.measured)
			occupancy = append(occupancy, -p.predicted.Static.Occupancy)
		case p.measured > 0 && p.predicted != nil && p.predicted.Impossible != "":
			why := lacking(p.predicted.Impossible)
			if why == registers && !p.predicted.Recorded {
				why += ", by an estimate of them"
			}
			k.Unpredicted = count(k.Unpredicted, "not one thread block fits, for want of "+why)
		case p.measured > 0:
			k.Unpredicted = count(k.Unpredicted, p.why)
		}
	}
	k.Spearman, k.Kendall = fidelity.Known(fidelity.Spearman(predicted, measured)), fidelity.Known(fidelity.Kendall(predicted, measured))
	k.Occupancy = fidelity.Known(fidelity.Spearman(occupancy, measured))
	k.Regret = regret(both)
	k.Changes = changes(both)
	k.Efforts = efforts(points)
	k.Residency = residency(points, g)
	k.Counters = counters(both)
	return k
}

// mostReasons is the number of different ones that are listed; the others are counted together.
const mostReasons = 8

func count(of []Reason, why string) []Reason {
	at := slices.IndexFunc(of, func(r Reason) bool { return r.Why == why })
	if at < 0 && len(of) >= mostReasons {
		why = "other reasons"
		at = slices.IndexFunc(of, func(r Reason) bool { return r.Why == why })
	}
	if at < 0 {
		return append(of, Reason{why, 1})
	}
	of[at].Count++
	return of
}

func regret(of []*point) *Regret {
	if len(of) == 0 {
		return nil
	}
	byModel := slices.Clone(of)
	slices.SortStableFunc(byModel, func(a, b *point) int {
		return cmp.Compare(a.predicted.Milliseconds, b.predicted.Milliseconds)
	})
	byTime := slices.Clone(of)
	slices.SortStableFunc(byTime, func(a, b *point) int { return cmp.Compare(a.measured, b.measured) })
	best := byTime[0].measured
	least := func(n int) float64 {
		out := math.Inf(1)
		for _, p := range byModel[:min(n, len(byModel))] {
			out = min(out, p.measured)
		}
		return out/best - 1
	}
	return &Regret{
		First: least(1), Three: least(3), Ten: least(10), Random: byTime[len(byTime)/2].measured/best - 1,
		Chosen: string(byModel[0].variant.Configuration()), Best: string(byTime[0].variant.Configuration()),
	}
}

// Package model is a machine that takes its times from the model of a GPU, with
// errors and noise as real ones have them, so that whatever needs a machine can be
// tried where there is no GPU. Its records say "model" for what they were
// measured on: they show how the tuner fares, and nothing about a kernel.
//
// The time of a form is that of the original over the ratio that the model predicts, times
// an error of the model that stays with the form, and times a noise
// that differs from run to run. All of it comes from the seed, the form's name
// and the turn: the same call gives the same times, in any order and in any
// process. A program of this machine makes no outputs, and compares as equal.
package model

import (
	"cmp"
	"context"
	"fmt"

	"github.com/smux-cuda/smux/tune/machine"
	"github.com/smux-cuda/smux/tune/record"
)

// Options say how the model's times differ from what it predicts. Sigmas are
// standard deviations of the logarithm: 0.1 is about 10 %.
type Options struct {
	GPU  string // as smux --gpu takes it
	Name string // of the program: programs differ in their errors
	Seed uint64

	// Error is the sigma of the model's error by form. Most of it is shared by all forms
	// that the model speaks of, some by those with the same rewrite, sync mode or factor.
	Error float64
	// Unpredicted is the sigma of the ratio of a form of which the model says nothing;
	// its median is 1.
	Unpredicted float64

	Noise    float64 // sigma from run to run
	Jitter   float64 // sigma from repetition to repetition within a run
	Outliers float64 // the part of the repetitions that takes up to 3 times as long
	Drift    float64 // by which part everything has become slower after many turns

	Repetitions int // within a run, that count; 0 is 5
	Devices     int // 0 is 1
}

// Machine is the machine. It is safe for use by several goroutines. The original takes a millisecond.
type Machine struct{ o Options }

var _ machine.Machine = (*Machine)(nil)

// New makes a machine.
func New(o Options) *Machine {
	o.Repetitions, o.Devices = cmp.Or(o.Repetitions, 5), cmp.Or(o.Devices, 1)
	return &Machine{o}
}

// About says that the times are a model's, and how they were made.
func (m *Machine) About() record.Machine {
	o := m.o
	return record.Machine{
		On:     "model",
		GPU:    o.GPU,
		Device: fmt.Sprintf("model of %s, error %g %%, noise %g %%, seed %d", o.GPU, 100*o.Error, 100*o.Noise, o.Seed),
	}
}

// Devices returns the indices from 0.
func (m *Machine) Devices() []int {
	out := make([]int, m.o.Devices)
	for i := range out {
		out[i] = i
	}
	return out
}

// State is that of a GPU at its usual clocks.
func (m *Machine) State(context.Context, int) *record.State {
	return &record.State{ClockSM: 1410, ClockMemory: 1215, Temperature: 50}
}

// Close does nothing.
func (m *Machine) Close() error { return nil }

// Build makes a program.
func (m *Machine) Build(ctx context.Context, s machine.Source) (machine.Built, error) {
	return &built{m, s.Candidate.String(), 1 / m.Truth(s.Candidate, s.Predicted)}, ctx.Err()
}

// Package model is a machine that takes its times from the model of a GPU, with errors and noise as real ones have them, so that
// whatever needs a machine can be tried without a GPU. Its records say "model": they show how the tuner fares, and nothing
// about a kernel. A form's time is the original's over the predicted ratio, times an error of the model that stays with the
// form, times a noise of each run, from the seed, the form's name and the turn: the same call gives the same times, in any
// order and process. A program of this machine makes no outputs, and compares as equal.
package model

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"

	"github.com/smux-cuda/smux/tune/machine"
	"github.com/smux-cuda/smux/tune/record"
)

// Options say how the model's times differ from what it predicts. Sigmas are of the logarithm: 0.1 is about 10 %.
type Options struct {
	GPU  string // as smux --gpu takes it
	Name string // of the program: programs differ in their errors
	Seed uint64

	// Error is the sigma of the model's error by form, of which all predicted forms share most, and similar ones some.
	Error float64
	// Unpredicted is the sigma of the ratio of a form of which the model says nothing; its median is 1.
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

func New(o Options) *Machine {
	o.Repetitions, o.Devices = cmp.Or(o.Repetitions, 5), cmp.Or(o.Devices, 1)
	return &Machine{o}
}

func (m *Machine) About() record.Machine {
	o := m.o
	return record.Machine{
		On:     "model",
		GPU:    o.GPU,
		Device: fmt.Sprintf("model of %s, error %g %%, noise %g %%, seed %d", o.GPU, 100*o.Error, 100*o.Noise, o.Seed),
	}
}

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

func (m *Machine) Close() error { return nil }

func (m *Machine) Build(ctx context.Context, s machine.Source) (machine.Built, error) {
	return &built{m, s.Candidate.String(), 1 / m.Truth(s.Candidate, s.Predicted)}, ctx.Err()
}

type built struct {
	m            *Machine
	name         string
	milliseconds float64 // without noise
}

// settling is the number of turns in which most of the drift happens.
const settling = 30

// Run gives the times of one turn. The same form has the same times in a turn: each run of a pair needs one of its own.
func (b *built) Run(ctx context.Context, device, turn int) (*machine.Run, error) {
	o := b.m.o
	r := b.m.random("run", b.name, " ", device, " ", turn)
	level := b.milliseconds * (1 + o.Drift*(1-math.Exp(-float64(turn)/settling))) * math.Exp(o.Noise*r.NormFloat64())
	run := &machine.Run{Outputs: outputs{}}
	for range o.Repetitions {
		ms := level * math.Exp(o.Jitter*r.NormFloat64())
		if late, by := r.Float64(), r.Float64(); late < o.Outliers {
			ms *= 1 + 2*by
		}
		run.Milliseconds = append(run.Milliseconds, ms)
		run.Seconds += ms / 1000
	}
	return run, ctx.Err()
}

// outputs are those of a program that makes none.
type outputs struct{}

func (outputs) Compare(machine.Outputs) (record.Evidence, *record.Failure) {
	return record.Evidence{Copies: 1, Bytes: 1 << 20, Lines: 1}, nil
}

func (outputs) Release() {}

// Check gives nothing: a made-up program leaves nothing behind.
func (b *built) Check(context.Context, int) (machine.Outputs, error) { return nil, nil }

func (b *built) Release() {}

// The parts of the variance of the model's error. All that merges thread blocks shares most of it, as in the figures of
// lab/fidelity, where 70 to 90 % of the variance lies between kernels. How the rest is divided is assumed.
const (
	ofKernel  = 0.70
	ofRewrite = 0.06
	ofSync    = 0.05
	ofFactor  = 0.04
	ofWay     = 0.09
	ofForm    = 0.06
)

// Truth returns the time of the original over that of a form, without noise; predicted is the model's ratio, 0 for none.
func (m *Machine) Truth(c record.TunedVariant, predicted float64) float64 {
	if c.IsOriginal() {
		return 1
	}
	if !(predicted > 0) {
		return math.Exp(m.o.Unpredicted * m.normal("unpredicted", c.String()))
	}
	sum := 0.0
	for _, part := range []struct{ share, z float64 }{
		{ofKernel, m.normal("kernel")},
		{ofRewrite, m.normal("rewrite", c.Rewriter)},
		{ofSync, m.normal("sync", c.Sync)},
		{ofFactor, m.normal("factor", fmt.Sprint(c.Factor))},
		{ofWay, m.normal("way", c.Variant.String())},
		{ofForm, m.normal("form", c.String())},
	} {
		sum += math.Sqrt(part.share) * part.z
	}
	return predicted * math.Exp(m.o.Error*sum)
}

func (m *Machine) normal(words ...any) float64 { return m.random(words...).NormFloat64() }

func (m *Machine) random(words ...any) *rand.Rand {
	h := fnv.New128a()
	fmt.Fprintf(h, "%q %q %d %q", m.o.GPU, m.o.Name, m.o.Seed, fmt.Sprint(words...))
	sum := h.Sum(nil)
	return rand.New(rand.NewPCG(binary.BigEndian.Uint64(sum), binary.BigEndian.Uint64(sum[8:])))
}

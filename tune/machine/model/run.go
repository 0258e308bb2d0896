package model

import (
	"context"
	"math"
	"time"

	"github.com/smux-cuda/smux/tune/machine"
	"github.com/smux-cuda/smux/tune/record"
)

// built is a form of a program.
type built struct {
	m            *Machine
	name         string
	milliseconds float64 // without noise
	fault        *Fault  // nil for none
}

// settling is the number of turns in which most of the drift happens.
const settling = 30

// Run gives the times of one turn. A caller that runs the same form twice in a
// turn gets the same times twice: each run of a pair needs a turn of its own where
// the original is compared with itself.
func (b *built) Run(ctx context.Context, device, turn int) (*machine.Run, error) {
	if err := b.wait(ctx); err != nil {
		return nil, err
	}
	out := outputs{}
	if f := b.fault; f != nil && turn >= f.From {
		if f.Kind != record.FailedOutput && f.Kind != record.FailedUnsteady {
			return nil, &f.Failure
		}
		out.wrong = &f.Failure
	}
	o := b.m.o
	r := b.m.random("run", b.name, " ", device, " ", turn)
	level := b.milliseconds * (1 + o.Drift*(1-math.Exp(-float64(turn)/settling))) * math.Exp(o.Noise*r.NormFloat64())
	run := &machine.Run{Outputs: out}
	for range o.Repetitions {
		ms := level * math.Exp(o.Jitter*r.NormFloat64())
		if late, by := r.Float64(), r.Float64(); late < o.Outliers {
			ms *= 1 + 2*by
		}
		run.Milliseconds = append(run.Milliseconds, ms)
		run.Seconds += ms / 1000
	}
	return run, nil
}

// wait lets the time of a run pass.
func (b *built) wait(ctx context.Context) error {
	if b.m.o.Wait <= 0 {
		return ctx.Err()
	}
	t := time.NewTimer(b.m.o.Wait)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// outputs are those of a program that makes none.
type outputs struct{ wrong *record.Failure }

// Compare finds the outputs equal, or what a fault says of one of the two.
func (o outputs) Compare(got machine.Outputs) (record.Evidence, *record.Failure) {
	evidence := record.Evidence{Copies: 1, Bytes: 1 << 20, Lines: 1}
	if o.wrong != nil {
		return evidence, o.wrong
	}
	if g, ok := got.(outputs); ok {
		return evidence, g.wrong
	}
	return evidence, &record.Failure{Kind: record.FailedOutput, Text: "the outputs are those of another machine"}
}

// Release does nothing.
func (o outputs) Release() {}

// Check gives nothing: a made-up program leaves nothing behind.
func (b *built) Check(context.Context, int) (machine.Outputs, error) { return nil, nil }

// Release does nothing.
func (b *built) Release() {}

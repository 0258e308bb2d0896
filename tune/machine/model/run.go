package model

import (
	"context"
	"math"

	"github.com/smux-cuda/smux/tune/machine"
	"github.com/smux-cuda/smux/tune/record"
)

// built is a form of a program.
type built struct {
	m            *Machine
	name         string
	milliseconds float64 // without noise
}

// settling is the number of turns in which most of the drift happens.
const settling = 30

// Run gives the times of one turn. A caller that runs the same form twice in a
// turn gets the same times twice: each run of a pair needs a turn of its own where
// the original is compared with itself.
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

// Compare finds the outputs equal.
func (outputs) Compare(machine.Outputs) (record.Evidence, *record.Failure) {
	return record.Evidence{Copies: 1, Bytes: 1 << 20, Lines: 1}, nil
}

// Release does nothing.
func (outputs) Release() {}

// Check gives nothing: a made-up program leaves nothing behind.
func (b *built) Check(context.Context, int) (machine.Outputs, error) { return nil, nil }

// Release does nothing.
func (b *built) Release() {}

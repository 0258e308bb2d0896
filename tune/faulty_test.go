package tune_test

import (
	"context"
	"time"

	"github.com/smux-cuda/smux/tune/machine"
	"github.com/smux-cuda/smux/tune/record"
)

// faulty is a machine on which some forms fail, by the names of candidates, and a run takes a time in fact.
type faulty struct {
	machine.Machine
	wait   time.Duration
	faults map[string]fault
}

// fault makes a form fail from a turn on; what fails when it is built fails in any case.
type fault struct {
	record.Failure
	from int
}

func (m *faulty) Build(ctx context.Context, s machine.Source) (machine.Built, error) {
	f, ok := m.faults[s.Candidate.String()]
	if ok && f.Kind == record.FailedCompile {
		return nil, &f.Failure
	}
	b, err := m.Machine.Build(ctx, s)
	return faultyForm{b, m, f}, err
}

type faultyForm struct {
	machine.Built
	m     *faulty
	fault fault
}

func (b faultyForm) Run(ctx context.Context, device, turn int) (*machine.Run, error) {
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-time.After(b.m.wait):
	}
	run, err := b.Built.Run(ctx, device, turn)
	if err != nil {
		return nil, err
	}
	out := faultyOutputs{run.Outputs, nil}
	if f := b.fault; f.Kind != "" && turn >= f.from {
		if f.Kind != record.FailedOutput {
			return nil, &f.Failure
		}
		out.wrong = &f.Failure
	}
	run.Outputs = out
	return run, nil
}

type faultyOutputs struct {
	machine.Outputs
	wrong *record.Failure
}

func (o faultyOutputs) Compare(got machine.Outputs) (record.Evidence, *record.Failure) {
	evidence, _ := o.Outputs.Compare(got.(faultyOutputs).Outputs)
	return evidence, got.(faultyOutputs).wrong
}

package tune_test

import (
	"context"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/tune"
	"github.com/smux-cuda/smux/tune/machine"
	"github.com/smux-cuda/smux/tune/machine/model"
	"github.com/smux-cuda/smux/tune/record"
)

// counted counts the programs and outputs that were not released, and the calls that
// have not ended.
type counted struct {
	machine.Machine
	programs, outputs, calls atomic.Int64
}

type countedProgram struct {
	machine.Built
	m *counted
}

type countedOutputs struct {
	machine.Outputs
	m *counted
}

func (c *counted) Build(ctx context.Context, s machine.Source) (machine.Built, error) {
	b, err := c.Machine.Build(ctx, s)
	if err != nil {
		return nil, err
	}
	c.programs.Add(1)
	return countedProgram{b, c}, nil
}

func (p countedProgram) Run(ctx context.Context, device, turn int) (*machine.Run, error) {
	p.m.calls.Add(1)
	defer p.m.calls.Add(-1)
	r, err := p.Built.Run(ctx, device, turn)
	if err == nil {
		p.m.outputs.Add(1)
		r.Outputs = countedOutputs{r.Outputs, p.m}
	}
	return r, err
}

func (p countedProgram) Check(ctx context.Context, device int) (machine.Outputs, error) {
	r, err := p.Built.Run(ctx, device, -1)
	if err != nil {
		return nil, err
	}
	p.m.outputs.Add(1)
	return countedOutputs{r.Outputs, p.m}, nil
}

func (p countedProgram) Release() { p.m.programs.Add(-1) }

func (o countedOutputs) Compare(got machine.Outputs) (record.Evidence, *record.Failure) {
	return o.Outputs.Compare(got.(countedOutputs).Outputs)
}

func (o countedOutputs) Release() { o.m.outputs.Add(-1) }

func TestARunThatIsCancelledLeavesNothingBehind(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 60 {
		m := &counted{Machine: &faulty{model.New(model.Options{GPU: "a100", Devices: 3, Noise: 0.01}), 20 * time.Microsecond, nil}}
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(r.IntN(25_000))*time.Microsecond)
		req := request(&memory{}, m)
		req.Ahead = n % 3
		_, err := tune.Run(ctx, req)
		if err != nil {
			require.ErrorIs(t, err, context.DeadlineExceeded)
		}
		assert.Zero(t, m.programs.Load(), "programs")
		assert.Zero(t, m.outputs.Load(), "outputs")
		assert.Zero(t, m.calls.Load(), "calls")
		cancel()
	}
}

package sim_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/model/sim"
	"github.com/smux-cuda/smux/model/timing"
	"github.com/smux-cuda/smux/model/workload"
)

// TestCopiesAheadHideTheLatency: a loop that waits for the tile of the turn before waits for nothing, if a turn computes
// as long as a load takes, and for the rest if it computes less; one that has no such copies waits all the same.
func TestCopiesAheadHideTheLatency(t *testing.T) {
	const turns = 64
	times := func(board, copies, compute string) (cycles, closed float64) {
		g, err := gpu.Lookup(board)
		require.NoError(t, err)
		body, err := workload.Parse("x64(" + copies + " B " + compute + " B)")
		require.NoError(t, err)
		k := &workload.Kernel{Threads: 32, Registers: 32, Blocks: g.SMs, Body: body}
		r, err := sim.Run(g, k, sim.Policy{}, sim.Options{})
		require.NoError(t, err)
		return r.Cycles, timing.Estimate(g, k, 1).Total
	}
	g, err := gpu.Lookup("a100")
	require.NoError(t, err)
	latency := g.Arch.MemoryLatency
	for _, tt := range []struct {
		compute    string
		least, all float64 // of the latency that is hidden in a turn
	}{{"C400", 0.9, 1.05}, {"C60", 0.1, 0.8}} {
		wait, _ := times("a100", "C1+M128", tt.compute)
		ahead, _ := times("a100", "C1+M128+P1", tt.compute)
		hidden := (wait - ahead) / turns / latency
		assert.GreaterOrEqual(t, hidden, tt.least, tt.compute)
		assert.LessOrEqual(t, hidden, tt.all, tt.compute)
	}
	wait, closed := times("a100", "C1+M128", "C400")
	ahead, closedAhead := times("a100", "C1+M128+P1", "C400")
	assert.Less(t, ahead, wait)
	assert.Less(t, closedAhead, closed, "the closed form sees it, too")
	wait, closed = times("t4", "C1+M128", "C400")
	ahead, closedAhead = times("t4", "C1+M128+P1", "C400")
	assert.Equal(t, wait, ahead)
	assert.Equal(t, closed, closedAhead)
}

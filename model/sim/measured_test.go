package sim

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/model/workload"
)

// What the table of GPUs has of barriers, locks and starts is added to what they take without.

func TestBarriersTakeLongerTheMoreWarpsArrive(t *testing.T) {
	g := hopper()
	g.Arch.BarrierLatency, g.Arch.BarrierArrival = 11, 2
	for _, threads := range []int{32, 128, 1024} { // of a block of 32 warps four stand for eight each
		k := &workload.Kernel{Threads: threads, Body: parse(t, "x100(B)")}
		with, err := Run(g, k, Policy{}, Options{Blocks: 1})
		require.NoError(t, err)
		without, err := Run(hopper(), k, Policy{}, Options{Blocks: 1})
		require.NoError(t, err)
		assert.InDelta(t, 100*(11+2*float64(threads)/32-4), with.Cycles-without.Cycles, 1e-6, "%d threads", threads)
	}
}

func TestLocksTakeWhatTheTableSays(t *testing.T) {
	g := hopper()
	g.Arch.LockLatency = 260
	k := &workload.Kernel{Threads: 64, Shared: 1024, Body: parse(t, "x10(R(S1) C10)")}
	p := Policy{Kind: VTB, Sync: Lock, N: 2}
	with, err := Run(g, k, p, Options{Blocks: 2})
	require.NoError(t, err)
	without, err := Run(hopper(), k, p, Options{Blocks: 2})
	require.NoError(t, err)
	assert.InDelta(t, 20*200, with.Cycles-without.Cycles, 700, "200 cycles more in each of 20 turns, one behind the other")
}

func TestThreadBlocksStartOneAfterTheOther(t *testing.T) {
	g := hopper()
	g.Arch.BlockInterval = 1.5
	short := &workload.Kernel{Threads: 32, Body: parse(t, "C10")}
	r, err := Run(g, short, Policy{}, Options{Blocks: 1000})
	require.NoError(t, err)
	assert.InEpsilon(t, 1000*1.5*132, r.Cycles, 0.01, "they take as long as they take to start")
	merged, err := Run(g, short, Policy{Kind: Merge, Sync: Block, N: 2}, Options{Blocks: 1000})
	require.NoError(t, err)
	assert.InEpsilon(t, r.Cycles/2, merged.Cycles, 0.01, "half of them, half as long")
	long := &workload.Kernel{Threads: 32, Body: parse(t, "C1000000")}
	with, err := Run(g, long, Policy{}, Options{Blocks: 96})
	require.NoError(t, err)
	without, err := Run(hopper(), long, Policy{}, Options{Blocks: 96})
	require.NoError(t, err)
	assert.InEpsilon(t, without.Cycles, with.Cycles, 0.05)
}

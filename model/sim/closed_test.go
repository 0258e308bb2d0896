package sim

import (
	"testing"

	"github.com/smux-cuda/smux/model/workload"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The figures of fermi that small cases add up from.
const (
	instruction = 9.0  // of a warp alone, DependentIssue / ILP
	meeting     = 18.0 // latency behind the last arrival
	sharedWait  = 28.0 // latency of shared memory
)

// cycles runs one SM of fermi; kernels of 9,000 shared bytes fit once.
func cycles(t *testing.T, threads, blocks int, spec, policy string) float64 {
	t.Helper()
	p, err := ParsePolicy(policy)
	require.NoError(t, err)
	k := &workload.Kernel{Threads: threads, Registers: 16, Shared: 9000, Body: parse(t, spec)}
	r, err := Run(fermi(), k, p, Options{Blocks: blocks, ILP: 2})
	require.NoError(t, err)
	return r.Cycles
}

// In block mode all pass all barriers: one behind each turn, and a guard in front.
func TestTwoTurnsTakeTwoRegionsInARow(t *testing.T) {
	turn := instruction*(2+50+1) + meeting
	assert.InDelta(t, 900+2*turn+180, cycles(t, 32, 2, "C100 R(C50) C20", "vtb:block"), 1e-6)

	guarded := instruction*(2+30+2+1+20+1) + 2*meeting // a barrier inside is passed by all, too, with a guard behind it
	assert.InDelta(t, 900+2*guarded+180, cycles(t, 32, 2, "C100 R(C30 B C20) C20", "vtb:block"), 1e-6)
}

// The emitted turn loop has N turns however many v-TBs the grid leaves.
func TestTheTurnOfAnIdleVTBIsPassed(t *testing.T) {
	turn, idle := instruction*(2+50+1)+meeting, instruction*(2+1)+meeting
	assert.InDelta(t, 900+turn+2*idle+180, cycles(t, 32, 1, "C100 R(C50) C20", "vtb:block:N=3"), 1e-6)
}

// Hand-over goes round once: an arrival and a barrier's latency for each v-TB. The
// first turn is given in front of the statement with the first region, and the
// last one taken back behind that with the last.
func TestHandOversTakeTheRegionsInARow(t *testing.T) {
	for n, policy := range map[int]string{2: "vtb:named:N=2", 4: "vtb:named:N=4", 7: "vtb:named:N=7"} {
		first := 900 + instruction + meeting
		each := instruction*(50+1) + meeting
		assert.InDelta(t, first+float64(n)*each+180, cycles(t, 32, n, "C100 R(C50) C20", policy), 1e-6, policy)
	}
}

// A v-TB that is alone in its launched TB hands nothing over.
func TestALoneVTBNeedsNoHandOver(t *testing.T) {
	assert.InDelta(t, 900+450+180, cycles(t, 32, 1, "C100 R(C50) C20", "vtb:named:N=4"), 1e-6)
}

// A lock costs an atomic and the slot's number, half an attempt on average where it
// was taken, and a barrier of the v-TB in front of the release.
func TestALockIsHandedOnByTrying(t *testing.T) {
	for n, policy := range map[int]string{2: "dyn:N=2", 4: "dyn:N=4"} {
		opened := instruction + meeting
		region := 450 + instruction + meeting
		attempt := sharedWait + 4*18
		want := opened + 900 + 4*instruction + (2*sharedWait + region) + float64(n-1)*(attempt/2+2*sharedWait+region) + 180
		assert.InDelta(t, want, cycles(t, 32, n, "C100 R(C50) C20", policy), 1e-6, policy)
	}
}

func TestAsManySetsAsVTBsNeedNoTurns(t *testing.T) {
	p := Policy{Kind: Merge, Sync: Named, N: 3}
	k := &workload.Kernel{Threads: 32, Registers: 16, Shared: 4000, Body: parse(t, "C100 R(C50) C20")}
	r, err := Run(fermi(), k, p, Options{Blocks: 3, ILP: 2})
	require.NoError(t, err)
	assert.InDelta(t, 900+450+180, r.Cycles, 1e-6)
}

// The warps of a TB go on a barrier's latency after the last has issued it.
func TestABarrierWaitsForTheLastWarp(t *testing.T) {
	for _, warps := range []int{1, 2, 4, 9} {
		assert.InDelta(t, instruction*(101+10)+meeting, cycles(t, 32*warps, 1, "C100 B C10", "baseline"), 1e-6, "%d warps", warps)
	}
	assert.InDelta(t, 18*(101+10)+meeting, cycles(t, 32*18, 1, "C100 B C10", "baseline"), 1e-6, "18 warps fill all slots")
}

// The SM lends shared memory to one TB at a time, and the other computes meanwhile.
func TestHardwareOverlapsWhatIsOutsideOfRegions(t *testing.T) {
	const blocks = 20
	turn := meeting + 8100 + instruction // the release is an instruction
	assert.InDelta(t, 900+instruction+blocks*turn, cycles(t, 32, blocks, "C100 R(C900)", "hw:K+1"), 1e-6)

	// Where regions are short, TBs are limited by their number.
	life := 900 + instruction + meeting + 180 + instruction
	for cap, policy := range []string{"hw:K+0", "hw:K+1", "hw:K+2", "hw:K+3"} {
		want := life * blocks / float64(1+cap)
		assert.InEpsilon(t, want, cycles(t, 32, blocks, "C100 R(C20)", policy), 0.12, policy)
	}
}

// With half of the arrays owned, half of the work in regions needs no turn.
func TestOwnedPartsAreWorkedOnBeside(t *testing.T) {
	const blocks = 40
	owned := instruction * 450
	public := meeting + instruction*450 + instruction
	life := 900 + owned + instruction + public
	assert.InEpsilon(t, life*blocks/2, cycles(t, 32, blocks, "C100 R(C900)", "co-hw:K+1:P=0.5"), 0.03)
	assert.InEpsilon(t, 900+owned+2*instruction*(450+2+1), cycles(t, 32, 2, "C100 R(C900)", "co-vtb:block:P=0.5"), 0.01)
}

// Each resource alone bounds the time from below, and is reached with enough warps.
func TestTheScarceResourceSetsTheTime(t *testing.T) {
	g := fermi()
	const blocks = 160
	run := func(spec string) float64 {
		k := &workload.Kernel{Threads: 192, Registers: 16, Body: parse(t, spec)}
		r, err := Run(g, k, Policy{}, Options{Blocks: blocks, ILP: 2})
		require.NoError(t, err)
		return r.Cycles
	}
	warps := float64(blocks * 6)
	assert.InEpsilon(t, warps*9000, run("C9000"), 0.01, "an instruction per cycle")
	assert.InEpsilon(t, warps*5000/0.5, run("C5000+S5000"), 0.03, "two cycles per wavefront")
	assert.InEpsilon(t, warps*4*2048/g.BytesPerCycle(), run("C10 M2048 C10 M2048 C10 M2048 C10 M2048"), 0.03, "DRAM")
	assert.InEpsilon(t, warps*4*2048/g.L2BytesPerCycle(), run("C10 M2048 C10 M2048+A2048 C10 M2048+A2048 C10 M2048+A2048"), 0.05, "L2")
}

// The DRAM serves all SMs: a grid that leaves some with less to do moves its bytes
// no slower than one that fills all.
func TestASmallGridHasTheWholeBandwidth(t *testing.T) {
	g := fermi()
	for _, blocks := range []int{16, 20, 29, 30} {
		k := &workload.Kernel{Threads: 256, Registers: 16, Blocks: blocks, Body: parse(t, "x40(C1 M8192)")}
		r, err := Run(g, k, Policy{}, Options{ILP: 2})
		require.NoError(t, err)
		want := float64(blocks) * 8 * 40 * 8192 / (g.BytesPerCycle() * float64(g.SMs))
		assert.InEpsilon(t, want, r.Cycles, 0.05, "%d blocks", blocks)
	}
}

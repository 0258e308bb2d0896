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
	guard       = 3.0  // instructions around what one v-TB does
	hand        = 3.0  // … in front of a hand-over
	meeting     = 18.0 // latency after the last arrival
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

// In block mode all pass all barriers: one after each turn, and a guard in front.
func TestTwoTurnsTakeTwoRegionsInARow(t *testing.T) {
	turn := instruction*(guard+50+1) + meeting
	assert.InDelta(t, 900+2*turn+180, cycles(t, 32, 2, "C100 R(C50) C20", "vtb:block"), 1e-6)

	guarded := instruction*(guard+30+guard+1+20+1) + 2*meeting // a barrier inside is passed by all, too, with a guard after it
	assert.InDelta(t, 900+2*guarded+180, cycles(t, 32, 2, "C100 R(C30 B C20) C20", "vtb:block"), 1e-6)
}

// The emitted turn loop has N turns however many v-TBs the grid leaves.
func TestTheTurnOfAnIdleVTBIsPassed(t *testing.T) {
	turn, idle := instruction*(guard+50+1)+meeting, instruction*(guard+1)+meeting
	assert.InDelta(t, 900+turn+2*idle+180, cycles(t, 32, 1, "C100 R(C50) C20", "vtb:block:N=3"), 1e-6)
}

// Hand-over goes round once: an arrival and a barrier's latency for each v-TB, after
// the search for the next one. The first turn is given in front of the statement with
// the first region, and the last one taken back after that with the last.
func TestHandOversTakeTheRegionsInARow(t *testing.T) {
	for n, policy := range map[int]string{2: "vtb:named:N=2", 4: "vtb:named:N=4", 7: "vtb:named:N=7"} {
		first := 900 + instruction + meeting
		each := instruction*(50+hand+1) + meeting
		last := instruction * hand // in front of what v-TB N-1 does after its region
		want := first + float64(n)*each + 180
		assert.InDelta(t, want, cycles(t, 32, n, "C100 R(C50) C20", policy), last+meeting, policy)
	}
}

// smux writes a barrier's number as a constant: the k-th is found after all others.
// Whoever wrote the steps by hand needs no search.
func TestABarrierOfManyIsSearchedFor(t *testing.T) {
	added := func(source bool, n int) float64 {
		p := Policy{Kind: VTB, Sync: Named, N: n}
		k := &workload.Kernel{Threads: 32, Registers: 16, Shared: 9000, Source: source, Body: parse(t, "C100 R(C50) C20")}
		r, err := Run(fermi(), k, p, Options{Blocks: n})
		require.NoError(t, err)
		return r.Added / float64(n)
	}
	assert.InDelta(t, added(false, 2), added(false, 6), 1, "but for who begins and ends")
	assert.Greater(t, added(true, 6), added(true, 4)+2)
	assert.Greater(t, added(true, 4), added(true, 2)+2)
}

// What a compiler can compute late it computes in the turn, and there it waits for
// what was loaded in front. A person may have seen to it that it does not.
func TestACompilerMovesWorkIntoTurns(t *testing.T) {
	run := func(spec, policy string, source bool) float64 {
		p, err := ParsePolicy(policy)
		require.NoError(t, err)
		k := &workload.Kernel{Threads: 32, Registers: 16, Shared: 9000, Source: source, Body: parse(t, spec)}
		r, err := Run(fermi(), k, p, Options{Blocks: 40})
		require.NoError(t, err)
		return r.CyclesPerBlock
	}
	const spec = "M128 x4(C300 R(C50 B C50))"
	assert.Greater(t, run(spec, "vtb:named:N=2", true), 1.3*run(spec, "vtb:named:N=2", false), "two barriers: one basic block")
	for _, policy := range []string{"vtb:named:N=4", "vtb:lock:N=2", "vtb:block:N=2", "merge:named:N=1", "baseline"} {
		assert.InEpsilon(t, run(spec, policy, true), run(spec, policy, false), 0.1, "%s: branches keep it outside", policy)
	}
	const loaded = "x4(C302+M128 R(C50 B C50))"
	for _, policy := range []string{"vtb:named:N=4", "vtb:lock:N=4"} {
		assert.Greater(t, run(loaded, policy, true), 1.3*run(loaded, policy, false), "%s: what waits for a load goes with it", policy)
	}
	assert.Equal(t, run(loaded, "baseline", true), run(loaded, "baseline", false))
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
		attempt := sharedWait + 5*instruction
		take := 2*sharedWait + region + instruction*(guard+8)
		want := opened + 900 + instruction*(guard+9+1) + take + float64(n-1)*(attempt/2+take) + 180
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

// With half of the rows owned, what defines them needs no turn, but for the stores to
// the other half; what reads them does.
func TestOwnedPartsAreWorkedOnBeside(t *testing.T) {
	const spec = "C100 R(C500+S100 B C400)"
	def := instruction*(500-100) + 50 + 100 + sharedWait // half of the accesses
	turn := 50 + 100 + sharedWait + instruction + meeting + instruction*400
	assert.InEpsilon(t, 900+def+2*(turn+instruction*(2*guard+1)+meeting), cycles(t, 32, 2, spec, "co-vtb:block:P=0.5"), 0.02)
	const blocks = 40
	life := 900 + def + turn + meeting + 2*instruction
	assert.InEpsilon(t, life*blocks/2, cycles(t, 32, blocks, spec, "co-hw:K+1:P=0.5"), 0.05)
	// A region that is a single piece reads what it defines in between.
	assert.InDelta(t, cycles(t, 32, 8, "C100 R(C900)", "vtb:block"), cycles(t, 32, 8, "C100 R(C900)", "co-vtb:block:P=0.5"), 1e-6)
}

// Two v-TBs of half a warp are one: what needs no turn is done once for both, and
// their turns come one after the other in the same warp.
func TestPartsOfAWarpWorkTogetherAndTakeTurns(t *testing.T) {
	alone := cycles(t, 16, 1, "C100 R(C50) C20", "baseline")
	turn := instruction*(guard+50+1) + meeting
	assert.InDelta(t, 900+2*turn+180, cycles(t, 16, 2, "C100 R(C50) C20", "vtb:block"), 1e-6)
	run := func(threads, n int, spec string) *Result {
		k := &workload.Kernel{Threads: threads, Registers: 16, Shared: 400, Body: parse(t, spec)}
		r, err := Run(fermi(), k, Policy{Kind: Merge, N: n}, Options{Blocks: n})
		require.NoError(t, err)
		return r
	}
	assert.InDelta(t, alone, run(16, 2, "C100 R(C50) C20").Cycles, 1e-6)
	assert.InDelta(t, 170, run(16, 2, "C100 R(C50) C20").Issued, 1e-6, "one warp's instructions for two")
	assert.InDelta(t, 3*170, run(48, 2, "C100 R(C50) C20").Issued, 1e-6, "three warps, where two blocks had four")
	bytes := func(r *Result) float64 { return r.Memory * r.Cycles * fermi().BytesPerCycle() }
	assert.InDelta(t, 2*2*96, bytes(run(48, 2, "C100+M96")), 1e-6, "all lanes load what is theirs")
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

// Of blocks that stay, a v-TB that is through goes on with its next block at once: the first
// of two begins while the second takes its turn. A launched TB has to end before the next one
// begins. Where all v-TBs are busy all the time, the loop costs its instructions.
func TestAVTBThatStaysBeginsAheadOfTheOthers(t *testing.T) {
	const spec = "C300 R(C300)"
	for policy, off := range map[string]float64{"vtb:named:N=2": 0.03, "vtb:lock:N=2": 0.09} { // instructions of turns
		launched, stays := cycles(t, 32, 8, spec, policy), cycles(t, 32, 8, spec, policy+":persistent")
		assert.InDelta(t, 4*3*300*instruction, launched, off*launched, policy) // computes, its turn, the other's
		assert.InDelta(t, (4*2+1)*300*instruction, stays, off*stays, policy)   // turns follow each other
		one, same := cycles(t, 32, 2, spec, policy), cycles(t, 32, 2, spec, policy+":persistent")
		assert.InDelta(t, one, same, (nextIssue+1)*instruction, "%s: of a grid that is resident at once nothing changes", policy)
	}
	odd := cycles(t, 32, 7, spec, "vtb:named:N=2:persistent")
	assert.InDelta(t, (7+1)*300*instruction, odd, 0.03*odd, "a v-TB without a block passes its turn")
}

package sim

import (
	"math"
	"testing"

	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/model/workload"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// fermi is close to a GTX480 with 16 kB; tests of mechanisms don't depend on the
// table of GPUs.
func fermi() *gpu.GPU {
	return &gpu.GPU{
		Name: "fermi", SMs: 15, ClockMHz: 1400, Bandwidth: 177, L2Bandwidth: 350, L2Bytes: 768 << 10, Carveout: 16 << 10,
		Arch: gpu.Arch{
			Major: 2, ThreadsPerBlock: 1024, ThreadsPerSM: 1536, WarpsPerSM: 48, BlocksPerSM: 8,
			RegistersPerSM: 32 << 10, RegistersPerBlock: 32 << 10, RegistersPerThread: 63, RegisterGranularity: 64,
			WarpGranularity: 2, SubPartitions: 1, SharedPerBlock: 48 << 10, SharedPerBlockOptin: 48 << 10,
			SharedGranularity: 128, Carveouts: []int{16 << 10, 48 << 10},
			IssuePerCycle: 1, DependentIssue: 18, SharedPerCycle: 0.5, SharedLatency: 28, L2Latency: 300, MemoryLatency: 600,
		},
	}
}

// hopper is a large SM, in which other limits bind.
func hopper() *gpu.GPU {
	return &gpu.GPU{
		Name: "hopper", SMs: 132, ClockMHz: 1800, Bandwidth: 3350, L2Bandwidth: 5500, L2Bytes: 50 << 20,
		Arch: gpu.Arch{
			Major: 9, ThreadsPerBlock: 1024, ThreadsPerSM: 2048, WarpsPerSM: 64, BlocksPerSM: 32,
			RegistersPerSM: 64 << 10, RegistersPerBlock: 64 << 10, RegistersPerThread: 255, RegisterGranularity: 256,
			WarpGranularity: 4, SubPartitions: 4, SharedPerBlock: 48 << 10, SharedPerBlockOptin: 227 << 10, SharedReserved: 1024,
			SharedGranularity: 128, Carveouts: []int{100 << 10, 228 << 10},
			IssuePerCycle: 4, DependentIssue: 4, SharedPerCycle: 1, SharedLatency: 30, L2Latency: 270, MemoryLatency: 600,
		},
	}
}

func parse(t testing.TB, spec string) []workload.Step {
	steps, err := workload.Parse(spec)
	require.NoError(t, err)
	return steps
}

func TestOneWarpAloneTakesTheSumOfItsSegments(t *testing.T) {
	g := fermi()
	k := &workload.Kernel{Threads: 32, Registers: 20, Shared: 1000,
		Body: parse(t, "C90 M512x3 x5(R(S64 B C10+S2) B) C30+W256")}
	r, err := Run(g, k, Policy{}, Options{Blocks: 1, ILP: 2})
	require.NoError(t, err)

	alone := 2.0 / 18
	bytes := max(512/g.BytesPerCycle(), 512/(350e3/1400/15))
	issue := (90+5*8+28+5*2)/alone + 5*2 + 2 // barriers are instructions, too; accesses wait for nothing
	shared := 5 * ((64+2)/0.5 + 2*28)
	memory := bytes + 3*600
	barriers := 5 * 2 * 18.0
	stores := max(256/g.BytesPerCycle(), 256/(350e3/1400/15)) // nobody waits, but memory is not still
	assert.InEpsilon(t, issue+shared+memory+barriers+stores, r.Cycles, 1e-9)
}

func TestLoopsThatAreRolledOutOnlyPartlyTakeAsLong(t *testing.T) {
	for _, spec := range []string{"x5000(M128 C7+S3 B)", "x100(x100(C7 M32x2) R(S1 B))", "x0.5(C90)", "x3.4(R(C9 B))"} {
		k := &workload.Kernel{Threads: 32, Shared: 100, Body: parse(t, spec)}
		total, _ := workload.Total(k.Body)
		r, err := Run(fermi(), k, Policy{}, Options{Blocks: 1, ILP: 1})
		require.NoError(t, err)
		assert.InEpsilon(t, total.Issue, r.Issued-r.Added, 1e-9, spec)
		assert.GreaterOrEqual(t, r.Cycles, total.Issue*18+total.Waits*300, spec)
		assert.LessOrEqual(t, len(flatten(k, false, 1, 0)), maxItems, spec)
	}
}

func TestComputingWarpsShareIssueSlots(t *testing.T) {
	k := &workload.Kernel{Threads: 32, Body: parse(t, "C1800")}
	cycles := func(threads int) float64 {
		k.Threads = threads
		r, err := Run(fermi(), k, Policy{}, Options{Blocks: 1, ILP: 2})
		require.NoError(t, err)
		return r.Cycles
	}
	assert.InEpsilon(t, 1800*9, cycles(32), 1e-9)
	assert.InEpsilon(t, 1800*9, cycles(9*32), 1e-9, "nine warps fill the pipeline of one")
	assert.InEpsilon(t, 1800*18, cycles(18*32), 1e-9)
}

// due is the cycle at which the first warp is done.
func due(f *fluid) float64 {
	f.settle()
	return f.due
}

func TestAShortWarpLeavesItsShareToOthers(t *testing.T) {
	f := newFluid(mix{slots: 1}, make([]*mix, 2))
	f.add(0, 10, &mix{slots: 10.0 / 10}, 10, 0)
	f.add(0, 30, &mix{slots: 30.0 / 30}, 30, 1)
	assert.InDelta(t, 20, due(&f), 1e-9, "both at half the rate until the short one is done")
	assert.EqualValues(t, 0, f.pop())
	assert.InDelta(t, 40, due(&f), 1e-9)
	assert.EqualValues(t, 1, f.pop())
	assert.True(t, math.IsInf(due(&f), 1))
}

func TestWarpsOfUnlikeRatesAreSlowedDownAlike(t *testing.T) {
	f := newFluid(mix{slots: 1}, make([]*mix, 3))
	f.add(0, 50, &mix{slots: 50.0 / 100}, 100, 0) // half an instruction per cycle
	f.add(0, 50, &mix{slots: 50.0 / 100}, 100, 1)
	f.add(0, 100, &mix{slots: 100.0 / 100}, 100, 2) // one per cycle: together twice the slots
	assert.InDelta(t, 200, due(&f), 1e-9)
	for range 3 {
		f.pop()
	}
	assert.InDelta(t, 200, f.at, 1e-9, "200 instructions, one per cycle")
	assert.InDelta(t, 200, f.busy, 1e-9)
}

// A warp stays in its part of the SM: of five warps one part has two, and takes as long
// as with eight.
func TestWarpsThatDoNotDivideIntoThePartsWaitForTheFullest(t *testing.T) {
	cycles := func(warps int, spec string) float64 {
		r, err := Run(hopper(), &workload.Kernel{Threads: 32 * warps, Body: parse(t, spec)}, Policy{}, Options{Blocks: 1, ILP: 8})
		require.NoError(t, err)
		return r.Cycles
	}
	assert.InDelta(t, 1000, cycles(4, "C1000"), 1e-6)
	assert.InDelta(t, 2000, cycles(5, "C1000"), 1e-6)
	assert.InDelta(t, 2000, cycles(8, "C1000"), 1e-6)
	assert.InDelta(t, 5000, cycles(17, "C1000"), 1e-6)
}

// Thread blocks side by side begin in different parts.
func TestThreadBlocksFillAllParts(t *testing.T) {
	r, err := Run(hopper(), &workload.Kernel{Threads: 160, Body: parse(t, "C1000")}, Policy{}, Options{Blocks: 4, ILP: 8})
	require.NoError(t, err)
	assert.InDelta(t, 5000, r.Cycles, 1e-6, "20 warps, five in each part")
}

// Double precision has half a warp's lanes in an H100's SM part, so it takes two cycles.
func TestAUnitThatIsSlowerThanTheSlotsHoldsWarpsUp(t *testing.T) {
	for spec, want := range map[string]float64{"C1000": 1000, "C1000+F1000": 1000, "C1000+D1000": 2000, "C1000+D400": 1000, "C1000+Q500": 4000, "C1000+I1000": 2000} {
		k := &workload.Kernel{Threads: 128, Body: parse(t, spec)}
		r, err := Run(hopper(), k, Policy{}, Options{Blocks: 1, ILP: 8})
		require.NoError(t, err)
		assert.InDelta(t, want, r.Cycles, 1e-6, "%s, alone", spec)
		k.Threads = 256
		r, err = Run(hopper(), k, Policy{}, Options{Blocks: 1, ILP: 8})
		require.NoError(t, err)
		assert.InDelta(t, 2*want, r.Cycles, 1e-6, spec)
	}
}

func TestSpinningTakesSlotsOnlyWhereTheyAreScarce(t *testing.T) {
	f := newFluid(mix{slots: 1}, make([]*mix, 2))
	f.spin(0, 0.5)
	f.add(0, 25, &mix{slots: 25.0 / 50}, 50, 0)
	assert.InDelta(t, 50, due(&f), 1e-9, "half of the slots are enough")
	f.add(0, 25, &mix{slots: 25.0 / 50}, 50, 1)
	assert.InDelta(t, 75, due(&f), 1e-9, "three halves")
	f.spin(30, -0.5)
	assert.InDelta(t, 60, due(&f), 1e-9, "20 of 50 are done by then")
}

func TestADeadlockIsAnErrorThatNamesWhoWaits(t *testing.T) {
	m := newMachine(fermi(), 1, newShape(2, 1))
	m.toStart, m.full = 1, 1
	m.programs = []program{
		{ops: []op{{kind: opSync, barrier: 0, parties: 2}}},
		{ops: []op{{kind: opSync, barrier: 1, parties: 2}}},
	}
	require.EqualError(t, m.run(), "deadlock in cycle 0: warp 0 of v-TB 0 of thread block 0 waits for barrier 0; warp 0 of v-TB 1 of thread block 0 waits for barrier 1")
}

func TestEqualRunsGiveEqualResults(t *testing.T) {
	k := &workload.Kernel{Threads: 96, Registers: 20, Shared: 4000, Footprint: 1 << 16,
		Body: parse(t, "C90 M512+A200 x5(R(^M64 S64 B C10+S2) M64) C30+W256")}
	for _, p := range Policies() {
		var results []*Result
		for range 2 {
			r, err := Run(fermi(), k, p, Options{Blocks: 50, Timeline: true})
			require.NoError(t, err, p)
			results = append(results, r)
		}
		assert.Equal(t, results[0], results[1], p)
	}
}

// TestFewAccessesPassBetweenMany: a copy's few stores to shared memory do not wait for all that another thread
// block reads of its tile, so that thread blocks compute beside each other.
func TestFewAccessesPassBetweenMany(t *testing.T) {
	kepler := hopper() // more or less: 16 thread blocks at once
	kepler.Arch.BlocksPerSM, kepler.Arch.DependentIssue, kepler.Arch.SharedLatency = 16, 9, 48
	k := &workload.Kernel{Threads: 64, Registers: 32, Shared: 1024, Body: parse(t, "x4(C11.5+S4 B C1790+S256 B C1)")}
	r, err := Run(kepler, k, Policy{}, Options{})
	require.NoError(t, err)
	assert.Greater(t, r.Issue, 0.95)
}

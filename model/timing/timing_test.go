package timing_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/model/timing"
	"github.com/smux-cuda/smux/model/workload"
)

func work(w workload.Work) []workload.Step {
	return []workload.Step{{Kind: workload.KindWork, Work: w}}
}

// random returns a workload of any shape, and how many of its thread blocks are active.
func random(r *rand.Rand) (*workload.Kernel, int) {
	w := workload.Work{Issue: r.Float64() * 1000, Shared: r.Float64() * 200, Loads: r.Float64() * 10000, Stores: r.Float64() * 1000, Waits: float64(r.IntN(20))}
	w.Again = w.Loads * r.Float64()
	steps := work(w)
	for range r.IntN(3) {
		steps = append(steps, workload.Step{Kind: workload.KindLoop, Times: float64(r.IntN(50)), Body: append(work(w.Scale(r.Float64())), workload.Step{Kind: workload.KindBarrier})})
	}
	return &workload.Kernel{Threads: 1 + r.IntN(1024), Blocks: r.IntN(20000), Body: steps, Footprint: w.Loads * 16 * r.Float64()}, 1 + r.IntN(16)
}

// forAll tries a property on random workloads and all boards.
func forAll(t *testing.T, f func(g *gpu.GPU, k *workload.Kernel, active int)) {
	t.Helper()
	boards := gpu.Default().All()
	require.NotEmpty(t, boards)
	r := rand.New(rand.NewPCG(1, 2))
	for range 5000 {
		k, active := random(r)
		f(boards[r.IntN(len(boards))], k, active)
		if t.Failed() {
			return
		}
	}
}

func TestBetterHardwareIsNeverSlower(t *testing.T) {
	for _, c := range []struct {
		name   string
		better func(*gpu.GPU)
	}{
		{"DRAM bandwidth", func(g *gpu.GPU) { g.Bandwidth *= 2 }},
		{"L2 bandwidth", func(g *gpu.GPU) { g.L2Bandwidth *= 2 }},
		{"L2 size", func(g *gpu.GPU) { g.L2Bytes *= 2 }},
		{"issue width", func(g *gpu.GPU) { g.Arch.IssuePerCycle *= 2 }},
		{"shared memory width", func(g *gpu.GPU) { g.Arch.SharedPerCycle *= 2 }},
		{"memory latency", func(g *gpu.GPU) { g.Arch.MemoryLatency /= 2 }},
		{"result latency", func(g *gpu.GPU) { g.Arch.DependentIssue /= 2 }},
	} {
		t.Run(c.name, func(t *testing.T) {
			changed := false
			forAll(t, func(g *gpu.GPU, k *workload.Kernel, active int) {
				h := *g
				c.better(&h)
				before, after := timing.Estimate(g, k, active), timing.Estimate(&h, k, active)
				assert.LessOrEqual(t, after.Total, before.Total*(1+1e-12), "%s %+v", g.Name, k)
				changed = changed || after.Total < before.Total
			})
			assert.True(t, changed, "it never helps")
		})
	}
}

func TestMoreHitsAreNeverSlower(t *testing.T) {
	forAll(t, func(g *gpu.GPU, k *workload.Kernel, active int) {
		before := timing.Estimate(g, k, active)
		more := *k
		more.Body = append([]workload.Step(nil), k.Body...)
		more.Body[0].Work.Again = more.Body[0].Work.Loads
		after := timing.Estimate(g, &more, active)
		assert.GreaterOrEqual(t, after.L2Hit, before.L2Hit)
		assert.LessOrEqual(t, after.Total, before.Total*(1+1e-12))
	})
}

func TestTheTotalIsTheLargerOfBoth(t *testing.T) {
	comp, mem := 0, 0
	forAll(t, func(g *gpu.GPU, k *workload.Kernel, active int) {
		x := timing.Estimate(g, k, active)
		assert.Equal(t, max(x.Comp, x.Mem, x.Serial), x.Total)
		assert.Equal(t, max(x.DRAM, x.L2, x.Shared), x.Mem)
		for _, hit := range []float64{x.L1Hit, x.L2Hit, x.L1Hit + x.L2Hit} {
			assert.GreaterOrEqual(t, hit, 0.0)
			assert.LessOrEqual(t, hit, 1+1e-12)
		}
		if x.Comp > x.Mem {
			comp++
		} else {
			mem++
		}
	})
	assert.Positive(t, comp)
	assert.Positive(t, mem)
}

func TestWorkLoopedOutTakesTheSameTime(t *testing.T) {
	forAll(t, func(g *gpu.GPU, k *workload.Kernel, active int) {
		n := 7.0
		looped, flat := *k, *k
		looped.Body = []workload.Step{{Kind: workload.KindLoop, Times: n, Body: k.Body}}
		flat.Body = nil
		for range int(n) {
			flat.Body = append(flat.Body, k.Body...)
		}
		assert.InEpsilon(t, 1+timing.Estimate(g, &flat, active).Total, 1+timing.Estimate(g, &looped, active).Total, 1e-9)
	})
}

func board(t *testing.T, name string) *gpu.GPU {
	g, err := gpu.Lookup(name)
	require.NoError(t, err)
	return g
}

func TestAStreamTakesItsBytesOverTheBandwidth(t *testing.T) {
	g := board(t, "a100")
	k := &workload.Kernel{Threads: 256, Blocks: 1 << 20, Body: work(workload.Work{Issue: 4, Loads: 512, Waits: 1})}
	x := timing.Estimate(g, k, 8)
	blocks := float64((1<<20 + g.SMs - 1) / g.SMs)
	assert.InEpsilon(t, blocks*8*512/g.BytesPerCycle(), x.Total, 1e-12)
}

func TestOneWarpWaitsForEveryLoad(t *testing.T) {
	g := board(t, "a100")
	k := &workload.Kernel{Threads: 32, Blocks: 1, Body: work(workload.Work{Issue: 10, Loads: 32 * 50, Waits: 50})}
	assert.Equal(t, 50*g.Arch.MemoryLatency, timing.Estimate(g, k, 1).Total)
}

func TestOneWarpIssuesOneResultAfterTheOther(t *testing.T) {
	g := board(t, "a100")
	k := &workload.Kernel{Threads: 32, Blocks: 1, Body: work(workload.Work{Issue: 1000})}
	assert.Equal(t, 1000*g.Arch.DependentIssue, timing.Estimate(g, k, 1).Total)
}

func TestManyWarpsFillTheIssueSlots(t *testing.T) {
	g := board(t, "a100")
	k := &workload.Kernel{Threads: 1024, Blocks: 2 * g.SMs, Body: work(workload.Work{Issue: 1000})}
	assert.Equal(t, 2*32*1000/g.Arch.IssuePerCycle, timing.Estimate(g, k, 2).Total)
}

// TestContentionCanMakeFewerBlocksFaster is the point of the model: the best
// occupancy need not be the highest.
func TestContentionCanMakeFewerBlocksFaster(t *testing.T) {
	g := board(t, "k40")
	w := workload.Work{Issue: 100, Loads: 100_000, Again: 95_000, Waits: 10}
	k := &workload.Kernel{Threads: 256, Blocks: 1200, Body: work(w), Footprint: float64(g.L2Bytes) / float64(g.SMs) / 2}
	two, eight := timing.Estimate(g, k, 2), timing.Estimate(g, k, 8)
	assert.Greater(t, two.L2Hit, eight.L2Hit)
	assert.Less(t, two.Total, eight.Total)
}

// TestBarriersKeepAThreadBlockFromOverlappingItself: alone on the SM it
// computes after it has waited; a second one fills the gap.
func TestBarriersKeepAThreadBlockFromOverlappingItself(t *testing.T) {
	g := board(t, "a100")
	w := workload.Work{Issue: 400, Loads: 32, Waits: 1}
	plain := &workload.Kernel{Threads: 256, Blocks: 8 * g.SMs, Body: work(w)}
	phased := *plain
	phased.Body = append(work(w), workload.Step{Kind: workload.KindBarrier})
	alone, phasedAlone := timing.Estimate(g, plain, 1), timing.Estimate(g, &phased, 1)
	assert.Greater(t, phasedAlone.Total, alone.Total)
	assert.GreaterOrEqual(t, phasedAlone.Total, alone.Comp+alone.Serial)
	assert.InDelta(t, timing.Estimate(g, plain, 8).Total, timing.Estimate(g, &phased, 8).Total, 1e-9)
}

func TestWithoutAnL2NothingHits(t *testing.T) {
	g := board(t, "gtx285")
	k := &workload.Kernel{Threads: 256, Blocks: 100, Body: work(workload.Work{Loads: 1000, Again: 900, Waits: 1})}
	x := timing.Estimate(g, k, 2)
	assert.Zero(t, x.L2Hit)
	assert.Zero(t, x.L2)
}

// The goal is a microsecond a call: a search makes thousands.
func BenchmarkEstimate(b *testing.B) {
	g, err := gpu.Lookup("a100")
	require.NoError(b, err)
	k, active := random(rand.New(rand.NewPCG(1, 2)))
	b.ReportAllocs()
	for b.Loop() {
		timing.Estimate(g, k, active)
	}
	b.ReportMetric(1e3/(float64(b.Elapsed().Nanoseconds())/float64(b.N)), "x-of-goal")
}

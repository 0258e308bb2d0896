package sim

import (
	"errors"
	"math"
	"math/rand/v2"
	"sort"
	"testing"

	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/model/workload"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// draw makes random kernels, policies and GPUs; equal seeds make equal ones.
type draw struct{ *rand.Rand }

func newDraw(seed uint64) draw { return draw{rand.New(rand.NewPCG(seed, 12))} }

func (d draw) chance(p float64) bool { return d.Float64() < p }

func (d draw) kernel() *workload.Kernel {
	k := &workload.Kernel{
		Threads:   32 * (1 + d.IntN(4)),
		Registers: 10 + d.IntN(40),
		Shared:    64 + d.IntN(16000),
		Footprint: float64(d.IntN(3)) * d.Float64() * 1e5,
	}
	k.Body = d.steps(2, false)
	k.Body = append(k.Body, d.work())
	return k
}

func (d draw) steps(depth int, region bool) []workload.Step {
	var out []workload.Step
	for range 1 + d.IntN(3) {
		switch d.IntN(6) {
		case 0:
			out = append(out, workload.Step{Kind: workload.KindBarrier})
		case 1:
			if depth > 0 {
				out = append(out, workload.Step{Kind: workload.KindLoop, Times: d.times(), Body: d.steps(depth-1, region)})
			}
		case 2, 3:
			if !region {
				s := workload.Step{Kind: workload.KindRegion}
				if d.chance(0.5) {
					early := d.work()
					early.Early = true
					s.Body = append(s.Body, early)
				}
				s.Body = append(s.Body, d.steps(depth-1, true)...)
				out = append(out, s)
			}
		default:
			out = append(out, d.work())
		}
	}
	return out
}

func (d draw) times() float64 {
	if d.chance(0.2) {
		return 3 * d.Float64()
	}
	return float64(1 + d.IntN(9))
}

func (d draw) work() workload.Step {
	w := workload.Work{Issue: float64(d.IntN(100))}
	if d.chance(0.5) {
		w.Shared = float64(d.IntN(40))
	}
	if d.chance(0.5) {
		w.Loads = float64(32 * d.IntN(40))
		w.Waits = float64(d.IntN(4))
		w.Again = w.Loads * d.Float64() * float64(d.IntN(2))
	}
	if d.chance(0.2) {
		w.Stores = float64(32 * d.IntN(20))
	}
	return workload.Step{Kind: workload.KindWork, Work: w}
}

func (d draw) policy() Policy {
	all := Policies()
	p := all[d.IntN(len(all))]
	if n := p.merged(); n > 1 && p.Kind != Pipe {
		p.N = max(2+d.IntN(3), p.M)
	}
	if p.Kind == Merge || p.Kind == Pipe {
		p.Sync = Sync(d.IntN(2))
	}
	if p.Kind == Pipe {
		p.Even = d.chance(0.5)
	}
	if p.Kind == CoVTB || p.Kind == VTB {
		p.Sync = Sync(d.IntN(3))
	}
	if (p.Kind == CoVTB || p.Kind == VTB || p.Kind == Dyn) && p.Sync != Block {
		p.Persistent = d.chance(0.3)
	}
	return p
}

func (d draw) gpu() *gpu.GPU {
	g := fermi()
	if d.chance(0.3) {
		g = hopper()
	} else if d.chance(0.5) {
		g.Carveout = 48 << 10
	}
	return g
}

// workloads is the number of random cases that each property is tried on.
const workloads = 10_000

// each runs a random case; cases that can't run on the GPU are drawn anew.
func each(t *testing.T, n int, try func(d draw, g *gpu.GPU, k *workload.Kernel, p Policy, r *Result)) {
	if testing.Short() {
		n /= 10
	}
	for seed := uint64(0); n > 0; seed++ {
		d := newDraw(seed)
		g, k, p := d.gpu(), d.kernel(), d.policy()
		r, err := Run(g, k, p, Options{Blocks: 1 + d.IntN(20)})
		var illegal *IllegalError
		if errors.As(err, &illegal) {
			continue
		}
		require.NoError(t, err, "seed %d, %s, %s", seed, p, workload.Format(k.Body))
		try(d, g, k, p, r)
		if t.Failed() {
			t.Fatalf("seed %d: %s on %s, %d threads: %s", seed, p, g.Name, k.Threads, workload.Format(k.Body))
		}
		n--
	}
}

func TestAllBlocksDoAllTheirWorkOnce(t *testing.T) {
	each(t, workloads, func(_ draw, g *gpu.GPU, k *workload.Kernel, p Policy, r *Result) {
		warps := float64(r.Blocks * r.Warps)
		total, _ := workload.Total(k.Body)
		assert.InDelta(t, total.Issue*warps, r.Issued-r.Added, 1e-6*(1+total.Issue*warps), "instructions")
		assert.InDelta(t, total.Shared*warps, r.Pipe*r.Cycles*g.Arch.SharedPerCycle, 1e-6*(1+total.Shared*warps), "wavefronts")
		bytes := r.Memory * r.Cycles * g.BytesPerCycle()
		assert.LessOrEqual(t, bytes, (total.Loads+total.Stores)*warps*(1+1e-9)+1e-6, "bytes from the DRAM")
		assert.GreaterOrEqual(t, bytes, (total.Loads-total.Again+total.Stores)*warps*(1-1e-9)-1e-6, "bytes from the DRAM")
		for _, busy := range []float64{r.Issue, r.Memory, r.Pipe} {
			assert.LessOrEqual(t, busy, 1+1e-9)
		}
	})
}

func TestSharedMemoryNeverExceedsTheSM(t *testing.T) {
	each(t, workloads, func(_ draw, g *gpu.GPU, k *workload.Kernel, p Policy, r *Result) {
		carveouts := g.Arch.Carveouts
		assert.LessOrEqual(t, r.PeakShared, carveouts[len(carveouts)-1])
		if g.Carveout > 0 && k.Shared <= g.Carveout {
			assert.LessOrEqual(t, r.PeakShared, g.Carveout)
		}
		assert.LessOrEqual(t, r.Resident*r.Demand.Threads, g.Arch.ThreadsPerSM)
	})
}

func TestNoMoreBlocksInRegionsThanSets(t *testing.T) {
	each(t, workloads, func(_ draw, g *gpu.GPU, k *workload.Kernel, p Policy, r *Result) {
		sets := 1
		switch p.Kind {
		case Dyn:
			sets = p.M
		case Merge:
			sets = p.N
		}
		assert.LessOrEqual(t, r.PeakIn, sets)
		if p.Kind == HW {
			assert.LessOrEqual(t, r.PeakInSM*r.Static.BlockShared, r.Static.Carveout)
		}
	})
}

// lone is the cycles that a single warp takes for steps, added up from the
// workload and not from what the simulation makes of it.
func lone(g *gpu.GPU, steps []workload.Step, hit float64) float64 {
	a, sum := &g.Arch, 0.0
	instruction := a.DependentIssue / defaultILP
	for _, s := range steps {
		switch s.Kind {
		case workload.KindBarrier:
			sum += instruction + a.DependentIssue
		case workload.KindLoop:
			sum += s.Times * lone(g, s.Body, hit)
		case workload.KindRegion:
			sum += lone(g, s.Body, hit)
		case workload.KindWork:
			w := s.Work
			accesses := min(w.Issue, w.Shared+(w.Loads+w.Stores)/128)
			sum += (w.Issue-accesses)*instruction + accesses*float64(a.SubPartitions)/a.IssuePerCycle
			if w.Shared > 0 {
				sum += w.Shared/a.SharedPerCycle + a.SharedLatency
			}
			if w.Loads > 0 {
				missed := w.Loads - hit*w.Again
				sum += max(w.Loads/g.L2BytesPerCycle(), missed/g.BytesPerCycle())
				sum += w.Waits * (a.MemoryLatency*missed + a.L2Latency*(w.Loads-missed)) / w.Loads
			}
		}
	}
	return sum
}

// blocking makes all memory accesses ones that are waited for: what nobody waits
// for overlaps with the rest and adds nothing.
func blocking(steps []workload.Step) {
	for i := range steps {
		w := &steps[i].Work
		w.Stores = 0
		if w.Loads > 0 {
			w.Waits = max(w.Waits, 1)
		}
		blocking(steps[i].Body)
	}
}

func TestOneBlockAloneTakesTheSumOfItsSegments(t *testing.T) {
	n := workloads
	if testing.Short() {
		n /= 10
	}
	for seed := range uint64(n) {
		d := newDraw(seed)
		g, k := fermi(), d.kernel()
		k.Threads = 32
		blocking(k.Body)
		r, err := Run(g, k, Policy{}, Options{Blocks: 1})
		require.NoError(t, err)
		hit := newCosts(g, k, r.Resident, 0, defaultILP).hit
		want := lone(g, k.Body, hit)
		require.InDelta(t, want, r.Cycles, 1e-6*(1+want), "seed %d: %s", seed, workload.Format(k.Body))
	}
}

// slower returns how much shorter runs get on a slower machine, ascending; less
// than 0 where they get longer.
func slower(t *testing.T, make func(g *gpu.GPU)) []float64 {
	var gains []float64
	each(t, workloads, func(d draw, g *gpu.GPU, k *workload.Kernel, p Policy, r *Result) {
		make(g)
		s, err := Run(g, k, p, Options{Blocks: r.Blocks})
		require.NoError(t, err)
		gains = append(gains, 1-s.Cycles/r.Cycles)
	})
	sort.Float64s(gains)
	return gains
}

// Queues and locks are scheduled anew when times change, and a schedule can turn
// out luckier on the slower machine (Graham's anomalies); rarely, and by little.
func TestASlowerMemoryDoesNotSpeedUp(t *testing.T) {
	for name, make := range map[string]func(g *gpu.GPU){
		"latency":   func(g *gpu.GPU) { g.Arch.MemoryLatency *= 1.4; g.Arch.L2Latency *= 1.4 },
		"bandwidth": func(g *gpu.GPU) { g.Bandwidth *= 0.7; g.L2Bandwidth *= 0.7 },
		"issue":     func(g *gpu.GPU) { g.Arch.DependentIssue *= 1.3; g.Arch.IssuePerCycle /= 1.3 },
	} {
		t.Run(name, func(t *testing.T) {
			gains := slower(t, make)
			at := func(q float64) float64 { return gains[int(math.Min(q*float64(len(gains)), float64(len(gains)-1)))] }
			t.Logf("gains: 20%% %.4f, 95%% %.4f, 99%% %.4f, 99.9%% %.4f, most %.4f", at(0.2), at(0.95), at(0.99), at(0.999), at(1))
			assert.Less(t, at(0.2), -0.01, "most get slower")
			assert.Less(t, at(0.99), 0.01)
			assert.Less(t, at(1), 0.1)
		})
	}
}

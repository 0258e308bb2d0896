package sim

import (
	"fmt"

	"github.com/smux-cuda/smux/internal/prose"
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/model/hardware"
	"github.com/smux-cuda/smux/model/workload"
)

// Options of a simulation. The zero value is a good choice.
type Options struct {
	// Blocks is the number of original TBs that the SM runs; 0 takes Waves.
	Blocks int
	// Waves is the number of times that the original kernel fills the SM; 0 takes 20, so that the filling and
	// draining of the SM, together about one TB's life, weigh 5 % at most. Where the kernel's grid is known and less
	// than that for each SM, the busiest SM's share of the grid is run.
	Waves int
	// ILP is the independent instructions that a warp has at any time, on average; 0 takes 2.
	ILP float64
	// Steps bounds the steps that a warp takes, of which each stands for several iterations of a loop
	// where there are more; 0 takes 160 for one simulated warp, and 40 for each of four.
	Steps int
	// Timeline keeps what each v-TB does when.
	Timeline bool
}

const (
	defaultWaves = 20
	defaultILP   = 2
	maxBlocks    = 1 << 16
)

// Result holds what a simulation found.
type Result struct {
	Placement
	Cycles         float64 // from the first TB's start to the last one's end, and until memory is still
	Blocks         int     // original TBs that were run
	CyclesPerBlock float64 // Cycles over the original TBs that an SM gets on average: what policies are compared by

	// Busy fractions of Cycles, from 0 to 1.
	Issue  float64
	Memory float64 // DRAM bandwidth
	Pipe   float64 // shared-memory pipe

	Issued     float64 // warp instructions
	Added      float64 // of these, the ones that are not work: barriers, turns, locks
	PeakIn     int     // most v-TBs of one launched TB that were in a region at once
	PeakInSM   int     // … of the SM
	PeakShared int     // most shared bytes that were in use at once

	Timeline []Span // by end
}

// Run simulates an SM of g that runs a kernel under a policy. Equal inputs give equal results. The error is an
// *IllegalError where the policy is unavailable, and another where the workload's barriers do not match.
func Run(g *gpu.GPU, k *workload.Kernel, p Policy, opt Options) (*Result, error) {
	pl, err := Place(g, k, p)
	if err != nil {
		return nil, err
	}
	if opt.ILP <= 0 {
		opt.ILP = defaultILP
	}
	load, err := share(g, k, pl.VTBs, opt)
	if err != nil {
		return nil, err
	}
	launched := (load.blocks + pl.VTBs - 1) / pl.VTBs
	s := newShape(pl.VTBs, pl.Warps)
	if pl.VTBs > 1 && pl.Policy.Kind != Pipe && k.Threads%hardware.WarpSize != 0 {
		s = s.pack(k.Threads)
	}
	m := newMachine(g, min(pl.Resident, launched), s)
	m.recording, m.table, m.sets = opt.Timeline, pl.table, max(1, pl.Policy.M)
	m.toStart, m.full = launched, load.blocks/pl.VTBs
	if places := len(m.blocks); pl.Policy.Persistent && launched > places {
		m.toStart, m.full, m.groups, m.last = places, places, launched, load.blocks%pl.VTBs
	}

	// Where other SMs get less to do, they leave it more of the DRAM's bandwidth.
	m.dram.rate *= float64(load.blocks) / load.mean

	items := flatten(k, pl.Policy.hoists(), s.warps, opt.Steps)
	c := newCosts(g, k, pl.Resident*pl.VTBs, g.Arch.UnifiedBytes-pl.Static.Configured, opt.ILP)
	m.spin, m.lateWait = c.spin, c.lateWait
	m.programs = lower(items, k.Source, pl.Policy, s, c)
	if rest := load.blocks % pl.VTBs; rest > 0 {
		m.rest = lower(items, k.Source, pl.Policy, s.of(rest), c)
	}
	if err := m.run(); err != nil {
		return nil, fmt.Errorf("%s: %w", pl.Policy, err)
	}
	return m.result(pl, load), nil
}

// load is the original TBs that one SM runs.
type load struct {
	blocks int
	mean   float64 // of all SMs: less than blocks where this one is the busiest
}

// minBlocks keeps the tail small for policies that put many v-TBs on an SM where
// the original had few TBs: 10 waves of 12.
const minBlocks = 120

// share returns the load of an SM. Of a small grid that is the load of the busiest SM
// when vtbs TBs are launched together: the whole grid takes as long as that one.
func share(g *gpu.GPU, k *workload.Kernel, vtbs int, opt Options) (load, error) {
	even := func(n int) load { return load{min(n, maxBlocks), float64(min(n, maxBlocks))} }
	if opt.Blocks > 0 {
		return even(opt.Blocks), nil
	}
	waves := opt.Waves
	if waves <= 0 {
		waves = defaultWaves
	}
	base, err := Place(g, k, Policy{})
	if err != nil {
		return load{}, err
	}
	blocks := max(waves*base.Resident, minBlocks)
	if k.Blocks > 0 && k.Blocks < blocks*g.SMs {
		launched := (k.Blocks + vtbs - 1) / vtbs
		busiest := (launched + g.SMs - 1) / g.SMs * vtbs
		return load{min(busiest, k.Blocks), float64(k.Blocks) / float64(g.SMs)}, nil
	}
	return even(blocks), nil
}

func (m *machine) result(pl Placement, l load) *Result {
	r := &Result{Placement: pl, Blocks: l.blocks, Timeline: m.timeline}
	r.Cycles = max(m.ended, m.dram.free, m.l2.free)
	r.CyclesPerBlock = r.Cycles / l.mean
	for i := range m.compute {
		r.Issued += m.compute[i].busy
	}
	r.Added, r.PeakIn, r.PeakInSM = m.added, m.peakIn, m.peakAll
	r.PeakShared = len(m.blocks) * pl.Static.BlockShared
	if m.table.need > 0 {
		r.PeakShared = m.table.peak + len(m.blocks)*pl.private
	}
	if r.Cycles > 0 {
		r.Issue = r.Issued / (m.compute[0].together[slots] * float64(len(m.compute))) / r.Cycles
		r.Memory = m.dram.busy / r.Cycles
		r.Pipe = m.shared.busy / r.Cycles
	}
	return r
}

// RegionShare returns the part of a thread block's cycles that lies in regions when it
// has an SM of g for itself, from 0 to 1: what turns with one copy of the shared memory
// can't overlap (PACT'12 §3 reports 25.6 % for its ten benchmarks).
func RegionShare(g *gpu.GPU, k *workload.Kernel) (float64, error) {
	r, err := Run(g, k, Policy{}, Options{Blocks: 1, Timeline: true})
	if err != nil {
		return 0, err
	}
	in := 0.0
	for _, s := range r.Timeline {
		if s.Kind == Region {
			in += s.End - s.Start
		}
	}
	return in / r.Cycles, nil
}

// AboutGrid says what Run takes for the grid of a kernel where that decides what more thread blocks on an SM are good
// for: it is not known, and taken to fill the GPU, or it is too small to. Else it is "".
func AboutGrid(g *gpu.GPU, k *workload.Kernel) string {
	base, err := Place(g, k, Policy{})
	switch {
	case err != nil:
		return ""
	case k.Blocks == 0:
		return "the number of launched thread blocks is unknown: assuming as many as fill the GPU"
	case k.Blocks < base.Resident*g.SMs:
		return fmt.Sprintf("the launch has %s, and %s runs %d at once: more of them on an SM gain nothing", prose.Count(k.Blocks, "thread block"), g, base.Resident*g.SMs)
	}
	return ""
}

// Traffic counts what the accesses of a thread block to global memory move, in bytes.
type Traffic struct {
	Loads  float64 `json:"loads"`  // that loads ask for, in whole sectors
	L2     float64 `json:"l2"`     // of these, what the L1 has not
	DRAM   float64 `json:"dram"`   // of these, what the L2 has not
	Stores float64 `json:"stores"` // what its stores move
}

// TrafficOf returns what a thread block of a kernel moves where so many are on each SM of g.
func TrafficOf(g *gpu.GPU, k *workload.Kernel, blocks int) Traffic {
	pl, err := Place(g, k, Policy{})
	if err != nil {
		return Traffic{}
	}
	c := newCosts(g, k, blocks, g.Arch.UnifiedBytes-pl.Static.Configured, defaultILP)
	work, _ := workload.Total(k.Body)
	b := builder{costs: c}
	warps := float64(warpsOf(k.Threads))
	t := Traffic{Stores: work.Stores * warps}
	if work.Loads > 0 {
		o := b.bytes(opLoad, work)
		t.Loads, t.L2, t.DRAM = work.Loads*warps, o.amount*warps, o.dram*warps
	}
	return t
}

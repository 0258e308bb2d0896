// Package timing is the closed form of the time model: T = max(T_comp, T_mem), with the hit rate of the L2 falling as
// active thread blocks contend for it (after Xie et al., ICCAD: shared-memory allocation by model). It needs counts
// only and takes a few microseconds, so that a search can call it for every candidate; package sim answers what it
// leaves out.
//
// The paper has computing and memory overlap in full. That holds while many thread blocks are active; a block
// whose warps meet at barriers computes after it has loaded, and with few of them nobody fills the gap. So there is a third bound
// (Time.Serial): the time of a block by itself, over the blocks that are active. It is what large tiles cost.
// What passes shared memory is a bound beside the DRAM and the L2, not added to them.
//
// It promises that time never grows with a higher bandwidth, clock-for-clock issue width or cache, or with more of
// the loads being repeats. It leaves out divergence, the order of the steps, turns in regions, and the tail of the
// last wave. What counts is the order of variants, not the absolute time.
//
// A warp is assumed to issue one dependent instruction after the other, where
// package sim lets it have two at a time: that stands for what few warps wait for in
// series. (A test of package fidelity prints how well it agrees with the simulation.)
package timing

import (
	"math"

	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/model/hardware"
	"github.com/smux-cuda/smux/model/occupancy"
	"github.com/smux-cuda/smux/model/workload"
)

// Time is the time of one SM for all thread blocks that it gets, in SM cycles.
type Time struct {
	Comp   float64 `json:"comp"`   // T_comp: issuing, and waiting for results
	Mem    float64 `json:"mem"`    // T_mem: moving bytes
	Serial float64 `json:"serial"` // thread blocks whose warps compute, wait for loads and meet, one after the other
	Total  float64 `json:"total"`  // the largest of these

	// The parts of Mem, of which the largest counts.
	DRAM   float64 `json:"dram"`   // bytes that miss the L2, over the SM's share of the DRAM bandwidth
	L2     float64 `json:"l2"`     // all global bytes that the L1 has not, over its share of the L2 bandwidth
	Shared float64 `json:"shared"` // wavefronts in shared memory, and in the L1 where that has the same pipe

	L1Hit  float64 `json:"l1Hit"`  // part of the loaded bytes that the L1 has, from 0 to 1
	L2Hit  float64 `json:"l2Hit"`  // part that the L2 has, of what the L1 has not
	Blocks int     `json:"blocks"` // that the SM gets
	Active int     `json:"active"` // at once

	latency float64 // of a load, on average
}

// Estimate returns the time of a kernel with the given number of thread blocks active per SM (package occupancy). A
// grid of unknown size is taken for one wave: as many thread blocks per SM as are active. To compare occupancies,
// give a grid.
func Estimate(g *gpu.GPU, k *workload.Kernel, active int) Time {
	active = max(1, active)
	blocks := active
	if k.Blocks > 0 {
		blocks = (k.Blocks + g.SMs - 1) / max(1, g.SMs)
	}
	t := Time{Blocks: blocks, Active: min(active, blocks)}
	perBlock := float64((max(1, k.Threads) + hardware.WarpSize - 1) / hardware.WarpSize)
	work, _ := workload.Total(k.Body)
	all := work.Scale(perBlock * float64(blocks))
	warps := perBlock * float64(t.Active)

	t.caches(g, k, work)
	t.Comp = computing(&g.Arch, all.Issue, warps)
	t.memory(g, k, all)
	t.Serial = t.serial(g, k, work, perBlock)
	t.Total = max(t.Comp, t.Mem, t.Serial)
	return t
}

// computing returns the time to issue warp instructions: each warp waits for its
// last result before it goes on, so that few warps can't fill the issue slots.
func computing(a *gpu.Arch, issue, warps float64) float64 {
	rate := a.IssuePerCycle
	if a.DependentIssue > 0 {
		rate = math.Min(rate, warps/a.DependentIssue)
	}
	return over(issue, rate)
}

// serial returns the time of thread blocks one after the other, as many at once as are active: each takes as long as
// one of its warps that issues, waits for every load that was not copied ahead, and goes on, or as all of them
// together keep the issue slots or shared memory busy. At a barrier the block waits for its last warp's turn to
// issue, and for the dependent issue after it. With many thread blocks active this is less than what all of
// them move; with few it is what larger tiles cost.
func (t *Time) serial(g *gpu.GPU, k *workload.Kernel, work workload.Work, warpsPerBlock float64) float64 {
	a, n := &g.Arch, barriers(k.Body)
	waits := work.Waits
	if a.Major >= hardware.FirstAsync {
		waits -= work.Ahead
	}
	if n == 0 {
		return waits * t.latency * float64(t.Blocks) / float64(t.Active)
	}
	warp := work.Issue*a.DependentIssue + waits*t.latency
	block := max(warp, over(work.Issue*warpsPerBlock, a.IssuePerCycle), over(t.wavefronts(g, work)*warpsPerBlock, a.SharedPerCycle))
	drain := over(warpsPerBlock, a.IssuePerCycle) + a.DependentIssue
	return (block + n*drain) * float64(t.Blocks) / float64(t.Active)
}

// caches finds what the caches hold of the loaded bytes, and the latency of a load, on average: of what a thread block
// loads again, they have the part that fits of what the active ones load in between (random replacement: nothing
// thrashes at once); of the rest the L2 has what others have loaded. The L1 is what the carve-out leaves, where global
// loads pass one. What another warp waits for comes no sooner.
func (t *Time) caches(g *gpu.GPU, k *workload.Kernel, work workload.Work) {
	a, all := &g.Arch, t.Active*g.SMs
	near, kept, common := 0.0, 0.0, 0.0
	if a.UnifiedBytes > 0 {
		if r, err := occupancy.Compute(g, occupancy.Demand{Threads: k.Threads, Registers: k.Registers, Shared: k.Shared}); err == nil {
			near = k.Kept(t.Active, k.Footprint*float64(t.Active), float64(a.UnifiedBytes-r.Configured))
		}
	}
	if g.L2Bytes > 0 {
		kept, common = k.Kept(all, k.Union(all), float64(g.L2Bytes)), k.Common(all, float64(g.L2Bytes))
	}
	// found is the parts of the loads that the L1 and the L2 have if so much of them is loaded again.
	found := func(again float64) (l1, l2 float64) {
		l1 = again * near
		return l1, (again-l1)*kept + (1-again)*common
	}
	again, late := 0.0, 0.0
	if work.Loads > 0 {
		again = min(1, work.Again/work.Loads)
		late = min(again, work.Late/work.Loads)
	}
	t.L1Hit, t.L2Hit = found(again)
	l1, l2 := found(again - late)
	t.latency = l1*a.Hit() + l2*min(a.L2Latency, a.MemoryLatency) + (1-l1-l2)*a.MemoryLatency
}

// wavefronts are those of a piece of work in the pipe of shared memory, which is that of the L1, too, from Volta on.
func (t *Time) wavefronts(g *gpu.GPU, w workload.Work) float64 {
	if g.Arch.UnifiedBytes == 0 || g.Arch.Major < 7 {
		return w.Shared
	}
	return w.Shared + (max(w.Loads, w.Lines*lineBytes)+w.Stores)/lineBytes
}

// lineBytes are those of a line of the L1, of which one passes in a wavefront.
const lineBytes = 128

// memory fills in T_mem. What is loaded passes the DRAM, the L2 and shared memory one after the other, so the
// slowest of these counts. Of what is stored the L2 passes on what it can't join.
func (t *Time) memory(g *gpu.GPU, k *workload.Kernel, all workload.Work) {
	missed := all.Loads * (1 - t.L1Hit)
	if g.L2Bytes > 0 {
		t.L2 = over(missed+all.Stores-all.Partly, g.L2BytesPerCycle()) + over(all.Partly, g.PartialBytesPerCycle())
	}
	own, others := k.Joining(t.Active*g.SMs, float64(g.L2Bytes))
	t.DRAM = over(missed-all.Loads*t.L2Hit+all.Written(own, others), g.BytesPerCycle())
	t.Shared = over(t.wavefronts(g, all), g.Arch.SharedPerCycle)
	t.Mem = max(t.DRAM, t.L2, t.Shared)
}

// over divides; a rate that is not known costs nothing.
func over(amount, rate float64) float64 {
	if rate <= 0 || math.IsNaN(rate) {
		return 0
	}
	return amount / rate
}

// barriers counts how often a warp comes to a barrier.
func barriers(steps []workload.Step) float64 {
	n := 0.0
	for i := range steps {
		s := &steps[i]
		switch s.Kind {
		case workload.KindBarrier:
			n++
		case workload.KindLoop:
			n += s.Times * barriers(s.Body)
		case workload.KindRegion:
			n += barriers(s.Body)
		}
	}
	return n
}

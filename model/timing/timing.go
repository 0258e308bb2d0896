// Package timing is the closed form of the time model: T = max(T_comp, T_mem),
// with the hit rate of the L2 falling as active thread blocks contend for it
// (after Xie et al., ICCAD: shared-memory allocation by model). It needs counts
// only and takes well under a microsecond, so that a search can call it for every
// candidate; package sim answers what it leaves out.
//
// It promises that time never grows with a higher bandwidth, clock-for-clock
// issue width or cache, or with more of the loads being repeats. It leaves out
// divergence, the order of the steps, turns in regions, the L1, and the tail of the last
// wave. What counts is the order of variants, not the absolute time.
//
// A warp is assumed to issue one dependent instruction after the other, where
// package sim lets it have two at a time: that stands for what few warps wait for in
// series, which the maximum leaves out. With two, or with all of a lone warp's waits
// added up as a bound, the form agrees worse with the simulation (a test of package
// fidelity prints how well).
package timing

import (
	"math"

	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/model/hardware"
	"github.com/smux-cuda/smux/model/workload"
)

// Time is the time of one SM for all thread blocks that it gets, in SM cycles.
type Time struct {
	Comp  float64 `json:"comp"`  // T_comp: issuing, waiting for results, and what barriers put in series
	Mem   float64 `json:"mem"`   // T_mem: moving bytes, or waiting for them
	Total float64 `json:"total"` // the larger of both

	// The parts of Mem: max(DRAM, L2, Latency) + Shared.
	DRAM    float64 `json:"dram"`    // bytes that miss the L2, over the SM's share of the DRAM bandwidth
	L2      float64 `json:"l2"`      // all global bytes, over its share of the L2 bandwidth
	Latency float64 `json:"latency"` // waits for global memory that no other warp covers
	Shared  float64 `json:"shared"`  // wavefronts in shared memory

	L2Hit  float64 `json:"l2Hit"`  // part of the loaded bytes that the L2 has, from 0 to 1
	Blocks int     `json:"blocks"` // that the SM gets
	Active int     `json:"active"` // at once
}

// Estimate returns the time of a kernel with the given number of thread blocks
// active per SM (package occupancy). A grid of unknown size is taken for one
// wave: as many thread blocks per SM as are active. To compare occupancies, give
// a grid.
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

	t.L2Hit = HitRate(g, k, work, t.Active)
	t.Comp = math.Max(computing(&g.Arch, all.Issue, warps), t.phases(g, k, work, perBlock))
	t.memory(g, all, warps)
	t.Total = math.Max(t.Comp, t.Mem)
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

// phases returns the time of thread blocks whose warps meet at barriers, and so do
// the same thing at the same time: within one, computing comes after waiting
// and not beside it; only the other active thread blocks fill the gap. Each
// barrier exposes one wait, if there is one and nothing of it was copied ahead, and its own cost: its last warp's
// turn to issue, and the dependent issue behind it. It is 0 without barriers.
func (t *Time) phases(g *gpu.GPU, k *workload.Kernel, work workload.Work, warpsPerBlock float64) float64 {
	n := barriers(k.Body)
	if n == 0 {
		return 0
	}
	alone := computing(&g.Arch, work.Issue*warpsPerBlock, warpsPerBlock)
	drain := over(warpsPerBlock, g.Arch.IssuePerCycle) + g.Arch.DependentIssue
	ahead := work.Ahead
	if g.Arch.Major < hardware.FirstAsync {
		ahead = 0
	}
	exposed := math.Min(n, work.Waits-ahead) * t.latency(g)
	return (alone + n*drain + exposed) * float64(t.Blocks) / float64(t.Active)
}

// latency is that of a load, on average.
func (t *Time) latency(g *gpu.GPU) float64 {
	a := &g.Arch
	if g.L2Bytes <= 0 {
		return a.MemoryLatency
	}
	return a.MemoryLatency + t.L2Hit*(math.Min(a.L2Latency, a.MemoryLatency)-a.MemoryLatency)
}

// HitRate returns the part of the loaded bytes that the L2 holds: of what a thread
// block loads again, the part of the active thread blocks' footprint that fits
// (random replacement: nothing thrashes at once); of the rest, what others have loaded.
func HitRate(g *gpu.GPU, k *workload.Kernel, work workload.Work, active int) float64 {
	if g.L2Bytes <= 0 || work.Loads <= 0 {
		return 0
	}
	again := math.Min(1, work.Again/work.Loads)
	all := active * g.SMs
	common := (1 - again) * k.Common(all, float64(g.L2Bytes))
	return again*k.Kept(all, k.Union(all), float64(g.L2Bytes)) + common
}

// memory fills in T_mem. Bytes pass DRAM and L2 one behind the other, so the
// slower of the two counts; by Little's law neither can be faster than the
// loads in flight allow: each warp has one batch under way, and waits for it
// for the latency. What has come in passes through shared memory after that.
func (t *Time) memory(g *gpu.GPU, all workload.Work, warps float64) {
	a := &g.Arch
	if g.L2Bytes > 0 {
		t.L2 = over(all.Loads+all.Stores, g.L2BytesPerCycle())
	}
	t.DRAM = over(all.Loads*(1-t.L2Hit)+all.Stores, g.BytesPerCycle())
	t.Latency = all.Waits * t.latency(g) / warps
	t.Shared = over(all.Shared, a.SharedPerCycle)
	t.Mem = math.Max(t.DRAM, math.Max(t.L2, t.Latency)) + t.Shared
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

package occupancy

import (
	"fmt"
	"math"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/prose"
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/model/hardware"
)

// Step is a change of a demand and what it gains. Where more than one of the
// first four isn't 0, all of them are needed together.
type Step struct {
	Registers int `json:"registers,omitempty"` // fewer registers per thread
	Shared    int `json:"shared,omitempty"`    // fewer shared bytes per thread block
	Barriers  int `json:"barriers,omitempty"`  // fewer barriers per thread block
	Threads   int `json:"threads,omitempty"`   // more threads per block; below 0 fewer

	Demand    Demand  `json:"demand"` // after the change
	Blocks    int     `json:"blocks"` // after the change, as the next two
	Warps     int     `json:"warps"`
	Occupancy float64 `json:"occupancy"`
}

// Next lists the smallest changes of d that put more on an SM of g: one that
// asks for less in blocks of the same size, and the next smaller and the next
// larger block size (in whole warps) with more warps at once, where there are
// such. Where neither alone will do, as the slots for threads or blocks limit
// together with another resource, it is the block size with which the other has
// to give least. For a demand that can't run at all the changes are those that
// let it run.
//
// Registers per thread and shared bytes per block are taken to stay as they are
// when the block size changes, which is for the caller to judge.
func Next(g *gpu.GPU, d Demand) []Step {
	r, err := Compute(g, d)
	if isInvalid(err) || r.Warps == g.Arch.WarpsPerSM {
		return nil
	}
	var steps []Step
	if s, ok := stepTo(g, d, r.Blocks+1); ok {
		steps = append(steps, s)
	}
	most := g.Arch.ThreadsPerBlock / hardware.WarpSize
	warps := warpsOf(d.Threads)
	for n := min(warps-1, most); n > 0; n-- {
		if s, ok := resize(g, d, n, r.Warps); ok && s.onlySize() {
			steps = append(steps, s)
			break
		}
	}
	for n := warps + 1; n <= most; n++ {
		if s, ok := resize(g, d, n, r.Warps); ok && s.onlySize() {
			steps = append(steps, s)
			break
		}
	}
	if len(steps) == 0 {
		return sizeAndMore(g, d, r.Warps)
	}
	return steps
}

// sizeAndMore returns the block size that gives more than warps warps at once with
// the least reduction of registers and shared bytes, as parts of what they are;
// of several such the one with the most warps.
func sizeAndMore(g *gpu.GPU, d Demand, warps int) []Step {
	var best Step
	least := math.Inf(1)
	for n := 1; n <= g.Arch.ThreadsPerBlock/hardware.WarpSize; n++ {
		s, ok := resize(g, d, n, warps)
		cost := part(s.Registers, d.Registers) + part(s.Shared, d.Shared) + part(s.Barriers, d.Barriers)
		if ok && (cost < least || cost == least && s.Warps > best.Warps) {
			best, least = s, cost
		}
	}
	if math.IsInf(least, 1) {
		return nil
	}
	return []Step{best}
}

func part(n, of int) float64 { return float64(n) / float64(max(of, 1)) }

// stepTo returns the least that d must ask for less to run that many blocks. None
// will do where the slots for threads or blocks don't suffice.
func stepTo(g *gpu.GPU, d Demand, blocks int) (Step, bool) {
	after := d
	after.Registers = min(d.Registers, MaxRegisters(g, d.Threads, blocks))
	after.Shared = min(d.Shared, MaxShared(g, blocks))
	if after.Shared < 0 || after.Registers == 0 && d.Registers > 0 {
		return Step{}, false
	}
	after.Barriers = min(d.Barriers, maxBarriers(&g.Arch, blocks))
	r, err := Compute(g, after)
	if err != nil || r.Blocks < blocks {
		return Step{}, false
	}
	return stepFrom(d, after, r), true
}

// resize returns the step to blocks of n warps, with as much less of the rest as it
// takes to have more than warps warps at once.
func resize(g *gpu.GPU, d Demand, n, warps int) (Step, bool) {
	sized := d
	sized.Threads = n * hardware.WarpSize
	s, ok := stepTo(g, sized, warps/n+1)
	s.Threads = sized.Threads - d.Threads
	return s, ok
}

// onlySize reports whether the step changes nothing but the block size.
func (s Step) onlySize() bool { return s.Registers == 0 && s.Shared == 0 && s.Barriers == 0 }

func stepFrom(before, after Demand, r Result) Step {
	return Step{
		Registers: before.Registers - after.Registers,
		Shared:    before.Shared - after.Shared,
		Barriers:  before.Barriers - after.Barriers,
		Threads:   after.Threads - before.Threads,
		Demand:    after,
		Blocks:    r.Blocks, Warps: r.Warps, Occupancy: r.Occupancy,
	}
}

// String returns the step in words, such as "8 registers fewer gives 6 TBs", "8
// registers fewer and 1.2 kB less together give 6 TBs" or "blocks of 96 threads
// give 10 TBs, 30 warps".
func (s Step) String() string {
	var changes []string
	if s.Threads != 0 {
		changes = append(changes, fmt.Sprintf("blocks of %d threads", s.Demand.Threads))
	}
	if s.Registers != 0 {
		changes = append(changes, prose.Count(s.Registers, "register")+" fewer")
	}
	if s.Shared != 0 {
		changes = append(changes, bytesAtLeast(s.Shared)+" less")
	}
	if s.Barriers != 0 {
		changes = append(changes, prose.Count(s.Barriers, "barrier")+" fewer")
	}
	text := diag.AndList(changes)
	switch {
	case len(changes) > 1:
		text += " together give "
	case s.Threads != 0:
		text += " give "
	default:
		text += " gives "
	}
	text += prose.Count(s.Blocks, "thread block")
	if s.Threads != 0 {
		text += ", " + prose.Count(s.Warps, "warp")
	}
	return text
}

// bytesAtLeast is n bytes in words, rounded up where it is rounded, so that
// saving what it names is enough. A kB is 1024 bytes.
func bytesAtLeast(n int) string {
	if n < 1024 {
		return prose.Count(n, "byte")
	}
	return fmt.Sprintf("%.1f kB", math.Ceil(float64(n)/1024*10)/10)
}

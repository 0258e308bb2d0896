// Package stall predicts how long a warp takes for the machine code of a kernel, from the stall counts and barriers
// that the compiler wrote into it, and orders variants of a kernel by it (Sakdhnagool, Sabne and Eigenmann, "RegDem:
// Increasing GPU Performance via Shared Memory Register Spilling", §4).
//
// It promises an order, not times: the same code gives the same figure, a longer latency or one more instruction
// never a smaller one. From the paper are: a loop counts ten times, 200 cycles for global memory and 24 for shared,
// and that occupancy and the throughput of units count. How they count was settled before the paper's text was at
// hand, and is kept where it says more: see Variant.Cost. RegDem is the paper's own figure.
//
// Left out: caches, bank conflicts, uncoalesced accesses and the bandwidth of memory; divergence (both sides of a
// branch count, once each); what a warp waits for at a barrier of the thread block; functions that are called; dual
// issue of compute capability 5.0 to 6.2, where the second of a pair counts a cycle more. How warps delay each other
// is in Variant, and there only as a bound.
package stall

import (
	"math"

	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/model/hardware"
)

// Instruction is one machine instruction, as far as stalls go.
type Instruction struct {
	Memory Memory // what its result waits for, None where it has a fixed latency
	Depth  int    // loops around it
	Stall  int    // cycles before the next instruction of the warp may issue
	// Slow is the throughput of the fastest instructions over that of its kind, for RegDem; 0 is 1.
	Slow float64
	// Write and Read are the scoreboard barriers that it releases, -1 for none; Wait
	// are those that it waits for, one bit each.
	Write, Read int
	Wait        uint8
	// Left is the number of releases of the barriers in Wait that may still be missing: the
	// compiler waits for the copies before the latest one by that. 0 as a rule.
	Left int

	// Head is set if its innermost loop begins here. It separates two loops of the
	// same depth that follow each other; without it they count as one.
	Head bool
	// Turns is the number of turns of its innermost loop; 0 is Turns, as everywhere in RegDem.
	// A caller that knows that a loop was unrolled four times has it run a quarter as often.
	Turns float64
}

// Turns is the number of turns of an unknown loop.
const Turns = 10

// Memory is the kind of latency that an instruction has.
type Memory uint8

// The kinds.
const (
	None     Memory = iota
	Shared          // shared memory
	Global          // global memory
	Variable        // other units without a fixed latency
	Local           // local memory: the stack and spilled registers
)

// Latencies are cycles from issue to result.
type Latencies struct {
	Shared, Global, Variable float64
	// Local is that of local memory. In the paper's summary it is global memory; where
	// the L1 holds all that is spilled, some 30 cycles are nearer.
	Local float64
	// Read is from issue until the operands are read and may be overwritten. It is
	// not a figure of RegDem's, but an assumption.
	Read float64
}

// Usual are RegDem's.
var Usual = Latencies{Shared: 24, Global: 200, Variable: 24, Local: 200, Read: 12}

// of returns the latency of an instruction that releases a barrier.
func (l Latencies) of(m Memory) float64 {
	switch m {
	case Shared:
		return l.Shared
	case Global:
		return l.Global
	case Local:
		return l.Local
	}
	return l.Variable
}

// Mix counts the instructions of each class that a warp issues, loops multiplied out.
// What is in no class counts in Issue alone.
type Mix struct {
	Issue   float64 // all of them
	Integer float64
	Float   float64 // single precision
	Double  float64
	Special float64 // special functions and conversions
	Memory  float64 // loads, stores and atomics of all kinds but constants
}

// Add returns the sum with another mix that counts times as often.
func (m Mix) Add(o Mix, times float64) Mix {
	return Mix{
		m.Issue + times*o.Issue, m.Integer + times*o.Integer, m.Float + times*o.Float,
		m.Double + times*o.Double, m.Special + times*o.Special, m.Memory + times*o.Memory,
	}
}

// Busy returns how many cycles the SM needs for the instructions of one warp if it has
// always one at hand: those of the unit that is busiest.
func (m Mix) Busy(a *gpu.Arch) float64 {
	r := RatesOf(a)
	busy := 0.0
	for _, one := range [...][2]float64{{m.Issue, r.Issue}, {m.Integer, r.Integer}, {m.Float, r.Float}, {m.Double, r.Double}, {m.Special, r.Special}, {m.Memory, r.Memory}} {
		if one[1] > 0 {
			busy = max(busy, one[0]/one[1])
		}
	}
	return busy
}

// Rates are warp instructions per cycle that an SM can start, by class. Tensor cores are left out.
type Rates struct{ Issue, Integer, Float, Double, Special, Memory float64 }

// RatesOf returns the rates of an architecture: the CUDA C++ Programming Guide's
// "Throughput of Native Arithmetic Instructions" (add and multiply-add; results per
// cycle over 32; the rows of floating point up to 7.5 were seen, all else is as remembered) and
// an address per cycle for each load/store unit, as the whitepapers' figures of an SM have them. An integer multiplication that is slower is not
// told apart. Of an architecture that is not listed, those of the latest one before it.
func RatesOf(a *gpu.Arch) Rates {
	found := rates[0]
	for _, r := range rates {
		if a.Major > r.major || a.Major == r.major && a.Minor >= r.minor {
			found = r
		}
	}
	lanes := func(n float64) float64 { return n / hardware.WarpSize }
	return Rates{Issue: a.IssuePerCycle, Integer: lanes(found.integer), Float: lanes(found.float), Double: lanes(found.double), Special: lanes(found.special), Memory: lanes(found.memory)}
}

// rates are results per cycle and SM, ascending.
var rates = []struct {
	major, minor                            int
	integer, float, double, special, memory float64
}{
	{2, 0, 32, 32, 16, 4, 16},
	{3, 0, 160, 192, 8, 32, 32},
	{3, 5, 160, 192, 64, 32, 32},
	{5, 0, 128, 128, 4, 32, 32},
	{6, 0, 64, 64, 32, 16, 32},
	{6, 1, 128, 128, 4, 32, 32},
	{7, 0, 64, 64, 32, 16, 32},
	{7, 5, 64, 64, 2, 16, 16},
	{8, 0, 64, 64, 32, 16, 32},
	{8, 6, 64, 128, 2, 16, 16},
	{9, 0, 64, 128, 64, 16, 32},
	{10, 0, 64, 128, 64, 16, 32},
	{12, 0, 64, 128, 2, 16, 16},
}

// Variant is one form of a kernel.
type Variant struct {
	Cycles float64 // of a warp that has the SM to itself, see Cycles
	Warps  float64 // that an SM runs at once
	// Busy is the number of cycles of the SM's busiest unit that a warp takes, see Mix.Busy; 0 if unknown.
	Busy float64
}

// Cost returns how many cycles an SM needs per warp, on average: what the warps stand in line for cannot be shared,
// and what is left of a warp's cycles is divided by the warps that wait side by side.
//
// RegDem scales stall counts by occupancy x MAX_THROUGHPUT / throughput (§4, equation 2; see RegDem), so that a
// variant with more warps has more stalls; how the gain of more warps enters the comparison its text does not show.
// Here all warps together take
//
//	Cycles + (Warps - 1) x Busy
//
// where each warp adds its turn at the unit with the lowest throughput. It is the pessimistic one of the two
// asymptotic bounds on a closed system (Lazowska and others, "Quantitative System Performance", chapter 5); the
// optimistic one, the larger of Cycles/Warps and Busy, has most kernels busy at half of their occupancy and so
// separates no two variants. At equal cycles more warps never cost more, and gain less the more there are. The cost
// of a variant that can't run is infinite.
func (v Variant) Cost() float64 {
	if v.Warps <= 0 {
		return math.Inf(1)
	}
	return v.Busy + max(0, v.Cycles-v.Busy)/max(1, v.Warps)
}

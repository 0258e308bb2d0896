// Package stall predicts how long a warp takes for the machine code of a kernel,
// from the stall counts and barriers that the compiler wrote into it, and orders
// variants of a kernel by it (Sakdhnagool, Sabne and Eigenmann, "RegDem: Increasing
// GPU Performance via Shared Memory Register Spilling", §4).
//
// It promises an order, not times: the same code gives the same figure, a longer
// latency or one more instruction never a smaller one. From the paper are: a loop counts
// ten times, 200 cycles for global memory and 24 for shared, and that occupancy and the
// throughput of units count. How they count was settled before the paper's text was
// at hand, and is kept where it says more: see Variant.Cost. RegDem is the paper's own figure.
//
// Left out: caches, bank conflicts, uncoalesced accesses and the bandwidth of
// memory; divergence (both sides of a branch count, once each); what a warp waits
// for at a barrier of the thread block; functions that are called; dual issue of
// compute capability 5.0 to 6.2, where the second of a pair counts a cycle more. How warps delay each other
// is in Variant, and there only as a bound.
package stall

// Instruction is one machine instruction, as far as stalls go.
type Instruction struct {
	Memory Memory // what its result waits for, None where it has a fixed latency
	Depth  int    // loops around it
	Stall  int    // cycles before the next instruction of the warp may issue
	// Slow is the throughput of the fastest instructions over that of its kind, for RegDem;
	// 0 is 1.
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

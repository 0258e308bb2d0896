// Package stall predicts how long a warp takes for the machine code of a kernel,
// from the stall counts and barriers that the compiler wrote into it (RegDem §4).
package stall

// Instruction is one machine instruction, as far as stalls go.
type Instruction struct {
	Memory Memory // what its result waits for, None where it has a fixed latency
	Depth  int    // loops around it
	Stall  int    // cycles before the next instruction of the warp may issue
	// Write and Read are the scoreboard barriers that it releases, -1 for none; Wait
	// are those that it waits for, one bit each.
	Write, Read int
	Wait        uint8
}

// Memory is what kind of latency an instruction has.
type Memory uint8

// The kinds.
const (
	None     Memory = iota
	Shared          // shared memory
	Global          // global and local memory
	Variable        // other units without a fixed latency
)

// Latencies are cycles from issue to result.
type Latencies struct{ Shared, Global, Variable float64 }

// Usual are RegDem's.
var Usual = Latencies{Shared: 24, Global: 200, Variable: 24}

// Cycles is the predicted stall count of a warp: each loop level weighs ten times
// the one around it.
func Cycles(code []Instruction, l Latencies) float64 { return 0 }

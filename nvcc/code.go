package nvcc

import (
	"context"
	"errors"
)

// Code is the machine code of one kernel, instruction by instruction, with what
// ptxas says of the kernel and the counts of its listing.
type Code struct {
	Kernel
	Listing *Listing
	// Instructions are those of the kernel's own code and of the functions that it
	// calls, in the order of their addresses; what is never reached is left out.
	Instructions []Instruction
}

// Instruction is one machine instruction.
type Instruction struct {
	Address   int    // bytes from the start of the function's code
	Predicate string // "@P0", "@!UP1"; empty if it is always done
	Opcode    string // with its suffixes: "LDG.E.64"
	Operands  string
	Loop      int  // the innermost loop around it, an index of Listing.Loops; -1 outside loops
	Called    bool // it belongs to a function that is called, see LineCounts.Called
	Control   Control
}

// Control is what the compiler tells the hardware's scheduler with an instruction.
// From compute capability 7.0 to 9.0 it stands in bits 105 to 125 of the
// instruction's 128.
type Control struct {
	Known bool
	Stall int  // cycles before the next instruction of the warp may issue
	Yield bool // another warp is preferred next
	// Write and Read are the scoreboard barriers (0 to 5) that the instruction
	// releases when its result is written and when its operands are read; -1 for none.
	Write, Read int
	Wait        uint8 // the barriers that must be free before it issues, one bit each
}

// Codes is as Lines, but returns the machine code itself.
func (t *Toolkit) Codes(ctx context.Context, r Request) ([]*Code, error) {
	return nil, errors.New("not there yet")
}

package nvcc

import (
	"context"
)

// Code is the machine code of one kernel, instruction by instruction, with what
// ptxas reports of the kernel and the counts of its listing.
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
	Loop      int   // the innermost loop around it, an index of Listing.Loops; -1 outside loops
	Called    bool  // it belongs to a function that is called, see LineCounts.Called
	In        Place // the line of the kernel's own body, see LineCounts.In
	Control   Control
}

// Counts returns what the instruction adds to the counts of its listing.
func (in Instruction) Counts() Counts { return countOf(in.Opcode) }

// Codes is as Lines, but returns the machine code itself.
func (t *Toolkit) Codes(ctx context.Context, r Request) ([]*Code, error) {
	answers, err := t.answers(ctx, r, machine)
	var out []*Code
	for _, a := range answers {
		out = append(out, a.codes()...)
	}
	return out, err
}

// codes are the listings of an answer with the code.
func (a *answer) codes() []*Code {
	var out []*Code
	byName := map[string]Kernel{}
	for _, k := range a.Kernels {
		byName[k.Mangled] = k
	}
	for i, l := range a.Listings {
		out = append(out, &Code{Kernel: byName[l.Mangled], Listing: l, Instructions: a.Codes[i]})
	}
	return out
}

// list gathers the instructions that count has found to be reached.
func (c *code) list() []Instruction {
	var out []Instruction
	for n := range c.functions {
		for _, in := range c.functions[n].instructions {
			if in.reached {
				out = append(out, Instruction{in.address, in.predicate, in.opcode, in.operands, in.loop, n > 0, in.in, in.control})
			}
		}
	}
	return out
}

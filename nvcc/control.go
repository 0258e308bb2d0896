package nvcc

import (
	"context"
	"strconv"
	"strings"
)

// Control holds what the compiler tells the hardware's scheduler with an instruction. From compute capability 7.0 to
// 9.0 it stands in bits 105 to 125 of the instruction's 128, from the lowest:
//
//	105  4 bits  stall count
//	109  1 bit   0 where another warp is preferred next
//	110  3 bits  write barrier, 7 for none
//	113  3 bits  read barrier, 7 for none
//	116  6 bits  barriers to wait for
//	122  4 bits  register reuse, left out here: nvdisasm prints it (R2.reuse)
//
// NVIDIA documents none of it. The positions are those that turingas (tools/disasm.py) and CuAssembler
// (decodeCtrlCodes) use, which agree, after the wiki page "Control Codes" of maxas; the yield bit is inverted in all
// of them: they print Y where it is 0. How it was checked here, with nvcc 11.8 (see the tests): on sm_70 to sm_90
// EXIT and BRA have a stall count of 5 or more and barrier numbers are 0 to 5 or none; each load from global memory
// sets a write barrier (of loads from shared memory in a row, the last one may do so for all), no plain store does;
// the first instruction that uses a loaded register waits for its barrier, one that overwrites an address register
// waits for the read barrier; and what is waited for was set before, but for a rare wait on sm_90 that is left over
// from an instruction that was taken out. What Yield does to the order of warps could not be checked.
//
// From 5.0 to 6.2 the codes of three instructions stand in a word in front of them, 21 bits each with the same
// fields, the first one's lowest (maxas, "Control Codes"). There a stall count of 0 issues the instruction together
// with the next one. What architectures from 10.0 on do is not looked into: Known is false there.
type Control struct {
	Known bool
	Stall int  // cycles before the next instruction of the warp may issue, from 0 to 15
	Yield bool // another warp is preferred next
	// Write and Read are the scoreboard barriers (0 to 5) that the instruction
	// releases when its result is written and when its operands are read; -1 for none.
	Write, Read int
	Wait        uint8 // the barriers that must be free before it issues, one bit each
}

// lowestControlBit is the first bit of the code in the upper half of an instruction.
const lowestControlBit = 105 - 64

// controlOf reads the upper half of an instruction. A barrier number that the hardware doesn't have counts as none.
func controlOf(high uint64) Control {
	high >>= lowestControlBit
	take := func(count int) int {
		n := int(high & (1<<count - 1))
		high >>= count
		return n
	}
	barrier := func() int {
		if n := take(3); n <= 5 {
			return n
		}
		return -1
	}
	return Control{Known: true, Stall: take(4), Yield: take(1) == 0, Write: barrier(), Read: barrier(), Wait: uint8(take(6))}
}

// controlWords hands out the codes of architectures where three instructions share a
// word. nvdisasm -hex prints it on a line of its own in front of them:
//
//	                                   /* 0x001c4400fe0007f6 */
//	/*0008*/         MOV R1, c[0x0][0x20] ;     /* 0x4c98078000870001 */
//	/*0010*/    {    MOV R5, c[0x0][0x158] ;    /* 0x4c98078005670005 */
//	/*0018*/         S2R R0, SR_TID.X    }
//	                                   /* 0xf0c8000002170000 */
//
// The encoding after a closing brace is the instruction's own.
type controlWords struct {
	grouped bool // a word has stood in front of the first instruction
	begun   bool // an instruction has been seen
	owed    bool // the last instruction's own encoding is still to come
	word    uint64
}

// take looks at an encoding on a line of its own, and reports whether it is none of the instruction before.
func (w *controlWords) take(bits uint64) bool {
	w.grouped = w.grouped || !w.begun
	switch {
	case !w.grouped:
		return false
	case w.owed:
		w.owed = false
	default:
		w.word = bits
	}
	return true
}

// next returns the code of the instruction at an address, whose line that is; the zero
// Control where it does not stand in a word in front.
func (w *controlWords) next(address int, line string) Control {
	w.begun = true
	slot := address/8%4 - 1 // the word itself takes the first place of four
	if !w.grouped || slot < 0 {
		return Control{}
	}
	w.owed = !strings.Contains(line, "/* 0x")
	return controlOf(w.word >> (controlBits * slot) << lowestControlBit)
}

// controlBits is the number of bits of a word for one instruction.
const controlBits = 21

// controlsKnown reports whether the codes of an architecture ("sm_80", "sm_90a") are
// where controlOf or controlWords looks for them.
func controlsKnown(arch string) bool {
	digits := strings.TrimRight(strings.TrimPrefix(arch, "sm_"), "abcdefghijklmnopqrstuvwxyz")
	n, err := strconv.Atoi(digits)
	return err == nil && n >= 50 && n <= 90
}

// encoding reads a line on which nvdisasm -hex prints the upper half of the
// instruction on the line before, and nothing else:
//
//	/* 0x000fea0003800000 */
func encoding(line string) (uint64, bool) {
	digits, ok := strings.CutPrefix(strings.TrimLeft(line, " \t"), "/* 0x")
	if !ok {
		return 0, false
	}
	digits, ok = strings.CutSuffix(strings.TrimRight(digits, " \t"), " */")
	if !ok || len(digits) != 16 {
		return 0, false
	}
	n, err := strconv.ParseUint(digits, 16, 64)
	return n, err == nil
}

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

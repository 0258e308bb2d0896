package nvcc

import (
	"bytes"
	"compress/flate"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
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
func (c *code) list() instructions {
	var out instructions
	for n := range c.functions {
		for _, in := range c.functions[n].instructions {
			if in.reached {
				out = append(out, Instruction{in.address, in.predicate, in.opcode, in.operands, in.loop, n > 0, in.in, in.control})
			}
		}
	}
	return out
}

// instructions are the code of one kernel. As JSON they are compressed lines, one
// per instruction: a large kernel has tens of thousands, and the cache is small.
type instructions []Instruction

// MarshalJSON writes them for the cache.
func (list instructions) MarshalJSON() ([]byte, error) {
	var packed bytes.Buffer
	w, err := flate.NewWriter(&packed, flate.DefaultCompression)
	if err != nil {
		return nil, err
	}
	for _, in := range list {
		called, control := "", ""
		if in.Called {
			called = "f"
		}
		if in.Control.Known {
			control = strconv.FormatUint(in.Control.bits()>>lowestControlBit, 16)
		}
		if _, err := fmt.Fprintf(w, "%x\t%d\t%s\t%s\t%s\t%s\t%d\t%q\t%s\n",
			in.Address, in.Loop, called, control, in.Predicate, in.Opcode, in.In.Line, in.In.File, in.Operands); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return json.Marshal(packed.Bytes())
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (list *instructions) UnmarshalJSON(text []byte) error {
	var packed []byte
	if err := json.Unmarshal(text, &packed); err != nil {
		return err
	}
	plain, err := io.ReadAll(flate.NewReader(bytes.NewReader(packed)))
	if err != nil {
		return err
	}
	*list = nil
	for line := range strings.Lines(string(plain)) {
		in, err := readInstruction(strings.TrimSuffix(line, "\n"))
		if err != nil {
			return err
		}
		*list = append(*list, in)
	}
	return nil
}

func readInstruction(line string) (Instruction, error) {
	fields := strings.SplitN(line, "\t", 9)
	if len(fields) != 9 {
		return Instruction{}, errors.New("a line of machine code has too few fields")
	}
	address, err := strconv.ParseInt(fields[0], 16, 32)
	if err != nil {
		return Instruction{}, err
	}
	loop, err := strconv.Atoi(fields[1])
	if err != nil {
		return Instruction{}, err
	}
	at, err := strconv.Atoi(fields[6])
	if err != nil {
		return Instruction{}, err
	}
	file, err := strconv.Unquote(fields[7])
	if err != nil {
		return Instruction{}, err
	}
	in := Instruction{
		Address: int(address), Loop: loop, Called: fields[2] != "", Predicate: fields[4], Opcode: fields[5], Operands: fields[8], In: Place{file, at},
	}
	if fields[3] != "" {
		bits, err := strconv.ParseUint(fields[3], 16, 32)
		if err != nil {
			return Instruction{}, err
		}
		in.Control = controlOf(bits << lowestControlBit)
	}
	return in, nil
}

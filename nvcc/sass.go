package nvcc

import (
	"context"
	"errors"
	"regexp"
	"strconv"
	"strings"
)

// instruction is one machine instruction.
type instruction struct {
	address   int
	predicate string // "@P0", "@!UP1"; empty if it is always done
	opcode    string // with its suffixes: "LDG.E.64"
	operands  string
	place     Place  // of the innermost function
	in        Place  // in the kernel's own body
	chain     string // both and what lies between, as printed
	control   Control
	// What count finds out: whether it is reached at all, and the innermost loop
	// around it, an index of Listing.Loops or -1.
	reached bool
	loop    int
}

// code is the code of one kernel with the functions that it calls.
type code struct {
	mangled string
	// functions are the kernel's own code first, then that of functions that are called, each a list of instructions.
	functions []function
}

type function struct {
	name         string
	instructions []instruction
	labels       map[string]int // index of the instruction after the label
}

// What nvdisasm -c prints with line information.
var (
	sectionLine = regexp.MustCompile(`^\s*\.section\s+\.text\.([^\s,"]+)`)
	sourceLine  = regexp.MustCompile(`^\s*//## File "(.*?)", line (\d+)(?: inlined at "(.*)", line (\d+))?`)
	labelLine   = regexp.MustCompile(`^\s*([.$\w]+):\s*$`)
	codeLine    = regexp.MustCompile(`^\s*(?:\{\s*)?/\*([0-9a-f]{4,})\*/\s+(?:\{\s*)?(@!?U?P\w+\s+)?([A-Z][\w.]*)\s*([^;}]*)`)
)

// parseSASS reads what nvdisasm prints for a cubin, with encodings or without.
func parseSASS(text string) []code {
	var out []code
	var place, in Place
	var chain string
	chained := false // the line before named a place that the next one called
	var f *function
	var words controlWords
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if m := sectionLine.FindStringSubmatch(line); m != nil {
			out = append(out, code{mangled: m[1], functions: []function{{name: m[1], labels: map[string]int{}}}})
			f = &out[len(out)-1].functions[0]
			place, in, chain, chained = Place{}, Place{}, "", false
			words = controlWords{}
			continue
		}
		if strings.HasPrefix(strings.TrimLeft(line, " \t"), ".section\t") {
			f = nil
		}
		if f == nil {
			continue
		}
		if bits, ok := encoding(line); ok {
			if n := len(f.instructions); !words.take(bits) && n > 0 && !f.instructions[n-1].control.Known {
				f.instructions[n-1].control = controlOf(bits)
			}
			continue
		}
		if m := sourceLine.FindStringSubmatch(line); m != nil {
			at := Place{m[1], number(m[2])}
			if !chained {
				place, chain = at, ""
			}
			in, chained = at, m[3] != "" // the last one of a chain is inlined nowhere
			chain += line
			continue
		}
		chained = false
		if m := codeLine.FindStringSubmatch(line); m != nil {
			address, err := strconv.ParseInt(m[1], 16, 32)
			if err != nil {
				continue
			}
			f.instructions = append(f.instructions, instruction{
				address: int(address), predicate: strings.TrimSpace(m[2]), opcode: m[3], operands: strings.TrimSpace(m[4]), place: place, in: in, chain: chain,
				control: words.next(int(address), line),
			})
			continue
		}
		if m := labelLine.FindStringSubmatch(line); m != nil {
			k := &out[len(out)-1]
			// Labels that the disassembler makes up begin with a point, those of functions do not.
			if !strings.HasPrefix(m[1], ".") && len(f.instructions) > 0 {
				k.functions = append(k.functions, function{name: m[1], labels: map[string]int{}})
				f = &k.functions[len(k.functions)-1]
			}
			f.labels[m[1]] = len(f.instructions)
		}
	}
	return out
}

// disassemble lists the machine code of a cubin and counts the instructions of the
// kernels; the code itself comes with it where it is asked for, in the same order.
func (t *Toolkit) disassemble(ctx context.Context, p *program, o *overlay, cubin string, kernels []Kernel, withCode bool) ([]*Listing, [][]Instruction, error) {
	tool, err := t.tool("nvdisasm")
	if err != nil {
		return nil, nil, err
	}
	encodings := withCode && controlsKnown(p.Arch)
	args := func(places string) []string {
		if encodings {
			return []string{"-c", "-hex", places, cubin}
		}
		return []string{"-c", places, cubin}
	}
	text, err := t.run(ctx, p, o, tool, args("--print-line-info-inline"))
	var refused *exitError
	if errors.As(err, &refused) { // versions before 11.4 know no inlining
		text, err = t.run(ctx, p, o, tool, args("--print-line-info"))
	}
	if err != nil {
		return nil, nil, err
	}
	byName := map[string]*Kernel{}
	for i := range kernels {
		byName[kernels[i].Mangled] = &kernels[i]
	}
	names := map[string]string{}
	rename := func(at Place) Place {
		name, ok := names[at.File]
		if !ok {
			path, _ := o.real(p.absolute(at.File))
			name = p.name(path)
			names[at.File] = name
		}
		at.File = name
		return at
	}
	var out []*Listing
	var codes [][]Instruction
	for _, c := range parseSASS(text) {
		k := byName[c.mangled]
		if k == nil {
			continue // a device function of its own
		}
		l := c.count(rename)
		l.Mangled, l.Name, l.Arch, l.Unit = k.Mangled, k.Name, k.Arch, k.Unit
		out = append(out, l)
		if withCode {
			codes = append(codes, c.list())
		}
	}
	return out, codes, nil
}

package nvcc

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"os"
	"regexp"
	"strconv"
	"strings"
)

// What ptxas -v prints per kernel, from version 3 of the toolkit on. Names are
// quoted or not; between the lines stand warnings, and the figures of functions.
var (
	compilingLine  = regexp.MustCompile(`Compiling entry function '?([^' ]+)'? for '?([^' ]+?)'?$`)
	propertiesLine = regexp.MustCompile(`Function properties for '?([^' ]+?)'?$`)
	stackLine      = regexp.MustCompile(`(\d+) bytes stack frame`)
	spillLine      = regexp.MustCompile(`(\d+) bytes spill stores, (\d+) bytes spill loads`)
	usedLine       = regexp.MustCompile(`\bUsed (\d+) registers`)
	barriersPart   = regexp.MustCompile(`\bused (\d+) barriers?`)
	cumulativePart = regexp.MustCompile(`(\d+) bytes cumulative stack size`)
	// On cc 1.x, "44+40 bytes smem" are the kernel's own bytes and the system's.
	sharedPart   = regexp.MustCompile(`\b(\d+)(?:\+\d+)? bytes smem`)
	localPart    = regexp.MustCompile(`\b(\d+)(?:\+\d+)? bytes lmem`)
	constantPart = regexp.MustCompile(`\b(\d+)(?:\+\d+)? bytes cmem\[\d+\]`)
)

// parsePTXAS reads what ptxas -v prints, in the order of the kernels. Names are not demangled, and Unit is empty. A
// kernel whose register count is missing, as after an error, is left out. Lines that it doesn't know are passed over.
// Figures of functions that are called, not inlined, are not added: registers and stack of a kernel include them
// already, its spilled bytes do not.
func parsePTXAS(output string) []Kernel {
	var out []Kernel
	var current *Kernel
	own, used := false, false // properties follow that are the kernel's own; "Used" was seen
	flush := func() {
		if current != nil && used {
			out = append(out, *current)
		}
		current, own, used = nil, false, false
	}
	for line := range strings.Lines(output) {
		line = strings.TrimSpace(line)
		if m := compilingLine.FindStringSubmatch(line); m != nil {
			flush()
			current, own = &Kernel{Mangled: m[1], Name: m[1], Arch: m[2], Barriers: -1}, true
			continue
		}
		if current == nil {
			continue
		}
		if m := propertiesLine.FindStringSubmatch(line); m != nil {
			own = m[1] == current.Mangled
			continue
		}
		if m := usedLine.FindStringSubmatch(line); m != nil {
			if !used {
				current.Registers, used = number(m[1]), true
				current.readUsed(line)
			}
			continue
		}
		if own {
			if m := stackLine.FindStringSubmatch(line); m != nil {
				current.Stack = max(current.Stack, number(m[1]))
			}
			if m := spillLine.FindStringSubmatch(line); m != nil {
				current.SpillStores, current.SpillLoads = number(m[1]), number(m[2])
			}
		}
	}
	flush()
	return out
}

// readUsed reads the parts of a line such as "Used 32 registers, used 1
// barriers, 8736 bytes smem, 380 bytes cmem[0]".
func (k *Kernel) readUsed(line string) {
	if m := barriersPart.FindStringSubmatch(line); m != nil {
		k.Barriers = number(m[1])
	}
	if m := cumulativePart.FindStringSubmatch(line); m != nil {
		k.Stack = max(k.Stack, number(m[1]))
	}
	if m := sharedPart.FindStringSubmatch(line); m != nil {
		k.StaticShared = number(m[1])
	}
	if m := localPart.FindStringSubmatch(line); m != nil {
		k.Local = number(m[1])
	}
	for _, m := range constantPart.FindAllStringSubmatch(line, -1) {
		k.Constant += number(m[1])
	}
}

// number reads digits; what is too large to be true becomes 0.
func number(digits string) int {
	n, err := strconv.Atoi(digits)
	if err != nil || n > 1<<40 {
		return 0
	}
	return n
}

// Kernel holds what ptxas reports about one kernel, or one instance of a template, on one architecture.
type Kernel struct {
	Name    string // demangled, without parameters: "reduce<256, float>"
	Mangled string
	Unit    string // the .cu file that it was compiled from, as named in the request
	Arch    string // "sm_80"

	Registers    int // per thread, of 32 bits
	StaticShared int // bytes per thread block: the kernel's own arrays; what the system reserves is not in it
	Stack        int // bytes per thread of local memory: arrays, called functions, spilled registers
	SpillStores  int // bytes per thread, static
	SpillLoads   int
	Local        int // bytes per thread of local memory declared outside the stack, as on cc 2.0
	Constant     int // bytes in all constant banks, parameters included
	Barriers     int // that the thread block uses; -1 where ptxas doesn't report it
}

// barriersOf reads, from a cubin, how many barriers each kernel uses, by mangled name. ptxas -v reports it from
// version 12 on only; before that the flags of the kernel's code section hold it (SHF_BARRIERS, bits 20 to 26).
// debug/elf does not open a cubin, whose ELF version is the toolkit's.
func barriersOf(cubin string) map[string]int {
	file, err := os.ReadFile(cubin)
	if err != nil {
		return nil
	}
	return readBarriers(file)
}

// readBarriers returns nil for what is not an ELF file of that kind.
func readBarriers(file []byte) map[string]int {
	var h elf.Header64
	if !bytes.HasPrefix(file, []byte("\x7fELF\x02\x01")) || !readAt(file, 0, &h) {
		return nil
	}
	section := func(i uint16) (s elf.Section64, ok bool) {
		ok = h.Shoff < uint64(len(file)) && readAt(file, h.Shoff+uint64(i)*uint64(h.Shentsize), &s)
		return s, ok
	}
	names, ok := section(h.Shstrndx)
	if !ok || names.Off > uint64(len(file)) || names.Size > uint64(len(file))-names.Off {
		return nil
	}
	text := file[names.Off : names.Off+names.Size]
	out := map[string]int{}
	for i := range h.Shnum {
		s, ok := section(i)
		if !ok || uint64(s.Name) >= uint64(len(text)) {
			continue
		}
		name, _, _ := bytes.Cut(text[s.Name:], []byte{0})
		kernel, isCode := strings.CutPrefix(string(name), ".text.")
		if n := int(s.Flags >> 20 & 0x7f); isCode && n <= 16 {
			out[kernel] = n
		}
	}
	return out
}

// readAt decodes a fixed-size value at an offset; false where the file ends before.
func readAt(file []byte, at uint64, into any) bool {
	size := uint64(binary.Size(into))
	if at > uint64(len(file)) || size > uint64(len(file))-at {
		return false
	}
	return binary.Read(bytes.NewReader(file[at:at+size]), binary.LittleEndian, into) == nil
}

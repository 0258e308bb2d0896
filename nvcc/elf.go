package nvcc

import (
	"bytes"
	"encoding/binary"
	"os"
	"strings"
)

// barriersOf reads, from a cubin, how many barriers each kernel uses, by mangled
// name. ptxas -v reports it from version 12 on only; before that the flags of the
// kernel's code section hold it (SHF_BARRIERS, bits 20 to 26). debug/elf does not
// open a cubin, whose ELF version is the toolkit's.
func barriersOf(cubin string) map[string]int {
	file, err := os.ReadFile(cubin)
	if err != nil {
		return nil
	}
	return readBarriers(file)
}

// The parts of a 64-bit ELF file that are read.
type elfHeader struct {
	Ident                                                [16]byte
	Type, Machine                                        uint16
	Version                                              uint32
	Entry, Phoff, Shoff                                  uint64
	Flags                                                uint32
	Ehsize, Phentsize, Phnum, Shentsize, Shnum, Shstrndx uint16
}

type elfSection struct {
	Name, Type                uint32
	Flags, Addr, Offset, Size uint64
	Link, Info                uint32
	Addralign, Entsize        uint64
}

// readBarriers returns nil for what is not an ELF file of that kind.
func readBarriers(file []byte) map[string]int {
	var h elfHeader
	if !bytes.HasPrefix(file, []byte("\x7fELF\x02\x01")) || !readAt(file, 0, &h) {
		return nil
	}
	section := func(i uint16) (s elfSection, ok bool) {
		ok = h.Shoff < uint64(len(file)) && readAt(file, h.Shoff+uint64(i)*uint64(h.Shentsize), &s)
		return s, ok
	}
	names, ok := section(h.Shstrndx)
	if !ok || names.Offset > uint64(len(file)) || names.Size > uint64(len(file))-names.Offset {
		return nil
	}
	text := file[names.Offset : names.Offset+names.Size]
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

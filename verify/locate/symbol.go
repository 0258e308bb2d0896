package locate

import (
	"debug/elf"
	"sort"
	"strconv"
	"strings"
)

// symbol is a function or variable of the program.
type symbol struct {
	address, size uint64
	name          string
}

func readSymbols(file *elf.File) []symbol {
	entries, err := file.Symbols()
	if err != nil {
		return nil // a stripped program has none
	}
	var out []symbol
	for _, e := range entries {
		kind := elf.ST_TYPE(e.Info)
		if (kind == elf.STT_FUNC || kind == elf.STT_OBJECT) && e.Value != 0 && e.Section != elf.SHN_UNDEF {
			out = append(out, symbol{e.Value, e.Size, e.Name})
		}
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].address < out[j].address })
	return out
}

// Symbol names the function or variable that holds an address (relative, as program counters are), and how many bytes
// into it the address is. Names in namespaces are written a::b, without parameters; what else C++ encodes in a
// symbol's name stays as it is.
func (t *Table) Symbol(address uint64) (name string, offset uint64, ok bool) {
	i := sort.Search(len(t.symbols), func(i int) bool { return t.symbols[i].address > address })
	if i == 0 {
		return "", 0, false
	}
	s := t.symbols[i-1]
	if offset = address - s.address; offset >= max(s.size, 1) {
		return "", 0, false
	}
	return plainName(s.name), offset, true
}

// plainName reads the names off a mangled name (Itanium C++ ABI, the parts that
// variables and simple functions use): _ZL4data is data, _ZN1a1bE is a::b.
func plainName(mangled string) string {
	rest, ok := strings.CutPrefix(mangled, "_Z")
	if !ok {
		return mangled
	}
	rest = strings.TrimPrefix(rest, "L") // internal linkage
	if nested, ok := strings.CutPrefix(rest, "N"); ok {
		var parts []string
		for {
			part, after, ok := sourceName(strings.TrimPrefix(nested, "L"))
			if !ok {
				break
			}
			parts, nested = append(parts, part), after
		}
		if len(parts) == 0 || !strings.HasPrefix(nested, "E") {
			return mangled
		}
		return strings.Join(parts, "::")
	}
	if name, _, ok := sourceName(rest); ok {
		return name
	}
	return mangled
}

// sourceName reads a length and as many letters.
func sourceName(s string) (name, rest string, ok bool) {
	digits := len(s) - len(strings.TrimLeft(s, "0123456789"))
	n, err := strconv.Atoi(s[:digits])
	if err != nil || n <= 0 || digits+n > len(s) {
		return "", "", false
	}
	name, rest = s[digits:digits+n], s[digits+n:]
	if strings.HasPrefix(name, "_GLOBAL__N") {
		name = "(anonymous namespace)"
	}
	return name, rest, true
}

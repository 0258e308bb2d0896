// Package runtime holds smux.cuh, the device code that rewritten kernels use, and the parts of it that a file needs.
package runtime

import (
	_ "embed"
	"regexp"
	"strings"
)

// How rewritten files get smux's device code.
const (
	Inline   = "inline" // in their text
	Included = "header" // by #include "smux.cuh"
)

//go:embed smux.cuh
var header string

// Part is a part of the runtime that only some rewrites use.
type Part string

// The parts, in the order in which they stand in the header.
const (
	Try   Part = "try"   // launches that are merged where that fits
	Sets  Part = "sets"  // several sets of dynamic shared memory
	Calls Part = "calls" // launches by calls of the CUDA runtime
	Own   Part = "own"   // barriers of a v-TB's own
	Apart Part = "apart" // v-TBs that never take turns
	Named Part = "named" // turns in a ring
	// Numbered holds what turns in a ring take by barriers whose number is in a register.
	Numbered Part = "numbered"
	Lock     Part = "lock" // slots by a lock
	// Persistent holds what blocks loop with over the groups of a grid, and launches by.
	Persistent Part = "persistent"
	Pins       Part = "pins"  // values that are computed before a turn
	Base       Part = "base"  // merged launches and v-TBs; the parts above are inside
	Slots      Part = "slots" // variables that lie in shared memory
	Limit      Part = "limit" // the most threads of a block of a kernel, for Try and Reshape
	// Reshape holds what launches in blocks of another shape call.
	Reshape Part = "reshape"
	// SlotBytes holds what launches of a kernel with words in dynamic shared memory call.
	SlotBytes Part = "slot_bytes"
)

var Parts = []Part{Limit, Reshape, Try, Sets, Calls, Own, Apart, Named, Numbered, Lock, Persistent, Pins, Base, SlotBytes, Slots}

// Marks are the lines around a part.
func (p Part) Marks() (begin, end string) {
	return "// smux:" + string(p) + "-begin\n", "// smux:" + string(p) + "-end\n"
}

// Guard is the macro that a part defines so that a file has it once, "" for what
// stands inside of another part or differs from file to file.
func (p Part) Guard() string {
	switch p {
	case Limit:
		return "SMUX_LIMIT"
	case Reshape:
		return "SMUX_RESHAPE"
	case Slots:
		return "SMUX_SLOTS"
	case SlotBytes:
		return "SMUX_SLOT_BYTES"
	}
	return ""
}

// Header returns smux.cuh, the helper types that rewritten kernels use,
// as --runtime=header expects it beside the source.
func Header() []byte {
	all := map[Part]bool{}
	for _, p := range Parts {
		all[p] = true
	}
	return []byte(of(all))
}

// Text returns what goes to the top of an emitted file: an include, or the parts of the runtime that its kernels use.
// Some of its names are replaced, as Renamed does; a header for all programs can't do that.
func Text(included bool, parts map[Part]bool, names map[string]string) string {
	if included && len(names) == 0 {
		return "#include \"smux.cuh\"\n"
	}
	return Renamed(of(parts), names)
}

var includes = regexp.MustCompile(`(?m)^[ \t]*#[ \t]*include[ \t]+"(?:[^"\n]*/)?smux\.cuh"`)

// IncludedBy reports whether a text includes the header, from whatever folder.
func IncludedBy(text []byte) bool { return includes.Match(text) }

func of(parts map[Part]bool) string {
	text := header
	for _, p := range Parts {
		begin, end := p.Marks()
		if !parts[p] {
			i, j := strings.Index(text, begin), strings.Index(text, end)
			text = text[:i] + text[j+len(end):]
			continue
		}
		text = strings.Replace(strings.Replace(text, begin, "", 1), end, "", 1)
	}
	return text
}

package rewrite

import (
	_ "embed"
	"strings"
)

// How rewritten files get smux's device code.
const (
	RuntimeInline   = "inline" // in their text
	RuntimeIncluded = "header" // by #include "smux.cuh"
)

//go:embed runtime/smux.cuh
var runtimeHeader string

// runtimePart is a part of the runtime that only some rewrites use.
type runtimePart string

// The parts, in the order in which they stand in the header.
const (
	partTry   runtimePart = "try"   // launches that are merged where that fits
	partSets  runtimePart = "sets"  // several sets of dynamic shared memory
	partOwn   runtimePart = "own"   // barriers of a v-TB's own
	partApart runtimePart = "apart" // v-TBs that never take turns
	partNamed runtimePart = "named" // turns in a ring
	partLock  runtimePart = "lock"  // slots by a lock
	partBase  runtimePart = "base"  // merged launches and v-TBs; the parts above are inside
	partSlots runtimePart = "slots" // variables that lie in shared memory
	// partSlotBytes is what launches of a kernel with words in dynamic shared memory
	// call.
	partSlotBytes runtimePart = "slot_bytes"
)

var runtimeParts = []runtimePart{partTry, partSets, partOwn, partApart, partNamed, partLock, partBase, partSlotBytes, partSlots}

// marks are the lines around a part.
func (p runtimePart) marks() (begin, end string) {
	return "// smux:" + string(p) + "-begin\n", "// smux:" + string(p) + "-end\n"
}

// guard is the macro that a part defines so that a file has it once, "" for what
// stands inside of another part or differs from file to file.
func (p runtimePart) guard() string {
	switch p {
	case partSlots:
		return "SMUX_SLOTS"
	case partSlotBytes:
		return "SMUX_SLOT_BYTES"
	}
	return ""
}

// RuntimeHeader returns smux.cuh, the helper types that rewritten kernels use,
// as --runtime=header expects it beside the source.
func RuntimeHeader() []byte {
	all := map[runtimePart]bool{}
	for _, p := range runtimeParts {
		all[p] = true
	}
	return []byte(runtimeOf(all))
}

// runtimeText returns what goes to the top of an emitted file: an include, or
// the parts of the runtime that its kernels use.
func runtimeText(header bool, parts map[runtimePart]bool) string {
	if header {
		return "#include \"smux.cuh\"\n"
	}
	return runtimeOf(parts)
}

func runtimeOf(parts map[runtimePart]bool) string {
	text := runtimeHeader
	for _, p := range runtimeParts {
		begin, end := p.marks()
		if !parts[p] {
			i, j := strings.Index(text, begin), strings.Index(text, end)
			text = text[:i] + text[j+len(end):]
			continue
		}
		text = strings.Replace(strings.Replace(text, begin, "", 1), end, "", 1)
	}
	return text
}

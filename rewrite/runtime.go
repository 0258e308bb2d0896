package rewrite

import (
	_ "embed"
	"strings"
)

//go:embed runtime/smux.cuh
var runtimeHeader string

// runtimePart is a part of the runtime that only some sync modes use.
type runtimePart string

// The parts, in the order in which they stand in the header.
const (
	partSets  runtimePart = "sets"  // several sets of dynamic shared memory
	partOwn   runtimePart = "own"   // barriers of a v-TB's own
	partApart runtimePart = "apart" // v-TBs that never take turns
	partNamed runtimePart = "named" // turns in a ring
	partLock  runtimePart = "lock"  // slots by a lock
	// partSlotBytes is what launches of a kernel with words in dynamic shared memory
	// call. It stands by itself: a file may have the rest from an earlier rewrite.
	partSlotBytes runtimePart = "slot_bytes"
)

var runtimeParts = []runtimePart{partSets, partOwn, partApart, partNamed, partLock, partSlotBytes}

// alone are the parts that can do without the rest of the runtime.
var alone = []runtimePart{partSlotBytes}

// runtimeAlone returns parts that can do without the rest of the runtime.
func runtimeAlone(header bool, parts map[runtimePart]bool) string {
	if header {
		return runtimeText(header, parts)
	}
	text := ""
	for _, p := range alone {
		if parts[p] {
			begin, end := p.marks()
			_, behind, _ := strings.Cut(runtimeHeader, begin)
			part, _, _ := strings.Cut(behind, end)
			text += part
		}
	}
	return text
}

// marks are the lines around a part.
func (p runtimePart) marks() (begin, end string) {
	return "// smux:" + string(p) + "-begin\n", "// smux:" + string(p) + "-end\n"
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

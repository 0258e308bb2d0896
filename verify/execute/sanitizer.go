package execute

import (
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/smux-cuda/smux/diag"
)

// What the address sanitizer prints: a line that says what, one that says how,
// and a stack with offsets in the program, because it was told not to look for
// names. A second stack, of the allocation, is passed over.
var (
	sanitizerError  = regexp.MustCompile(`ERROR: AddressSanitizer: ([\w-]+)`)
	sanitizerAccess = regexp.MustCompile(`^(READ|WRITE) of size (\d+)`)
	sanitizerFrame  = regexp.MustCompile(`^\s+#\d+ 0x[0-9a-f]+ .*\((.+)\+0x([0-9a-f]+)\)`)
)

// sanitizerRecords reads what the address sanitizer found off standard error.
func sanitizerRecords(stderr []byte, program string) []record {
	var out []record
	var current *record
	for line := range strings.Lines(string(stderr)) {
		if m := sanitizerError.FindStringSubmatch(line); m != nil {
			out = append(out, record{Code: codeOf(m[1]), Text: "address sanitizer: " + m[1]})
			current = &out[len(out)-1]
			continue
		}
		if current == nil {
			continue
		}
		if m := sanitizerAccess.FindStringSubmatch(line); m != nil {
			current.Write = m[1] == "WRITE"
			current.Bytes, _ = strconv.ParseInt(m[2], 10, 64)
		} else if m := sanitizerFrame.FindStringSubmatch(line); m != nil {
			if filepath.Base(m[1]) != filepath.Base(program) {
				continue
			}
			pc, err := strconv.ParseUint(m[2], 16, 64)
			if err != nil {
				continue
			}
			if len(current.PCs) > 0 {
				pc-- // a return address: the call is in front of it
			}
			current.PCs = append(current.PCs, pc)
		} else if strings.TrimSpace(line) == "" && len(current.PCs) > 0 {
			current = nil
		}
	}
	return out
}

// codeOf gives the runtime's name to what the sanitizer calls it.
func codeOf(kind string) diag.Code {
	switch kind {
	case "stack-overflow":
		return "stack-overflow"
	case "SEGV", "BUS", "unknown-crash":
		return "illegal-address"
	}
	return "out-of-bounds"
}

package execute

import (
	"cmp"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/smux-cuda/smux/diag"
)

// What the address sanitizer prints: a line with the error, one with the access, and a stack with offsets in the
// program, because it was told not to look for names. A second stack, of the allocation, is passed over. Then comes
// the variable, if it is one of the program's own.
var (
	sanitizerError  = regexp.MustCompile(`ERROR: AddressSanitizer: ([\w-]+)`)
	sanitizerAccess = regexp.MustCompile(`^(READ|WRITE) of size (\d+)`)
	sanitizerFrame  = regexp.MustCompile(`^\s+#\d+ 0x[0-9a-f]+ .*\((.+)\+0x([0-9a-f]+)\)`)
	sanitizerLocal  = regexp.MustCompile(`^\s+\[(\d+), \d+\) '(.+?)'.* <== Memory access at offset (\d+)`)
	sanitizerGlobal = regexp.MustCompile(`^(0x[0-9a-f]+) is located .* global variable '(.+?)' defined in '(.+?):(\d+).*' \((0x[0-9a-f]+)\)`)
)

// withSanitizer adds what the address sanitizer printed to the records. The runtime's record of the same error is the
// better one: it knows the thread. The sanitizer alone knows the names of variables that are not shared memory.
func withSanitizer(records []record, stderr []byte, program string) []record {
	for _, printed := range sanitizerRecords(stderr, program) {
		i := slices.IndexFunc(records, func(r record) bool { return r.Sanitizer != "" })
		if i < 0 {
			records = append(records, printed)
			continue
		}
		r := &records[i]
		if len(r.PCs) == 0 {
			r.PCs = printed.PCs
		}
		if r.Variable == "" && printed.Variable != "" {
			r.Variable, r.File, r.Line, r.Offset = printed.Variable, printed.File, printed.Line, printed.Offset
			r.Space = cmp.Or(r.Space, printed.Space)
		}
		r.Code = printed.Code
	}
	return records
}

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
		if len(out) > 0 {
			out[len(out)-1].name(line)
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

// name takes the name of the variable off a line that has one.
func (r *record) name(line string) {
	var base, at string
	if m := sanitizerLocal.FindStringSubmatch(line); m != nil {
		r.Variable, r.Space = inlined.ReplaceAllString(m[2], ""), "local"
		base, at = m[1], m[3]
	} else if m := sanitizerGlobal.FindStringSubmatch(line); m != nil {
		r.Variable, r.Space, r.File = m[2], "global", m[3]
		r.Line, _ = strconv.Atoi(m[4])
		base, at = m[5], m[1]
	} else {
		return
	}
	begin, _ := strconv.ParseInt(base, 0, 64)
	bad, _ := strconv.ParseInt(at, 0, 64)
	r.Offset = bad - begin
}

// inlined matches what clang++ adds to the name of a variable for each function that it was inlined into.
var inlined = regexp.MustCompile(`(\.i)+$`)

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

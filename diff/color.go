package diff

import (
	"bytes"
	"strconv"
	"strings"
)

// The escape sequences git uses by default.
const (
	bold  = "\x1b[1m"
	red   = "\x1b[31m"
	green = "\x1b[32m"
	cyan  = "\x1b[36m"
	reset = "\x1b[m"
)

// Color returns a unified diff (one or several files) with the colours git gives it on a terminal: bold file names,
// cyan hunk headers, red deletions and green insertions. Without its escape sequences it is the input, byte for byte.
func Color(unified []byte) []byte {
	var out bytes.Buffer
	var left [2]int // lines of a and b that the current hunk still holds
	for _, line := range splitLines(unified) {
		paint := ""
		inHunk := left[0] > 0 || left[1] > 0
		switch {
		case inHunk && line[0] == '-':
			paint = red
			left[0]--
		case inHunk && line[0] == '+':
			paint = green
			left[1]--
		case inHunk && line[0] == ' ':
			left[0]--
			left[1]--
		case strings.HasPrefix(line, "@@ "):
			// Only the text up to the second @@ is coloured; ours ends there.
			paint = cyan
			left = hunkLengths(line)
		case strings.HasPrefix(line, "--- "), strings.HasPrefix(line, "+++ "):
			paint = bold
		}
		writePainted(&out, paint, line)
	}
	return out.Bytes()
}

// hunkLengths reads the two lengths of "@@ -1,2 +3,4 @@".
func hunkLengths(header string) (n [2]int) {
	fields := strings.Fields(header)
	for i := range n {
		n[i] = 1
		if i+1 >= len(fields) {
			continue
		}
		if _, length, found := strings.Cut(fields[i+1], ","); found {
			n[i], _ = strconv.Atoi(length)
		}
	}
	return n
}

// writePainted keeps the line end, CRLF included, outside of the colour.
func writePainted(out *bytes.Buffer, paint, line string) {
	text := strings.TrimRight(line, "\r\n")
	if paint == "" || text == "" {
		out.WriteString(line)
		return
	}
	out.WriteString(paint)
	out.WriteString(text)
	out.WriteString(reset)
	out.WriteString(line[len(text):])
}

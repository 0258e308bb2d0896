package process

import (
	"bytes"
	"regexp"
	"strings"
)

// Prerequisites reads a rule for make in which a compiler lists the files that it has read (gcc and clang -MMD, nvcc
// -MD): the file names after the colon, in their order and with make's escapes undone; none where text holds no rule.
// A target that holds ": " is not understood; compilers write none.
func Prerequisites(text string) []string {
	text = strings.NewReplacer("\\\r\n", " ", "\\\n", " ").Replace(text)
	_, list, ok := strings.Cut(text, ": ")
	if !ok {
		return nil
	}
	var out []string
	var name strings.Builder
	flush := func() {
		if name.Len() > 0 {
			out = append(out, name.String())
			name.Reset()
		}
	}
	for i := 0; i < len(list); i++ {
		switch c := list[i]; {
		case c == '\\' && i+1 < len(list) && (list[i+1] == ' ' || list[i+1] == '#'):
			i++
			name.WriteByte(list[i])
		case c == '$' && i+1 < len(list) && list[i+1] == '$':
			i++
			name.WriteByte('$')
		case c == ' ' || c == '\n' || c == '\r' || c == '\t':
			flush()
		default:
			name.WriteByte(c)
		}
	}
	flush()
	return out
}

var (
	speaksOfTime = regexp.MustCompile(`(?i)\b(time[sd]?|timing|elapsed|took|duration|seconds?|secs?|m?s|usecs?|msecs?|nsecs?|us|ns|throughput|bandwidth|performance|speed-?up|fps)\b|[0-9](ms|us|ns|s)\b|/s(ec)?\b|flop`)
	numbers      = regexp.MustCompile(`[-+]?[0-9]+(\.[0-9]*)?([eE][-+]?[0-9]+)?`)
)

// Timeless returns a line that a program prints as it is compared with that of another run, which took another time
// and ought to: one that speaks of time or speed without its numbers and with single blanks, any other as it is.
func Timeless(line string) string {
	if !speaksOfTime.MatchString(line) {
		return line
	}
	return strings.Join(strings.Fields(numbers.ReplaceAllString(line, "#")), " ")
}

// Head keeps the first Limit bytes of what a command prints, and counts the others, so
// that one that prints without end can go on.
type Head struct {
	Limit int64
	Total int64 // how many bytes were printed
	kept  bytes.Buffer
}

// Write keeps what there is room for. It never fails.
func (h *Head) Write(p []byte) (int, error) {
	h.kept.Write(p[:max(0, min(int64(len(p)), h.Limit-h.Total))])
	h.Total += int64(len(p))
	return len(p), nil
}

// Bytes returns the bytes that were kept.
func (h *Head) Bytes() []byte { return h.kept.Bytes() }

// Cut reports whether some were not.
func (h *Head) Cut() bool { return h.Total > h.Limit }

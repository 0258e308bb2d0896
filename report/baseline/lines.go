package baseline

import (
	"crypto/sha256"
	"encoding/base64"
	"strings"

	"github.com/smux-cuda/smux/diag"
)

// hashLength is the number of letters that stand for a line: 24 bits, with which one changed
// line of a hundred thousand passes for one of a hundred that were there.
const hashLength = 4

// Line is a line of a kernel's source as it is now.
type Line struct {
	Pos  diag.Position // of its first byte that is not blank
	Text string
	Live int // 32-bit words that it keeps in registers, by estimate
}

// hash returns a short name for a line: the same for lines that differ in white space
// and in comments at their end alone. A line without anything else has none.
func (l Line) hash() string {
	text := strings.Join(strings.Fields(uncommented(l.Text)), " ")
	if strings.Trim(text, "{}()[]; ") == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(text))
	return base64.RawURLEncoding.EncodeToString(sum[:hashLength*3/4])
}

// uncommented cuts a line comment off. What stands in comments that go over several
// lines counts as text.
func uncommented(line string) string {
	quote := byte(0)
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '\\':
			i++
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0:
		case c == '"' || c == '\'':
			quote = c
		case c == '/' && strings.HasPrefix(line[i:], "//"):
			return line[:i]
		}
	}
	return line
}

// hashes returns those of lines, one after the other.
func hashes(lines []Line) string {
	var out strings.Builder
	for _, l := range lines {
		out.WriteString(l.hash())
	}
	return out.String()
}

// counted returns how often each hash is in a recorded text.
func counted(lines string) map[string]int {
	out := map[string]int{}
	for ; len(lines) >= hashLength; lines = lines[hashLength:] {
		out[lines[:hashLength]]++
	}
	return out
}

// changed returns the lines that are not among the recorded ones. Lines that were only
// moved are not among them.
func changed(lines []Line, recorded string) []Line {
	left := counted(recorded)
	var out []Line
	for _, l := range lines {
		h := l.hash()
		if left[h] > 0 {
			left[h]--
		} else if h != "" {
			out = append(out, l)
		}
	}
	return out
}

// alike returns the part of two recorded texts that they have in common, from 0 to 1.
func alike(a, b string) float64 {
	if len(a)+len(b) == 0 {
		return 0
	}
	left, same := counted(a), 0
	for h, n := range counted(b) {
		same += min(n, left[h])
	}
	return 2 * float64(same*hashLength) / float64(len(a)+len(b))
}

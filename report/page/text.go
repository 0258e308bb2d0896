package page

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"

	"github.com/smux-cuda/smux/diag"
)

// visible puts marks in place of what a reader cannot see and what may make other
// text look different from what it is: bytes that are not UTF-8, control characters, and
// those that turn the direction of text around.
func visible(text []byte) []byte {
	return bytes.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r < ' ':
			return '\u2400' + r // the pictures of control characters
		case r == 0x7f:
			return '\u2421'
		case unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r):
			return unicode.ReplacementChar
		}
		return r
	}, text)
}

// lines returns the lines of a text without their ends.
func lines(text []byte) []string {
	all := strings.Split(string(text), "\n")
	if n := len(all); all[n-1] == "" {
		all = all[:n-1]
	}
	for i := range all {
		all[i] = strings.TrimSuffix(all[i], "\r")
	}
	return all
}

// times writes a ratio of times as "1.25×".
func times(x float64) string { return fmt.Sprintf("%.2f×", x) }

// percent writes a part of one as "25 %".
func percent(x float64) string { return fmt.Sprintf("%.0f %%", 100*x) }

// span is "8", or "8–16" where the least and the most are not the same.
func span(least, most string) string {
	if least == most {
		return least
	}
	return least + "–" + most
}

// short returns a place without its column, and with the last two parts of its path, for
// lists; each kernel's section has all of it.
func short(p diag.Position) string {
	parts := strings.Split(p.File, "/")
	if n := len(parts); n > 2 {
		parts = []string{"…", parts[n-2], parts[n-1]}
	}
	return fmt.Sprintf("%s:%d", strings.Join(parts, "/"), p.Line)
}

package prose

import (
	"strings"
	"unicode"
)

// Printable replaces what is no printable character (line breaks, escape sequences, bytes
// that are no UTF-8), so that what others wrote (names of files, outputs of programs) does
// no more to a terminal, or to a line, than being shown.
func Printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return unicode.ReplacementChar
	}, text)
}

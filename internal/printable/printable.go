// Package printable keeps what others wrote (names of files, outputs of programs)
// from doing more to a terminal, or to a line, than being shown.
package printable

import (
	"strings"
	"unicode"
)

// Text replaces what is no printable character: line breaks, escape sequences,
// bytes that are no UTF-8.
func Text(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return unicode.ReplacementChar
	}, text)
}

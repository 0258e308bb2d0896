// Package prose writes text for people: nouns with a number, columns, amounts of memory as
// people write them, and what others wrote so that it is safe to show.
package prose

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/smux-cuda/smux/internal/lists"
)

// Count returns "1 kernel" or "2 kernels"; what is a noun that takes an s.
func Count(n int, what string) string { return fmt.Sprintf("%d %s", n, Noun(n, what)) }

// Noun returns the noun of Count without the number.
func Noun(n int, what string) string {
	if n == 1 {
		return what
	}
	return what + "s"
}

// Printable replaces what is no printable character (line breaks, escape sequences, bytes that are no UTF-8), so that
// what others wrote (names of files, outputs of programs) does no more to a terminal, or to a line, than being shown.
func Printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return unicode.ReplacementChar
	}, text)
}

// byteUnits are the suffixes of a number of bytes. A kilobyte is 1024 bytes, as
// everywhere where shared memory is sold.
var byteUnits = []struct {
	suffix string
	bytes  float64
}{
	{"kib", 1024}, {"kb", 1024}, {"k", 1024}, {"mib", 1 << 20}, {"mb", 1 << 20}, {"m", 1 << 20}, {"b", 1}, {"", 1},
}

// ParseBytes reads an amount of shared memory, 8192, 8k, 8.5 kB or 8KiB. The error quotes what is no whole number of
// bytes, or more than any GPU has.
func ParseBytes(text string) (int, error) {
	lower := strings.ToLower(strings.TrimSpace(text))
	for _, u := range byteUnits {
		digits, ok := strings.CutSuffix(lower, u.suffix)
		if !ok {
			continue
		}
		digits = strings.TrimSpace(digits)
		n, err := strconv.ParseFloat(digits, 64)
		if err != nil || digits == "" || strings.Trim(digits, "0123456789.") != "" {
			return 0, fmt.Errorf("%q is not an amount of bytes", text)
		}
		n *= u.bytes
		switch {
		case n > 1<<30:
			return 0, fmt.Errorf("%q is more than any GPU has", text)
		case n != float64(int64(n)):
			return 0, fmt.Errorf("%q is not a whole number of bytes", text)
		}
		return int(n), nil
	}
	return 0, fmt.Errorf("%q is not an amount of bytes", text)
}

// Bytes is 544 B, 1.2 kB or 16 kB.
func Bytes(n int) string {
	switch {
	case n < 1024:
		return strconv.Itoa(n) + " B"
	case n%1024 == 0:
		return strconv.Itoa(n/1024) + " kB"
	}
	return strconv.FormatFloat(float64(n)/1024, 'f', 1, 64) + " kB"
}

// ShellWords writes words as a shell takes them, whatever is in them.
func ShellWords(words ...string) string {
	out := lists.Map(words, func(w string) string { return "'" + strings.ReplaceAll(w, "'", `'\''`) + "'" })
	return strings.Join(out, " ")
}

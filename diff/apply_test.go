package diff

import (
	"bytes"
	"fmt"
	"strings"
)

// apply is a strict patch tool for the tests: it applies a one-file unified
// diff, and fails on any context or deleted line that differs, on hunk lengths
// that do not add up, and on hunks out of order.
func apply(a, unified []byte) ([]byte, error) {
	if len(unified) == 0 {
		return a, nil
	}
	old := splitLines(a)
	in := splitLines(unified)
	if len(in) < 3 || !strings.HasPrefix(in[0], "--- ") || !strings.HasPrefix(in[1], "+++ ") {
		return nil, fmt.Errorf("no header")
	}
	var out bytes.Buffer
	at, lines := 0, 0 // lines of a consumed, lines of b written
	for in = in[2:]; len(in) > 0; {
		var aLo, aN, bLo, bN int
		if err := scanHeader(in[0], &aLo, &aN, &bLo, &bN); err != nil {
			return nil, err
		}
		in = in[1:]
		if aLo < at || aLo > len(old) {
			return nil, fmt.Errorf("hunk at line %d is out of order", aLo)
		}
		for ; at < aLo; at++ {
			out.WriteString(old[at])
			lines++
		}
		if lines != bLo {
			return nil, fmt.Errorf("hunk says line %d of b, it is %d", bLo, lines)
		}
		for aN > 0 || bN > 0 {
			if len(in) == 0 {
				return nil, fmt.Errorf("hunk ends early")
			}
			mark, text := in[0][0], in[0][1:]
			in = in[1:]
			if len(in) > 0 && strings.HasPrefix(in[0], `\ No newline`) {
				text = strings.TrimSuffix(text, "\n")
				in = in[1:]
			}
			if mark == ' ' || mark == '-' {
				if at >= len(old) || old[at] != text {
					return nil, fmt.Errorf("line %d of a is not %q", at+1, text)
				}
				at++
				aN--
			}
			if mark == ' ' || mark == '+' {
				out.WriteString(text)
				lines++
				bN--
			}
		}
	}
	for ; at < len(old); at++ {
		out.WriteString(old[at])
	}
	return out.Bytes(), nil
}

// scanHeader reads a hunk header into 0-based starts and lengths.
func scanHeader(header string, aLo, aN, bLo, bN *int) error {
	var a, b string
	if _, err := fmt.Sscanf(header, "@@ -%s +%s @@", &a, &b); err != nil {
		return fmt.Errorf("hunk header %q: %w", header, err)
	}
	for _, side := range []struct {
		text  string
		lo, n *int
	}{{a, aLo, aN}, {b, bLo, bN}} {
		*side.n = 1
		lo, n, found := strings.Cut(side.text, ",")
		fmt.Sscan(lo, side.lo)
		if found {
			fmt.Sscan(n, side.n)
		}
		if *side.n > 0 {
			*side.lo-- // an empty range names the line before it
		}
	}
	return nil
}

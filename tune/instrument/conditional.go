package instrument

import (
	"bytes"
	"slices"
	"strings"
)

// directive is a line of the preprocessor.
type directive struct {
	start, end int
	word, rest string // "define", "X 1"
}

// within is the parts of a text, as byte ranges, that the preprocessor may leave out.
type within [][2]int

// conditionals returns what stands between #if and #endif, but for an include guard
// around all else. A text that can't be understood is conditional as a whole.
func conditionals(src []byte) within {
	all, lines := within{{0, len(src)}}, directives(src)
	depth, base, from := 0, 0, 0
	if isGuarded(lines) {
		base = 1
	}
	var out within
	for _, d := range lines {
		switch d.word {
		case "if", "ifdef", "ifndef":
			if depth++; depth == base+1 {
				from = d.start
			}
		case "else", "elif":
			if depth <= base {
				return all
			}
		case "endif":
			if depth == base+1 {
				out = append(out, [2]int{from, d.end})
			}
			if depth--; depth < 0 {
				return all
			}
		}
	}
	if depth != 0 {
		return all
	}
	return out
}

func (w within) contains(offset int) bool {
	return slices.ContainsFunc(w, func(r [2]int) bool { return r[0] <= offset && offset < r[1] })
}

// isGuarded reports whether a text begins with #ifndef X and #define X.
func isGuarded(lines []directive) bool {
	lines = slices.DeleteFunc(slices.Clone(lines), func(d directive) bool { return d.word == "pragma" })
	if len(lines) < 2 || lines[0].word != "ifndef" || lines[1].word != "define" {
		return false
	}
	name, defined := strings.Fields(lines[0].rest), strings.Fields(lines[1].rest)
	return len(name) > 0 && len(defined) > 0 && name[0] == defined[0]
}

func directives(src []byte) (out []directive) {
	for at := 0; at < len(src); {
		end := len(src)
		if i := bytes.IndexByte(src[at:], '\n'); i >= 0 {
			end = at + i + 1
		}
		if text, ok := strings.CutPrefix(strings.TrimSpace(string(src[at:end])), "#"); ok {
			text = strings.TrimSpace(text)
			i := strings.IndexFunc(text, func(r rune) bool { return r < 'a' || r > 'z' })
			if i < 0 {
				i = len(text)
			}
			out = append(out, directive{at, end, text[:i], strings.TrimSpace(text[i:])})
		}
		at = end
	}
	return out
}

package validate

import (
	"bytes"
	"cmp"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/smux-cuda/smux/parser"
)

// unit is the smallest thing that is compared: a token, or a whole directive line. Comments and
// layout are no units.
type unit struct {
	text       string
	start, end int // byte range in the file, 0 0 for what a rule put there
}

// source is a file as units.
type source struct {
	file  *parser.File
	units []unit
}

// newSource reads the units of a file. What stands between tokens is white space, comments and
// directives: what is left of it when the comments are gone is a directive.
func newSource(f *parser.File) *source {
	s := &source{file: f}
	at := 0
	gap := func(end int) {
		for _, d := range directives(f.Src, at, end) {
			s.units = append(s.units, d)
		}
		at = end
	}
	for _, t := range f.Tokens() {
		gap(t.Start)
		s.units = append(s.units, unit{string(f.Src[t.Start:t.End]), t.Start, t.End})
		at = t.End
	}
	gap(len(f.Src))
	return s
}

// directives returns the directive lines in a text without tokens.
func directives(src []byte, start, end int) (out []unit) {
	for i := start; i < end; {
		switch rest := src[i:end]; {
		case bytes.HasPrefix(rest, []byte("//")):
			i += lineEnd(rest)
		case bytes.HasPrefix(rest, []byte("/*")):
			n := bytes.Index(rest, []byte("*/"))
			if n < 0 {
				return out
			}
			i += n + 2
		case rest[0] == '#':
			n := lineEnd(rest)
			var words []string
			for _, t := range parser.TokensBetween(src, i, i+n) {
				words = append(words, string(src[t.Start:t.End]))
			}
			out = append(out, unit{strings.Join(words, " "), i, i + n})
			i += n
		default:
			i++
		}
	}
	return out
}

// lineEnd is the length of a line, those that a backslash continues included.
func lineEnd(text []byte) int {
	for i := 0; i < len(text); i++ {
		if text[i] == '\n' && (i == 0 || text[i-1] != '\\' && !bytes.HasSuffix(text[:i], []byte("\\\r"))) {
			return i
		}
	}
	return len(text)
}

// between returns the units of a byte range.
func (s *source) between(start, end int) []unit {
	i := sort.Search(len(s.units), func(i int) bool { return s.units[i].start >= start })
	j := sort.Search(len(s.units), func(i int) bool { return s.units[i].start >= end })
	return s.units[i:max(i, j)]
}

// rolled leaves out directives that unroll loops: how far a loop is unrolled changes nothing of what it does.
func rolled(us []unit) []unit {
	return slices.DeleteFunc(slices.Clone(us), func(u unit) bool { return strings.HasPrefix(u.text, "# pragma unroll") })
}

// same reports whether two lists say the same.
func same(a, b []unit) bool {
	return slices.EqualFunc(a, b, func(x, y unit) bool { return x.text == y.text })
}

// differ returns where the second of two lists begins to say something else than the first, -1 where they say the same.
// Where it has no more units that stand in the text, that is its end.
func differ(a, b []unit, end int) int {
	i := 0
	for i < len(a) && i < len(b) && a[i].text == b[i].text {
		i++
	}
	if i == len(a) && i == len(b) {
		return -1
	}
	for ; i < len(b); i++ {
		if b[i].end > 0 {
			return b[i].start
		}
	}
	return end
}

// words parts a pattern at its blanks: "vtb . start ( ) ;".
func words(pattern string) []string { return strings.Fields(pattern) }

// match reports whether units begin with a pattern, in which "$" stands for any one unit and
// returns those that it stood for.
func match(us []unit, pattern string) (bound []string, rest []unit, ok bool) {
	ws := words(pattern)
	if len(us) < len(ws) {
		return nil, us, false
	}
	for i, w := range ws {
		if w == "$" {
			bound = append(bound, us[i].text)
		} else if w != us[i].text {
			return nil, us, false
		}
	}
	return bound, us[len(ws):], true
}

// is reports whether units are exactly a pattern.
func is(us []unit, pattern string) bool {
	_, rest, ok := match(us, pattern)
	return ok && len(rest) == 0
}

// text writes units with a blank between each two, for messages.
func text(us []unit) string {
	var out []string
	for _, u := range us {
		out = append(out, u.text)
	}
	return strings.Join(out, " ")
}

// mentions reports whether a name is among the units.
func mentions(us []unit, name string) bool {
	return slices.ContainsFunc(us, func(u unit) bool { return u.text == name })
}

// closing returns the index of the bracket that closes the one at index i; -1 if there is none.
func closing(us []unit, i int) int {
	depth := 0
	for ; i < len(us); i++ {
		switch us[i].text {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// closingAngle returns the index of the bracket that closes one in front of some units; -1 if there is none.
func closingAngle(us []unit) int {
	depth := 1
	for i, u := range us {
		switch u.text {
		case "<":
			depth++
		case ">":
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// split parts units at the commas outside of brackets. Of angles only those of smux's templates are
// brackets: "smux::grid<2, 'y'>".
func split(us []unit) (out [][]unit) {
	depth, from, angle := 0, 0, false
	for i, u := range us {
		switch u.text {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			depth--
		case "<":
			if i > 3 && us[i-2].text == ":" && us[i-3].text == ":" && us[i-4].text == "smux" {
				depth, angle = depth+1, true
			}
		case ">":
			if angle {
				depth, angle = depth-1, false
			}
		case ",":
			if depth == 0 {
				out = append(out, us[from:i])
				from = i + 1
			}
		}
	}
	if len(us) > 0 {
		out = append(out, us[from:])
	}
	return out
}

// indexOf returns the index of the first unit that is a word, -1 for none.
func indexOf(us []unit, word string) int {
	return slices.IndexFunc(us, func(u unit) bool { return u.text == word })
}

func itoa(n int) string { return strconv.Itoa(n) }

// number reads a number in the text, 0 for anything else.
func number(word string) int {
	n, err := strconv.Atoi(strings.TrimRight(word, "uUlL"))
	if err != nil {
		return 0
	}
	return n
}

func isWord(s string) bool {
	return s[0] == '_' || s[0] >= 'a' && s[0] <= 'z' || s[0] >= 'A' && s[0] <= 'Z' || s[0] == ']' || s[0] == ')'
}

// indexOf returns the index of a unit of the file.
func (s *source) indexOf(u unit) int {
	i, _ := slices.BinarySearchFunc(s.units, u.start, func(u unit, at int) int { return cmp.Compare(u.start, at) })
	return i
}

// Package units parts texts at their tokens and directives, and compares them.
package units

import (
	"bytes"
	"cmp"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/parser"
)

// Unit is the smallest thing that is compared: a token, or a whole directive line. Comments and layout are no units.
type Unit struct {
	Text       string
	Start, End int // byte range in the file, 0 0 for what a rule put there
}

// Source is a file as units.
type Source struct {
	File  *parser.File
	Units []Unit
}

// NewSource reads the units of a file. What stands between tokens is white space, comments and
// directives: what is left of it when the comments are gone is a directive.
func NewSource(f *parser.File) *Source {
	s := &Source{File: f}
	at := 0
	gap := func(end int) {
		for _, d := range directives(f.Src, at, end) {
			s.Units = append(s.Units, d)
		}
		at = end
	}
	for _, t := range f.Tokens() {
		gap(t.Start)
		s.Units = append(s.Units, Unit{string(f.Src[t.Start:t.End]), t.Start, t.End})
		at = t.End
	}
	gap(len(f.Src))
	return s
}

// directives returns the directive lines in a text without tokens.
func directives(src []byte, start, end int) (out []Unit) {
	for i := start; i < end; {
		switch rest := src[i:end]; {
		case bytes.HasPrefix(rest, []byte("//")):
			i += lineEnd(rest)
		case bytes.HasPrefix(rest, []byte("/*")):
			n := bytes.Index(rest[2:], []byte("*/"))
			if n < 0 {
				return out
			}
			i += n + 4
		case rest[0] == '#':
			n := lineEnd(rest)
			words := lists.Map(parser.TokensBetween(src, i, i+n), func(t parser.Token) string { return string(src[t.Start:t.End]) })
			out = append(out, Unit{strings.Join(words, " "), i, i + n})
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

// Between returns the units of a byte range.
func (s *Source) Between(start, end int) []Unit {
	i := sort.Search(len(s.Units), func(i int) bool { return s.Units[i].Start >= start })
	j := sort.Search(len(s.Units), func(i int) bool { return s.Units[i].Start >= end })
	return s.Units[i:max(i, j)]
}

// Rolled leaves out directives that unroll loops: how far a loop is unrolled changes nothing of what it does.
func Rolled(us []Unit) []Unit {
	return slices.DeleteFunc(slices.Clone(us), func(u Unit) bool { return strings.HasPrefix(u.Text, "# pragma unroll") })
}

// Same reports whether two lists say the same.
func Same(a, b []Unit) bool {
	return slices.EqualFunc(a, b, func(x, y Unit) bool { return x.Text == y.Text })
}

// Differ returns where the second of two lists begins to say something else than the first, -1 where they say the same.
// Where it has no more units that stand in the text, that is its end.
func Differ(a, b []Unit, end int) int {
	i := 0
	for i < len(a) && i < len(b) && a[i].Text == b[i].Text {
		i++
	}
	if i == len(a) && i == len(b) {
		return -1
	}
	for ; i < len(b); i++ {
		if b[i].End > 0 {
			return b[i].Start
		}
	}
	return end
}

// Words parts a pattern at its blanks: "vtb . start ( ) ;".
func Words(pattern string) []string { return strings.Fields(pattern) }

// Match reports whether units begin with a pattern, in which "$" stands for any one unit, and "$n" for the same one each time. It
// returns those that they stood for, each once.
func Match(us []Unit, pattern string) (bound []string, rest []Unit, ok bool) {
	ws := Words(pattern)
	if len(us) < len(ws) {
		return nil, us, false
	}
	var named map[string]string
	for i, w := range ws {
		was, again := named[w]
		switch {
		case w[0] != '$' || again:
			if us[i].Text != w && !again || again && us[i].Text != was {
				return nil, us, false
			}
			continue
		case w != "$":
			if named == nil {
				named = map[string]string{}
			}
			named[w] = us[i].Text
		}
		bound = append(bound, us[i].Text)
	}
	return bound, us[len(ws):], true
}

// Is reports whether units are exactly a pattern.
func Is(us []Unit, pattern string) bool {
	_, rest, ok := Match(us, pattern)
	return ok && len(rest) == 0
}

// Text writes units with a blank between each two, for messages.
func Text(us []Unit) string {
	out := lists.Map(us, func(u Unit) string { return u.Text })
	return strings.Join(out, " ")
}

// Mentions reports whether a name is among the units.
func Mentions(us []Unit, name string) bool {
	return slices.ContainsFunc(us, func(u Unit) bool { return u.Text == name })
}

// Closing returns the index of the bracket that closes the one at index i; -1 if there is none.
func Closing(us []Unit, i int) int {
	depth := 0
	for ; i < len(us); i++ {
		n := us[i].Nesting()
		if depth += n; n < 0 && depth == 0 {
			return i
		}
	}
	return -1
}

// Nesting is 1 of a bracket that opens, -1 of one that closes, and 0 of anything else.
func (u Unit) Nesting() int {
	switch u.Text {
	case "(", "[", "{":
		return 1
	case ")", "]", "}":
		return -1
	}
	return 0
}

// ClosingAngle returns the index of the bracket that closes one in front of some units; -1 if there is none.
func ClosingAngle(us []Unit) int {
	depth := 1
	for i, u := range us {
		switch u.Text {
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

// Split parts units at the commas outside of brackets. Of angles only those of smux's templates are
// brackets: "smux::grid<2, 'y'>".
func Split(us []Unit) (out [][]Unit) {
	depth, from, angle := 0, 0, false
	for i, u := range us {
		depth += u.Nesting()
		switch u.Text {
		case "<":
			if i > 3 && us[i-2].Text == ":" && us[i-3].Text == ":" && us[i-4].Text == "smux" {
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

// IndexOf returns the index of the first unit that is a word, -1 for none.
func IndexOf(us []Unit, word string) int {
	return slices.IndexFunc(us, func(u Unit) bool { return u.Text == word })
}

func Itoa(n int) string { return strconv.Itoa(n) }

// Number reads a number in the text, 0 for anything else.
func Number(word string) int {
	n, err := strconv.Atoi(strings.TrimRight(word, "uUlL"))
	if err != nil {
		return 0
	}
	return n
}

func IsWord(s string) bool {
	return s[0] == '_' || s[0] >= 'a' && s[0] <= 'z' || s[0] >= 'A' && s[0] <= 'Z' || s[0] == ']' || s[0] == ')'
}

// IndexOf returns the index of a unit of the file.
func (s *Source) IndexOf(u Unit) int {
	i, _ := slices.BinarySearchFunc(s.Units, u.Start, func(u Unit, at int) int { return cmp.Compare(u.Start, at) })
	return i
}

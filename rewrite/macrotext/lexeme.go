package macrotext

import (
	"bytes"
	"strings"

	"github.com/smux-cuda/smux/diff"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/parser"
)

// lexeme is a token or a comment of a text.
type lexeme struct {
	start, end int
	comment    bool
	text       string
}

// lex cuts a text into tokens, those of directives too, and comments.
func lex(src []byte) (out []lexeme) {
	at := 0
	comments := func(end int) {
		for at < end {
			k := bytes.IndexByte(src[at:end], '/')
			if k < 0 {
				break
			}
			start := at + k
			at = end
			if src[start+1] == '*' {
				at = start + 2 + bytes.Index(src[start+2:end], []byte("*/")) + 2
			} else if n := bytes.IndexByte(src[start:end], '\n'); n >= 0 {
				at = start + n
			}
			text := strings.TrimRight(string(src[start:at]), " \t\r\n")
			out = append(out, lexeme{start, start + len(text), true, text})
		}
	}
	for _, t := range parser.TokensBetween(src, 0, len(src)) {
		comments(t.Start)
		out = append(out, lexeme{t.Start, t.End, false, string(src[t.Start:t.End])})
		at = t.End
	}
	comments(len(src))
	return out
}

// changes returns the changes that turn one list of lexemes into another.
func changes(a, b []lexeme) []diff.Change {
	lines := func(list []lexeme) []string {
		return lists.Map(list, func(l lexeme) string { return strings.ReplaceAll(l.text, "\n", "\x00") + "\n" })
	}
	return diff.Changes(lines(a), lines(b))
}

// code returns the tokens of a text, those of directives too but for definitions of some
// macros. A pragma has the form that it can have in a macro.
func code(src []byte, without map[string]*parser.Macro) (out []string) {
	at := 0
	words := func(end int) {
		for _, t := range parser.TokensBetween(src, at, end) {
			out = append(out, string(src[t.Start:t.End]))
		}
		at = end
	}
	for _, d := range parser.Directives(src) {
		words(d[0])
		toks := parser.TokensBetween(src, d[0], d[1])
		word := func(i int) string {
			if i < len(toks) {
				return string(src[toks[i].Start:toks[i].End])
			}
			return ""
		}
		switch {
		case word(1) == "define" && without[word(2)] != nil:
			at = d[1]
		case word(1) == "pragma":
			var text []string
			for i := 2; i < len(toks); i++ {
				text = append(text, word(i))
			}
			out = append(out, "_Pragma", "(", pragma(text), ")")
			at = d[1]
		default:
			words(d[1])
		}
	}
	words(len(src))
	return out
}

// pragma is the operand of _Pragma for the words of a directive.
func pragma(words []string) string {
	text := strings.Join(words, " ")
	return `"` + strings.ReplaceAll(strings.ReplaceAll(text, `\`, `\\`), `"`, `\"`) + `"`
}

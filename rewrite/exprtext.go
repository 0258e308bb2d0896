package rewrite

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/parser"
)

// minus is the text of an expression minus a number.
func minus(f *parser.File, e *ir.Expr, text string, n int) string {
	if e.Op == ir.OpInt && !e.Macro && text == number(int(e.Int)) && int(e.Int) >= n {
		return number(int(e.Int) - n)
	}
	return operand(f, e, text) + " - " + number(n)
}

func number(n int) string { return strconv.Itoa(n) }

// operand is the text of an expression as an operand of - or <: in parentheses,
// unless nothing in it binds weaker.
func operand(f *parser.File, e *ir.Expr, text string) string {
	if _, end := parentheses(text, 0); end == len(text) || binds(f, e) {
		return text
	}
	return "(" + text + ")"
}

// binds reports whether an expression's text consists of sums and products.
func binds(f *parser.File, e *ir.Expr) bool {
	if e.Macro {
		return isAtom(f, e.Range)
	}
	switch e.Op {
	case ir.OpIdent, ir.OpMember, ir.OpIndex:
		return true
	case ir.OpCall:
		return !e.Implicit // an operator of a class is written as one
	case ir.OpInt:
		return e.Int >= 0
	case ir.OpBinary:
		for _, kid := range e.Kids {
			if !inParentheses(f, kid) && !binds(f, kid) {
				return false
			}
		}
		return strings.Contains("+-*/%", e.Tok)
	}
	return false
}

// inParentheses reports whether an operand stands in parentheses of its own.
func inParentheses(f *parser.File, e *ir.Expr) bool {
	before := bytes.TrimRight(f.Src[:e.Range.Start], " ")
	after := bytes.TrimLeft(f.Src[e.Range.End:], " ")
	return !e.Macro && bytes.HasSuffix(before, []byte("(")) && bytes.HasPrefix(after, []byte(")"))
}

// isAtom reports whether a range is the name of a macro that stands for one word,
// or for something in parentheses.
func isAtom(f *parser.File, r ir.Range) bool {
	word := text(f, r)
	m, found := f.Macros.Lookup(word, r.Start)
	if !isName(word) || !found || m.FunctionLike || m.Ambiguous {
		return false
	}
	body := strings.TrimSpace(m.Body)
	if isName(body) {
		return true
	}
	_, end := parentheses(body, 0)
	return end == len(body)
}

// parentheses finds a group "(…)" that begins at an offset of a text: the offsets
// of its inside and behind it, -1 for none.
func parentheses(s string, from int) (inside, end int) {
	if from >= len(s) || s[from] != '(' {
		return -1, -1
	}
	depth := 0
	for i := from; i < len(s); i++ {
		switch s[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return from + 1, i + 1
			}
		}
	}
	return -1, -1
}

// wordOffsets returns where a word stands in a text.
func wordOffsets(s, word string) []int {
	var out []int
	for i := 0; i+len(word) <= len(s); i++ {
		if s[i:i+len(word)] == word && (i == 0 || !isWordRune(rune(s[i-1]))) && (i+len(word) == len(s) || !isWordRune(rune(s[i+len(word)]))) {
			out = append(out, i)
		}
	}
	return out
}

func isWordRune(c rune) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

package kit

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/parser"
)

// Minus is the text of an expression minus a number.
func Minus(f *parser.File, e *ir.Expr, text string, n int) string {
	if e.Op == ir.OpInt && !e.Macro && text == Number(int(e.Int)) && int(e.Int) >= n {
		return Number(int(e.Int) - n)
	}
	return Operand(f, e, text) + " - " + Number(n)
}

// Number writes a number.
func Number(n int) string { return strconv.Itoa(n) }

// Operand is the text of an expression as an operand of - or <: in parentheses, unless nothing in it binds weaker.
func Operand(f *parser.File, e *ir.Expr, text string) string {
	if _, end := Parentheses(text, 0); end == len(text) || binds(f, e) {
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
		return !slices.ContainsFunc(e.Kids, func(kid *ir.Expr) bool { return !inParentheses(f, kid) && !binds(f, kid) }) && strings.Contains("+-*/%", e.Tok)
	}
	return false
}

// inParentheses reports whether an operand stands in parentheses of its own.
func inParentheses(f *parser.File, e *ir.Expr) bool {
	before := bytes.TrimRight(f.Src[:e.Range.Start], " ")
	after := bytes.TrimLeft(f.Src[e.Range.End:], " ")
	return !e.Macro && bytes.HasSuffix(before, []byte("(")) && bytes.HasPrefix(after, []byte(")"))
}

// isAtom reports whether a range is the name of a macro that stands for one word, or for something in parentheses.
func isAtom(f *parser.File, r ir.Range) bool {
	word := Text(f, r)
	m, found := f.Macros.Lookup(word, r.Start)
	if !IsName(word) || !found || m.FunctionLike || m.Ambiguous {
		return false
	}
	body := strings.TrimSpace(m.Body)
	if IsName(body) {
		return true
	}
	_, end := Parentheses(body, 0)
	return end == len(body)
}

// Parentheses finds a group "(…)" that begins at an offset of a text: the offsets
// of its inside and after it, -1 for none.
func Parentheses(s string, from int) (inside, end int) {
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

// WordOffsets returns where a word stands in a text.
func WordOffsets(s, word string) []int {
	var out []int
	for i := 0; i+len(word) <= len(s); i++ {
		if s[i:i+len(word)] == word && (i == 0 || !parser.IsWordRune(rune(s[i-1]))) && (i+len(word) == len(s) || !parser.IsWordRune(rune(s[i+len(word)]))) {
			out = append(out, i)
		}
	}
	return out
}

// Subscripts returns the subscripts of an element, the last first.
func Subscripts(element *ir.Expr) []*ir.Expr {
	var out []*ir.Expr
	for e := element; e.Op == ir.OpIndex; e = e.Kids[0] {
		out = append(out, e.Kids[1])
	}
	return out
}

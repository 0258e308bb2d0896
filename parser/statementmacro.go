package parser

import (
	"bytes"
	"slices"
	"strings"
)

// definitions returns all definitions of a name in view.
func (a *attributes) definitions(name []byte) []*Macro {
	if a == nil {
		return nil
	}
	return a.macros.Named(string(name))
}

// isMacroName reports whether token i names a function-like macro, or looks
// like one: macros of headers that can't be read are in capitals.
func (w *walker) isMacroName(i int) bool {
	name := w.word(i)
	return slices.ContainsFunc(w.attrs.definitions(name), func(m *Macro) bool { return m.FunctionLike }) || inCapitals(name)
}

func inCapitals(name []byte) bool {
	letters := 0
	for _, c := range name {
		if c >= 'a' && c <= 'z' || c >= 0x80 {
			return false
		}
		if c >= 'A' && c <= 'Z' {
			letters++
		}
	}
	return letters > 1
}

// statementMacro looks at a macro use NAME(…) where a statement begins, and ends it with a ';' where the grammar
// needs one. It returns the last token of the use, or -1.
func (w *walker) statementMacro(i int) int {
	last := w.closing(i + 1)
	if last < 0 || w.block() == blockList || len(w.parens) > 0 {
		return -1
	}
	if w.block() == blockClass && w.punct(last+1) == ';' {
		// A static assertion, say: the grammar takes no expression here.
		w.drop("class-macro", i, last+1)
		w.begin(last + 2)
		return last + 1
	}
	ends, opens := w.bodyShape(w.word(i))
	if fix := w.missingSemicolon(last, ends, opens); fix != "" {
		w.addSemicolon(fix, i, last)
		return last
	}
	return -1
}

// bareStatementMacro is the same for a macro without arguments.
func (w *walker) bareStatementMacro(i int) int {
	ends, opens := w.bodyShape(w.word(i))
	if !ends && !opens || w.block() == blockList || len(w.parens) > 0 {
		return -1
	}
	if fix := w.missingSemicolon(i, ends, opens); fix != "" {
		w.addSemicolon(fix, i, i)
		return i
	}
	return -1
}

// loneMacro blanks a name in capitals that stands alone on its line between
// declarations: NS_BEGIN, or a qualifier of a header that can't be read.
func (w *walker) loneMacro(i int) bool {
	if w.block() == blockFunction || w.block() == blockList || len(w.parens) > 0 || !w.standsAlone(i) {
		return false
	}
	if w.head != i && !(w.is(w.head, "template") && w.punct(i-1) == '>') {
		return false
	}
	known := w.attrs.definitions(w.word(i))
	for _, m := range known {
		if strings.ContainsAny(m.Body, "{};") {
			known = nil
			break
		}
	}
	if len(known) > 0 || !inCapitals(w.word(i)) {
		return false
	}
	w.drop("lone-macro", i, i)
	if w.head == i {
		w.begin(i + 1)
	}
	return true
}

// standsAlone reports whether there are line breaks before and after token i, and no operator follows.
func (w *walker) standsAlone(i int) bool {
	before, after := 0, len(w.src)
	if i > 0 {
		before = int(w.toks[i-1].end)
	}
	if i+1 < len(w.toks) {
		if c := w.punct(i + 1); c != 0 && c != '}' {
			return false
		}
		after = int(w.toks[i+1].start)
	}
	return (i == 0 || bytes.IndexByte(w.src[before:w.toks[i].start], '\n') >= 0) &&
		bytes.IndexByte(w.src[w.toks[i].end:after], '\n') >= 0
}

// bodyShape describes the macros of a name: ends, one is a complete statement with its own ';' or '}'; opens, one
// begins a loop or an if that the text after the use completes.
func (w *walker) bodyShape(name []byte) (ends, opens bool) {
	for _, m := range w.attrs.definitions(name) {
		body := m.Body
		if body == "" {
			continue
		}
		switch body[len(body)-1] {
		case ';', '}':
			ends = true
			continue
		}
		k := 0
		for k < len(body) && isIdentByte(body[k]) {
			k++
		}
		switch body[:k] {
		case "for", "while", "if", "switch":
			opens = true
		}
	}
	return ends, opens
}

// missingSemicolon names the fix that a macro use whose last token is given needs, "" if none.
func (w *walker) missingSemicolon(last int, ends, opens bool) string {
	next := last + 1
	if next >= len(w.toks) {
		return "statement-macro"
	}
	c := w.punct(next)
	switch {
	case c == '{' && w.block() == blockFunction:
		return "loop-macro"
	case c == ';' || c == '{':
		return ""
	case opens && (c == 0 || c == '*' || c == '+' || c == '-' || c == '('):
		return "loop-macro"
	case c != 0 && c != '}' && c != '*':
		return ""
	case c == 0 && w.toks[next].kind != tokIdent:
		return ""
	}
	gap := w.src[w.toks[last].end:w.toks[next].start]
	if ends && c != '*' || bytes.IndexByte(gap, '\n') >= 0 {
		return "statement-macro"
	}
	return ""
}

// addSemicolon puts a ';' after tokens [i, last], into the blank there or else
// by moving the use to the left at the cost of its name's last byte.
func (w *walker) addSemicolon(fix string, i, last int) {
	nameEnd, end := int(w.toks[i].end), int(w.toks[last].end)
	switch {
	case end < len(w.out) && (w.out[end] == ' ' || w.out[end] == '\t'):
		w.out[end] = ';'
	case nameEnd-int(w.toks[i].start) < 2 || bytes.IndexByte(w.out[nameEnd:end], '\n') >= 0:
		return
	default:
		copy(w.out[nameEnd-1:], w.out[nameEnd:end])
		w.out[end-1] = ';'
		w.out[w.toks[i].start] = '_' // what is left of the name must be no keyword
		w.moves = append(w.moves, move{nameEnd, end})
	}
	w.fix(fix, i, last)
	w.begin(last + 1)
}

// primitiveWords are the words of primitive types.
var primitiveWords = map[string]bool{
	"int": true, "float": true, "double": true, "char": true, "long": true, "short": true,
	"unsigned": true, "signed": true, "bool": true, "void": true, "size_t": true, "wchar_t": true,
	"int8_t": true, "int16_t": true, "int32_t": true, "int64_t": true,
	"uint8_t": true, "uint16_t": true, "uint32_t": true, "uint64_t": true,
}

// typeArguments makes names of the primitive types among a macro's arguments: the grammar reads the use as a call.
func (w *walker) typeArguments(i int) {
	last := w.closing(i + 1)
	if last < 0 {
		return
	}
	depth, first := 0, i+2
	for j := i + 2; j <= last; j++ {
		switch c := w.punct(j); {
		case depth == 0 && c == ',' || j == last:
			w.typeArgument(first, j)
			first = j + 1
		case c == '(' || c == '[' || c == '{':
			depth++
		case c == ')' || c == ']' || c == '}':
			depth--
		}
	}
}

// typeArgument treats the argument of tokens [first, end).
func (w *walker) typeArgument(first, end int) {
	name := -1
	for j := first; j < end; j++ {
		switch {
		case primitiveWords[string(w.word(j))]:
			if name < 0 {
				name = j
			}
		case w.is(j, "const") || j > first && (w.punct(j) == '*' || w.punct(j) == '&'):
		default:
			return
		}
	}
	if name < 0 {
		return
	}
	for j := first; j < end; j++ {
		if j != name {
			w.blankTokens(j, j)
		}
	}
	w.out[w.toks[name].start] = '_'
	w.fix("type-argument", first, end-1)
}

package translate

import (
	"bytes"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/parser"
)

// stretch is a run of tokens that is translated at once: a file's own text
// without directives, or the body of one macro.
type stretch struct {
	src   []byte
	toks  []parser.Token
	macro *parser.Macro // nil for the file's own text
	end   int           // offset of the end of a macro's body
}

func (s *stretch) text(i int) string {
	if i < 0 || i >= len(s.toks) {
		return ""
	}
	return string(s.src[s.toks[i].Start:s.toks[i].End])
}

func (s *stretch) is(i int, text string) bool { return s.text(i) == text }

func (s *stretch) isIdent(i int) bool {
	return i >= 0 && i < len(s.toks) && s.toks[i].Kind == parser.TokenIdent
}

// punct returns token i if it is punctuation, else 0.
func (s *stretch) punct(i int) byte {
	if i < 0 || i >= len(s.toks) || s.toks[i].Kind != parser.TokenPunct {
		return 0
	}
	return s.src[s.toks[i].Start]
}

// joined reports whether tokens i and i+1 stand side by side.
func (s *stretch) joined(i int) bool {
	return i >= 0 && i+1 < len(s.toks) && s.toks[i].End == s.toks[i+1].Start
}

// closing returns the token that closes the bracket at token i, -1 for none.
func (s *stretch) closing(i int) int {
	for depth := 0; i < len(s.toks); i++ {
		switch s.punct(i) {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth <= 0 {
				return pick(depth == 0, i)
			}
		}
	}
	return -1
}

// opening returns the token that opens the bracket closed at token i, or -1.
func (s *stretch) opening(i int) int {
	for depth := 0; i >= 0; i-- {
		switch s.punct(i) {
		case ')', ']', '}':
			depth++
		case '(', '[', '{':
			if depth--; depth <= 0 {
				return pick(depth == 0, i)
			}
		}
	}
	return -1
}

func pick(ok bool, i int) int {
	if ok {
		return i
	}
	return -1
}

// closingAngle returns the '>' that closes the template arguments that open at token i, -1 where they do not close.
func (s *stretch) closingAngle(i int) int {
	for depth := 0; i < len(s.toks); i++ {
		switch s.punct(i) {
		case '<':
			depth++
		case '>':
			if s.arrow(i) {
				continue
			}
			if depth--; depth == 0 {
				return i
			}
		case '(', '[', '{':
			if i = s.closing(i); i < 0 {
				return -1
			}
		case ')', ']', '}', ';':
			return -1
		}
	}
	return -1
}

// openingAngle returns the way back.
func (s *stretch) openingAngle(i int) int {
	for depth := 0; i >= 0; i-- {
		switch s.punct(i) {
		case '>':
			if !s.arrow(i) {
				depth++
			}
		case '<':
			if depth--; depth == 0 {
				return i
			}
		case ')', ']', '}':
			if i = s.opening(i); i < 0 {
				return -1
			}
		case '(', '[', '{', ';':
			return -1
		}
	}
	return -1
}

// arrow reports whether the '>' at token i belongs to "->".
func (s *stretch) arrow(i int) bool { return s.punct(i-1) == '-' && s.joined(i-1) }

// scope reports whether tokens i and i+1 are "::".
func (s *stretch) scope(i int) bool { return s.punct(i) == ':' && s.punct(i+1) == ':' && s.joined(i) }

// paste reports whether tokens i and i+1 are "##".
func (s *stretch) paste(i int) bool { return s.punct(i) == '#' && s.punct(i+1) == '#' && s.joined(i) }

// param reports whether token i is a parameter of the macro whose body this is.
func (s *stretch) param(i int) bool {
	if s.macro == nil || !s.macro.FunctionLike || !s.isIdent(i) {
		return false
	}
	name := s.text(i)
	return slices.Contains(s.macro.Params, name)
}

// line returns tokens [first, last] on one line, without comments.
func (s *stretch) line(first, last int) string {
	var b strings.Builder
	for i := first; i <= last && i < len(s.toks); i++ {
		if i > first && !s.joined(i-1) {
			b.WriteByte(' ')
		}
		b.WriteString(s.text(i))
	}
	// Only a raw string can hold a line break here.
	return strings.ReplaceAll(b.String(), "\n", " ")
}

// literal returns an expression for the spelling of tokens [first, last] as a
// string, as narrow as in a message. Parameters of a macro are spelt by '#'.
func (s *stretch) literal(first, last int) string {
	if s.macro == nil || !s.macro.FunctionLike {
		return quote(s.line(first, last))
	}
	var parts []string
	plain := ""
	flush := func() {
		if plain != "" {
			parts = append(parts, quote(plain))
			plain = ""
		}
	}
	for i := first; i <= last; i++ {
		switch {
		case s.param(i):
			flush()
			parts = append(parts, "#"+s.text(i))
		case s.paste(i):
			i++
		default:
			if i > first && !s.joined(i-1) && !s.paste(i-2) {
				plain += " "
			}
			plain += s.text(i)
		}
	}
	flush()
	return strings.Join(parts, " ")
}

// quote makes a C++ string literal.
func quote(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c == '\n' || c == '\r' || c == '\t':
			b.WriteByte(' ')
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// lineBreaks returns the line breaks of a text; inside a directive, with the backslashes that carry it over them.
func lineBreaks(b []byte, directive bool) string {
	var out strings.Builder
	for {
		k := bytes.IndexByte(b, '\n')
		if k < 0 {
			return out.String()
		}
		start := k
		if start > 0 && b[start-1] == '\r' {
			start--
		}
		if directive {
			out.WriteString(" \\")
		}
		out.Write(b[start : k+1])
		b = b[k+1:]
	}
}

// blank returns blanks in the place of a text, line breaks kept.
func blank(b []byte) string {
	out := bytes.Clone(b)
	for i, c := range out {
		if c != '\n' && c != '\r' && !(c == '\\' && i+1 < len(out) && (out[i+1] == '\n' || out[i+1] == '\r')) {
			out[i] = ' '
		}
	}
	return string(out)
}

package parser

import (
	"bytes"
	"slices"
	"unicode/utf8"
)

// token is one preprocessing token. Punctuation comes byte by byte.
type token struct {
	start, end uint32
	kind       tokenKind
}

type tokenKind uint8

const (
	tokIdent tokenKind = iota
	tokNumber
	tokLiteral // string, raw string or character, prefix included
	tokPunct
)

type span struct{ start, end int }

// scan holds what the lexer found in a text: the tokens outside of comments and
// directives, the directives, and what is wrong with the text as a whole.
type scan struct {
	src        []byte
	toks       []token
	directives []span

	tooDeep    int // offset of the first bracket over MaxNesting, -1 if none
	badUTF8    int // offset of the first invalid byte in code, -1 if none
	unfinished int // offset of the comment or raw string that never ends, -1 if none
	openBraces int // '{' less '}' at the end, both branches of each #if counted
}

// Classes of bytes.
const (
	classSpace uint8 = 1 << iota
	classIdentStart
	classDigit
)

var byteClass = func() (t [256]uint8) {
	for _, c := range []byte(" \t\n\r\f\v") {
		t[c] = classSpace
	}
	for c := range t {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c == '_', c == '$', c >= 0x80:
			t[c] = classIdentStart
		case c >= '0' && c <= '9':
			t[c] = classDigit
		}
	}
	return t
}()

func isSpace(c byte) bool      { return byteClass[c]&classSpace != 0 }
func isIdentStart(c byte) bool { return byteClass[c]&classIdentStart != 0 }
func isIdentByte(c byte) bool  { return byteClass[c]&(classIdentStart|classDigit) != 0 }
func isDigit(c byte) bool      { return byteClass[c]&classDigit != 0 }

// scanSource runs the lexer over a whole text.
func scanSource(src []byte) *scan {
	s := &scan{src: src, tooDeep: -1, badUTF8: -1, unfinished: -1}
	i, lineStart, depth, angles := 0, true, 0, 0
	if bytes.HasPrefix(src, utf8BOM) {
		i = len(utf8BOM)
	}
	for i < len(src) {
		c := src[i]
		switch {
		case c == '\n':
			lineStart = true
			i++
			continue
		case isSpace(c):
			i++
			continue
		case c == '/' && i+1 < len(src) && (src[i+1] == '/' || src[i+1] == '*'):
			i = s.comment(i) // a directive may stand after a block comment
			continue
		case c == '\\' && splice(src, i) > 0:
			i += splice(src, i)
			continue
		case c == '#' && lineStart:
			e := s.directiveEnd(i)
			at := span{i, e}
			if e > i && src[e-1] == '\r' {
				at.end--
			}
			s.directives = append(s.directives, at)
			i = e
			continue
		}
		lineStart = false
		t := s.next(i)
		if t.kind == tokPunct {
			switch c {
			case '(', '[', '{':
				if depth++; depth > MaxNesting && s.tooDeep < 0 {
					s.tooDeep = i
				}
				if c == '{' {
					s.openBraces++
				}
			case ')', ']', '}':
				depth = max(0, depth-1)
				if c == '}' {
					s.openBraces--
				}
			case '<': // a<b<c<… is a type in a type in a type
				if n := len(s.toks); n < 1 || s.toks[n-1].kind != tokIdent {
					angles = 0
				} else if n < 2 || src[s.toks[n-2].start] != '<' {
					angles = 1
				} else if angles++; angles > MaxNesting && s.tooDeep < 0 {
					s.tooDeep = i
				}
			}
		}
		if len(s.toks) == cap(s.toks) { // the rest may be a comment, or a token every few bytes
			s.toks = slices.Grow(s.toks, max(64, min(len(s.toks), (len(src)-i)/5)))
		}
		s.toks = append(s.toks, t)
		i = int(t.end)
	}
	return s
}

var utf8BOM = []byte("\xef\xbb\xbf")

// next reads the token that begins at i, which is not a space, comment or directive.
func (s *scan) next(i int) token {
	src, c := s.src, s.src[i]
	switch {
	case c == '"' || c == '\'' || c == 'u' || c == 'U' || c == 'L' || c == 'R':
		if e := s.literalEnd(i); e > i {
			return token{uint32(i), uint32(e), tokLiteral}
		}
	case isDigit(c) || c == '.' && i+1 < len(src) && isDigit(src[i+1]):
		return token{uint32(i), uint32(numberEnd(src, i)), tokNumber}
	}
	if isIdentStart(c) {
		e := i
		high := false
		for e < len(src) && isIdentByte(src[e]) {
			high = high || src[e] >= utf8.RuneSelf
			e++
		}
		if high && s.badUTF8 < 0 && !utf8.Valid(src[i:e]) {
			s.badUTF8 = i
		}
		return token{uint32(i), uint32(e), tokIdent}
	}
	return token{uint32(i), uint32(i + 1), tokPunct}
}

// comment returns the offset after the comment at i.
func (s *scan) comment(i int) int {
	if s.src[i+1] == '/' {
		return logicalLineEnd(s.src, i)
	}
	k := bytes.Index(s.src[i+2:], []byte("*/"))
	if k < 0 {
		if s.unfinished < 0 {
			s.unfinished = i
		}
		return len(s.src)
	}
	return i + k + 4
}

// splice returns the length of the line continuation at i, 0 if there is none.
func splice(src []byte, i int) int {
	switch {
	case src[i] != '\\' || i+1 >= len(src):
		return 0
	case src[i+1] == '\n':
		return 2
	case src[i+1] == '\r' && i+2 < len(src) && src[i+2] == '\n':
		return 3
	}
	return 0
}

// logicalLineEnd returns the offset of the line break that ends the line at i, continuation lines included.
func logicalLineEnd(src []byte, i int) int {
	for i < len(src) {
		k := bytes.IndexByte(src[i:], '\n')
		if k < 0 {
			return len(src)
		}
		i += k
		b := i - 1
		if b >= 0 && src[b] == '\r' {
			b--
		}
		if b < 0 || src[b] != '\\' {
			return i
		}
		i++
	}
	return i
}

// directiveEnd returns the offset of the line break that ends the directive at
// i. A block comment may carry it over lines.
func (s *scan) directiveEnd(i int) int {
	src := s.src
	for i < len(src) {
		switch c := src[i]; {
		case c == '\n':
			return i
		case c == '\\' && splice(src, i) > 0:
			i += splice(src, i)
		case c == '/' && i+1 < len(src) && src[i+1] == '/':
			return logicalLineEnd(src, i)
		case c == '/' && i+1 < len(src) && src[i+1] == '*':
			i = s.comment(i)
		case c == '"' || c == '\'':
			i = max(i+1, quotedEnd(src, i))
		default:
			i++
		}
	}
	return i
}

func numberEnd(src []byte, i int) int {
	for i++; i < len(src); i++ {
		c, prev := src[i], src[i-1]
		switch {
		case isIdentByte(c) || c == '.':
		case c == '\'' && i+1 < len(src) && isIdentByte(src[i+1]):
		case (c == '+' || c == '-') && (prev == 'e' || prev == 'E' || prev == 'p' || prev == 'P'):
		default:
			return i
		}
	}
	return i
}

// skipBlank returns the offset of the next byte at or after i that is no space, comment or line continuation.
func skipBlank(src []byte, i int) int {
	for i < len(src) {
		switch c := src[i]; {
		case isSpace(c):
			i++
		case c == '\\' && splice(src, i) > 0:
			i += splice(src, i)
		case c == '/' && i+1 < len(src) && src[i+1] == '/':
			i = logicalLineEnd(src, i)
		case c == '/' && i+1 < len(src) && src[i+1] == '*':
			k := bytes.Index(src[i+2:], []byte("*/"))
			if k < 0 {
				return len(src)
			}
			i += k + 4
		default:
			return i
		}
	}
	return i
}

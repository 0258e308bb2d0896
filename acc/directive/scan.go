package directive

import (
	"bytes"
	"iter"
	"regexp"
	"strings"

	"github.com/smux-cuda/smux/parser"
)

// cursor walks over the text of a directive, in which comments and continued line ends are blank.
type cursor struct {
	text   string
	at     int
	offset int // of text in the file
}

// blank writes blanks over what is no token: comments and continued line ends. Offsets stay.
func blank(text string) string {
	out := bytes.Repeat([]byte(" "), len(text))
	for _, k := range parser.TokensBetween([]byte(text), 0, len(text)) {
		copy(out[k.Start:], text[k.Start:k.End])
	}
	return string(out)
}

func (c *cursor) skipBlanks() { c.at = len(c.text) - len(strings.TrimLeft(c.text[c.at:], " ")) }

func (c *cursor) word() string {
	c.skipBlanks()
	w := firstWord.FindString(c.text[c.at:])
	c.at += len(w)
	return w
}

var (
	firstWord = regexp.MustCompile(`^[A-Za-z_]\w*`)
	literal   = regexp.MustCompile(`(?s)^(?:"(?:\\.|[^"\\])*"?|'(?:\\.|[^'\\])*'?)`) // closed or not
)

func (c *cursor) take(b byte) bool {
	c.skipBlanks()
	if c.at < len(c.text) && c.text[c.at] == b {
		c.at++
		return true
	}
	return false
}

func (c *cursor) pos() int   { return c.offset + c.at }
func (c *cursor) done() bool { c.skipBlanks(); return c.at == len(c.text) }

// inside reads up to and over what closes the bracket that was just taken; ok is false if nothing does.
func (c *cursor) inside(end byte) (part span, ok bool) {
	start := c.at
	for i, b := range Outside(c.text[start:]) {
		if b == end {
			c.at = start + i + 1
			return span{c.text[start : start+i], c.offset + start}, true
		}
	}
	c.at = len(c.text)
	return span{c.text[start:], c.offset + start}, false
}

// Outside yields the bytes of a text that stand outside of brackets, with their places: those that open one, and that close
// none that was opened, among them. Literals are passed over.
func Outside(text string) iter.Seq2[int, byte] {
	return func(yield func(int, byte) bool) {
		for i, depth := 0, 0; i < len(text); i++ {
			b := text[i]
			if depth == 0 && !yield(i, b) {
				return
			}
			switch {
			case strings.IndexByte("([{", b) >= 0:
				depth++
			case strings.IndexByte(")]}", b) >= 0:
				depth = max(0, depth-1)
			case b == '"' || b == '\'':
				i += len(literal.FindString(text[i:])) - 1
			}
		}
	}
}

// span is a part of the text and its offset in the file.
type span struct {
	text string
	pos  int
}

func (s span) trim() span {
	left := strings.TrimLeft(s.text, " ")
	return span{strings.TrimRight(left, " "), s.pos + len(s.text) - len(left)}
}

// split parts the span at each sep outside of brackets and literals. A conditional expression has no colon of its own.
func (s span) split(sep byte) []span {
	var out []span
	start, questions := 0, 0
	for i, b := range Outside(s.text) {
		switch {
		case b == '?':
			questions++
		case b == ':' && questions > 0:
			questions--
		case b == sep:
			out = append(out, span{s.text[start:i], s.pos + start}.trim())
			start = i + 1
		}
	}
	return append(out, span{s.text[start:], s.pos + start}.trim())
}

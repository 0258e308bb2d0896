package directive

import (
	"iter"
	"strings"
)

// cursor walks over the text of a directive. A line that ends with a backslash goes on
// in the next one, and comments are blank.
type cursor struct {
	text   string
	at     int
	offset int // of text in the file
}

// blank writes comments and continued line ends over by blanks, so that offsets stay.
func blank(text string) string {
	out := []byte(text)
	for i := 0; i < len(out); i++ {
		end := i
		switch {
		case strings.HasPrefix(text[i:], "/*"):
			end = i + 2 + len(before(text[i+2:], "*/")) + 2
		case strings.HasPrefix(text[i:], "//"):
			end = i + len(before(text[i:], "\n"))
		case strings.HasPrefix(text[i:], "\\\r\n"):
			end = i + 3
		case strings.HasPrefix(text[i:], "\\\n"):
			end = i + 2
		case out[i] == '"' || out[i] == '\'':
			i = skipQuoted(text, i) - 1
		case out[i] == '\t' || out[i] == '\r' || out[i] == '\n':
			out[i] = ' '
		}
		for j := i; j < min(end, len(out)); j++ {
			out[j] = ' '
		}
		i = max(i, end-1)
	}
	return string(out)
}

// before is the part of s in front of sep, all of s without one.
func before(s, sep string) string {
	head, _, _ := strings.Cut(s, sep)
	return head
}

// skipQuoted is the index after the literal that begins at i.
func skipQuoted(text string, i int) int {
	quote := text[i]
	for i++; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case quote:
			return i + 1
		}
	}
	return len(text)
}

func (c *cursor) skipBlanks() {
	for c.at < len(c.text) && c.text[c.at] == ' ' {
		c.at++
	}
}

// word reads a name; "" where none stands here.
func (c *cursor) word() string {
	c.skipBlanks()
	start := c.at
	for c.at < len(c.text) && (isLetter(c.text[c.at]) || c.at > start && isDigit(c.text[c.at])) {
		c.at++
	}
	return c.text[start:c.at]
}

// take reads one byte if it is this one.
func (c *cursor) take(b byte) bool {
	c.skipBlanks()
	if c.at < len(c.text) && c.text[c.at] == b {
		c.at++
		return true
	}
	return false
}

func (c *cursor) pos() int { return c.offset + c.at }

// done reports whether nothing but blanks is left.
func (c *cursor) done() bool { c.skipBlanks(); return c.at == len(c.text) }

// inside reads up to the parenthesis or bracket that closes the one that was just taken, and
// steps over it. ok is false where none closes it.
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
				i = skipQuoted(text, i) - 1
			}
		}
	}
}

// span is a part of the text and its offset in the file.
type span struct {
	text string
	pos  int
}

// trim is the span without blanks around it.
func (s span) trim() span {
	left := strings.TrimLeft(s.text, " ")
	return span{strings.TrimRight(left, " "), s.pos + len(s.text) - len(left)}
}

// split parts the span at each sep that stands outside of brackets and literals. Of a
// conditional expression's colon it knows: "a ? b : c" has no colon of its own.
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

func isLetter(b byte) bool { return b == '_' || b|0x20 >= 'a' && b|0x20 <= 'z' }

func isDigit(b byte) bool { return b >= '0' && b <= '9' }

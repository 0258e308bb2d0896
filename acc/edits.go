package acc

import (
	"bytes"
	"strings"

	"github.com/smux-cuda/smux/parser"
)

// shift indents lines by a text.
func shift(text, indent string) string {
	lines := strings.SplitAfter(text, "\n")
	for i, l := range lines {
		if strings.TrimSpace(l) != "" && !strings.HasPrefix(l, "#") {
			lines[i] = indent + l
		}
	}
	return strings.Join(lines, "")
}

// openLine is lines that go after a brace, at an offset, so that what follows keeps its place.
func openLine(src []byte, at int, lines, indent string) string {
	rest := src[at:]
	if i := bytes.IndexByte(rest, '\n'); i >= 0 && strings.TrimSpace(string(rest[:i])) == "" {
		return "\n" + strings.TrimSuffix(lines, "\n")
	}
	return "\n" + lines + indent
}

// lineBefore returns the place for lines before an offset: the start of its line, if
// only blanks are before it, else the offset itself.
func (s *source) lineBefore(at int) int {
	if start := s.lineStart(at); strings.TrimSpace(string(s.file.Src[start:at])) == "" {
		return start
	}
	return at
}

// lineStart is the start of the line in which an offset of the original is.
func (s *source) lineStart(at int) int { return bytes.LastIndexByte(s.file.Src[:at], '\n') + 1 }

// indentInside returns the indentation of a block's statements.
func (s *source) indentInside(block *parser.Node, outer string) string {
	if first := block.FirstNamed(); first != nil {
		from, _ := s.rangeOf(first)
		if in := s.indentAt(from); strings.HasPrefix(in, outer) && len(in) > len(outer) {
			return in
		}
	}
	return outer + "    "
}

// indentOfNext returns the indentation of the line after an offset that is not blank and no
// directive.
func (s *source) indentOfNext(at int) string {
	for _, l := range strings.Split(string(s.file.Src[at:]), "\n")[1:] {
		text := strings.TrimLeft(l, " \t")
		if strings.TrimSpace(text) == "" || strings.HasPrefix(text, "#") {
			continue
		}
		if strings.HasPrefix(text, "}") {
			return l[:len(l)-len(text)] + "    "
		}
		return l[:len(l)-len(text)]
	}
	return ""
}

// deeper and shallower stand around lines of the result that get one more step of indentation.
const deeper, shallower = "\x01", "\x02"

// indented carries the marks out.
func indented(text []byte) []byte {
	const step = "    "
	var out bytes.Buffer
	level := 0
	for _, l := range bytes.SplitAfter(text, []byte("\n")) {
		before := level
		level += bytes.Count(l, []byte(deeper)) - bytes.Count(l, []byte(shallower))
		if len(bytes.TrimSpace(l)) > 0 && l[0] != '#' {
			out.WriteString(strings.Repeat(step, before))
		}
		l = bytes.ReplaceAll(l, []byte(deeper), []byte(step))
		out.Write(bytes.ReplaceAll(l, []byte(shallower), nil))
	}
	return out.Bytes()
}

// Package layout puts lines of C text together and indents them.
package layout

import (
	"bytes"
	"strings"
)

// Dedent parts text, which begins in its line after first, into lines and takes off what all begin with.
func Dedent(text, first string) []string {
	lines := strings.Split(strings.ReplaceAll(first+text, "\r\n", "\n"), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " \t")
	}
	for len(lines) > 0 && lines[0] == "" {
		lines = lines[1:]
	}
	for len(lines) > 0 && lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	common, some := "", false
	for _, l := range lines {
		if l == "" || strings.HasPrefix(l, "#") {
			continue
		}
		blank := l[:len(l)-len(strings.TrimLeft(l, " \t"))]
		if !some {
			common, some = blank, true
		}
		for !strings.HasPrefix(blank, common) {
			common = common[:len(common)-1]
		}
	}
	for i, l := range lines {
		if !strings.HasPrefix(l, "#") {
			lines[i] = strings.TrimPrefix(l, common)
		}
	}
	return lines
}

// Lines are lines of C that are written one after the other, Indented by level.
type Lines struct {
	strings.Builder
	Level int
}

func (l *Lines) Add(text ...string) {
	for _, t := range text {
		if t == "" || strings.HasPrefix(t, "#") {
			l.WriteString(t + "\n")
			continue
		}
		l.WriteString(strings.Repeat("    ", l.Level) + t + "\n")
	}
}

// Open begins a block after its head, "" for none, and Shut ends it.
func (l *Lines) Open(head string) {
	l.Add(strings.TrimPrefix(head+" {", " "))
	l.Level++
}

func (l *Lines) Shut() {
	l.Level--
	l.Add("}")
}

// Apart adds a blank line after what stands there already.
func (l *Lines) Apart() {
	if l.Len() > 0 {
		l.Add("")
	}
}

// Shift indents lines by a text.
func Shift(text, indent string) string {
	lines := strings.SplitAfter(text, "\n")
	for i, l := range lines {
		if strings.TrimSpace(l) != "" && !strings.HasPrefix(l, "#") {
			lines[i] = indent + l
		}
	}
	return strings.Join(lines, "")
}

// OpenLine is lines that go after a brace, at an offset, so that what follows keeps its place.
func OpenLine(src []byte, at int, lines, indent string) string {
	rest := src[at:]
	if i := bytes.IndexByte(rest, '\n'); i >= 0 && strings.TrimSpace(string(rest[:i])) == "" {
		return "\n" + strings.TrimSuffix(lines, "\n")
	}
	return "\n" + lines + indent
}

// Deeper and Shallower stand around lines of the result that get one more step of indentation.
const Deeper, Shallower = "\x01", "\x02"

// Indented carries the marks out.
func Indented(text []byte) []byte {
	const step = "    "
	var out bytes.Buffer
	level := 0
	for _, l := range bytes.SplitAfter(text, []byte("\n")) {
		before := level
		level += bytes.Count(l, []byte(Deeper)) - bytes.Count(l, []byte(Shallower))
		if len(bytes.TrimSpace(l)) > 0 && l[0] != '#' {
			out.WriteString(strings.Repeat(step, before))
		}
		l = bytes.ReplaceAll(l, []byte(Deeper), []byte(step))
		out.Write(bytes.ReplaceAll(l, []byte(Shallower), nil))
	}
	return out.Bytes()
}

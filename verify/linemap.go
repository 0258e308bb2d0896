package verify

import (
	"bytes"
	"cmp"
	"path/filepath"
	"sort"
	"strings"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/diff"
)

// lineRange is a range of lines of one file of the original, first and last.
type lineRange struct {
	file        string
	first, last int
}

// compare orders ranges by file and first line.
func (r lineRange) compare(o lineRange) int {
	return cmp.Or(strings.Compare(r.file, o.file), cmp.Compare(r.first, o.first), cmp.Compare(r.last, o.last))
}

// lineMap finds the lines of a rewritten file in the original. A line that was not touched is itself; one that was
// belongs to the lines that the change replaced; one that was inserted lies between its neighbours.
type lineMap struct {
	file                string // of the original
	original, rewritten textLines
	changes             []diff.Change
}

// OriginalLine returns the line of a file that a line of a rewritten text of it
// stands for, the first of several. Lines count from 1.
func OriginalLine(original, rewritten []byte, line int) int {
	return newLineMap("", original, rewritten).lines(line).first
}

// newLineMap compares two versions of a file. Indentation is not looked at:
// what a rewrite puts a guard around is moved to the right and still the same.
func newLineMap(file string, original, rewritten []byte) *lineMap {
	a, b := splitLines(original), splitLines(rewritten)
	return &lineMap{file: file, original: a, rewritten: b, changes: diff.Changes(a.trimmed(), b.trimmed())}
}

// lines returns the lines of the original that a line of the rewritten text stands for. Lines count from 1.
func (m *lineMap) lines(line int) lineRange {
	b := line - 1
	i := sort.Search(len(m.changes), func(i int) bool { return m.changes[i].BHi > b })
	if i < len(m.changes) && m.changes[i].BLo <= b {
		c := m.changes[i]
		if c.ALo == c.AHi {
			return m.clip(c.ALo, c.ALo+1)
		}
		return m.clip(c.ALo+1, c.AHi)
	}
	shift := 0
	if i > 0 {
		shift = m.changes[i-1].AHi - m.changes[i-1].BHi
	}
	return m.clip(line+shift, line+shift)
}

// clip keeps a range inside of the file: an insertion at its end has no line after it.
func (m *lineMap) clip(first, last int) lineRange {
	n := max(1, len(m.original))
	return lineRange{m.file, min(max(1, first), n), min(max(1, last), n)}
}

// places maps positions in a variant to those of the original.
type places struct {
	maps     map[string]*lineMap // by the variant's name of the file
	separate bool
}

// newPlaces compares the files of two programs. Files are the same one where they have the same name, else the same
// last element, else where each program has just one.
func newPlaces(original *Program, v *Variant) *places {
	p := &places{maps: map[string]*lineMap{}, separate: v.Separate}
	for _, f := range v.Program.Files {
		o := original.file(f.Name)
		for i := range original.Files {
			if o == nil && filepath.Base(original.Files[i].Name) == filepath.Base(f.Name) {
				o = &original.Files[i]
			}
		}
		if o == nil && len(original.Files) == 1 && len(v.Program.Files) == 1 {
			o = &original.Files[0]
		}
		if o == nil || o.Name == f.Name && bytes.Equal(o.Text, f.Text) {
			continue
		}
		p.maps[f.Name] = newLineMap(o.Name, o.Text, f.Text)
	}
	return p
}

// lines returns the lines of the original that a line of the variant stands for; the line itself where its file was
// not changed. A nil *places is that of the original.
func (p *places) lines(file string, line int) lineRange {
	if p != nil {
		if m := p.maps[file]; m != nil {
			return m.lines(line)
		}
	}
	return lineRange{file, line, line}
}

// show returns the position to name in a message: in a program of its own the
// place itself, else the one in the original.
func (p *places) show(at diag.Position) diag.Position {
	if p == nil || p.separate || !at.IsValid() || p.maps[at.File] == nil {
		return at
	}
	m := p.maps[at.File]
	r := m.lines(at.Line)
	shown := diag.Position{File: r.file, Line: r.first, Column: 1}
	original, rewritten := m.original.line(r.first), m.rewritten.line(at.Line)
	if r.first == r.last && strings.TrimSpace(original) == strings.TrimSpace(rewritten) {
		// The same text, but perhaps further to the right.
		shown.Column = max(1, at.Column-indent(rewritten)+indent(original))
	}
	return shown
}

// rewritten returns the line of a rewritten text at a position, and whether the
// position is one of a text that differs from the original.
func (p *places) rewritten(at diag.Position) (line string, ok bool) {
	if p == nil || p.separate || p.maps[at.File] == nil {
		return "", false
	}
	return strings.TrimSpace(p.maps[at.File].rewritten.line(at.Line)), true
}

// textLines are the lines of a text.
type textLines []string

func splitLines(text []byte) textLines {
	var out textLines
	for line := range bytes.Lines(text) {
		out = append(out, string(line))
	}
	return out
}

// line returns a line, counted from 1, "" where there is none.
func (t textLines) line(n int) string {
	if n < 1 || n > len(t) {
		return ""
	}
	return t[n-1]
}

// trimmed returns the lines without indentation, all with the same line end.
func (t textLines) trimmed() []string {
	out := make([]string, len(t))
	for i, line := range t {
		out[i] = strings.TrimSpace(line) + "\n"
	}
	return out
}

func indent(line string) int { return len(line) - len(strings.TrimLeft(line, " \t")) }

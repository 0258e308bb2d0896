package finding

import (
	"bytes"
	"strings"

	"github.com/smux-cuda/smux/diff"
)

// Edit replaces the bytes [Start, End) of a file by Text. It begins at the start of
// a line and ends at one, or at the end of the file.
type Edit struct {
	Start, End Point
	Text       []byte
}

// Point is a place in the text before a change.
type Point struct {
	Offset int // in bytes
	Line   int // from 1; after a last line that ends in a newline there is one more
	Column int // from 1, in bytes
}

// bom is the mark that some editors put at the start of a file. No edit touches it
// where it stands before and after.
const bom = "\xef\xbb\xbf"

// Edits returns the changed lines, as few as there can be, in their order. They do not
// touch one another: between two stands a line that stays. Applied from the last to
// the first, or all at once, they make After of Before.
func (c Change) Edits() []Edit {
	before, after, skip := string(c.Before), string(c.After), 0
	if strings.HasPrefix(before, bom) && strings.HasPrefix(after, bom) {
		skip = len(bom)
		before, after = before[skip:], after[skip:]
	}
	a, b := lines(before), lines(after)
	starts := offsets(a, skip)
	point := func(line int) Point {
		p := Point{Offset: starts[line], Line: line + 1, Column: 1}
		if line == 0 {
			p.Column += skip
		}
		if line == len(a) && line > 0 && !strings.HasSuffix(a[line-1], "\n") {
			last := a[line-1] // there is no line after one without an end
			p.Line, p.Column = line, len(last)+1
			if line == 1 {
				p.Column += skip
			}
		}
		return p
	}
	var out []Edit
	for _, h := range diff.Changes(a, b) {
		out = append(out, Edit{point(h.ALo), point(h.AHi), []byte(strings.Join(b[h.BLo:h.BHi], ""))})
	}
	return out
}

// whole returns the change as a single Edit, from the first line that changes to the
// last: what a tool is given that applies edits one by one. ok is false where
// nothing changes.
func (c Change) whole() (e Edit, ok bool) {
	edits := c.Edits()
	if len(edits) == 0 {
		return e, false
	}
	first, last := edits[0], edits[len(edits)-1]
	behind := len(c.Before) - last.End.Offset // the same in After
	return Edit{first.Start, last.End, c.After[first.Start.Offset : len(c.After)-behind]}, true
}

// changes returns the files that a fix changes indeed.
func (f *Fix) changes() []Change {
	if f == nil {
		return nil
	}
	var out []Change
	for _, c := range f.Files {
		if !bytes.Equal(c.Before, c.After) {
			out = append(out, c)
		}
	}
	return out
}

// lines cuts a text after each newline.
func lines(text string) []string {
	out := strings.SplitAfter(text, "\n")
	if out[len(out)-1] == "" {
		out = out[:len(out)-1]
	}
	return out
}

// offsets returns where lines begin, and where the last one ends, in a text that begins
// at the first offset.
func offsets(lines []string, first int) []int {
	out := []int{first}
	for _, l := range lines {
		first += len(l)
		out = append(out, first)
	}
	return out
}

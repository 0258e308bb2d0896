package parser

import (
	"bytes"
	"sort"

	"github.com/smux-cuda/smux/diag"
)

// lineTable returns the offset of each line's first byte.
func lineTable(src []byte) []uint32 {
	lines := make([]uint32, 1, 1+bytes.Count(src, []byte{'\n'}))
	for i := 0; ; {
		k := bytes.IndexByte(src[i:], '\n')
		if k < 0 {
			return lines
		}
		i += k + 1
		lines = append(lines, uint32(i))
	}
}

// Position returns the place of a byte offset of Src in the original text. Offsets outside the file are moved to its
// nearest end. In what a macro's use was written out to it is a place in that use: that of the argument's token which
// stands there, and for all else, and what an argument gives several times, its first byte for the first kernel that
// the use makes, the second for the second, so that places tell kernels apart.
func (f *File) Position(offset int) diag.Position {
	offset = f.OriginalOffset(max(0, min(offset, len(f.Src))))
	line := sort.Search(len(f.lines), func(i int) bool { return int(f.lines[i]) > offset })
	return diag.Position{File: f.Name, Line: line, Column: offset - int(f.lines[line-1]) + 1}
}

// Offset is the reverse of Position, for a place in this file. In a macro's use it is the
// begin of the kernel there where no argument's token stands.
func (f *File) Offset(at diag.Position) int {
	line := max(1, min(at.Line, len(f.lines)))
	return f.writtenOffset(min(int(f.lines[line-1])+max(at.Column, 1)-1, len(f.Original())))
}

// Text returns the original text of a node, "" for nil.
func (f *File) Text(n *Node) string {
	if n == nil {
		return ""
	}
	return string(f.Src[n.Start:n.End])
}

// Specifiers returns what stands in front of a node in its statement or declaration: words like __constant__ and
// __shared__ are there, wherever the tree puts them.
func (f *File) Specifiers(n *Node) string {
	before := f.Src[:n.Start]
	return string(before[bytes.LastIndexAny(before, ";{}")+1:])
}

// Newline returns the line break that most lines of the file end with: "\r\n" or "\n".
func (f *File) Newline() string { return f.newline }

func newline(src []byte) string {
	if 2*bytes.Count(src, []byte("\r\n")) > bytes.Count(src, []byte{'\n'}) {
		return "\r\n"
	}
	return "\n"
}

// MarksBetween returns the marks that lie within the byte range [start, end).
func (f *File) MarksBetween(start, end int) []Mark {
	marks := f.Marks
	first := firstMark(marks, start)
	last := first
	within := true
	for last < len(marks) && marks[last].Start < end {
		within = within && marks[last].End <= end
		last++
	}
	if within {
		return marks[first:last:last]
	}
	var kept []Mark // one mark reaches over the end, such as a hidden #if branch
	for _, m := range marks[first:last] {
		if m.End <= end {
			kept = append(kept, m)
		}
	}
	return kept
}

// firstMark returns the index of the first mark that begins at or after start.
func firstMark(marks []Mark, start int) int {
	return sort.Search(len(marks), func(i int) bool { return marks[i].Start >= start })
}

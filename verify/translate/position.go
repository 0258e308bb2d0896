package translate

import (
	"bytes"
	"slices"
	"sort"

	"github.com/smux-cuda/smux/rewrite/edit"
)

// positions relates offsets of a translated text to the original's.
type positions struct {
	original, translated []int // offset of each line's first byte
	steps                []step
	originalEnd          int
}

// step states that the text from an offset on came from an offset of the
// original; an edit's own text came from the edit's place as a whole.
type step struct {
	at, from int
	moves    bool // text goes on byte by byte; otherwise it is an edit's
}

func newPositions(original, translated []byte, edits []edit.Edit) positions {
	p := positions{original: lineStarts(original), translated: lineStarts(translated), originalEnd: len(original)}
	sorted := slices.Clone(edits)
	slices.SortStableFunc(sorted, func(a, b edit.Edit) int {
		if a.Start != b.Start {
			return a.Start - b.Start
		}
		return a.End - b.End // as rewrite.Buffer: insertions come first
	})
	shift := 0
	p.steps = append(p.steps, step{0, 0, true})
	for _, e := range sorted {
		at := e.Start + shift
		p.steps = append(p.steps, step{at, e.Start, false}, step{at + len(e.New), e.End, true})
		shift += len(e.New) - (e.End - e.Start)
	}
	return p
}

func lineStarts(b []byte) []int {
	out := make([]int, 1, 1+bytes.Count(b, []byte{'\n'}))
	for i, c := range b {
		if c == '\n' {
			out = append(out, i+1)
		}
	}
	return out
}

// Original returns the place in the original of a place in Text, both counted from 1, Text's lines from the one after
// #line. The line is the same; the column is that of the byte, or of the text that was replaced by it. What lies
// outside is moved to the nearest place inside.
func (f *File) Original(line, column int) (int, int) {
	p := &f.position
	if len(p.original) == 0 {
		return max(line, 1), max(column, 1)
	}
	line = max(1, min(line, len(p.original)))
	at := p.translated[line-1] + max(column, 1) - 1
	if line < len(p.translated) {
		at = min(at, p.translated[line]-1)
	}
	i := sort.Search(len(p.steps), func(i int) bool { return p.steps[i].at > at }) - 1
	from := p.steps[i].from
	if p.steps[i].moves {
		from += at - p.steps[i].at
	}
	end := p.originalEnd
	if line < len(p.original) {
		end = p.original[line] - 1
	}
	start := p.original[line-1]
	return line, max(0, min(from, end)-start) + 1
}

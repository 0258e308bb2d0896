// Package edit changes a text by edits in byte offsets, which say what is there instead
// and never overlap. It knows neither CUDA nor rewriters.
package edit

import (
	"cmp"
	"fmt"
	"slices"
)

// Edit replaces the bytes [Start, End) of a file by New; Start == End inserts.
type Edit struct {
	Start, End int
	New        string
}

// Buffer collects the edits of one file. Insertions at one offset keep the order in which they were added.
type Buffer struct {
	edits []Edit
}

// NewBuffer returns a buffer with some edits.
func NewBuffer(edits []Edit) *Buffer { return &Buffer{edits} }

// Insert adds text at an offset.
func (b *Buffer) Insert(at int, text string) {
	b.edits = append(b.edits, Edit{at, at, text})
}

// Replace replaces the bytes [start, end).
func (b *Buffer) Replace(start, end int, text string) {
	b.edits = append(b.edits, Edit{start, end, text})
}

// Append adds edits that were made elsewhere.
func (b *Buffer) Append(edits []Edit) { b.edits = append(b.edits, edits...) }

// Edits returns the edits, in the order in which they were added.
func (b *Buffer) Edits() []Edit { return b.edits }

// OverlapError names two edits that touch the same bytes.
type OverlapError struct{ A, B Edit }

func (e *OverlapError) Error() string {
	return fmt.Sprintf("edits overlap: [%d,%d) %q and [%d,%d) %q", e.A.Start, e.A.End, e.A.New, e.B.Start, e.B.End, e.B.New)
}

// Apply returns src with all edits made. It fails, with nothing done, where
// two edits overlap or one reaches beyond src.
func (b *Buffer) Apply(src []byte) ([]byte, error) {
	return ApplyRange(src, b.edits, 0, len(src))
}

// ApplyRange returns src[start:end] with the edits that lie in it made.
func ApplyRange(src []byte, edits []Edit, start, end int) ([]byte, error) {
	sorted, err := Ordered(edits, start, end)
	if err != nil {
		return nil, err
	}
	size := end - start
	for _, e := range sorted {
		size += len(e.New)
	}
	out := make([]byte, 0, size)
	at := start
	for _, e := range sorted {
		out = append(out, src[at:e.Start]...)
		out = append(out, e.New...)
		at = e.End
	}
	return append(out, src[at:end]...), nil
}

// Ordered returns edits in the order in which they are applied. It fails where two
// of them overlap or one reaches out of [start, end).
func Ordered(edits []Edit, start, end int) ([]Edit, error) {
	sorted := Sorted(edits)
	at := start
	for i, e := range sorted {
		if e.Start > e.End || e.Start < start || e.End > end {
			return nil, fmt.Errorf("edit [%d,%d) lies outside [%d,%d)", e.Start, e.End, start, end)
		}
		if e.Start < at {
			return nil, &OverlapError{sorted[i-1], e}
		}
		at = e.End
	}
	return sorted, nil
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Sorted returns edits in the order in which they are applied.
func Sorted(edits []Edit) []Edit {
	sorted := slices.Clone(edits)
	slices.SortStableFunc(sorted, func(a, b Edit) int {
		// Insertions come before a replacement that begins at the same byte.
		return cmp.Or(a.Start-b.Start, boolInt(a.End > a.Start)-boolInt(b.End > b.Start))
	})
	return sorted
}

// Len returns the number of edits.
func (b *Buffer) Len() int { return len(b.edits) }

// Take removes the edits that were added after the first n, and returns them.
func (b *Buffer) Take(n int) []Edit {
	taken := append([]Edit(nil), b.edits[n:]...)
	b.edits = b.edits[:n]
	return taken
}

// Prepend adds an edit in front of all others.
func (b *Buffer) Prepend(e Edit) { b.edits = append([]Edit{e}, b.edits...) }

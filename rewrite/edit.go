package rewrite

import "fmt"

// Edit replaces the bytes [Start, End) of a file by New; Start == End inserts.
type Edit struct {
	Start, End int
	New        string
}

// Buffer collects the edits of one file. Insertions at one offset keep the
// order in which they were added.
type Buffer struct {
	edits []Edit
}

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
	return applyRange(src, b.edits, 0, len(src))
}

// applyRange returns src[start:end] with the edits that lie in it made.
func applyRange(src []byte, edits []Edit, start, end int) ([]byte, error) {
	sorted, err := orderly(edits, start, end)
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

// orderly returns edits in the order in which they are applied. It fails where two
// of them overlap or one reaches out of [start, end).
func orderly(edits []Edit, start, end int) ([]Edit, error) {
	sorted := sortedEdits(edits)
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

package process

import "bytes"

// Head keeps the first Limit bytes of what a command prints, and counts the others, so
// that one that prints without end can go on.
type Head struct {
	Limit int64
	Total int64 // how many bytes were printed
	kept  bytes.Buffer
}

// Write keeps what there is room for. It never fails.
func (h *Head) Write(p []byte) (int, error) {
	h.kept.Write(p[:max(0, min(int64(len(p)), h.Limit-h.Total))])
	h.Total += int64(len(p))
	return len(p), nil
}

// Bytes returns the bytes that were kept.
func (h *Head) Bytes() []byte { return h.kept.Bytes() }

// Cut reports whether some were not.
func (h *Head) Cut() bool { return h.Total > h.Limit }

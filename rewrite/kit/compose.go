package kit

import (
	"sort"

	"github.com/smux-cuda/smux/rewrite/edit"
)

// middle is a text between two rewrites: what a first list of edits made of the
// original, and where each byte of it came from.
type middle struct {
	src, text []byte // the original, and what became of it
	pieces    []piece
}

// piece is a stretch [start, end) of the middle text. It stands where the
// original's [from, to) stood, whose bytes it has if it is kept.
type piece struct {
	start, end int
	from, to   int
	kept       bool
}

// newMiddle applies edits to an original.
func newMiddle(src []byte, edits []edit.Edit) (*middle, error) {
	b := edit.NewBuffer(edits)
	text, err := b.Apply(src)
	if err != nil {
		return nil, err
	}
	m := &middle{src: src, text: text}
	at := 0
	for _, e := range edit.Sorted(edits) {
		m.add(at, e.Start, e.Start-at, true)
		m.add(e.Start, e.End, len(e.New), false)
		at = e.End
	}
	m.add(at, len(src), len(src)-at, true)
	return m, nil
}

// add appends a piece of n bytes in the place of the original's [from, to).
func (m *middle) add(from, to, n int, kept bool) {
	start := 0
	if len(m.pieces) > 0 {
		start = m.pieces[len(m.pieces)-1].end
	}
	if from < to || n > 0 {
		m.pieces = append(m.pieces, piece{start, start + n, from, to, kept})
	}
}

// original maps an offset of the middle text to one of the original: its own
// where the byte there was kept, else the start of what was replaced.
func (m *middle) original(at int) (offset int, kept bool) {
	i := sort.Search(len(m.pieces), func(i int) bool { return m.pieces[i].end > at })
	if i == len(m.pieces) {
		return len(m.src), true
	}
	p := m.pieces[i]
	if !p.kept {
		return p.from, false
	}
	return p.from + at - p.start, true
}

// compose returns edits of the original that make of it what edits make of the
// middle text. They touch no byte that both rewrites leave alone.
func (m *middle) compose(edits []edit.Edit) ([]edit.Edit, error) {
	sorted, err := edit.Ordered(edits, 0, len(m.text))
	if err != nil {
		return nil, err
	}
	c := composer{middle: m}
	for _, e := range sorted {
		c.copy(e.Start)
		c.text = append(c.text, e.New...)
		c.at = e.End
	}
	c.copy(len(m.text))
	c.keep(len(m.src), len(m.src))
	return c.edits, nil
}

// composer goes through the middle text once.
type composer struct {
	*middle
	at    int    // in the middle text: what stands before is dealt with
	next  int    // the first piece that may reach beyond at
	done  int    // in the original: what stands before is dealt with
	text  []byte // new text that goes to done
	edits []edit.Edit
}

// copy takes over the middle text up to an offset.
func (c *composer) copy(end int) {
	for ; c.next < len(c.pieces); c.next++ {
		p := c.pieces[c.next]
		start, stop := max(p.start, c.at), min(p.end, end)
		switch {
		case start >= stop:
		case p.kept:
			c.keep(p.from+start-p.start, p.from+stop-p.start)
		default:
			c.text = append(c.text, c.middle.text[start:stop]...)
		}
		if p.end > end {
			break
		}
	}
	c.at = max(c.at, end)
}

// keep leaves [from, to) of the original as it is; what stands between it and the last such stretch becomes one edit.
func (c *composer) keep(from, to int) {
	if from > c.done || len(c.text) > 0 {
		c.edits = append(c.edits, edit.Edit{Start: c.done, End: from, New: string(c.text)})
		c.text = nil
	}
	c.done = to
}

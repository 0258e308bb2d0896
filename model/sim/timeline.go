package sim

// SpanKind is the activity of a v-TB during a span.
type SpanKind uint8

// The kinds of spans.
const (
	Compute SpanKind = iota // outside regions
	Memory                  // waits for global memory, outside regions
	Region                  // inside a region, whatever it does there
	Wait                    // for a barrier, for its turn, or for shared memory
)

var spanNames = [...]string{"compute", "memory", "region", "wait"}

func (k SpanKind) String() string {
	if int(k) < len(spanNames) {
		return spanNames[k]
	}
	return "?"
}

// MarshalText gives the name that String gives.
func (k SpanKind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// Span is a while in the life of a v-TB, as its first warp sees it.
type Span struct {
	TB         int // launched TB, in order of dispatch
	VTB        int // v-TB in it, from 0
	Slot       int // place on the SM that the launched TB has for its life
	Kind       SpanKind
	Start, End float64 // cycles
	Label      string  // of the step it begins with
}

// record notes that a v-TB does something of a kind from now on.
func (m *machine) record(w *warp, kind SpanKind, label string) {
	v := &m.blocks[w.block].vtbs[w.vtb]
	if v.open && v.span.Kind == kind {
		return
	}
	m.endSpan(w)
	v.open = true
	v.span = Span{TB: m.blocks[w.block].number, VTB: int(w.vtb), Slot: int(w.block), Kind: kind, Start: m.now, Label: label}
}

// endSpan closes the span that a v-TB is in.
func (m *machine) endSpan(w *warp) {
	v := &m.blocks[w.block].vtbs[w.vtb]
	if v.open && m.now > v.span.Start {
		v.span.End = m.now
		m.timeline = append(m.timeline, v.span)
	}
	v.open = false
}

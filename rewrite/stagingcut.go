package rewrite

import (
	"fmt"
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
)

// divides reports whether the tiles of a loop are all of one size.
func (p *stagingProof) divides(l *countedLoop) bool {
	n := l.trips()
	return n > 0 && n%int64(p.tile) == 0
}

// ahead reports whether a place copies the next tile while one is used.
func (p *stagingProof) ahead(place *stagingPlace) bool { return p.Async && place.cut != nil }

// cutLoop makes two loops of one: over tiles, and over the iterations of a tile.
func (w *stagingEmitter) cutLoop(place *stagingPlace) {
	f, s, l := w.of.File, place.stmt, place.cut
	v, high := l.v.Name, text(f, l.high.Range)
	start := w.fresh(v + "0")
	left := operand(f, l.high, high) + " - " + start
	indent := indentAt(f, s.Range.Start)
	nl := f.Newline() + indent + "    "
	var b strings.Builder
	if s.Outer.Start < s.Range.Start {
		b.WriteString(strings.TrimPrefix(indent, indentAt(f, s.Outer.Start)))
	}
	copies := func(tile loopTile) {
		for _, line := range w.copies(place, tile) {
			b.WriteString(nl + line)
		}
	}
	fetch, counts := "", ""
	if w.p.ahead(place) {
		fetch, w.half = w.fresh("fetch"), w.fresh("buffer")
		fmt.Fprintf(&b, "const auto %s = [&](int %s, int %s) {", fetch, start, w.half)
		copies(loopTile{start, left})
		b.WriteString(nl + "__pipeline_commit();" + f.Newline() + indent + "};" + f.Newline() + indent)
		if !w.p.divides(l) {
			fmt.Fprintf(&b, "if (%s < %s) ", text(f, l.low.Range), high)
		}
		b.WriteString(fetch + "(" + text(f, l.low.Range) + ", 0);" + f.Newline() + indent)
		counts = ", " + w.half + " ^= 1"
	}
	length, more := number(w.p.tile), ""
	if !w.p.divides(l) {
		length = w.fresh(v + "_len")
		more = ", " + length
	}
	if fetch != "" {
		more += ", " + w.half + " = 0"
	}
	fmt.Fprintf(&b, "for (int %s = %s%s; %s < %s; %s += %s%s) {", start, text(f, l.low.Range), more, start, high, start, length, counts)
	switch {
	case w.p.divides(l):
	case w.p.forms.isVariable("min"):
		fmt.Fprintf(&b, "%s%s = %s < %d ? %s : %d;", nl, length, left, w.p.tile, left, w.p.tile)
	default:
		fmt.Fprintf(&b, "%s%s = min(%d, %s);", nl, length, w.p.tile, left)
	}
	if fetch != "" {
		fmt.Fprintf(&b, "%s%s(%s + %s, %s ^ 1);%s__pipeline_wait_prior(1);", nl, fetch, start, length, w.half, nl)
	} else {
		copies(loopTile{start, length})
	}
	b.WriteString(nl + "__syncthreads();")
	w.iterations(place, &b, start, length)
	w.reads(place, start)
}

// iterations writes the loop over the iterations of a tile, whose body stays.
func (w *stagingEmitter) iterations(place *stagingPlace, b *strings.Builder, start, length string) {
	f, s, v := w.of.File, place.stmt, place.cut.v.Name
	nl := f.Newline() + indentAt(f, s.Range.Start) + "    "
	pragma := strings.TrimSpace(text(f, ir.Range{Start: s.Outer.Start, End: s.Range.Start}))
	flag, closing := w.flagAt(place), []string{"    __syncthreads();", "}"}
	b.WriteString(nl)
	switch {
	case flag != "" && pragma != "":
		b.WriteString("if (" + flag + ") {" + nl + "    " + pragma + nl + "    ")
		closing = append([]string{"    }"}, closing...)
	case flag != "":
		b.WriteString("if (" + flag + ")" + nl + "    ")
	case pragma != "":
		b.WriteString(pragma + nl)
	}
	fmt.Fprintf(b, "for (int %s = %s; %s < %s + %s; %s++)", v, start, v, start, length, v)
	more := "    "
	if flag != "" {
		more += "    "
	}
	if firstOnLine(f, s.Body.Range.Start) {
		b.WriteString(f.Newline() + indentAt(f, s.Body.Range.Start) + more)
	} else {
		b.WriteByte(' ')
	}
	w.buffer(f).Replace(s.Outer.Start, s.Body.Range.Start, b.String())
	w.indent(s.Body.Range.Start, stmtEnd(f, s), more)
	w.insertAfter(f, stmtEnd(f, s), s.Range.Start, closing...)
}

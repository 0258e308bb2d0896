package stage

import (
	"fmt"
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/rewrite/kit"
)

// divides reports whether the tiles of a loop are all of one size.
func (p *copyProof) divides(l *countedLoop) bool {
	n := l.trips()
	return n > 0 && n%int64(p.tile) == 0
}

// span returns how far the counter goes in a whole tile.
func (p *copyProof) span(l *countedLoop) int { return p.tile * int(l.step) }

// ahead reports whether a place copies the next tile while one is used.
func (p *copyProof) ahead(place *copyPlace) bool { return p.Async && place.cut != nil }

// cutLoop makes two loops of one: over tiles, and over the iterations of a tile.
func (w *copyEmitter) cutLoop(place *copyPlace) {
	if w.loopStays(place) {
		w.aroundBody(place)
		return
	}
	f, s, l := w.Of.File, place.stmt, place.cut
	v, high := l.v.Name, kit.Text(f, l.high.Range)
	start := w.Fresh(v + "0")
	left := kit.Operand(f, l.high, high) + " - " + start // iterations, of a plain loop
	indent := kit.IndentAt(f, s.Range.Start)
	nl := f.Newline() + indent + "    "
	var b strings.Builder
	if s.Outer.Start < s.Range.Start {
		b.WriteString(strings.TrimPrefix(indent, kit.IndentAt(f, s.Outer.Start)))
	}
	copies := func(tile loopTile) {
		for _, line := range w.copies(place, tile) {
			b.WriteString(nl + line)
		}
	}
	if place.arrays[0].moves() {
		for _, line := range w.planesBefore(place) {
			b.WriteString(line + f.Newline() + indent)
		}
	}
	fetch, counts := "", ""
	if w.p.ahead(place) {
		fetch, w.half = w.Fresh("fetch"), w.Fresh("buffer")
		fmt.Fprintf(&b, "const auto %s = [&](int %s, int %s) {", fetch, start, w.half)
		copies(loopTile{start: start, length: left})
		b.WriteString(nl + "__pipeline_commit();" + f.Newline() + indent + "};" + f.Newline() + indent)
		if !w.p.divides(l) {
			fmt.Fprintf(&b, "if (%s < %s) ", kit.Text(f, l.low.Range), high)
		}
		b.WriteString(fetch + "(" + kit.Text(f, l.low.Range) + ", 0);" + f.Newline() + indent)
		counts = ", " + w.half + " ^= 1"
	}
	length, more := kit.Number(w.p.span(l)), ""
	if !w.p.divides(l) {
		length = w.Fresh(v + "_len")
		more = ", " + length
	}
	if fetch != "" {
		more += ", " + w.half + " = 0"
	}
	fmt.Fprintf(&b, "for (%s %s = %s%s; %s %s %s; %s %s= %s%s) {", l.v.Type.Base, start, kit.Text(f, l.low.Range), more, start, l.stmt.Cond.Tok, high, start, l.sign(), length, counts)
	if !w.p.divides(l) {
		fmt.Fprintf(&b, "%s%s = %s;", nl, length, w.tileLength(l, start))
	}
	if fetch != "" {
		fmt.Fprintf(&b, "%s%s(%s + %s, %s ^ 1);%s__pipeline_wait_prior(1);", nl, fetch, start, length, w.half, nl)
	} else {
		copies(loopTile{start: start, length: length})
	}
	b.WriteString(nl + "__syncthreads();")
	w.iterations(place, &b, start, length)
	w.reads(place, start)
}

// sign is that of a loop's steps.
func (l *countedLoop) sign() string {
	if l.down {
		return "-"
	}
	return "+"
}

// tileLength is the text of how many iterations the tile has that begins with one: no more than are left. It
// overflows nowhere: where the loop's last iteration is the bound it counts those after the first.
func (w *copyEmitter) tileLength(l *countedLoop, start string) string {
	f, most := w.Of.File, w.p.span(l)
	high := kit.Operand(f, l.high, kit.Text(f, l.high.Range))
	left, more := high+" - "+start, ""
	if l.inclusive || l.down {
		most, more = most-1, " + 1"
	}
	if l.down {
		last, _ := w.p.forms.constant(l.high)
		if !l.inclusive {
			last++
		}
		left = plus(start, -int(last))
	}
	isInt := l.v.Type.Base == "int" && w.p.forms.isInt(l.high)
	switch {
	case isInt && !l.down && (!l.known || l.first < 0): // there may be more than an int counts
		return fmt.Sprintf("min(%du, (unsigned)%s)%s", most, left, more)
	case isInt && !w.p.forms.isHidden("min"):
		return fmt.Sprintf("min(%d, %s)%s", most, left, more)
	case more != "":
		return fmt.Sprintf("(%s < %d ? %s : %d)%s", left, most, left, most, more)
	}
	return fmt.Sprintf("%s < %d ? %s : %d", left, most, left, most)
}

// iterations writes the loop over the iterations of a tile, whose body stays.
func (w *copyEmitter) iterations(place *copyPlace, b *strings.Builder, start, length string) {
	f, s, v := w.Of.File, place.stmt, place.cut.v.Name
	nl := f.Newline() + kit.IndentAt(f, s.Range.Start) + "    "
	pragma := strings.TrimSpace(kit.Text(f, ir.Range{Start: s.Outer.Start, End: s.Range.Start}))
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
	l, declared, tok := place.cut, place.cut.v.Type.Base+" ", "<"
	if l.outside {
		declared = ""
	}
	if l.down {
		tok = ">"
	}
	step := v + l.sign() + l.sign()
	if l.step > 1 {
		step = kit.Text(f, s.Post.Range)
	}
	fmt.Fprintf(b, "for (%s%s = %s; %s %s %s %s %s; %s)", declared, v, start, v, tok, start, l.sign(), length, step)
	more := "    "
	if flag != "" {
		more += "    "
	}
	if kit.FirstOnLine(f, s.Body.Outer.Start) {
		b.WriteString(f.Newline() + kit.IndentAt(f, s.Body.Outer.Start) + more)
	} else {
		b.WriteByte(' ')
	}
	w.Buffer(f).Replace(s.Outer.Start, s.Body.Outer.Start, b.String())
	w.indent(s.Body.Outer.Start, kit.StmtEnd(f, s), more)
	w.InsertAfter(f, kit.StmtEnd(f, s), s.Range.Start, closing...)
}

package kit

import (
	"bytes"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite/edit"
)

// SetIn returns the edits of a file with the lines set in that stand in braces which the edits put around them: turns
// in block mode are loops around text that was there. Lines of directives at the left margin stay, and so does a file
// whose braces don't match, for an #if say.
func SetIn(f *parser.File, edits []edit.Edit) ([]edit.Edit, error) {
	if !slices.ContainsFunc(edits, func(e edit.Edit) bool { return strings.Contains(e.New, "{") }) {
		return edits, nil
	}
	sorted, err := edit.Ordered(edits, 0, len(f.Src))
	if err != nil {
		return nil, err
	}
	t := newEdited(f.Src, sorted)
	depths, ok := t.depths()
	if !ok {
		return edits, nil
	}
	unit := UnitOf(f.Src)
	out := slices.Clone(sorted)
	for i := len(depths) - 1; i >= 0; i-- { // from the end: offsets in new texts stay right
		line := depths[i]
		by := strings.Repeat(unit, line.depth)
		if p := t.pieceAt(line.start); p.edit >= 0 {
			at := line.start - p.start
			out[p.edit].New = out[p.edit].New[:at] + by + out[p.edit].New[at:]
		} else {
			from := p.from + line.start - p.start
			out = append(out, edit.Edit{Start: from, End: from, New: by})
		}
	}
	return out, nil
}

// edited is a text after edits, and where each part of it comes from.
type edited struct {
	text   []byte
	pieces []editedPiece
}

// editedPiece is a part of the text that an edit added, or, where edit is -1, that was there.
type editedPiece struct{ start, edit, from int }

func newEdited(src []byte, sorted []edit.Edit) *edited {
	t := &edited{}
	add := func(text []byte, edit, from int) {
		if len(text) > 0 {
			t.pieces = append(t.pieces, editedPiece{len(t.text), edit, from})
			t.text = append(t.text, text...)
		}
	}
	at := 0
	for i, e := range sorted {
		add(src[at:e.Start], -1, at)
		add([]byte(e.New), i, 0)
		at = e.End
	}
	add(src[at:], -1, at)
	return t
}

func (t *edited) pieceAt(at int) editedPiece {
	i, found := slices.BinarySearchFunc(t.pieces, at, func(p editedPiece, at int) int { return p.start - at })
	if !found {
		i--
	}
	return t.pieces[i]
}

// lineDepth is a line that is set in.
type lineDepth struct{ start, depth int }

// depths returns the lines that are set in and how deep; ok is false where the braces don't match.
func (t *edited) depths() (out []lineDepth, ok bool) {
	tokens := parser.TokensBetween(t.text, 0, len(t.text))
	around, ok := t.bracesAround(tokens)
	if !ok {
		return nil, false
	}
	var flat []bool // of the braces that are open: what stands in it is not set in yet
	depth := 0
	line := 0 // its start
	next := func(end, covered int, closing []parser.Token) {
		for line < end {
			stop := line + bytes.IndexByte(t.text[line:], '\n') + 1
			if stop == line {
				stop = len(t.text)
			}
			d := depth
			for i, c := range closing { // of this line, at its begin
				if c.Start < stop && len(flat) > i && flat[len(flat)-1-i] {
					d--
				}
			}
			if d > 0 && line >= covered && t.movable(line, stop) {
				out = append(out, lineDepth{line, d})
			}
			line = stop
		}
	}
	covered := 0 // where the last token ends: a line that begins in it is part of a literal
	for i, tok := range tokens {
		closing := tokens[i:]
		for n, c := range closing {
			if string(t.text[c.Start:c.End]) != "}" {
				closing = closing[:n]
				break
			}
		}
		next(tok.Start, covered, closing)
		covered = tok.End
		switch string(t.text[tok.Start:tok.End]) {
		case "{":
			f := around[tok.Start] && t.isFlat(tok.Start, tokens[i+1:])
			if flat = append(flat, f); f {
				depth++
			}
		case "}":
			if flat[len(flat)-1] {
				depth--
			}
			flat = flat[:len(flat)-1]
		}
	}
	return out, true
}

// bracesAround finds the opening braces that an edit added, with what closes them added by
// another: they stand around text that was there. It is not ok where braces don't match.
func (t *edited) bracesAround(tokens []parser.Token) (around map[int]bool, ok bool) {
	around = map[int]bool{}
	var open []int
	for _, tok := range tokens {
		switch string(t.text[tok.Start:tok.End]) {
		case "{":
			open = append(open, tok.Start)
		case "}":
			if len(open) == 0 {
				return nil, false
			}
			at := open[len(open)-1]
			open = open[:len(open)-1]
			by, end := t.pieceAt(at).edit, t.pieceAt(tok.Start).edit
			around[at] = by >= 0 && end >= 0 && by != end
		}
	}
	return around, len(open) == 0
}

// isFlat reports whether what follows a brace stands on lines that are not set in deeper than the brace's own line.
func (t *edited) isFlat(brace int, rest []parser.Token) bool {
	own, _ := t.indentation(brace)
	for _, tok := range rest {
		column, first := t.indentation(tok.Start)
		switch {
		case bytes.IndexByte(t.text[brace:tok.Start], '\n') < 0:
			return false // on the same line
		case !first || t.isDirective(tok.Start):
			continue
		}
		return column <= own && string(t.text[tok.Start:tok.End]) != "}"
	}
	return false
}

// indentation returns how far the line of an offset is set in, and whether nothing but blanks
// stands before the offset in it.
func (t *edited) indentation(at int) (columns int, first bool) {
	start := bytes.LastIndexByte(t.text[:at], '\n') + 1
	i := start
	for i < len(t.text) && (t.text[i] == ' ' || t.text[i] == '\t') {
		i++
	}
	return i - start, i == at
}

// isDirective reports whether the line of an offset is a directive or continues one.
func (t *edited) isDirective(at int) bool {
	start := bytes.LastIndexByte(t.text[:at], '\n') + 1
	if bytes.HasPrefix(bytes.TrimLeft(t.text[start:at+1], " \t"), []byte("#")) {
		return true
	}
	return start > 1 && bytes.HasSuffix(bytes.TrimRight(t.text[:start-1], "\r"), []byte("\\")) && t.isDirective(start-1)
}

// movable reports whether the line [start, stop) can be set in: it is not blank and no
// directive at the left margin, nor the continuation of a line.
func (t *edited) movable(start, stop int) bool {
	text := bytes.TrimSpace(t.text[start:stop])
	switch {
	case len(text) == 0 || t.text[start] == '#':
		return false
	case start > 1 && bytes.HasSuffix(bytes.TrimRight(t.text[:start-1], "\r"), []byte("\\")):
		return false
	}
	return true
}

// UnitOf returns the indentation that a text adds inside braces: that of most lines that follow one
// which ends with a brace.
func UnitOf(src []byte) string {
	seen := map[string]int{}
	best := "    "
	lines := bytes.Split(src, []byte("\n"))
	for i := 1; i < len(lines); i++ {
		if !bytes.HasSuffix(bytes.TrimRight(lines[i-1], " \t\r"), []byte("{")) {
			continue
		}
		before, after := leadingBlanks(lines[i-1]), leadingBlanks(lines[i])
		if by, ok := strings.CutPrefix(after, before); ok && by != "" {
			if seen[by]++; seen[by] > seen[best] {
				best = by
			}
		}
	}
	return best
}

func leadingBlanks(line []byte) string {
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

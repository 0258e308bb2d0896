package parser

import (
	"bytes"
	"sort"
	"unicode/utf8"
)

// overlay blanks what the C++ grammar does not know, with text of equal length, and notes each change as a Mark. Each
// pass has a file of its own: qualifiers, launches, then the work-arounds.
type overlay struct {
	src   []byte
	out   []byte
	toks  []token // the tokens that are still there
	attrs *attributes
	marks []Mark
	moves []move
	// lambdas are the offsets of lambda expressions that mask statement expressions.
	lambdas []uint32
	// assigned are the offsets of operators that mask assignments.
	assigned []uint32
}

// move notes that masked text stands one byte to the left of the original: the name that ends at nameEnd lost its
// last byte, so that a ';' fits after the byte at end-1. Node offsets in [nameEnd-1, end-1] are one too small.
type move struct{ nameEnd, end int }

// overlayText masks a text. Tokens inside the hidden ranges are ignored, and those ranges blanked.
func overlayText(src []byte, sc *scan, attrs *attributes, hidden []Mark) *overlay {
	o := &overlay{src: src, out: make([]byte, len(src)), toks: sc.toks, attrs: attrs}
	copy(o.out, src)
	if bytes.HasPrefix(src, utf8BOM) {
		blank(o.out[:len(utf8BOM)])
	}
	if !utf8.Valid(src) {
		o.dropInvalidUTF8()
	}
	if len(hidden) > 0 {
		o.hide(hidden)
	}
	o.qualifiers()
	o.launches()
	o.pragmas(sc.directives)
	o.emptyMacros(sc.directives)
	o.workarounds()
	sort.SliceStable(o.marks, func(i, j int) bool { return o.marks[i].Start < o.marks[j].Start })
	return o
}

// hide blanks whole ranges and drops their tokens.
func (o *overlay) hide(hidden []Mark) {
	o.marks = append(o.marks, hidden...)
	live := make([]token, 0, len(o.toks))
	h := 0
	for _, t := range o.toks {
		for h < len(hidden) && hidden[h].End <= int(t.start) {
			h++
		}
		if h == len(hidden) || int(t.end) <= hidden[h].Start {
			live = append(live, t)
		}
	}
	o.toks = live
	for _, m := range hidden {
		blank(o.out[m.Start:m.End])
	}
}

// dropInvalidUTF8 replaces bytes that are not UTF-8 (Latin-1 comments, say), so
// that the grammar's decoder stays in step.
func (o *overlay) dropInvalidUTF8() {
	for i := 0; i < len(o.out); {
		r, n := utf8.DecodeRune(o.out[i:])
		if r == utf8.RuneError && n == 1 {
			o.out[i] = '?'
		}
		i += n
	}
}

// blank overwrites text with spaces and keeps line breaks.
func blank(b []byte) {
	for i, c := range b {
		if c != '\n' && c != '\r' {
			b[i] = ' '
		}
	}
}

// word returns the text of token i, nil outside of the list.
func (o *overlay) word(i int) []byte {
	if i < 0 || i >= len(o.toks) {
		return nil
	}
	return o.src[o.toks[i].start:o.toks[i].end]
}

// is reports whether token i is the text.
func (o *overlay) is(i int, text string) bool { return string(o.word(i)) == text }

func (o *overlay) isIdent(i int) bool {
	return i >= 0 && i < len(o.toks) && o.toks[i].kind == tokIdent
}

// punct returns token i if it is punctuation, else 0.
func (o *overlay) punct(i int) byte {
	if i < 0 || i >= len(o.toks) || o.toks[i].kind != tokPunct {
		return 0
	}
	return o.src[o.toks[i].start]
}

// closing returns the index of the bracket that closes the one at token i, -1 if it never closes.
func (o *overlay) closing(i int) int {
	depth := 0
	for ; i < len(o.toks); i++ {
		switch o.punct(i) {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth == 0 {
				return i
			}
			if depth < 0 {
				return -1
			}
		}
	}
	return -1
}

// fix notes a work-around for tokens [from, to].
func (o *overlay) fix(name string, from, to int) {
	o.marks = append(o.marks, Mark{Kind: MarkFix, Name: name, Start: int(o.toks[from].start), End: int(o.toks[to].end)})
}

// blankTokens blanks tokens [from, to] and all between them.
func (o *overlay) blankTokens(from, to int) {
	blank(o.out[o.toks[from].start:o.toks[to].end])
}

// drop blanks tokens [from, to], and notes the work-around.
func (o *overlay) drop(name string, from, to int) {
	o.blankTokens(from, to)
	o.fix(name, from, to)
}

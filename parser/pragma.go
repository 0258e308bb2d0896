package parser

import (
	"bytes"
	"regexp"
	"sort"
	"strings"
)

// FixBarePragma is the name of the MarkFix for a #pragma where the grammar takes no directive:
// in front of a statement without braces around it, in a case, or in the middle of an expression.
const FixBarePragma = "bare-pragma"

// pragmas blanks those #pragma lines that stand elsewhere than in a list of statements or declarations.
func (o *overlay) pragmas(directives []span) {
	var open []bool // enclosing brackets: does a list of statements or declarations stand there?
	list, i := true, 0
	for _, d := range directives {
		for ; i < len(o.toks) && int(o.toks[i].start) < d.start; i++ {
			switch o.punct(i) {
			case '{':
				open = append(open, !o.isSwitch(i))
			case '(', '[':
				open = append(open, false)
			case ')', ']', '}':
				if len(open) > 0 {
					open = open[:len(open)-1]
				}
			}
		}
		list = len(open) == 0 || open[len(open)-1]
		if list && (i == 0 || endsList(o.punct(i-1))) || o.out[d.start] != '#' || !isPragma(o.src[d.start:d.end]) {
			continue
		}
		blank(o.out[d.start:d.end])
		o.marks = append(o.marks, Mark{Kind: MarkFix, Name: FixBarePragma, Start: d.start, End: d.end})
	}
}

// emptyMacros blanks #define lines with white space and no body: the grammar takes the next line for the body.
func (o *overlay) emptyMacros(directives []span) {
	for _, d := range directives {
		if text := o.src[d.start:d.end]; strings.IndexByte(" \t\v\f\\\r\n", text[len(text)-1]) >= 0 && emptyMacro.Match(text) {
			blank(o.out[d.start:d.end])
		}
	}
}

var emptyMacro = regexp.MustCompile(`^#(?:\s|\\\r?\n)*define(?:\s|\\\r?\n)+\w+(?:\([^()]*\))?(?:\s|\\\r?\n)+$`)

// endsList reports whether the grammar takes a directive after a token that begins with c.
func endsList(c byte) bool { return c == ';' || c == '{' || c == '}' }

// isSwitch reports whether token i opens the body of a switch.
func (o *overlay) isSwitch(i int) bool {
	depth := 0
	for i--; i >= 0; i-- {
		switch o.punct(i) {
		case ')':
			depth++
		case '(':
			if depth--; depth == 0 {
				return o.is(i-1, "switch")
			}
		}
		if depth == 0 {
			return false
		}
	}
	return false
}

func isPragma(directive []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(directive[1:], " \t"), []byte("pragma"))
}

// PragmaBefore returns where the first of the bare pragmas begins that stand in front of the
// code at an offset with nothing in between, and at where there is none.
func (f *File) PragmaBefore(at int) int {
	after := sort.Search(len(f.Marks), func(i int) bool { return f.Marks[i].Start >= at })
	for i := after - 1; i >= 0; i-- {
		m := f.Marks[i]
		if m.End > at {
			continue // it is around the code
		}
		if m.Kind != MarkFix || m.Name != FixBarePragma || len(TokensBetween(f.Src, m.End, at)) > 0 {
			break
		}
		at = m.Start
	}
	return at
}

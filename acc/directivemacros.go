package acc

import (
	"errors"
	"regexp"
	"strings"

	"github.com/smux-cuda/smux/acc/directive"
	"github.com/smux-cuda/smux/acc/words"
	"github.com/smux-cuda/smux/parser"
)

// Macros in a directive are written out where they are more than an expression: clauses, lists
// and sections. Those that stand for an expression stay as they are, since the text that rests on
// it reads better so.

// parse reads the text of a directive, which begins at an offset of the file.
func (u *unit) parse(text string, offset int) (directive.Directive, error) {
	full, stretched := u.writtenOut(text, offset)
	d, err := directive.Parse(withoutDimensions(full), offset)
	if len(stretched) == 0 {
		return d, err
	}
	at := func(pos *int) { *pos = offset + stretched.original(*pos-offset) }
	var wrong *directive.Error
	if errors.As(err, &wrong) {
		at(&wrong.Pos)
	}
	at(&d.Pos)
	at(&d.End)
	args := func(list []directive.Arg) {
		for i := range list {
			at(&list[i].Pos)
			at(&list[i].End)
		}
	}
	args(d.Args)
	for i := range d.Clauses {
		at(&d.Clauses[i].Pos)
		at(&d.Clauses[i].End)
		args(d.Clauses[i].Args)
	}
	return d, err
}

// stretch is a use of a macro and what it was written out to, by offsets of a directive's text.
type stretch struct{ from, to, at, end int }

type stretches []stretch

// original maps an offset of the written-out text to the original.
func (s stretches) original(pos int) int {
	moved := 0
	for _, x := range s {
		switch {
		case pos < x.at:
			return pos - moved
		case pos < x.end:
			return x.from
		}
		moved = x.end - x.to
	}
	return pos - moved
}

// writtenOut is the text of a directive with macros written out that are more than expressions.
func (u *unit) writtenOut(text string, offset int) (string, stretches) {
	var b strings.Builder
	var all stretches
	done, depth := 0, 0
	toks := parser.TokensBetween([]byte(text), 0, len(text))
	for n, k := range toks {
		word, end := text[k.Start:k.End], k.End
		switch {
		case k.Start < done:
		case word == "(" || word == "[":
			depth++
		case word == ")" || word == "]":
			depth--
		case k.Kind == parser.TokenIdent:
			m, ok := u.file.Macros.Lookup(word, offset+k.Start)
			if ok && m.FunctionLike {
				end = words.Closing([]byte(text), toks, n+1)
			}
			if !ok || m.Ambiguous || end < 0 {
				continue
			}
			full, err := u.file.Macros.Expand(text[k.Start:end], offset+k.Start)
			if full = strings.TrimSpace(full); err == nil && (depth == 0 || moreThanExpression(full)) {
				b.WriteString(text[done:k.Start])
				all = append(all, stretch{k.Start, end, b.Len(), b.Len() + len(full)})
				b.WriteString(full)
				done = end
			}
		}
	}
	if len(all) == 0 {
		return text, nil
	}
	b.WriteString(text[done:])
	return b.String(), all
}

// moreThanExpression reports whether what a macro stands for is a list, a section or a variable.
func moreThanExpression(text string) bool {
	depth := 0
	for _, c := range text {
		switch c {
		case '(':
			depth++
		case ')':
			depth--
		case ':', ',', '[':
			if depth == 0 {
				return true
			}
		}
	}
	return plainName.MatchString(text)
}

var plainName = regexp.MustCompile(`^[A-Za-z_]\w*$`)

// RoseACC numbers the dimensions of gangs and workers: gang[1] worker[1] on one loop,
// gang[0] worker[0] on the next, and num_gangs[0](n/8) on the construct. Loops of a nest
// have dimensions of their own here without that.
var (
	sizeOfDimension = regexp.MustCompile(`\b(num_gangs|num_workers)\[\d\]\([^()]*\)`)
	dimension       = regexp.MustCompile(`\b(gang|worker)\[\d\]`)
)

// withoutDimensions blanks the numbers of dimensions, and the sizes of single ones, which
// are smux's choice. The text keeps its length.
func withoutDimensions(text string) string {
	if !strings.ContainsAny(text, "[") {
		return text
	}
	text = sizeOfDimension.ReplaceAllStringFunc(text, func(s string) string { return strings.Repeat(" ", len(s)) })
	return dimension.ReplaceAllStringFunc(text, func(s string) string { return s[:len(s)-3] + "   " })
}

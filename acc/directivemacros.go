package acc

import (
	"bytes"
	"errors"
	"regexp"

	"github.com/smux-cuda/smux/acc/directive"
	"github.com/smux-cuda/smux/parser"
)

// Macros in a directive are written out where they are clauses, lists and sections. Those that are expressions stay, which reads better.

// parse reads the text of a directive, which begins at an offset of the file.
func (u *unit) parse(text string, offset int) directive.Directive {
	w := u.writtenOut(text, offset)
	plain := sizeOfDimension.ReplaceAllFunc(w.out, func(s []byte) []byte { return bytes.Repeat([]byte(" "), len(s)) })
	plain = dimension.ReplaceAllFunc(plain, func(s []byte) []byte { return append(s[:len(s)-3:len(s)-3], "   "...) })
	d, err := directive.Parse(string(plain), offset)
	positions := []*int{&d.Pos}
	var wrong *directive.Error
	if errors.As(err, &wrong) {
		positions = append(positions, &wrong.Pos)
	}
	args := func(list []directive.Arg) {
		for i := range list {
			positions = append(positions, &list[i].Pos)
		}
	}
	args(d.Args)
	for i := range d.Clauses {
		positions = append(positions, &d.Clauses[i].Pos)
		args(d.Clauses[i].Args)
	}
	for _, at := range positions {
		if len(w.pieces) > 1 { // else it is as it was
			from, _ := (&source{pieces: w.pieces}).original(*at-offset, *at-offset)
			*at = offset + from
		}
	}
	u.stopAt(err)
	return d
}

// writtenOut is the text of a directive with macros written out that are more than expressions.
func (u *unit) writtenOut(text string, offset int) *writer {
	w, depth := &writer{src: []byte(text)}, 0
	toks := parser.TokensBetween(w.src, 0, len(text))
	for i, k := range toks {
		switch word := text[k.Start:k.End]; {
		case k.Start < w.done:
		case word == "(" || word == "[":
			depth++
		case word == ")" || word == "]":
			depth--
		default:
			if full, end := useOf(u.file.Macros, w.src, toks, i, offset); end > 0 && (depth == 0 || moreThanExpression(full)) {
				w.put(full, k.Start, end)
			}
		}
	}
	w.end()
	return w
}

// moreThanExpression reports whether what a macro stands for is a list, a section or a variable.
func moreThanExpression(text string) bool {
	for _, b := range directive.Outside(text) {
		if b == ':' || b == ',' || b == '[' {
			return true
		}
	}
	return plainName.MatchString(text)
}

var plainName = regexp.MustCompile(`^[A-Za-z_]\w*$`)

// RoseACC numbers the dimensions of gangs and workers: gang[1] worker[1], num_gangs[0](n/8). Loops have dimensions of their own here.
var (
	sizeOfDimension = regexp.MustCompile(`\b(num_gangs|num_workers)\[\d\]\([^()]*\)`)
	dimension       = regexp.MustCompile(`\b(gang|worker)\[\d\]`)
)

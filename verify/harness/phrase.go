package harness

import (
	"fmt"
	"strings"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/parser"
)

// phrase is a piece of a specification that knows where it stands: in a file, or in a flag of the command line.
type Phrase struct {
	Text  string
	file  *parser.File // nil for a flag
	start int          // offset of text in the file
	Flag  string       // the whole flag, as typed
}

func flagPhrase(name, value string) Phrase {
	return Phrase{Text: value, Flag: "--" + name + " '" + value + "'"}
}

// cut returns the part [i, j) of a phrase.
func (p Phrase) cut(i, j int) Phrase {
	p.Text, p.start = p.Text[i:j], p.start+i
	return p
}

func (p Phrase) from(i int) Phrase { return p.cut(i, len(p.Text)) }

func (p Phrase) trim() Phrase {
	left := len(p.Text) - len(strings.TrimLeft(p.Text, blanks))
	return p.cut(left, max(left, len(strings.TrimRight(p.Text, blanks))))
}

const blanks = " \t\r\n"

// wrong makes a message about the phrase.
func (p Phrase) wrong(code diag.Code, help, format string, args ...any) diag.Message {
	m := diag.Message{Pos: diag.Position{File: p.Flag}, Code: code, Text: fmt.Sprintf(format, args...), Help: help}
	if p.file != nil {
		m.Pos = p.file.Position(p.start)
	}
	return m
}

// split parts a phrase at the separators that stand in no brackets. Empty parts are dropped.
func (p Phrase) split(separators string) ([]Phrase, error) {
	var out []Phrase
	var open []int
	begin := 0
	part := func(end int) {
		if q := p.cut(begin, end).trim(); q.Text != "" {
			out = append(out, q)
		}
		begin = end + 1
	}
	for i := 0; i < len(p.Text); i++ {
		c := p.Text[i]
		if strings.IndexByte(separators, c) >= 0 && len(open) == 0 {
			part(i)
			continue
		}
		if strings.IndexByte("([{<", c) >= 0 {
			open = append(open, i)
			continue
		}
		if k := strings.IndexByte(")]}>", c); k >= 0 {
			if len(open) == 0 || p.Text[open[len(open)-1]] != "([{<"[k] {
				return nil, p.from(i).wrong(CodeSyntax, "", "%q closes nothing", string(c))
			}
			open = open[:len(open)-1]
		}
	}
	if len(open) > 0 {
		at := open[len(open)-1]
		return nil, p.from(at).wrong(CodeSyntax, "", "%q is never closed", p.Text[at:at+1])
	}
	part(len(p.Text))
	return out, nil
}

// assignment parts "name=value".
func (p Phrase) assignment() (name, value Phrase, err error) {
	i := strings.IndexByte(p.Text, '=')
	if i < 0 {
		return p, p, p.wrong(CodeSyntax, "write NAME=VALUE, without blanks around =", "%q is not an assignment", p.Text)
	}
	name, value = p.cut(0, i).trim(), p.from(i+1).trim()
	switch {
	case name.Text == "":
		return p, p, p.wrong(CodeSyntax, "write NAME=VALUE, without blanks around =", "nothing stands before \"=\"")
	case value.Text == "":
		return p, p, p.wrong(CodeSyntax, "write NAME=VALUE, without blanks around =", "%q gets no value", name.Text)
	}
	return name, value, nil
}

// isName reports whether s is a C identifier.
func isName(s string) bool {
	for i := range len(s) {
		if !isNameByte(s[i]) || i == 0 && isDigit(s[0]) {
			return false
		}
	}
	return s != ""
}

func isNameByte(c byte) bool {
	return c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || isDigit(c) || c >= 0x80
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

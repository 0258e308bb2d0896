package directive

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/diag"
)

// accPragma matches the beginning of a directive, before its text.
var accPragma = regexp.MustCompile(`^[ \t]*#[ \t\\\r\n]*pragma[ \t\\\r\n]+acc(?:[ \t\\\r\n]+|$)`)

// After returns what stands after "#pragma acc", false where a text is no such directive.
func After(text string) (string, bool) {
	head := accPragma.FindString(text)
	return text[len(head):], head != ""
}

// Parse reads the text of one directive: what stands after "#pragma acc", continued
// lines included. offset is where the text begins in its file; all offsets of the
// result and of an *Error are in the file.
func Parse(text string, offset int) (Directive, error) {
	c := &cursor{text: blank(text), offset: offset}
	c.skipBlanks()
	d := Directive{Pos: c.pos()}
	s, err := c.name()
	if err != nil {
		return d, err
	}
	d.Name = s.name
	if err := c.argument(s, &d); err != nil {
		return d, err
	}
	for {
		for c.take(',') {
		}
		if c.done() {
			break
		}
		clause, err := c.clause(s)
		if err != nil {
			return d, err
		}
		d.Clauses = append(d.Clauses, clause)
	}
	return d, s.check(d)
}

// name reads the one or two words that name a directive.
func (c *cursor) name() (spec, error) {
	pos := c.pos()
	first := c.word()
	if first == "" {
		return spec{}, &Error{pos, CodeSyntax, "no directive stands after #pragma acc", "write parallel, kernels, loop, data or another directive"}
	}
	for _, s := range specs {
		head, rest, two := strings.Cut(s.name, " ")
		if head != first {
			continue
		}
		if !two {
			return s, nil
		}
		at := c.at
		if c.word() == rest {
			return s, nil
		}
		c.at = at
	}
	word := first
	if first == "enter" || first == "exit" {
		word += " data"
	}
	return spec{}, &Error{pos, CodeUnknown, fmt.Sprintf("OpenACC has no directive %q", first), diag.DidYouMean(word, Names(), "")}
}

// argument reads what stands in parentheses right after the name.
func (c *cursor) argument(s spec, d *Directive) error {
	pos := c.pos()
	if s.argument == bare || !c.take('(') {
		if s.required {
			return &Error{pos, CodeSyntax, fmt.Sprintf("%s names nothing", s.name), fmt.Sprintf("write what it is about in parentheses: %s(a)", s.name)}
		}
		return nil
	}
	part, ok := c.inside(')')
	if !ok {
		return unclosed(part, s.name)
	}
	of := clauseSpec{name: s.name, form: s.argument, keys: []string{"devnum", "queues"}, modifiers: []string{"readonly"}}
	clause := Clause{Name: s.name, Pos: d.Pos}
	if err := of.read(part, &clause); err != nil {
		return err
	}
	d.Args = clause.Args
	return nil
}

// unclosed is the error of a parenthesis that stands before part.
func unclosed(part span, name string) error {
	return &Error{part.pos - 1, CodeSyntax, fmt.Sprintf("the parenthesis after %s is not closed", name), "close it, and end each line but the last with a backslash"}
}

// clause reads one clause.
func (c *cursor) clause(s spec) (Clause, error) {
	c.skipBlanks()
	pos := c.pos()
	word := c.word()
	if word == "" {
		return Clause{}, &Error{pos, CodeSyntax, fmt.Sprintf("%q is no clause", c.text[c.at:c.at+1]), "write clauses with blanks or commas between them"}
	}
	of, known := clauseOf(s.name, word)
	if !known {
		return Clause{}, &Error{pos, CodeUnknown, fmt.Sprintf("OpenACC has no clause %q", word), diag.DidYouMean(word, s.clauses, "")}
	}
	if !slices.Contains(s.clauses, of.name) {
		return Clause{}, &Error{pos, CodeClause, fmt.Sprintf("%s does not take the clause %s", s.name, word), takes(s)}
	}
	out := Clause{Name: of.name, Pos: pos}
	if !c.take('(') {
		if !slices.Contains([]form{bare, optional, optionalKeys}, of.form) {
			return out, &Error{pos, CodeSyntax, fmt.Sprintf("%s names nothing", word), fmt.Sprintf("write what it is about in parentheses: %s(…)", word)}
		}
		return out, nil
	}
	part, ok := c.inside(')')
	if !ok {
		return out, unclosed(part, word)
	}
	if of.form == bare {
		return out, &Error{part.pos, CodeSyntax, fmt.Sprintf("%s takes nothing in parentheses", word), "leave the parentheses out"}
	}
	return out, of.read(part, &out)
}

func takes(s spec) string {
	if len(s.clauses) == 0 {
		return "leave it out: it takes no clauses"
	}
	return "it takes " + strings.Join(s.clauses, ", ")
}

// check looks at the clauses of a directive together.
func (s spec) check(d Directive) error {
	seen := map[string]bool{}
	for _, c := range d.Clauses {
		of, _ := clauseOf(d.Name, c.Name)
		// After a device_type the clauses are those of another device.
		if c.Name == "device_type" {
			clear(seen)
			continue
		}
		if seen[c.Name] && !of.repeated {
			return &Error{c.Pos, CodeClause, fmt.Sprintf("%s stands twice", c.Name), "keep one of the two"}
		}
		for _, group := range s.apart {
			for _, other := range group {
				if slices.Contains(group, c.Name) && other != c.Name && seen[other] {
					return &Error{c.Pos, CodeClause, fmt.Sprintf("%s and %s exclude one another", other, c.Name), "keep one of the two"}
				}
			}
		}
		seen[c.Name] = true
	}
	if len(s.oneOf) > 0 && !slices.ContainsFunc(s.oneOf, d.Has) {
		return &Error{d.Pos, CodeClause, fmt.Sprintf("%s needs one of these clauses: %s", s.name, strings.Join(s.oneOf, ", ")), "add one, or take the directive out"}
	}
	return nil
}

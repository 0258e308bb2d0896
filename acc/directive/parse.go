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

// Parse reads the text of one directive: what stands after "#pragma acc", continued lines included. offset is where
// the text begins in its file; all offsets of the result and of an *Error are in the file.
func Parse(text string, offset int) (d Directive, err error) {
	defer caught(&err)
	c := &cursor{text: blank(text), offset: offset}
	c.skipBlanks()
	d.Pos = c.pos()
	s := c.name()
	d.Name = s.name
	d.Args = c.argument(s)
	for {
		for c.take(',') {
		}
		if c.done() {
			break
		}
		d.Clauses = append(d.Clauses, c.clause(s))
	}
	s.check(d)
	return d, nil
}

// name reads the one or two words that name a directive.
func (c *cursor) name() spec {
	pos, word := c.pos(), c.word()
	failIf(word == "", pos, CodeSyntax, "no directive stands after #pragma acc", "write parallel, kernels, loop, data or another directive")
	for _, s := range specs {
		head, rest, two := strings.Cut(s.name, " ")
		if at := c.at; head == word {
			if !two || c.word() == rest {
				return s
			}
			c.at = at
		}
	}
	like := word
	if word == "enter" || word == "exit" {
		like += " data"
	}
	panic(&Error{pos, CodeUnknown, fmt.Sprintf("OpenACC has no directive %q", word), diag.DidYouMean(like, Names(), "")})
}

// argument reads what stands in parentheses right after the name.
func (c *cursor) argument(s spec) []Arg {
	pos := c.pos()
	if s.argument == bare || !c.take('(') {
		failIf(s.required, pos, CodeSyntax, fmt.Sprintf("%s names nothing", s.name), fmt.Sprintf("write what it is about in parentheses: %s(a)", s.name))
		return nil
	}
	of, clause := clauseSpec{name: s.name, form: s.argument, keys: []string{"devnum", "queues"}, modifiers: []string{"readonly"}}, Clause{}
	of.read(c.closed(s.name), &clause)
	return clause.Args
}

// closed reads up to the end of the parenthesis that was just taken after a name.
func (c *cursor) closed(name string) span {
	part, ok := c.inside(')')
	failIf(!ok, part.pos-1, CodeSyntax, fmt.Sprintf("the parenthesis after %s is not closed", name), "close it, and end each line but the last with a backslash")
	return part
}

func (c *cursor) clause(s spec) Clause {
	c.skipBlanks()
	pos, word := c.pos(), c.word()
	failIf(word == "", pos, CodeSyntax, fmt.Sprintf("%q is no clause", c.text[c.at:min(c.at+1, len(c.text))]), "write clauses with blanks or commas between them")
	of, known := clauseOf(s.name, word)
	if !known {
		panic(&Error{pos, CodeUnknown, fmt.Sprintf("OpenACC has no clause %q", word), diag.DidYouMean(word, s.clauses, "")})
	}
	takes := "leave it out: it takes no clauses"
	if len(s.clauses) > 0 {
		takes = "it takes " + strings.Join(s.clauses, ", ")
	}
	failIf(!slices.Contains(s.clauses, of.name), pos, CodeClause, fmt.Sprintf("%s does not take the clause %s", s.name, word), takes)
	out := Clause{Name: of.name, Pos: pos}
	if !c.take('(') {
		failIf(!slices.Contains([]form{bare, optional, optionalKeys}, of.form), pos, CodeSyntax, fmt.Sprintf("%s names nothing", word), fmt.Sprintf("write what it is about in parentheses: %s(…)", word))
		return out
	}
	part := c.closed(word)
	failIf(of.form == bare, part.pos, CodeSyntax, fmt.Sprintf("%s takes nothing in parentheses", word), "leave the parentheses out")
	of.read(part, &out)
	return out
}

// check looks at the clauses of a directive together.
func (s spec) check(d Directive) {
	seen := map[string]bool{}
	for _, c := range d.Clauses {
		of, _ := clauseOf(d.Name, c.Name)
		// After a device_type the clauses are those of another device.
		if c.Name == "device_type" {
			clear(seen)
			continue
		}
		failIf(seen[c.Name] && !of.repeated, c.Pos, CodeClause, fmt.Sprintf("%s stands twice", c.Name), "keep one of the two")
		for _, group := range s.apart {
			for _, other := range group {
				failIf(slices.Contains(group, c.Name) && other != c.Name && seen[other], c.Pos, CodeClause, fmt.Sprintf("%s and %s exclude one another", other, c.Name), "keep one of the two")
			}
		}
		seen[c.Name] = true
	}
	failIf(len(s.oneOf) > 0 && !slices.ContainsFunc(s.oneOf, d.Has), d.Pos, CodeClause, fmt.Sprintf("%s needs one of these clauses: %s", s.name, strings.Join(s.oneOf, ", ")), "add one, or take the directive out")
}

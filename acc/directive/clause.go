package directive

import (
	"fmt"
	"slices"
	"strings"
)

// read reads what stands in the parentheses of a clause.
func (of clauseSpec) read(part span, out *Clause) error {
	part = of.modifier(part, out)
	if part.trim().text == "" {
		return &Error{part.pos, CodeSyntax, fmt.Sprintf("the parentheses of %s are empty", of.name), "name something, or leave the clause out"}
	}
	if of.form == reduced && !slices.Contains(operators, out.Modifier) {
		return &Error{part.trim().pos, CodeSyntax, "a reduction begins with an operator of C and a colon", "write one of " + strings.Join(operators, " ") + ", as in reduction(+:sum)"}
	}
	items := part.split(',')
	if (of.form == expression || of.form == optional) && len(items) > 1 {
		return &Error{items[1].pos, CodeSyntax, fmt.Sprintf("%s takes one expression", of.name), "leave the others out"}
	}
	for _, item := range items {
		args, err := of.item(item)
		if err != nil {
			return err
		}
		out.Args = append(out.Args, args...)
	}
	return nil
}

// modifier takes the word before the first colon off, where it is one that the clause
// knows. Several of them have commas between them; they are kept as one text.
func (of clauseSpec) modifier(part span, out *Clause) span {
	colon := part.split(':')
	if len(colon) < 2 {
		return part
	}
	head := colon[0].text
	known := of.modifiers
	if of.form == reduced {
		known = operators
	}
	for word := range strings.SplitSeq(head, ",") {
		if !slices.Contains(known, strings.TrimSpace(word)) {
			return part
		}
	}
	out.Modifier = head
	at := colon[1].pos - part.pos
	return span{part.text[at:], colon[1].pos}
}

// item reads one item of a list.
func (of clauseSpec) item(item span) ([]Arg, error) {
	arg := Arg{Text: item.text, Pos: item.pos}
	if item.text == "" {
		return nil, &Error{item.pos, CodeSyntax, fmt.Sprintf("an item of %s is empty", of.name), "take one of the commas out"}
	}
	switch of.form {
	case variables, reduced:
		return []Arg{arg}, arg.section(item)
	case words:
		arg.Name = item.text
		if len(of.words) > 0 && !slices.Contains(of.words, item.text) {
			return nil, &Error{item.pos, CodeSyntax, fmt.Sprintf("%s takes %s, not %q", of.name, strings.Join(of.words, " or "), item.text), "write one of these"}
		}
		return []Arg{arg}, nil
	case optionalKeys:
		return of.keyed(item)
	}
	if len(item.split(':')) > 1 {
		return nil, &Error{item.pos, CodeSyntax, fmt.Sprintf("%q is no expression that %s takes", item.text, of.name), "write an expression of C"}
	}
	return []Arg{arg}, nil
}

// keyed reads "key: expression", several of them after one another for wait, and plain
// expressions.
func (of clauseSpec) keyed(item span) ([]Arg, error) {
	var out []Arg
	key := ""
	parts := item.split(':')
	for i, p := range parts {
		last := i == len(parts)-1
		if !last && slices.Contains(of.keys, p.text) {
			key = p.text
			continue
		}
		// What is no key is a value. Only wait has more after it: devnum: 0: queues: 1.
		if p.text == "" || !last && key != "devnum" {
			return nil, &Error{p.pos, CodeSyntax, fmt.Sprintf("%q is nothing that %s takes", item.text, of.name), "write an expression, or " + strings.Join(of.keys, ": or ") + ": before it"}
		}
		out = append(out, Arg{Text: p.text, Key: key, Pos: p.pos})
		key = ""
	}
	return out, nil
}

// section reads a variable with or without array sections: a, p->x, s.y, a[0:n][2:m].
func (a *Arg) section(item span) error {
	c := &cursor{text: item.text, offset: item.pos}
	bad := func(pos int, what string) error {
		return &Error{pos, CodeSyntax, what, "write a variable, a member, or an array section as a[lower:length]"}
	}
	for {
		if c.word() == "" {
			return bad(item.pos, fmt.Sprintf("%q is no variable", item.text))
		}
		c.skipBlanks()
		member := strings.HasPrefix(c.text[c.at:], "->")
		if !member && !strings.HasPrefix(c.text[c.at:], ".") {
			break
		}
		c.at++
		if member {
			c.at++
		}
	}
	a.Name = strings.ReplaceAll(strings.TrimSpace(c.text[:c.at]), " ", "")
	for !c.done() {
		pos := c.pos()
		if !c.take('[') {
			return bad(pos, fmt.Sprintf("%q is no variable and no array section", item.text))
		}
		part, ok := c.inside(']')
		if !ok {
			return bad(pos, fmt.Sprintf("the bracket of %q is not closed", item.text))
		}
		bounds := part.split(':')
		switch {
		case len(bounds) == 1 && bounds[0].text != "":
			a.Sections = append(a.Sections, Section{Lower: bounds[0].text, Length: "1"})
		case len(bounds) == 2:
			a.Sections = append(a.Sections, Section{Lower: bounds[0].text, Length: bounds[1].text})
		default:
			return bad(pos, fmt.Sprintf("%q is no array section", item.text))
		}
	}
	return nil
}

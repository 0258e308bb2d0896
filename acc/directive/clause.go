package directive

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/diag"
)

// failIf stops if something is wrong.
func failIf(is bool, pos int, code diag.Code, text, help string) {
	if is {
		panic(&Error{pos, code, text, help})
	}
}

// caught is the error by which a function stops that defers it.
func caught(err *error) {
	switch v := recover().(type) {
	case nil:
	case *Error:
		*err = v
	default:
		panic(v)
	}
}

func (of clauseSpec) read(part span, out *Clause) {
	part = of.modifier(part, out)
	failIf(part.trim().text == "", part.pos, CodeSyntax, fmt.Sprintf("the parentheses of %s are empty", of.name), "name something, or leave the clause out")
	failIf(of.form == reduced && !slices.Contains(operators, out.Modifier), part.trim().pos, CodeSyntax, "a reduction begins with an operator of C and a colon",
		"write one of "+strings.Join(operators, " ")+", as in reduction(+:sum)")
	items := part.split(',')
	failIf((of.form == expression || of.form == optional) && len(items) > 1, items[min(1, len(items)-1)].pos, CodeSyntax, fmt.Sprintf("%s takes one expression", of.name), "leave the others out")
	for _, item := range items {
		failIf(item.text == "", item.pos, CodeSyntax, fmt.Sprintf("an item of %s is empty", of.name), "take one of the commas out")
		out.Args = append(out.Args, of.item(item)...)
	}
}

// modifier takes known words before the first colon off. Several have commas between them and are kept as one text.
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

func (of clauseSpec) item(item span) []Arg {
	arg := Arg{Text: item.text, Pos: item.pos}
	switch of.form {
	case variables, reduced:
		arg.section(item)
	case words:
		arg.Name = item.text
		failIf(len(of.words) > 0 && !slices.Contains(of.words, item.text), item.pos, CodeSyntax, fmt.Sprintf("%s takes %s, not %q", of.name, strings.Join(of.words, " or "), item.text), "write one of these")
	case optionalKeys:
		return of.keyed(item)
	default:
		failIf(len(item.split(':')) > 1, item.pos, CodeSyntax, fmt.Sprintf("%q is no expression that %s takes", item.text, of.name), "write an expression of C")
	}
	return []Arg{arg}
}

// keyed reads "key: expression", several of them after one another for wait, and plain expressions.
func (of clauseSpec) keyed(item span) (out []Arg) {
	key := ""
	parts := item.split(':')
	for i, p := range parts {
		last := i == len(parts)-1
		if !last && slices.Contains(of.keys, p.text) {
			key = p.text
			continue
		}
		// What is no key is a value. Only wait has more after it: devnum: 0: queues: 1.
		failIf(p.text == "" || !last && key != "devnum", p.pos, CodeSyntax, fmt.Sprintf("%q is nothing that %s takes", item.text, of.name),
			"write an expression, or "+strings.Join(of.keys, ": or ")+": before it")
		out = append(out, Arg{Text: p.text, Key: key, Pos: p.pos})
		key = ""
	}
	return out
}

// section reads a variable with or without array sections: a, p->x, s.y, a[0:n][2:m].
func (a *Arg) section(item span) {
	c := &cursor{text: item.text, offset: item.pos}
	failIf := func(is bool, pos int, what string) {
		failIf(is, pos, CodeSyntax, fmt.Sprintf(what, item.text), "write a variable, a member, or an array section as a[lower:length]")
	}
	for {
		failIf(c.word() == "", item.pos, "%q is no variable")
		if c.take('.') {
			continue
		}
		if !strings.HasPrefix(c.text[c.at:], "->") {
			break
		}
		c.at += len("->")
	}
	a.Name = strings.ReplaceAll(strings.TrimSpace(c.text[:c.at]), " ", "")
	for !c.done() {
		pos := c.pos()
		failIf(!c.take('['), pos, "%q is no variable and no array section")
		part, ok := c.inside(']')
		failIf(!ok, pos, "the bracket of %q is not closed")
		bounds := part.split(':')
		failIf(len(bounds) > 2 || len(bounds) == 1 && bounds[0].text == "", pos, "%q is no array section")
		bounds = append(bounds, span{text: "1"}) // of one element
		a.Sections = append(a.Sections, Section{Lower: bounds[0].text, Length: bounds[1].text})
	}
}

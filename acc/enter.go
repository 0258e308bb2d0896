package acc

import (
	"fmt"
	"slices"

	"github.com/smux-cuda/smux/acc/directive"
	"github.com/smux-cuda/smux/parser"
)

// enter translates enter data and exit data.
func (t *translation) enter(p *pragma) error {
	out := &lines{}
	if err := t.waits(p, out); err != nil {
		return err
	}
	queue := t.queueOf(p)
	for _, clause := range p.Clauses {
		if clause.Name == "attach" || clause.Name == "detach" {
			if err := t.attach(p, clause); err != nil {
				return err
			}
		}
		if !slices.Contains([]string{"copyin", "create", "copyout", "delete"}, clause.Name) {
			continue
		}
		for _, a := range clause.Args {
			i, err := t.movedItem(p, clause, a)
			if err != nil {
				return err
			}
			if err := t.enterItem(p, clause, i, queue, out); err != nil {
				return err
			}
		}
	}
	t.standIn(p, out)
	return nil
}

// enterItem writes what enter data or exit data does for one item.
func (t *translation) enterItem(p *pragma, clause directive.Clause, i *item, queue string, out *lines) error {
	always, zero := false, false
	for _, word := range clause.Modifiers() {
		switch word {
		case "always", "alwaysin", "alwaysout":
			always = clause.Name == "copyin" || clause.Name == "copyout"
		case "zero":
			zero = p.Name == "enter data"
		}
	}
	if err := t.checkModifiers(clause); err != nil {
		return err
	}
	if i.length == "" { // all that was made present
		switch {
		case always && clause.Name == "copyout":
			return refusal(t.at(clause.Pos), CodeShape, fmt.Sprintf("always, but no clause gives the size of the memory behind the pointer %s", i.v.name), fmt.Sprintf("write a section: %s[0:n]", i.v.name))
		case clause.Name == "copyout":
			out.add(fmt.Sprintf("acc_leave_whole(%s, %v%s);", i.host(), p.Has("finalize"), behind(queue)))
		default:
			out.add(fmt.Sprintf("acc_leave(%s, false, %v%s);", i.known(), p.Has("finalize"), behind(queue)))
		}
		return nil
	}
	present := fmt.Sprintf("acc_present(%s, \"%s\")", i.address(), i.v.onHost())
	switch {
	case p.Name == "enter data" && zero:
		out.add(fmt.Sprintf("acc_enter_zero(%s);", i.address()))
	case p.Name == "enter data" && always:
		out.add(fmt.Sprintf("acc_enter(%s, false%s);", i.address(), behind(queue)), copyText(present, i.host(), i.bytes(), toDevice, queue))
	case p.Name == "enter data":
		out.add(fmt.Sprintf("acc_enter(%s, %v%s);", i.address(), clause.Name == "copyin", behind(queue)))
	case always:
		out.add(copyText(i.host(), present, i.bytes(), toHost, queue), fmt.Sprintf("acc_leave(%s, false, %v%s);", i.address(), p.Has("finalize"), behind(queue)))
	default:
		out.add(fmt.Sprintf("acc_leave(%s, %v, %v%s);", i.address(), clause.Name == "copyout", p.Has("finalize"), behind(queue)))
	}
	return nil
}

// movedItem is an item of a directive that stands for itself.
func (t *translation) movedItem(p *pragma, clause directive.Clause, a directive.Arg) (*item, error) {
	i, err := t.newItem(p, clause, a)
	if err != nil {
		return nil, err
	}
	if i.v.isScalar() {
		return nil, refusal(t.at(a.Pos), CodeUnsupported, fmt.Sprintf("the variable %s, which is no array, in %s", i.v.name, p.Name), "hand it to the kernels: each has the value of its launch")
	}
	i.device = i.v.onHost() // what sizeof is asked of
	return i, nil
}

// standIn puts statements where a directive stands, under its condition.
func (t *translation) standIn(p *pragma, out *lines) {
	text := out.b.String()
	if c, ok := p.Clause("if"); ok && text != "" {
		text = fmt.Sprintf("if (%s) {\n%s}\n", c.Args[0].Text, shift(text, "    "))
	}
	t.generated[p.fn] += text
	t.edits.Insert(t.lineBefore(p.start), shift(text, t.indentOfNext(p.end)))
}

// steady reports whether what says how large an item of a data region is stays as it is while
// the region runs.
func (t *translation) steady(n *parser.Node, i *item) bool {
	for _, r := range t.around(n) {
		if r.of(i.v) != i {
			continue
		}
		for _, w := range identifier.FindAllString(i.lower+" "+i.length, -1) {
			if v := t.lookup(w, int(r.stmt.Start)); v != nil && t.assigned(r.stmt, v) {
				return false
			}
		}
	}
	return true
}

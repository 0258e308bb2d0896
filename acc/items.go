package acc

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/acc/directive"
	"github.com/smux-cuda/smux/parser"
)

// What a data clause names.

// attach does what is left for attach and detach: a kernel gets the address on the device
// of what a pointer leads to, whatever the pointer itself has there. Pointers in structures
// are another matter.
func (t *translation) attach(p *pragma, clause directive.Clause) error {
	for _, a := range clause.Args {
		v := t.named(p, a)
		switch {
		case v == nil && strings.ContainsAny(a.Name, ".>"):
			return refusal(t.at(a.Pos), CodeUnsupported, fmt.Sprintf("the member %s in %s", a.Text, clause.Name), "use a pointer of its own in the region")
		case v == nil:
			return refusal(t.at(a.Pos), directive.CodeSyntax, fmt.Sprintf("no variable %s is declared here", a.Name), "check the name")
		case v.isScalar() || !v.derived[0].pointer && !v.param:
			return refusal(t.at(a.Pos), directive.CodeClause, fmt.Sprintf("%s in %s is no pointer", v.name, clause.Name), "name a pointer, or leave the clause out")
		}
	}
	t.noEffect(p, clause, "a kernel gets the device's address of what a pointer leads to, each time")
	return nil
}

// newItem reads one variable or section of a data clause.
func (t *translation) newItem(p *pragma, clause directive.Clause, a directive.Arg) (*item, error) {
	at := t.at(a.Pos)
	v := t.named(p, a)
	if v == nil {
		if !strings.ContainsAny(a.Name, ".>") {
			return nil, refusal(at, directive.CodeSyntax, fmt.Sprintf("no variable %s is declared here", a.Name), "check the name")
		}
		return nil, refusal(at, CodeUnsupported, fmt.Sprintf("the member %s in a data clause", a.Text), "copy what it points to by a pointer of its own")
	}
	i := &item{v: v, device: t.deviceName(v)}
	if v.isScalar() {
		return i, nil
	}
	if slices.ContainsFunc(v.derived[1:], func(d derivation) bool { return d.pointer }) {
		return nil, refusal(at, CodeUnsupported, fmt.Sprintf("%s holds pointers, whose memory would have to be copied, too", v.name), "use one array for all of it")
	}
	if clause.Name == "deviceptr" {
		i.device = v.onHost()
		return i, nil
	}
	if len(a.Sections) > 0 {
		i.lower, i.length = a.Sections[0].Lower, a.Sections[0].Length
		if c, ok := parseConstant(i.lower); ok && c == 0 {
			i.lower = ""
		}
		for k, s := range a.Sections[1:] {
			if k+1 >= len(v.derived) || !t.fullSection(v.derived[k+1], s, p) {
				return nil, refusal(at, CodeShape, fmt.Sprintf("the section %s is not in one piece", a.Text), "let it cover whole rows: all of each dimension but the first")
			}
		}
	}
	if i.length == "" {
		d := v.derived[0]
		switch {
		case d.size != nil:
			i.length = d.text()
		case v.isArray() && v.declarator.Kind == parser.KindInitDeclarator: // as long as its first value
			i.length = fmt.Sprintf("sizeof(%[1]s) / sizeof(*%[1]s)", v.name)
		case p.Name == "exit data": // the table knows
		case p.stmt == nil || t.outer(p.stmt, v) == nil && clause.Name != "present" && !(t.table && (p.Compute() || p.Name == "update")):
			return nil, refusal(at, CodeShape, fmt.Sprintf("no clause gives the size of the memory behind the pointer %s", v.name), fmt.Sprintf("write a section: %s[0:n]", v.name))
		}
		if i.length != "" && i.lower != "" {
			i.length += " - " + enclosed(i.lower)
		}
	}
	if i.v.flat {
		i.first = i.length
		row := i.v.rowLength()
		if i.lower != "" {
			i.lower = "(ptrdiff_t)" + enclosed(i.lower) + " * " + row
		}
		if i.length != "" {
			i.length = "(size_t)" + enclosed(i.length) + " * " + row
		}
	}
	return i, nil
}

// fullSection reports whether a section covers a whole dimension.
func (t *translation) fullSection(d derivation, s directive.Section, p *pragma) bool {
	if s.Lower != "" {
		if c, ok := parseConstant(s.Lower); !ok || c != 0 {
			return false
		}
	}
	if s.Length == "" {
		return true
	}
	if d.size == nil {
		return false
	}
	squeeze := func(s string) string { return strings.Join(strings.Fields(s), "") }
	if squeeze(s.Length) == squeeze(d.in.spelled(d.size)) {
		return true
	}
	expanded, err := t.macros().Expand(s.Length, p.start)
	return err == nil && squeeze(expanded) == squeeze(d.in.text(d.size))
}

// deviceName is a name for the device's copy of a variable that nothing in the file has.
func (t *translation) deviceName(v *variable) string {
	return t.unused("d_" + v.name)
}

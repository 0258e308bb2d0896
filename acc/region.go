package acc

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/acc/directive"
	"github.com/smux-cuda/smux/parser"
)

// item is a variable with a copy on the device, for as long as a region runs.
type item struct {
	v       *variable
	device  string // the pointer to the copy
	lower   string // the first element of the section, "" for 0
	length  string // in elements of the first dimension; "" for a scalar
	first   string // the length in rows, where these are as long as the run says; then lower and length are in their elements
	in, out bool   // copied to the device before, to the host behind
	present bool   // made elsewhere: by a region around, whose item is outer
	outer   *item
	pointer bool // a pointer to memory of the device, which the program keeps itself
	counted bool // the table of what is present knows of it; with present, only looked up
	// moving is set if the pointer may lead elsewhere while the region runs: kernels in it look
	// up what it leads to; saved is what it led to at the region's beginning.
	moving bool
	saved  string
	// optional memory (no_create) is used where it is present, and not made where it is not.
	optional bool
	zero     bool                   // the copy begins as zeros
	always   struct{ in, out bool } // copied even where it is present
	section  *directive.Section     // of the clause, for an item that has an outer one
}

// region is a directive with data clauses, and what they make.
type region struct {
	pragma      *pragma
	stmt        *parser.Node // the statement of the region
	items       []*item
	queue       string // the stream that copies are queued in, in C; "" for none
	condition   string // in C; where it does not hold the region does nothing. "" for none
	checksApart bool   // the program looks whether the items are of different memory
}

// of is the region's item for a variable, nil for none.
func (r *region) of(v *variable) *item {
	for _, i := range r.items {
		if i.v == v {
			return i
		}
	}
	return nil
}

// around are the data regions around a statement, the innermost first.
func (t *translation) around(n *parser.Node) (out []*region) {
	for _, r := range t.regions {
		if r.stmt == nil || r.stmt != n && within(n, r.stmt) || r.stmt == n && r.pragma.Name == "data" {
			out = append(out, r)
		}
	}
	slices.Reverse(out)
	return out
}

// dataClauses are those that make an item, with what they copy.
var dataClauses = map[string]struct{ in, out bool }{
	"copy": {true, true}, "copyin": {true, false}, "copyout": {false, true}, "create": {}, "present": {}, "no_create": {}, "deviceptr": {},
}

// newRegion reads the data clauses of a directive, whose region is a statement.
func (t *translation) newRegion(p *pragma, stmt *parser.Node) (*region, error) {
	r := &region{pragma: p, stmt: stmt, queue: t.queueOf(p)}
	if c, ok := p.Clause("if"); ok && !p.Compute() {
		r.condition = c.Args[0].Text
	}
	for _, clause := range p.Clauses {
		if clause.Name == "attach" {
			if err := t.attach(p, clause); err != nil {
				return nil, err
			}
		}
		if _, ok := dataClauses[clause.Name]; !ok {
			continue
		}
		for _, a := range clause.Args {
			i, err := t.newItem(p, clause, a)
			if err != nil {
				return nil, err
			}
			if err := t.addItem(r, i, clause, a); err != nil {
				return nil, err
			}
		}
	}
	return r, nil
}

// addItem puts what a clause names into a region.
func (t *translation) addItem(r *region, i *item, clause directive.Clause, a directive.Arg) error {
	at := t.at(a.Pos)
	does := dataClauses[clause.Name]
	if other := r.of(i.v); other != nil {
		if other.lower != i.lower || other.length != i.length {
			return refusal(at, directive.CodeClause, fmt.Sprintf("%s stands in two data clauses, with two sections", i.v.name), "name it once")
		}
		other.in, other.out = other.in || does.in, other.out || does.out
		return nil
	}
	i.in, i.out = does.in, does.out
	i.pointer = clause.Name == "deviceptr"
	for _, word := range clause.Modifiers() {
		switch word {
		case "always":
			i.always.in, i.always.out = does.in, does.out
		case "alwaysin":
			i.always.in = does.in
		case "alwaysout":
			i.always.out = does.out
		case "zero":
			i.zero = !does.in
		case "readonly":
			t.say(t.at(clause.Pos), CodeNoEffect, "readonly changes nothing: a kernel's parameter is const where the kernel only reads", "nothing needs to be done")
		case "capture":
			return refusal(t.at(clause.Pos), CodeUnsupported, "the modifier capture, a copy that stays its own", "leave it out: a copy on a device of CUDA is always one of its own")
		}
	}
	i.outer = t.outerOf(r, i.v)
	if r.stmt != nil && !r.pragma.Compute() && !i.pointer {
		i.moving = t.moves(r.stmt, i.v, t.written(r.pragma.start))
		if err := t.checkSteady(r, i, a); err != nil {
			return err
		}
	}
	switch {
	case i.outer != nil:
		i.section = &directive.Section{Lower: i.lower, Length: i.length}
		i.present, i.device, i.lower = true, i.outer.device, i.outer.lower
	case t.table && !i.pointer && !i.v.isScalar():
		i.counted, i.optional = true, clause.Name == "no_create"
		i.present = !i.optional && (clause.Name == "present" || i.length == "")
	case r.condition != "" && !i.pointer:
		return refusal(at, CodeUnsupported, fmt.Sprintf("the variable %s, which is no array, in a data region with a condition", i.v.name), "leave it out: each kernel has the value of its launch")
	case clause.Name == "present" || clause.Name == "no_create":
		return refusal(at, CodeUnsupported, fmt.Sprintf("no data region of this function makes %s present", i.v.name),
			"open the data region in the function that computes")
	}
	r.items = append(r.items, i)
	return nil
}

// attach is what is left to do for attach and detach: a kernel gets the address on the device
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

// outerOf is the item of a region around another one.
func (t *translation) outerOf(r *region, v *variable) *item {
	if r.pragma.stmt == nil {
		return t.outerAt(r.pragma, v)
	}
	return t.outer(r.pragma.stmt, v)
}

// outer is the item of a region around a statement for a variable, nil for none.
func (t *translation) outer(n *parser.Node, v *variable) *item {
	for _, r := range t.around(n) {
		if i := r.of(v); i != nil && r.shows(i) {
			return i
		}
	}
	return nil
}

// shows reports whether what is in a region can take it that an item is the region's: not where
// the region has a condition, or the pointer may lead elsewhere meanwhile.
func (r *region) shows(i *item) bool { return i.pointer || r.condition == "" && !i.moving }

// maybe is the item of a region around a statement that has a condition, nil for none.
func (t *translation) maybe(n *parser.Node, v *variable) *item {
	for _, r := range t.around(n) {
		if i := r.of(v); i != nil {
			return i
		}
	}
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
			if i.lower != "" {
				i.length += " - " + enclosed(i.lower)
			}
		case p.Name == "exit data": // the table knows
		case p.stmt == nil || t.outer(p.stmt, v) == nil && clause.Name != "present" && !(t.table && (p.Compute() || p.Name == "update")):
			return nil, refusal(at, CodeShape, fmt.Sprintf("how much memory is behind the pointer %s is not said", v.name), fmt.Sprintf("write a section: %s[0:n]", v.name))
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
	expanded, err := t.file.Macros.Expand(s.Length, p.start)
	return err == nil && squeeze(expanded) == squeeze(d.in.text(d.size))
}

// deviceName is a name for the device's copy of a variable that nothing in the file has.
func (t *translation) deviceName(v *variable) string {
	name := "d_" + v.name
	for t.words[name] {
		name += "_"
	}
	return name
}

// locals adds the variables of the region's block that live on the device.
func (t *translation) locals(c *construct, r *region) {
	for _, s := range c.statements() {
		for _, v := range c.declaredAt(s) {
			if c.moved[v] {
				r.items = append(r.items, &item{v: v, device: t.deviceName(v)})
			}
		}
	}
}

// implicit adds to a construct's region what it uses and no clause names.
func (t *translation) implicit(c *construct, r *region, reduced map[*variable]bool) error {
	t.locals(c, r)
	at := t.at(c.pragma.Pos)
	for _, v := range t.variablesIn(c.stmt) {
		if r.of(v) != nil || c.private[v] || reduced[v] || v.isScalar() && !c.moved[v] {
			continue
		}
		if outer := t.outer(c.stmt, v); outer != nil {
			r.items = append(r.items, &item{v: v, device: outer.device, lower: outer.lower, present: true, outer: outer})
			continue
		}
		if v.isScalar() {
			r.items = append(r.items, &item{v: v, device: t.deviceName(v), in: true, out: c.back[v]})
			continue
		}
		if d, ok := c.pragma.Clause("default"); ok && d.Args[0].Text == "none" {
			return refusal(at, directive.CodeClause, fmt.Sprintf("no clause names %s, and default(none) asks for one", v.name), fmt.Sprintf("write copy(%s), or what it needs", v.name))
		}
		i, err := t.newItem(c.pragma, directive.Clause{Name: "copy"}, directive.Arg{Name: v.onHost(), Text: v.onHost(), Pos: c.pragma.Pos})
		if err != nil {
			return err
		}
		i.in, i.out = true, t.writesTo(c.stmt, v)
		if m := t.maybe(c.stmt, v); m != nil && i.length == "" && t.steady(c.stmt, m) {
			i.lower = m.lower
			if !m.moving {
				i.length = m.length
			}
		}
		if t.table {
			i.counted, i.present = true, i.length == ""
		}
		r.items = append(r.items, i)
	}
	return nil
}

// deep refuses what follows a pointer in a structure: its memory is the host's.
func (t *translation) deep(stmt *parser.Node) (err error) {
	stmt.Walk(func(n *parser.Node) bool {
		if v := t.plainVariable(n); v != nil && err == nil && v.isScalar() && n.Parent.Kind != parser.KindFieldExpression && t.hasPointers(v) {
			err = refusal(t.place(n), CodeUnsupported, fmt.Sprintf("%s as a whole, a structure with pointers to memory of the host", v.name), "hand on its members, in the region")
		}
		if n.Kind != parser.KindFieldExpression || err != nil {
			return err == nil
		}
		field := n.Child(parser.FieldField)
		p := n.Parent
		follows := p.First == n && (p.Kind == parser.KindSubscriptExpression || p.Kind == parser.KindFieldExpression && strings.Contains(t.text(p.Child(parser.FieldOperator)), ">")) ||
			p.Kind == parser.KindPointerExpression && t.text(p.First) == "*"
		if of, _ := t.memberAt(n); of != nil && t.members[memberKey{of, t.pathOf(n)}] != nil {
			return true // it stands for itself
		}
		if follows && field != nil && t.isPointerField(t.text(field)) {
			err = refusal(t.place(n), CodeUnsupported, fmt.Sprintf("the memory behind the member %s of a structure", t.text(field)), "copy it by a pointer of its own, and use that in the region")
		}
		return err == nil
	})
	return err
}

// isPointerField reports whether a structure of the program has a pointer of that name.
func (t *translation) isPointerField(name string) bool {
	found := false
	for _, s := range append([]*source{t.source}, t.headers...) {
		s.tree.Root.Walk(func(n *parser.Node) bool {
			if n.Kind == parser.KindFieldDeclaration {
				for c := n.First; c != nil; c = c.Next {
					if v := (&variable{}); c.Field == parser.FieldDeclarator && v.walk(s, c, nil) && v.name == name {
						found = found || slices.ContainsFunc(v.derived, func(d derivation) bool { return d.pointer })
					}
				}
			}
			return !found
		})
	}
	return found
}

package acc

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/acc/directive"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/parser"
)

// attach does what is left for attach and detach: a kernel gets the address on the device of what a pointer leads to.
func (t *translation) attach(p *pragma) {
	p.takes("attach", "detach")
	for clause, a := range p.ArgsOf("attach", "detach") {
		v := t.named(p, a)
		switch {
		case v == nil && strings.ContainsAny(a.Name, ".>"):
			panic(refusal(t.at(a.Pos), CodeUnsupported, fmt.Sprintf("the member %s in %s", a.Text, clause.Name), "use a pointer of its own in the region"))
		case v == nil:
			panic(undeclared(t.at(a.Pos), a))
		case !v.isPointer() && (v.isScalar() || !v.param):
			panic(refusal(t.at(a.Pos), directive.CodeClause, fmt.Sprintf("%s in %s is no pointer", v.name, clause.Name), "name a pointer, or leave the clause out"))
		}
		t.noEffect(clause, "a kernel gets the device's address of what a pointer leads to, each time")
	}
}

func (t *translation) newItem(p *pragma, clause directive.Clause, a directive.Arg) *item {
	at := t.at(a.Pos)
	v := t.named(p, a)
	refuseIf(v == nil && strings.ContainsAny(a.Name, ".>"), at, CodeUnsupported, fmt.Sprintf("the member %s in a data clause", a.Text), "copy what it points to by a pointer of its own")
	if v == nil {
		panic(undeclared(at, a))
	}
	i := &item{v: v, device: t.deviceName(v)}
	if t.follows {
		i.kind = kindOf(t, v)
	}
	if v.leadsToRows() {
		i.readRows(t, p, clause, a)
	}
	switch {
	case v.isScalar() || i.row != "":
		return i
	case clause.Name == "deviceptr":
		i.device = v.onHost()
		return i
	}
	if len(a.Sections) > 0 {
		i.lower, i.length = beginning(a.Sections[0]), a.Sections[0].Length
		for k, s := range a.Sections[1:] {
			refuseIf(k+1 >= len(v.derived) || !v.derived[k+1].isWhole(t, s, p), at, CodeShape, fmt.Sprintf("the section %s is not in one piece", a.Text), "let it cover whole rows: all of each dimension but the first")
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
		case p.stmt == nil || clause.Name == "firstprivate" || t.outer(p.stmt, v) == nil && clause.Name != "present" && !(t.table && (p.Compute() || p.Name == "update")):
			panic(noSize(at, v))
		}
		if i.length != "" && i.lower != "" {
			i.length += " - " + enclosed(i.lower)
		}
	}
	if i.v.flat {
		i.first = i.length
		row := product(lists.Map(v.derived[1:], derivation.text)) // its elements
		if i.lower != "" {
			i.lower = "(ptrdiff_t)" + enclosed(i.lower) + " * " + row
		}
		if i.length != "" {
			i.length = "(size_t)" + enclosed(i.length) + " * " + row
		}
	}
	return i
}

// undeclared refuses a name that no variable has.
func undeclared(at diag.Position, a directive.Arg) stop {
	return refusal(at, directive.CodeSyntax, fmt.Sprintf("no variable %s is declared here", a.Name), "check the name")
}

// leadsToRows reports whether a variable is an array of pointers, or a pointer to one.
func (v *variable) leadsToRows() bool {
	return slices.ContainsFunc(v.derived[min(1, len(v.derived)):], func(d derivation) bool { return d.pointer })
}

// readRows reads a section of an array of pointers, a[0:n][0:m], whose rows are copied, too. Without one it has to be present.
func (i *item) readRows(t *translation, p *pragma, clause directive.Clause, a directive.Arg) {
	v := i.v
	repoints := func(x access) bool { return x.v == v && x.write && !x.whole && !x.member && len(x.subs) == 1 }
	plain := len(v.derived) == 2 && clause.Modifier == "" && p.Name != "declare" && (p.stmt == nil || !slices.ContainsFunc(t.accessesOf(p.stmt), repoints))
	if plain && len(a.Sections) == 0 && (p.Compute() && clause.Name == "copy" && clause.Pos == 0 || slices.Contains([]string{"present", "delete", "use_device", "deviceptr"}, clause.Name)) {
		return // it is looked up
	}
	refuseIf(!plain || len(a.Sections) != 2 || a.Sections[0].Length == "" || a.Sections[1].Length == "" || beginning(a.Sections[1]) != "", t.at(a.Pos), CodeUnsupported,
		fmt.Sprintf("%s holds pointers, whose memory would have to be copied, too", v.name), fmt.Sprintf("name all of it as rows of one length, %s[0:n][0:m], or use one array", v.name))
	t.use("acc_rows")
	t.use("acc_memory")
	i.lower, i.length, i.row = beginning(a.Sections[0]), a.Sections[0].Length, a.Sections[1].Length
}

// beginning is the first element of a section, "" for 0.
func beginning(s directive.Section) string {
	if c, ok := parseConstant(s.Lower); ok && c == 0 {
		return ""
	}
	return s.Lower
}

// isWhole reports whether a section covers a whole dimension.
func (d derivation) isWhole(t *translation, s directive.Section, p *pragma) bool {
	if beginning(s) != "" || s.Length == "" || d.size == nil {
		return beginning(s) == "" && s.Length == ""
	}
	expanded, err := t.macros().Expand(s.Length, p.start)
	return sameText(s.Length, d.in.spelled(d.size)) || err == nil && sameText(expanded, d.in.text(d.size))
}

// deviceName is a name for the device's copy of a variable that nothing in the file has.
func (t *translation) deviceName(v *variable) string {
	return t.unused("d_" + v.name)
}

// implicit adds to a construct's region what it uses and no clause names.
func (t *translation) implicit(c *construct, r *region, reduced map[*variable]bool) {
	for _, v := range c.declared() {
		if c.moved[v] {
			r.items = append(r.items, &item{v: v, device: t.deviceName(v)})
		}
	}
	byDefault := t.defaultOf(c.pragma)
	at := t.at(c.pragma.Pos)
	for _, v := range t.variablesIn(c.stmt) {
		switch outer := t.outer(c.stmt, v); {
		case r.of(v) != nil || c.private[v] || reduced[v] || v.isScalar() && !c.moved[v]:
			continue
		case outer != nil && !c.first[v]:
			r.items = append(r.items, &item{v: v, device: outer.device, lower: outer.lower, present: true, outer: outer})
			continue
		case v.isScalar():
			made := t.table && v.isMadePresent(t)
			r.items = append(r.items, &item{v: v, device: t.deviceName(v), in: true, out: c.back[v] || made && t.assigned(c.stmt, v), counted: made})
			continue
		}
		refuseIf(byDefault == "none", at, directive.CodeClause, fmt.Sprintf("no clause names %s, and default(none) asks for one", v.name), fmt.Sprintf("write copy(%s), or what it needs", v.name))
		arg, m := directive.Arg{Name: v.onHost(), Text: v.onHost(), Pos: c.pragma.Pos}, t.innermost(v, func(r *region, _ *item) bool { return r.isAround(c.stmt) })
		if m == nil && v.derived[0].size == nil && !v.isArray() && !v.flat && !v.leadsToRows() {
			if s, ok := c.extent(v); ok {
				arg.Sections = []directive.Section{s}
				t.say(at, CodeBounds, fmt.Sprintf("no clause names %s: by its loops, the region uses %[1]s[%s:%s]", v.onHost(), s.Lower, s.Length), "write a clause where another part of it is to be copied")
			}
		}
		i := t.newItem(c.pragma, directive.Clause{Name: "copy"}, arg)
		i.in, i.out = true, t.writesTo(c.stmt, v)
		if m != nil && i.length == "" && t.steady(c.stmt, m) {
			i.lower = m.lower
			if !m.moving {
				i.length = m.length
			}
		}
		if t.table {
			i.counted, i.present = true, i.length == ""
		}
		// Another directive than those around, a caller or another file may have made its memory present.
		if i.present && !v.param && v.path == "" && !(v.global && !v.isStatic && t.isOneOfSeveral()) && !v.isMadePresent(t) {
			panic(noSize(at, v))
		}
		r.items = append(r.items, i)
	}
}

// defaultOf is the word of the default clause that a construct sees (OpenACC 3.3, section 2.6.2); "" for none.
func (t *translation) defaultOf(p *pragma) (says string) {
	p.takes("default")
	for _, q := range t.pragmas {
		if d, ok := q.Clause("default"); ok && (q == p || q.Name == "data" && within(p.stmt, q.stmt) && !p.Has("default")) {
			says = d.Args[0].Text // of several around it the last is the innermost
		}
	}
	return says
}

// noSize refuses a pointer of which nothing says how much memory it leads to.
func noSize(at diag.Position, v *variable) stop {
	return refusal(at, CodeShape, fmt.Sprintf("no clause gives the size of the memory at pointer %s", v.name), fmt.Sprintf("write a section: %s[0:n]", v.name))
}

// isMadePresent reports whether a directive makes what a pointer leads to present, or takes it to be.
func (v *variable) isMadePresent(t *translation) bool {
	return slices.ContainsFunc(t.pragmas, func(p *pragma) bool {
		names := []string{"present", "no_create", "use_device", "host", "device"}
		if !p.Compute() && (p.Name != "data" || v.global) { // a region of the function counts where it is around
			names = append(names, namesOne...)
		}
		return slices.Contains(t.variablesOf(p, names...), v)
	})
}

// deep refuses what follows a pointer in a structure: its memory is the host's.
func (t *translation) deep(stmt *parser.Node) {
	for n := range stmt.All() {
		if v := t.plainVariable(n); v != nil && v.isScalar() && n.Parent.Kind != parser.KindFieldExpression && slices.ContainsFunc(t.fieldsOf(v), (*variable).isPointer) {
			panic(refusal(t.place(n), CodeUnsupported, fmt.Sprintf("%s as a whole, a structure with pointers to memory of the host", v.name), "hand on its members, in the region"))
		}
		if n.Kind != parser.KindFieldExpression {
			continue
		}
		p := n.Parent
		follows := t.unit.follows(n) || p.First == n && p.Kind == parser.KindFieldExpression && strings.Contains(t.op(p), ">")
		if of, _ := t.memberAt(n); of != nil && t.members[memberKey{of, t.pathOf(n)}] != nil {
			continue // it stands for itself
		}
		if v := t.typeOf(n); follows && (v == nil || v.isPointer()) {
			panic(refusal(t.place(n), CodeUnsupported, fmt.Sprintf("the memory that the member %s of a structure points to", t.text(n.Child(parser.FieldField))), "copy it by a pointer of its own, and use that in the region"))
		}
	}
}

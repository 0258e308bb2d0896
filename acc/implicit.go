package acc

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/acc/directive"
	"github.com/smux-cuda/smux/parser"
)

// What a compute construct uses and no clause names.

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
func (t *translation) deep(stmt *parser.Node) error {
	for n := range stmt.All() {
		if v := t.plainVariable(n); v != nil && v.isScalar() && n.Parent.Kind != parser.KindFieldExpression && t.hasPointers(v) {
			return refusal(t.place(n), CodeUnsupported, fmt.Sprintf("%s as a whole, a structure with pointers to memory of the host", v.name), "hand on its members, in the region")
		}
		if n.Kind != parser.KindFieldExpression {
			continue
		}
		field := n.Child(parser.FieldField)
		p := n.Parent
		follows := p.First == n && (p.Kind == parser.KindSubscriptExpression || p.Kind == parser.KindFieldExpression && strings.Contains(t.text(p.Child(parser.FieldOperator)), ">")) ||
			p.Kind == parser.KindPointerExpression && t.text(p.First) == "*"
		if of, _ := t.memberAt(n); of != nil && t.members[memberKey{of, t.pathOf(n)}] != nil {
			continue // it stands for itself
		}
		if follows && field != nil && t.isPointerField(t.text(field)) {
			return refusal(t.place(n), CodeUnsupported, fmt.Sprintf("the memory behind the member %s of a structure", t.text(field)), "copy it by a pointer of its own, and use that in the region")
		}
	}
	return nil
}

// isPointerField reports whether a structure of the program has a pointer of that name.
func (t *translation) isPointerField(name string) bool {
	return slices.ContainsFunc(t.sources(), func(s *source) bool {
		return s.tree.Root.Any(func(n *parser.Node) bool {
			v := variable{}
			return n.Field == parser.FieldDeclarator && n.Parent.Kind == parser.KindFieldDeclaration && v.walk(s, n, nil) && v.name == name &&
				slices.ContainsFunc(v.derived, func(d derivation) bool { return d.pointer })
		})
	})
}

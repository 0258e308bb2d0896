package acc

import (
	"maps"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/parser"
)

// A pointer in a structure, such as m.x or m->x, is a variable of its own wherever a data clause names it or a
// compute construct follows it: a kernel gets the address on the device as a parameter of a name like m_x, and the
// structure itself is not asked. So nothing is to be attached to structures that are on the device.

// memberKey is a variable with a member of it.
type memberKey struct {
	of   *variable
	path string // as on the host: m->x
}

func (u *unit) readMembers() {
	u.members = map[memberKey]*variable{}
	for _, p := range u.pragmas {
		for _, a := range p.ArgsOf(namesMemory...) {
			if of, field := u.memberIn(p, a.Name); of != nil {
				u.addMember(of, field, a.Name)
			}
		}
		if !p.Compute() {
			continue
		}
		for n := range p.stmt.All() {
			if of, field := u.memberAt(n); of != nil && u.follows(n) {
				if v := u.fieldOf(of, field); v != nil && v.derived[0].pointer {
					u.addMember(of, field, u.pathOf(n))
				}
			}
		}
	}
}

// namesItems are dataClauses; with the others that name memory they are namesMemory.
var (
	namesItems  = slices.Collect(maps.Keys(dataClauses))
	namesMemory = append(slices.Clone(namesItems), "host", "device", "delete", "attach", "detach")
)

// memberIn takes the name in a clause apart: a variable and a member of it. nil for others.
func (u *unit) memberIn(p *pragma, name string) (of *variable, field string) {
	if at := strings.IndexAny(name, ".-"); at >= 0 {
		field = strings.TrimLeft(name[at:], ".->")
		of = u.lookup(name[:at], u.written(p.start))
	}
	if strings.ContainsAny(field, ".>") {
		return nil, ""
	}
	return of, field
}

// memberAt takes an expression m.x or m->x apart.
func (u *unit) memberAt(n *parser.Node) (of *variable, field string) {
	if n.Kind != parser.KindFieldExpression || n.First == nil || n.First.Kind != parser.KindIdentifier {
		return nil, ""
	}
	return u.plainVariable(n.First), u.text(n.Child(parser.FieldField))
}

func (s *source) pathOf(n *parser.Node) string { return strings.Join(strings.Fields(s.text(n)), "") }

// follows reports whether an expression is a pointer whose memory is used.
func (s *source) follows(n *parser.Node) bool {
	p := n.Parent
	return p != nil && (p.Kind == parser.KindSubscriptExpression && p.First == n || s.leads(p))
}

func (u *unit) addMember(of *variable, field, path string) {
	v, key := u.fieldOf(of, field), memberKey{of, path}
	if v == nil || v.isScalar() || u.members[key] != nil {
		return
	}
	v.name, v.path = u.unused(of.name+"_"+field), path
	v.src, v.decl, v.declarator, v.param, v.global = of.src, of.decl, of.declarator, true, of.global
	v.from, v.to = of.from, of.to
	u.members[key] = v
}

// member is the variable that stands for a member of another one at a mention of it, nil for none.
func (u *unit) member(n *parser.Node, of *variable) *variable {
	if len(u.members) == 0 || of == nil || n.Parent == nil || n.Parent.Kind != parser.KindFieldExpression || n.Parent.First != n {
		return nil
	}
	return u.members[memberKey{of, u.pathOf(n.Parent)}]
}

func (u *unit) fieldOf(of *variable, field string) *variable {
	return lists.Find(u.fieldsOf(of), func(v *variable) bool { return v.name == field })
}

// fieldsOf are the fields of the structure that a variable is, or leads to.
func (u *unit) fieldsOf(of *variable) (found []*variable) {
	if len(of.derived) > 1 || of.isInteger() {
		return nil
	}
	for _, s := range u.sources() {
		for _, c := range s.tree.Classes {
			for _, d := range parts(c.Body) {
				if d.Kind == parser.KindFieldDeclaration && s.isStructOf(c.Node, of) {
					u.declared(s, d, headOf(s, d), func(v *variable) { found = append(found, v) })
				}
			}
			if found != nil {
				return found
			}
		}
	}
	return nil
}

// isStructOf reports whether a specifier with a body defines the structure of a variable.
func (s *source) isStructOf(n *parser.Node, v *variable) bool {
	name := n.Child(parser.FieldName)
	return name != nil && strings.TrimPrefix(v.resolved, "struct ") == s.text(name) ||
		n.Parent.Kind == parser.KindTypeDefinition && slices.ContainsFunc(declarators(n.Parent), func(c *parser.Node) bool { return s.text(c) == v.base }) ||
		v.src == s && v.decl != nil && within(n, v.decl) // struct { … } m;
}

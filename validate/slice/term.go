package slice

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/validate/content"
	"github.com/smux-cuda/smux/validate/kit"
	"github.com/smux-cuda/smux/validate/linear"
	"github.com/smux-cuda/smux/validate/units"
)

// term is the known part of a value in a run: a number, or how it is computed. Two that are alike are one.
type term struct {
	op   string
	kids []*term
	n    content.Value // of a number
	typ  string        // of what was converted to a type or loaded as one
	id   int
	seen int // in which walk over terms it was come by
}

type terms struct {
	all     map[string]*term
	numbers map[content.Value]*term
	walks   int
}

// of is the term of an operation.
func (g *terms) of(op, typ string, kids ...*term) *term {
	key := make([]byte, 0, len(op)+len(typ)+2+5*len(kids))
	key = append(append(append(append(key, op...), 0), typ...), 0)
	for _, k := range kids {
		key = append(key, byte(k.id), byte(k.id>>8), byte(k.id>>16), byte(k.id>>24), ',')
	}
	if t := g.all[string(key)]; t != nil {
		return t
	}
	if len(g.all) > 1_000_000 {
		panic(linear.TooMuch{})
	}
	t := &term{op: op, typ: typ, kids: kids, id: len(g.all)}
	g.all[string(key)] = t
	return t
}

// known is the term of a number.
func (g *terms) known(v content.Value) *term {
	if t := g.numbers[v]; t != nil {
		return t
	}
	op := "#" + units.Itoa(int(v.N))
	if v.Unsigned {
		op += "u"
	}
	if v.Wide {
		op += "l"
	}
	t := g.of(op, "")
	t.n = v
	g.numbers[v] = t
	return t
}

func (g *terms) number(n int64) *term { return g.known(content.Integer(n)) }

func (t *term) isNumber() bool { return t != nil && t.n.Kind == content.IsInt }

// member is a field of a type.
type member struct{ name, typ string }

// fieldOf returns one of some fields, false without one of that name.
func fieldOf(fields []member, name string) (member, bool) {
	i := slices.IndexFunc(fields, func(f member) bool { return f.name == name })
	if i < 0 || name == "" {
		return member{}, false
	}
	return fields[i], true
}

// membersOf are the fields of a type: of CUDA's vectors, and of structs of numbers; one without a name of anything else.
func (y *replay) membersOf(base string) []member {
	out, ok := y.members[base]
	if !ok {
		out = membersOf(y.c, base)
		y.members[base] = out
	}
	return out
}

func membersOf(c *kit.Comparison, base string) []member {
	var out []member
	if typ := kit.ComponentOf(base); typ != "" {
		for i := range units.Number(base[len(base)-1:]) {
			out = append(out, member{"xyzw"[i : i+1], typ})
		}
		return out
	}
	if !c.Classes[base] {
		return []member{{"", kit.PlainName(base)}}
	}
	for _, f := range c.NewNames.Prog.All() {
		for _, class := range f.Classes {
			if class.Name != base || class.Body == nil {
				continue
			}
			us := units.NewSource(f).Between(int(class.Body.Start), int(class.Body.End))
			for _, d := range splitAt(us[1:len(us)-1], ";") {
				if len(d) < 2 || units.Mentions(d, "[") {
					return []member{{"", base}}
				}
				for i, names := range splitAt(d, ",") {
					typ := kit.PlainName(units.Text(d[:len(splitAt(d, ",")[0])-1]))
					if i > 0 && len(names) != 1 {
						return []member{{"", base}}
					}
					out = append(out, member{names[len(names)-1].Text, typ})
				}
			}
		}
	}
	if len(out) == 0 {
		return []member{{"", kit.PlainName(base)}}
	}
	return out
}

// splitAt parts units at a text; what is empty is left out.
func splitAt(us []units.Unit, sep string) (out [][]units.Unit) {
	at := 0
	for i := 0; i <= len(us); i++ {
		if i == len(us) || us[i].Text == sep {
			if i > at {
				out = append(out, us[at:i])
			}
			at = i + 1
		}
	}
	return out
}

// field is one of a value's, of so many.
func (g *terms) field(t *term, name, typ string, of int) *term {
	if of == 1 {
		return t
	}
	if t.op == "undefined" {
		return t
	}
	if t.op == "?:" {
		return g.choice(t.kids[0], g.field(t.kids[1], name, typ, of), g.field(t.kids[2], name, typ, of))
	}
	if names, ok := strings.CutPrefix(t.op, "made of "); ok {
		return t.kids[slices.Index(strings.Fields(names), name)]
	}
	return g.of("."+name, typ, t)
}

// made is a value of its fields.
func (g *terms) made(base string, fields []member, kids []*term) *term {
	if len(fields) == 1 {
		return kids[0]
	}
	op := "made of"
	whole := true
	for i, f := range fields {
		op += " " + f.name
		whole = whole && kids[i].op == "."+f.name && kids[i].kids[0] == kids[0].kids[0] && kids[0].kids[0].typ == kit.PlainName(base)
	}
	if whole {
		return kids[0].kids[0]
	}
	return g.of(op, kit.PlainName(base), kids...)
}

// choice is c ? a : b.
func (g *terms) choice(c, a, b *term) *term {
	switch {
	case a == b:
		return a
	case c.isNumber() && c.n.N != 0:
		return a
	case c.isNumber():
		return b
	case c.op == "!":
		return g.choice(c.kids[0], b, a)
	}
	typ := ""
	if a.typ == b.typ {
		typ = a.typ
	}
	return g.of("?:", typ, c, a, b)
}

func (g *terms) not(c *term) *term {
	if c.isNumber() {
		return g.known(content.Unary("!", c.n))
	}
	if c.op == "!" {
		return c.kids[0]
	}
	return g.of("!", "bool", c)
}

// content is the joint content of several elements.
func (g *terms) content(cells []*term) *term {
	first := cells[0]
	whole := first.op == "undefined" || first.op == "nth #0"
	for i := 1; whole && i < len(cells); i++ {
		if first.op == "undefined" {
			whole = cells[i] == first
		} else {
			whole = cells[i].op == "nth #"+units.Itoa(i) && cells[i].kids[0] == first.kids[0]
		}
	}
	switch {
	case whole && first.op == "undefined":
		return first
	case whole && first.kids[0].kids[0].n.N == int64(len(cells)):
		return first.kids[0]
	}
	return g.of("content", "", cells...)
}

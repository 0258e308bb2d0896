package choose

import (
	"slices"
	"strconv"
	"strings"

	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/verify/harness"
	"github.com/smux-cuda/smux/verify/harness/ctype"
)

// member is a pointer inside a structure, or a number.
type member struct {
	path, typ string
	number    bool
}

// pointerMembers returns the pointers and numbers in a structure, with those of its bases and of structures in
// it; ok is false where one is out of reach: private, or a pointer to pointers. Types that
// the program does not define have none.
func (c *chooser) pointerMembers(typ string) (out []member, ok bool) {
	return c.membersOf(strings.TrimSpace(strings.TrimPrefix(typ, "struct ")), 0)
}

const deepestMember = 8

func (c *chooser) membersOf(typ string, depth int) ([]member, bool) {
	file, class := c.class(typ)
	if class == nil || depth > deepestMember {
		return nil, true
	}
	return c.membersIn(file, class, depth)
}

// class finds a structure by its name, or by the name that a typedef gives it.
func (c *chooser) class(typ string) (*parser.File, *parser.Node) {
	for _, f := range append(append([]*parser.File{}, c.prog.Files...), harness.HeadersOf(c.prog)...) {
		for _, k := range f.Classes {
			if k.Body == nil {
				continue
			}
			if k.Name == typ {
				return f, k.Node
			}
			if up := k.Node.Parent; k.Name == "" && up != nil && up.Kind == parser.KindTypeDefinition && f.Text(up.Child(parser.FieldDeclarator)) == typ {
				return f, k.Node
			}
		}
	}
	return nil, nil
}

func (c *chooser) membersIn(file *parser.File, class *parser.Node, depth int) (out []member, ok bool) {
	private := class.Kind == parser.KindClassSpecifier
	for n := class.First; n != nil; n = n.Next {
		if n.Kind != parser.KindBaseClassClause {
			continue
		}
		for _, name := range harness.Words.FindAllString(file.Text(n), -1) {
			of, ok := c.membersOf(name, depth+1)
			if !ok {
				return nil, false
			}
			out = append(out, of...)
		}
	}
	body := class.Child(parser.FieldBody)
	if body == nil {
		return out, true
	}
	for n := body.First; n != nil; n = n.Next {
		switch n.Kind {
		case parser.KindAccessSpecifier:
			private = !strings.Contains(file.Text(n), "public")
		case parser.KindFieldDeclaration:
			for d := n.First; d != nil; d = d.Next {
				if d.Field != parser.FieldDeclarator {
					continue
				}
				fields, ok := c.field(file, n, d, depth)
				if private {
					fields = slices.DeleteFunc(fields, func(m member) bool { return m.number })
				}
				if !ok || private && len(fields) > 0 {
					return nil, false
				}
				out = append(out, fields...)
			}
		}
	}
	return out, true
}

// field returns the pointers and numbers of a declarator in one declaration of members.
func (c *chooser) field(file *parser.File, n, declarator *parser.Node, depth int) (out []member, ok bool) {
	typ := n.Child(parser.FieldType)
	if typ == nil {
		return nil, true
	}
	name, pointers, elements, function := "", 0, "", false
	for d := range declarator.All() {
		switch d.Kind {
		case parser.KindPointerDeclarator:
			pointers++
		case parser.KindFunctionDeclarator:
			function = true
		case parser.KindArrayDeclarator:
			elements = file.Text(d.Child(parser.FieldSize))
		case parser.KindFieldIdentifier:
			name = file.Text(d)
		}
	}
	switch {
	case function || name == "":
		return nil, true
	case pointers == 1 && elements == "":
		return []member{{"." + name, file.Text(typ), false}}, true
	case pointers == 1:
		// An array of pointers: the elements that the kernel names by constants.
		for i := range 64 {
			index := "[" + strconv.Itoa(i) + "]"
			if strings.Contains(c.file.Text(c.fn.Body), name+index) {
				out = append(out, member{"." + name + index, file.Text(typ), false})
			}
		}
		return out, true
	case pointers > 1:
		return nil, false
	case ctype.Canonical(file.Text(typ)) != "":
		if elements == "" && n.First == typ && declarator.Kind == parser.KindFieldIdentifier { // neither const nor static
			out = []member{{"." + name, file.Text(typ), true}}
		}
		return out, true
	}
	var inner []member
	if body := typ.Child(parser.FieldBody); body != nil {
		inner, ok = c.membersIn(file, typ, depth+1)
	} else {
		inner, ok = c.membersOf(strings.TrimSpace(strings.TrimPrefix(file.Text(typ), "struct ")), depth+1)
	}
	for _, m := range inner {
		out = append(out, member{"." + name + m.path, m.typ, m.number})
	}
	return out, ok
}

package harness

import (
	"regexp"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/verify/harness/ctype"
)

// paramType is the type of a parameter, as far as its text tells it.
type ParamType struct {
	Base     string // without qualifiers and pointers, template arguments filled in
	Pointers int
	Known    string // base in one spelling if it is a type of the language, else ""
	rows     string // what its array is cast to where elements of it are arrays: "(float (*)[64])"
	Template bool   // it depends on template arguments that are not known
}

// typeOf reads the type of a kernel's parameter. arguments are the template
// arguments that are known, by parameter name.
func TypeOf(f *parser.File, fn *parser.Function, p *parser.Param, arguments map[string]string) ParamType {
	var t ParamType
	t.Base = strings.Join(strings.Fields(f.Text(p.Node.Child(parser.FieldType))), " ")
	t.Base = strings.TrimPrefix(t.Base, "struct ")
	declarator := p.Node.Child(parser.FieldDeclarator)
	for d := declarator; d != nil; {
		next := d.Child(parser.FieldDeclarator)
		switch d.Kind {
		case parser.KindArrayDeclarator:
			if next != nil && next.Kind != parser.KindIdentifier && next.Kind != parser.KindPointerDeclarator {
				t.rows = "[" + f.Text(d.Child(parser.FieldSize)) + "]" + t.rows
				break
			}
			t.Pointers++
		case parser.KindPointerDeclarator, parser.KindAbstractPointerDeclarator, parser.KindAbstractArrayDeclarator:
			t.Pointers++
		}
		if next == nil && d.Kind == parser.KindParenthesizedDeclarator {
			next = d.FirstNamed()
		}
		d = next
	}
	if t.rows != "" {
		t.rows = "(" + strings.TrimSpace(string(f.Src[p.Node.Start:declarator.Start])) + " (*)" + t.rows + ")"
	}
	if a, ok := arguments[t.Base]; ok {
		for strings.HasSuffix(a, "*") {
			a = strings.TrimSpace(strings.TrimSuffix(a, "*"))
			t.Pointers++
		}
		t.Base = a
	}
	for _, param := range fn.Template {
		if _, given := arguments[param.Name]; HasWord(t.Base, param.Name) && !(given && t.Base == arguments[param.Name]) {
			t.Template = true
		}
	}
	t.Known = ctype.Canonical(t.Base)
	return t
}

var Words = regexp.MustCompile(`[A-Za-z_]\w*`)

func HasWord(text, word string) bool {
	return slices.Contains(Words.FindAllString(text, -1), word)
}

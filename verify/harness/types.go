package harness

import (
	"regexp"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/verify/harness/ctype"
)

// paramType is the type of a parameter, as far as its text tells it.
type paramType struct {
	base     string // without qualifiers and pointers, template arguments filled in
	pointers int
	known    string // base in one spelling if it is a type of the language, else ""
	rows     string // what its array is cast to where elements of it are arrays: "(float (*)[64])"
	template bool   // it depends on template arguments that are not known
}

// typeOf reads the type of a kernel's parameter. arguments are the template
// arguments that are known, by parameter name.
func typeOf(f *parser.File, fn *parser.Function, p *parser.Param, arguments map[string]string) paramType {
	var t paramType
	t.base = strings.Join(strings.Fields(f.Text(p.Node.Child(parser.FieldType))), " ")
	t.base = strings.TrimPrefix(t.base, "struct ")
	declarator := p.Node.Child(parser.FieldDeclarator)
	for d := declarator; d != nil; {
		next := d.Child(parser.FieldDeclarator)
		switch d.Kind {
		case parser.KindArrayDeclarator:
			if next != nil && next.Kind != parser.KindIdentifier && next.Kind != parser.KindPointerDeclarator {
				t.rows = "[" + f.Text(d.Child(parser.FieldSize)) + "]" + t.rows
				break
			}
			t.pointers++
		case parser.KindPointerDeclarator, parser.KindAbstractPointerDeclarator, parser.KindAbstractArrayDeclarator:
			t.pointers++
		}
		if next == nil && d.Kind == parser.KindParenthesizedDeclarator {
			next = d.FirstNamed()
		}
		d = next
	}
	if t.rows != "" {
		t.rows = "(" + strings.TrimSpace(string(f.Src[p.Node.Start:declarator.Start])) + " (*)" + t.rows + ")"
	}
	if a, ok := arguments[t.base]; ok {
		for strings.HasSuffix(a, "*") {
			a = strings.TrimSpace(strings.TrimSuffix(a, "*"))
			t.pointers++
		}
		t.base = a
	}
	for _, param := range fn.Template {
		if _, given := arguments[param.Name]; hasWord(t.base, param.Name) && !(given && t.base == arguments[param.Name]) {
			t.template = true
		}
	}
	t.known = ctype.Canonical(t.base)
	return t
}

var words = regexp.MustCompile(`[A-Za-z_]\w*`)

func hasWord(text, word string) bool {
	return slices.Contains(words.FindAllString(text, -1), word)
}

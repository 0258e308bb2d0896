package harness

import (
	"regexp"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/parser"
)

// paramType is the type of a parameter, as far as its text tells it.
type paramType struct {
	base     string // without qualifiers and pointers, template arguments filled in
	pointers int
	known    string // base in one spelling if it is a type of the language, else ""
	template bool   // it depends on template arguments that are not known
}

// typeOf reads the type of a kernel's parameter. arguments are the template
// arguments that are known, by parameter name.
func typeOf(f *parser.File, fn *parser.Function, p *parser.Param, arguments map[string]string) paramType {
	var t paramType
	t.base = strings.Join(strings.Fields(f.Text(p.Node.Child(parser.FieldType))), " ")
	t.base = strings.TrimPrefix(t.base, "struct ")
	for d := p.Node.Child(parser.FieldDeclarator); d != nil; {
		switch d.Kind {
		case parser.KindPointerDeclarator, parser.KindArrayDeclarator, parser.KindAbstractPointerDeclarator, parser.KindAbstractArrayDeclarator:
			t.pointers++
		}
		next := d.Child(parser.FieldDeclarator)
		if next == nil && d.Kind == parser.KindParenthesizedDeclarator {
			next = d.FirstNamed()
		}
		d = next
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
	t.known = canonical(t.base)
	return t
}

var words = regexp.MustCompile(`[A-Za-z_]\w*`)

func hasWord(text, word string) bool {
	for _, w := range words.FindAllString(text, -1) {
		if w == word {
			return true
		}
	}
	return false
}

// canonical returns one spelling for each type of the language and for the
// common names of those, "" for all others.
func canonical(name string) string {
	words := slices.DeleteFunc(strings.Fields(name), func(w string) bool { return w == "const" || w == "volatile" })
	name = strings.Join(words, " ")
	if name == "nv_bfloat16" || name == "__nv_bfloat16" {
		return "__nv_bfloat16"
	}
	n, ok := ir.NumberOf(name)
	switch {
	case !ok:
		return ""
	case n.Name == "half":
		return "__half"
	case !strings.HasSuffix(n.Name, "_t"):
		return n.Name
	case n.Unsigned:
		return "unsigned long"
	}
	return "long"
}

// integerBits is the size of an integer type; negative: unsigned, 0: another type.
func integerBits(known string) int {
	n, ok := ir.NumberOf(known)
	switch {
	case !ok || n.Float:
		return 0
	case n.Name == "bool":
		return -1
	case n.Unsigned:
		return -8 * n.Bytes
	}
	return 8 * n.Bytes
}

// fits reports whether an integer can be held by a type of the language.
func fits(v int64, known string) bool {
	switch b := integerBits(known); {
	case b == 0, b == 64:
		return true
	case b == -64:
		return v >= 0
	case b < 0:
		return v >= 0 && v < 1<<-b
	default:
		return v >= -1<<(b-1) && v < 1<<(b-1)
	}
}

var vectorType = regexp.MustCompile(`^(char|uchar|short|ushort|int|uint|long|ulong|longlong|ulonglong|float|double)([1-4])$`)

// components reports how a vector type is filled: as so many numbers of a type.
// Other types are one number.
func components(name string) (scalar string, lanes int64) {
	switch name {
	case "cuFloatComplex", "cuComplex", "cufftComplex":
		return "float", 2
	case "cuDoubleComplex", "cufftDoubleComplex":
		return "double", 2
	case "half2", "__half2":
		return "__half", 2
	case "__nv_bfloat162", "nv_bfloat162":
		return "__nv_bfloat16", 2
	}
	m := vectorType.FindStringSubmatch(name)
	if m == nil {
		return name, 1
	}
	scalar, unsigned := strings.CutPrefix(m[1], "u")
	if scalar == "longlong" {
		scalar = "long long"
	}
	if unsigned {
		scalar = "unsigned " + scalar
	}
	return scalar, int64(m[2][0] - '0')
}

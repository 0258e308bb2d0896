package harness

import (
	"regexp"
	"slices"
	"sort"
	"strings"

	"github.com/smux-cuda/smux/parser"
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
	t.known = canonical(t.base)
	return t
}

var words = regexp.MustCompile(`[A-Za-z_]\w*`)

func hasWord(text, word string) bool {
	return slices.Contains(words.FindAllString(text, -1), word)
}

// canonical returns one spelling for each type of the language and for the common names of those, "" for all others.
func canonical(name string) string {
	fields := []string{}
	for _, w := range strings.Fields(name) {
		if w != "const" && w != "volatile" && w != "int" {
			fields = append(fields, w)
		}
	}
	sort.Strings(fields)
	key := strings.Join(fields, " ")
	if key == "" && name != "" {
		key = "int" // nothing but int and qualifiers
	}
	return spellings[key]
}

// spellings maps the words of a type, sorted and without int, to one name.
var spellings = map[string]string{
	"int": "int", "signed": "int", "int32_t": "int",
	"unsigned": "unsigned int", "uint": "unsigned int", "uint32_t": "unsigned int",
	"char": "char", "char signed": "signed char", "int8_t": "signed char",
	"char unsigned": "unsigned char", "uchar": "unsigned char", "uint8_t": "unsigned char",
	"short": "short", "short signed": "short", "int16_t": "short",
	"short unsigned": "unsigned short", "ushort": "unsigned short", "uint16_t": "unsigned short",
	"long": "long", "int64_t": "long", "long signed": "long",
	"long unsigned": "unsigned long", "size_t": "unsigned long", "uint64_t": "unsigned long", "ulong": "unsigned long",
	"long long": "long long", "long long signed": "long long",
	"long long unsigned": "unsigned long long",
	"float":              "float", "double": "double", "bool": "bool",
	"half": "__half", "__half": "__half", "__nv_bfloat16": "__nv_bfloat16", "nv_bfloat16": "__nv_bfloat16",
}

// integerBits are the sizes of the integer types; negative: unsigned.
var integerBits = map[string]int{
	"bool": -1, "char": 8, "signed char": 8, "unsigned char": -8, "short": 16, "unsigned short": -16,
	"int": 32, "unsigned int": -32, "long": 64, "unsigned long": -64, "long long": 64, "unsigned long long": -64,
}

// fits reports whether an integer can be held by a type of the language.
func fits(v int64, known string) bool {
	switch b := integerBits[known]; {
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

// components reports how a vector type is filled: as so many numbers of a type. Other types are one number.
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

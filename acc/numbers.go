package acc

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/parser"
)

// Numbers: of which type an expression is, and where C++ wants a conversion written.

// convertNumber writes a conversion of numbers that C++ wants written: to an enumeration, and,
// in an initialiser in braces, to a type that does not hold all values.
func (t *translation) convertNumber(n *parser.Node) {
	switch n.Kind {
	case parser.KindNumberLiteral, parser.KindIdentifier, parser.KindCallExpression, parser.KindSubscriptExpression, parser.KindFieldExpression,
		parser.KindBinaryExpression, parser.KindUnaryExpression, parser.KindPointerExpression, parser.KindParenthesizedExpression:
	default:
		return
	}
	if n.Parent == nil || n.Kind == parser.KindIdentifier && t.declares(n) || !t.isExact(n) || t.inCompute(n) || t.dropped(n) {
		return
	}
	inList := n.Parent.Kind == parser.KindInitializerList || n.Parent.Kind == parser.KindInitializerPair && n.Field == parser.FieldValue
	to := t.target(n)
	if to == nil || len(to.derived) > 0 {
		return
	}
	switch given := t.number(n); {
	case to.isEnum():
		if given == "" || given == to.resolved {
			return
		}
	case inList:
		if !narrows(given, to.number()) || t.fits(n, given, to.number()) {
			return
		}
	default:
		return
	}
	from, end := t.rangeOf(n)
	open, shut := "("+to.base+")", ""
	if n.Kind == parser.KindBinaryExpression {
		open, shut = open+"(", ")"
	}
	t.edits.Insert(from, open)
	if shut != "" {
		t.edits.Insert(end, shut)
	}
}

// ranks are the types of numbers by what they hold: later ones hold more.
var ranks = []string{"bool", "char", "unsigned char", "short", "unsigned short", "int", "unsigned", "long", "unsigned long", "float", "double"}

// number is the type of an expression of numbers, an enumeration's for one of that, "" where it
// can't be told.
func (t *translation) number(n *parser.Node) string {
	if n == nil {
		return ""
	}
	switch n.Kind {
	case parser.KindNumberLiteral:
		text := strings.ToLower(t.text(n))
		switch hex := strings.HasPrefix(text, "0x"); {
		case !hex && strings.ContainsAny(text, ".e") && strings.HasSuffix(text, "f"):
			return "float"
		case !hex && strings.ContainsAny(text, ".e"):
			return "double"
		case strings.Contains(text, "l"):
			return "long"
		}
		return "int"
	case parser.KindParenthesizedExpression:
		return t.number(n.FirstNamed())
	case parser.KindUnaryExpression:
		if op := t.text(n.Child(parser.FieldOperator)); op == "!" {
			return "int"
		}
		return promoted(t.number(n.Child(parser.FieldArgument)))
	case parser.KindBinaryExpression:
		a, b := t.number(n.Child(parser.FieldLeft)), t.number(n.Child(parser.FieldRight))
		switch op := t.text(n.Child(parser.FieldOperator)); {
		case strings.ContainsAny(op, "<>=!&|") && len(op) == 2 && op != "<<" && op != ">>", op == "<", op == ">":
			return "int"
		case a == "" || b == "":
			return ""
		case op == "<<" || op == ">>":
			return promoted(a)
		}
		a, b = promoted(a), promoted(b)
		return ranks[max(slices.Index(ranks, a), slices.Index(ranks, b))]
	case parser.KindConditionalExpression:
		a, b := t.number(n.Child(parser.FieldConsequence)), t.number(n.Child(parser.FieldAlternative))
		if a == "" || b == "" {
			return ""
		}
		a, b = promoted(a), promoted(b)
		return ranks[max(slices.Index(ranks, a), slices.Index(ranks, b))]
	case parser.KindCallExpression:
		if name := t.text(n.Child(parser.FieldFunction)); strings.HasPrefix(mathArguments[name], "d") && t.functionNamed(name) == nil {
			switch {
			case name == "ilogb":
				return "int"
			case strings.HasPrefix(strings.TrimPrefix(name, "l"), "l"), strings.HasPrefix(name, "lr"):
				return "long"
			}
			return "double"
		}
	case parser.KindIdentifier:
		if v := t.plainVariable(n); v == nil {
			return t.enumOf(t.text(n))
		}
	}
	v := t.typeOf(n)
	switch {
	case v == nil || len(v.derived) > 0:
		return ""
	case v.isEnum():
		return v.resolved
	}
	return v.number()
}

// enumOf is the enumeration that has a constant of a name, "" for none.
func (t *translation) enumOf(name string) (found string) {
	for _, s := range t.sources() {
		s.tree.Root.Walk(func(n *parser.Node) bool {
			if n.Kind == parser.KindEnumerator && s.text(n.FirstNamed()) == name {
				if e := n.Ancestor(parser.KindEnumSpecifier); e != nil {
					found = bareType(s, e)
				}
			}
			return found == ""
		})
	}
	return found
}

// promoted is the type in which numbers of a type are computed.
func promoted(name string) string {
	if i := slices.Index(ranks, name); i >= 0 && i < slices.Index(ranks, "int") || strings.HasPrefix(name, "enum") {
		return "int"
	}
	return name
}

// narrows reports whether values of a type may not fit into another one.
func narrows(from, to string) bool {
	i, k := slices.Index(ranks, from), slices.Index(ranks, to)
	if i < 0 || k < 0 || from == to {
		return false
	}
	const long, single = "unsigned long", "float"
	signed := !strings.HasPrefix(from, "unsigned") && strings.HasPrefix(to, "unsigned") && i < slices.Index(ranks, single)
	return i > k || signed || i <= slices.Index(ranks, long) && i >= slices.Index(ranks, "int") && k >= slices.Index(ranks, single)
}

// fits reports whether a constant can be told to fit into a type.
func (t *translation) fits(n *parser.Node, from, to string) bool {
	c, ok := t.constant(n)
	if !ok {
		return n.Kind == parser.KindNumberLiteral && from == "double" && to == "float"
	}
	switch to {
	case "bool":
		return c == 0 || c == 1
	case "char":
		return c >= -128 && c < 128
	case "unsigned char":
		return c >= 0 && c < 256
	case "short":
		return c >= -1<<15 && c < 1<<15
	case "unsigned short":
		return c >= 0 && c < 1<<16
	case "int":
		return c >= -1<<31 && c < 1<<31
	case "float", "double":
		return c > -1<<24 && c < 1<<24
	}
	return c >= 0 || !strings.HasPrefix(to, "unsigned")
}

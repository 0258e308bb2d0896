package acc

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/parser"
)

// Numbers: of which type an expression is, and where C++ wants a conversion written.

// convertNumber writes a conversion of numbers that C++ wants written: to an enumeration, and,
// in an initialiser in braces, to a type that does not hold all values.
func (t *translation) convertNumber(n *parser.Node) {
	if !isPrimary(n) && n.Kind != parser.KindBinaryExpression && n.Kind != parser.KindUnaryExpression && n.Kind != parser.KindPointerExpression {
		return
	}
	if n.Parent == nil || n.Kind == parser.KindIdentifier && t.declares(n) {
		return
	}
	inList := n.Parent.Kind == parser.KindInitializerList || n.Parent.Kind == parser.KindInitializerPair && n.Field == parser.FieldValue
	to := t.target(n)
	if to == nil || len(to.derived) > 0 {
		return
	}
	switch given := t.number(n); {
	case to.isEnum():
		if given.Name == "" || given.Name == to.resolved {
			return
		}
	case inList:
		if !narrows(given, to.number()) || t.fits(n, given, to.number()) {
			return
		}
	default:
		return
	}
	if n.Kind == parser.KindBinaryExpression {
		t.wrap(n, "("+to.base+")(", ")")
	} else {
		t.wrap(n, "("+to.base+")", "")
	}
}

// isPrimary reports whether an expression binds as closely as any.
func isPrimary(n *parser.Node) bool {
	switch n.Kind {
	case parser.KindNumberLiteral, parser.KindIdentifier, parser.KindCallExpression, parser.KindSubscriptExpression, parser.KindFieldExpression, parser.KindParenthesizedExpression:
		return true
	}
	return false
}

// ranks are the types of numbers by what they hold: later ones hold more.
var ranks = []string{"bool", "char", "unsigned char", "short", "unsigned short", "int", "unsigned int", "long", "unsigned long", "float", "double"}

// notOfC are numbers of other headers than C's.
var notOfC = strings.Fields("uchar ushort uint ulong clock_t time_t")

// numberNamed is the one of ranks that a name is for, the zero value for other types.
func numberNamed(name string) ir.Number {
	n, ok := ir.NumberOf(strings.Replace(name, "_Bool", "bool", 1))
	if ok && !slices.Contains(notOfC, name) {
		for _, one := range ranks {
			if r, _ := ir.NumberOf(one); r.Bytes == n.Bytes && r.Unsigned == n.Unsigned && r.Float == n.Float && (one == "bool") == (n.Name == "bool") {
				return r
			}
		}
	}
	return ir.Number{}
}

// number is the type of numbers that a variable is of, the zero value where it is of none.
func (v *variable) number() ir.Number {
	if !v.isScalar() {
		return ir.Number{}
	}
	return numberNamed(v.resolved)
}

// isUnsigned reports whether arithmetic on the variable wraps.
func (v *variable) isUnsigned() bool { return wraps(numberNamed(v.resolved)) }

func wraps(n ir.Number) bool { return n.Unsigned && n.Name != "bool" }

// isInteger reports whether the variable is of one of C's integers.
func (v *variable) isInteger() bool { n := v.number(); return n.Bytes > 0 && !n.Float }

// isNarrow reports whether the variable is, or leads to, an integer that is smaller than an int.
func (v *variable) isNarrow() bool { return v.isIntegerOf(1) || v.isIntegerOf(2) }

// isIntegerOf reports whether the variable is, or leads to, an integer of a size.
func (v *variable) isIntegerOf(bytes int) bool {
	n := numberNamed(v.resolved)
	return n.Bytes == bytes && !n.Float
}

// number is the type of an expression of numbers, that of no bytes with an enumeration's name for one of
// that, the zero value where it can't be told.
func (t *translation) number(n *parser.Node) ir.Number {
	if n == nil {
		return ir.Number{}
	}
	switch n.Kind {
	case parser.KindNumberLiteral:
		text := strings.ToLower(t.text(n))
		switch hex := strings.HasPrefix(text, "0x"); {
		case !hex && strings.ContainsAny(text, ".e") && strings.HasSuffix(text, "f"):
			return numberNamed("float")
		case !hex && strings.ContainsAny(text, ".e"):
			return numberNamed("double")
		case strings.Contains(text, "l"):
			return numberNamed("long")
		}
		return ir.Int
	case parser.KindParenthesizedExpression:
		return t.number(n.FirstNamed())
	case parser.KindUnaryExpression:
		if op := t.op(n); op == "!" {
			return ir.Int
		}
		return promoted(t.number(n.Child(parser.FieldArgument)))
	case parser.KindBinaryExpression:
		a, b := t.number(n.Child(parser.FieldLeft)), t.number(n.Child(parser.FieldRight))
		switch op := t.op(n); {
		case strings.ContainsAny(op, "<>=!&|") && len(op) == 2 && op != "<<" && op != ">>", op == "<", op == ">":
			return ir.Int
		case (op == "<<" || op == ">>") && b.Name != "":
			return promoted(a)
		}
		return usual(a, b)
	case parser.KindConditionalExpression:
		return usual(t.number(n.Child(parser.FieldConsequence)), t.number(n.Child(parser.FieldAlternative)))
	case parser.KindCallExpression:
		if name := t.callee(n); strings.HasPrefix(mathArguments[name], "d") && t.functionNamed(name) == nil {
			switch {
			case name == "ilogb":
				return ir.Int
			case strings.HasPrefix(strings.TrimPrefix(name, "l"), "l"), strings.HasPrefix(name, "lr"):
				return numberNamed("long")
			}
			return numberNamed("double")
		}
	case parser.KindIdentifier:
		if v := t.plainVariable(n); v == nil {
			return ir.Number{Name: t.enumOf(t.text(n))}
		}
	}
	v := t.typeOf(n)
	switch {
	case v == nil:
		return ir.Number{}
	case v.isEnum():
		return ir.Number{Name: v.resolved}
	}
	return v.number()
}

// enumOf is the enumeration that has a constant of a name, "" for none.
func (u *unit) enumOf(name string) string {
	for _, s := range u.sources() {
		for n := range s.tree.Root.All() {
			if n.Kind == parser.KindEnumerator && s.text(n.FirstNamed()) == name {
				if e := n.Ancestor(parser.KindEnumSpecifier); e != nil {
					return bareType(s, e)
				}
			}
		}
	}
	return ""
}

// promoted is the type in which numbers of a type are computed.
func promoted(n ir.Number) ir.Number {
	if n.Name == "" {
		return n
	}
	return n.Promoted()
}

// usual is the type in which two numbers are computed, the zero value where one is unknown.
func usual(a, b ir.Number) ir.Number {
	if a.Name == "" || b.Name == "" {
		return ir.Number{}
	}
	return ir.Usual(a, b)
}

// narrows reports whether values of a type may not fit into another one.
func narrows(from, to ir.Number) bool {
	if from.Bytes == 0 || to.Bytes == 0 || from == to {
		return false
	}
	return slices.Index(ranks, from.Name) > slices.Index(ranks, to.Name) || !from.Float && !wraps(from) && wraps(to) || !from.Float && from.Bytes >= ir.Int.Bytes && to.Float
}

// fits reports whether a constant can be told to fit into a type.
func (t *translation) fits(n *parser.Node, from, to ir.Number) bool {
	c, ok := t.constant(n)
	switch {
	case !ok:
		return n.Kind == parser.KindNumberLiteral && from.Name == "double" && to.Name == "float"
	case to.Name == "bool":
		return c == 0 || c == 1
	case to.Float:
		return c > -1<<24 && c < 1<<24
	case to.Unsigned:
		return c >= 0 && (to.Bytes >= ir.Int.Bytes || c < 1<<(8*to.Bytes))
	}
	most := int64(1)<<(8*to.Bytes-1) - 1
	return c >= -most-1 && c <= most
}

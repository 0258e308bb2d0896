package acc

import (
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/parser"
)

// C has one sqrt, for double: what it is called with is converted to that. C++ has others of the
// same name for float, and for integers one that no kernel can call. So the conversion is written.

// mathArguments are the parameters of functions of math.h that C++ has for several types: d of
// type double, i an int, - one that needs no conversion.
var mathArguments = func() map[string]string {
	out := map[string]string{"abs": "i", "frexp": "d-", "modf": "d-", "ldexp": "d-", "scalbn": "d-", "scalbln": "d-", "remquo": "dd-", "fma": "ddd"}
	for _, name := range strings.Fields(`acos acosh asin asinh atan atanh cbrt ceil cos cosh erf erfc exp exp2 expm1 fabs floor ilogb lgamma llrint
		llround log log10 log1p log2 logb lrint lround nearbyint rint round sin sinh sqrt tan tanh tgamma trunc`) {
		out[name] = "d"
	}
	for _, name := range strings.Fields("atan2 copysign fdim fmax fmin fmod hypot nextafter pow remainder") {
		out[name] = "dd"
	}
	return out
}()

// mathCast is the conversion that C does with an argument of a function of math.h, as text before
// and after it; "" for none.
func (t *translation) mathCast(n *parser.Node) (open, shut string) {
	list := n.Parent
	if list == nil || list.Kind != parser.KindArgumentList || list.Parent.Kind != parser.KindCallExpression || !n.Named() || n.Kind == parser.KindComment {
		return "", ""
	}
	name := t.text(list.Parent.Child(parser.FieldFunction))
	takes := mathArguments[name]
	if takes == "" || t.functionNamed(name) != nil {
		return "", ""
	}
	i := indexOf(n)
	if i >= len(takes) || takes[i] == '-' {
		return "", ""
	}
	given := t.number(n)
	switch {
	case takes[i] == 'd' && given.Name != "double":
		open = "(double)"
	case takes[i] == 'i' && promoted(given) != ir.Int:
		open = "(int)"
	default:
		return "", ""
	}
	switch n.Kind {
	case parser.KindNumberLiteral, parser.KindIdentifier, parser.KindCallExpression, parser.KindSubscriptExpression, parser.KindFieldExpression, parser.KindParenthesizedExpression:
		return open, ""
	}
	return open + "(", ")"
}

// castOf is the conversion that is written before and after a node, "" for none.
func (t *translation) castOf(n *parser.Node) (open, shut string) {
	if cast := t.rowCast(n); cast != "" {
		return cast, ""
	}
	return t.mathCast(n)
}

// castArgument writes it, outside of kernels.
func (t *translation) castArgument(n *parser.Node) {
	open, shut := t.castOf(n)
	if open == "" || !t.isExact(n) || t.inCompute(n) || t.dropped(n) {
		return
	}
	t.wrap(n, open, shut)
}

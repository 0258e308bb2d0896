package acc

import (
	"strings"

	"github.com/smux-cuda/smux/parser"
)

// C converts a void pointer to any other by itself, and takes a string for a pointer to
// characters that may be changed; C++ wants both written.

// convert writes a conversion that C does by itself before an expression, where its value goes
// to a pointer of another type.
func (t *translation) convert(n *parser.Node) {
	t.convertNumber(n)
	var given *variable
	switch n.Kind {
	case parser.KindCallExpression, parser.KindIdentifier, parser.KindSubscriptExpression, parser.KindFieldExpression, parser.KindCastExpression:
		given = t.typeOf(n)
		if given == nil || len(given.derived) == 0 || !given.isVoidPointer() && !given.isConst && !returnsConst[t.text(n.First)] {
			return
		}
	case parser.KindStringLiteral, parser.KindConcatenatedString:
	default:
		return
	}
	if !t.isExact(n) || t.inCompute(n) || t.dropped(n) {
		return
	}
	to := t.target(n)
	if to == nil || len(to.derived) == 0 || !to.derived[0].pointer || to.isVoidPointer() {
		return
	}
	if isText := n.Kind == parser.KindStringLiteral || n.Kind == parser.KindConcatenatedString; isText && (to.isConst || len(to.derived) > 1 || to.resolved != "char") {
		return
	}
	if given != nil && !given.isVoidPointer() && (to.isConst || len(to.derived) != len(given.derived) || to.resolved != given.resolved) {
		return // what is const stays so, and other pointers are not to be mixed up
	}
	text := strings.TrimSpace(to.abstract())
	if to.isConst {
		text = "const " + text
	}
	t.wrap(n, "("+text+")", "")
}

// isVoidPointer reports whether a type is void *.
func (v *variable) isVoidPointer() bool {
	return v != nil && v.resolved == "void" && len(v.derived) == 1 && v.derived[0].pointer
}

package translate

import (
	"strings"

	"github.com/smux-cuda/smux/parser"
)

// hasArrays reports whether the text declares an array that kernels may use, other than shared ones.
func (t *text) hasArrays() (found bool) {
	t.file.Root.Walk(func(n *parser.Node) bool {
		found = found || n.Kind == parser.KindArrayDeclarator && t.isOfDevice(n)
		return !found
	})
	return found
}

// isOfDevice reports whether the array that a declarator declares is one of a device function, of a structure, or a variable of
// the device. Parameters are pointers.
func (t *text) isOfDevice(n *parser.Node) bool {
	for up := n.Parent; up != nil; up = up.Parent {
		switch up.Kind {
		case parser.KindParameterDeclaration, parser.KindOptionalParameterDeclaration:
			return false
		case parser.KindFieldDeclaration:
			return true
		case parser.KindDeclaration:
			words := t.file.Specifiers(n)
			if f := t.functionAt(int(n.Start)); f != nil {
				return f.Quals&(parser.QualGlobal|parser.QualDevice) != 0 && !strings.Contains(words, "__shared__")
			}
			return strings.Contains(words, "__device__") || strings.Contains(words, "__constant__")
		}
	}
	return false
}

// chosenArrays hides from g++ that ?: chooses the array of a subscript:
//
//	(c ? a : b)[i]   -->   ::smux_cpu::chosen(c ? a : b)[i]
//
// It would make c ? a[i] : b[i] of that, and what -fsanitize computes of i once for both arms would be computed in one of them only.
func chosenArrays(t *text) {
	t.file.Root.Walk(func(n *parser.Node) bool {
		if n.Kind == parser.KindSubscriptExpression {
			array := n.FirstNamed()
			of := array
			for of != nil && of.Kind == parser.KindParenthesizedExpression {
				of = of.FirstNamed()
			}
			if of != nil && of != array && of.Kind == parser.KindConditionalExpression {
				t.insert(int(array.Start), " ::smux_cpu::chosen")
			}
		}
		return true
	})
}

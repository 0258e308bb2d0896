package parser

import (
	"slices"
	"strings"
)

// Declared calls f for each class, type, enumerator and variable that the file declares outside of functions, with the
// declaration.
func (f *File) Declared(yield func(name string, d *Node)) {
	var collect func(n *Node)
	collect = func(n *Node) {
		for d := n.First; d != nil; d = d.Next {
			switch d.Kind {
			case KindClassSpecifier, KindStructSpecifier, KindUnionSpecifier, KindEnumSpecifier, KindTypeDefinition, KindAliasDeclaration, KindDeclaration:
				for _, of := range []*Node{d, d.Child(FieldType)} {
					f.namesIn(of, func(name string) { yield(name, d) })
				}
			case KindFunctionDefinition:
			default:
				collect(d)
			}
		}
	}
	if f.Root != nil {
		collect(f.Root)
	}
}

// namesIn calls yield for the first name in each name and declarator of a node, and for enumerators in it.
func (f *File) namesIn(n *Node, yield func(name string)) {
	if n == nil {
		return
	}
	for t := n.First; t != nil; t = t.Next {
		switch {
		case t.Kind == KindEnumeratorList || t.Kind == KindEnumerator && t.Field != FieldName:
			f.namesIn(t, yield)
		case t.Field == FieldName || t.Field == FieldDeclarator:
			if names := Names(f.Text(t)); len(names) > 0 {
				yield(names[0])
			}
		}
	}
}

// IsWordRune reports whether a name may hold a rune.
func IsWordRune(r rune) bool {
	return r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
}

// Words are the names and numbers in a text.
func Words(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return !IsWordRune(r) })
}

// Names are the identifiers in a text.
func Names(text string) []string {
	return slices.DeleteFunc(Words(text), func(w string) bool { return w[0] <= '9' })
}

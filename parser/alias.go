package parser

// AliasOf is the name that a declarator of a typedef, or an alias, gives to a type, and what that is
// as text: the type in front, with * or [] after it for pointers, functions and arrays.
func AliasOf(d *Node, base string, text func(*Node) string) (name, means string) {
	means = base
	for d != nil {
		switch d.Kind {
		case KindTypeIdentifier, KindIdentifier, KindFieldIdentifier:
			return text(d), means
		case KindArrayDeclarator:
			means += "[]"
		case KindPointerDeclarator, KindReferenceDeclarator, KindFunctionDeclarator:
			means += "*"
		}
		next := d.Child(FieldDeclarator)
		if next == nil {
			next = d.FirstNamed()
		}
		d = next
	}
	return "", ""
}

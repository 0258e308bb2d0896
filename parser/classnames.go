package parser

// Declares reports whether a class declares a name, in a scope of its own or of a class inside of it. f is its file.
func (c *Class) Declares(f *File, name string) bool {
	if c.Body == nil {
		return false
	}
	found := false
	c.Body.Walk(func(n *Node) bool {
		switch n.Kind {
		case KindCompoundStatement:
			return false
		case KindFieldIdentifier:
			found = found || f.Text(n) == name
		case KindIdentifier:
			found = found || (n.Field == FieldDeclarator || n.Parent.Kind == KindEnumerator && n.Field == FieldName) && f.Text(n) == name
		}
		return !found
	})
	return found
}

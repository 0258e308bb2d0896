package acc

import "github.com/smux-cuda/smux/parser"

// readCasts gives conversions by the name of a typedef, (real)(x + 1), the tree of a conversion: the
// grammar takes them for calls.
func (u *unit) readCasts() {
	for _, s := range u.sources() {
		for n := range s.tree.Root.All() {
			if n.Kind != parser.KindCallExpression {
				continue
			}
			to, of := n.Child(parser.FieldFunction), n.Child(parser.FieldArguments)
			if to == nil || of == nil || to.Kind != parser.KindParenthesizedExpression || of.FirstNamed() == nil || of.FirstNamed().NextNamed() != nil {
				continue
			}
			name := to.FirstNamed()
			if name == nil || name.Kind != parser.KindIdentifier || name.NextNamed() != nil {
				continue
			}
			if _, ok := u.types[s.text(name)]; !ok || s == u.source && u.lookup(s.text(name), int(n.Start)) != nil {
				continue
			}
			n.Kind = parser.KindCastExpression
			to.Kind, to.Field = parser.KindTypeDescriptor, parser.FieldType
			name.Kind, name.Field = parser.KindTypeIdentifier, parser.FieldType
			of.Kind, of.Field = parser.KindParenthesizedExpression, parser.FieldValue
		}
	}
}

package ir

import (
	"strings"

	"github.com/smux-cuda/smux/parser"
)

// localNames declares what a class, enum, typedef, alias or using-declaration inside of a function
// makes a name for, and returns the names. The enumerators are variables of the function.
func (l *lowerer) localNames(c *source, n *parser.Node) []string {
	switch n.Kind {
	case parser.KindTypeDefinition, parser.KindAliasDeclaration:
		var out []string
		if t := n.Child(parser.FieldType); t != nil && n.Kind == parser.KindTypeDefinition {
			out = l.localNames(c, t)
		}
		return append(out, l.localType(c, n)...)
	case parser.KindUsingDeclaration, parser.KindNamespaceAliasDefinition:
		return l.usedNames(c, n)
	case parser.KindEnumSpecifier:
		if n.Child(parser.FieldBody) == nil {
			return nil // enum e x; declares none
		}
		out := l.named(c, n)
		if !scoped(c, n) {
			l.enumerators(c, n, func(v *Var) {
				l.declare(v)
				out = append(out, v.Name)
			})
		}
		return out
	case parser.KindStructSpecifier, parser.KindClassSpecifier, parser.KindUnionSpecifier:
		if n.Child(parser.FieldBody) != nil {
			return l.named(c, n)
		}
	}
	return nil
}

// named is the name of a class or enum, which must not hide a variable.
func (l *lowerer) named(c *source, n *parser.Node) []string {
	name := n.Child(parser.FieldName)
	if name == nil {
		return nil
	}
	return l.hiding(c, name)
}

// usedNames are those of a using-declaration, or an alias of a namespace. A directive, using
// namespace n, declares none: what it finds is found after all others.
func (l *lowerer) usedNames(c *source, n *parser.Node) (out []string) {
	if strings.HasPrefix(strings.TrimSpace(strings.TrimPrefix(c.str(n), "using")), "namespace") {
		return nil
	}
	for k := n.FirstNamed(); k != nil; k = k.NextNamed() {
		name := k
		for name != nil && name.Kind == parser.KindQualifiedIdentifier {
			name = name.Child(parser.FieldName)
		}
		if name == nil {
			continue
		}
		out = append(out, l.hiding(c, name)...)
		if n.Kind == parser.KindNamespaceAliasDefinition {
			break // what stands after = is there already
		}
	}
	return out
}

// hiding is the text of a name that is declared. Where variables of the function have it, what is
// said of these is not of it.
func (l *lowerer) hiding(c *source, name *parser.Node) []string {
	if v := l.lookup(c.str(name)); v != nil && v.Kind != VarTemplateType {
		l.problem(c.rng(name), "name of a type or namespace that hides a variable")
	}
	return []string{c.str(name)}
}

// scoped reports whether the enumerators of an enum are no names of their own.
func scoped(c *source, n *parser.Node) bool {
	for k := n.First; k != nil && k.Field != parser.FieldName; k = k.Next {
		if word := c.str(k); word == "class" || word == "struct" {
			return true
		}
	}
	return false
}

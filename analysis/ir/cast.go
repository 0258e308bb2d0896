package ir

import (
	"strings"

	"github.com/smux-cuda/smux/analysis/intrinsic"
	"github.com/smux-cuda/smux/parser"
)

// castTo returns the type that a callee names where T(x) and (T)(x) are casts: a type parameter, what typename says
// is a type, or an arithmetic type under a name of its own or a macro's. Of a class it is a call: of its constructor.
func (l *lowerer) castTo(c *source, callee *parser.Node) (base string, ok bool) {
	for callee.Kind == parser.KindParenthesizedExpression && callee.FirstNamed() != nil {
		callee = callee.FirstNamed()
	}
	if callee.Kind == parser.KindQualifiedIdentifier && afterTypename(c, callee) {
		return strings.Join(strings.Fields(c.str(callee)), " "), true
	}
	if callee.Kind != parser.KindIdentifier && callee.Kind != parser.KindTypeIdentifier {
		return "", false
	}
	name := c.str(callee)
	if v := l.lookup(name); v != nil {
		if v.Kind != VarTemplateType || v.Pack {
			return "", false
		}
		if v.Type.Base == "" { // a template's parameter
			return name, true
		}
		return l.arithmetic(c, v.Type.Base)
	}
	if c.frag == nil {
		if m, found := l.cache.Macros(c.file).Lookup(name, int(callee.Start)); found {
			return l.macroType(c, m, int(callee.Start))
		}
	}
	return l.arithmetic(c, name)
}

// afterTypename reports whether typename stands before a name, which is a type's then.
func afterTypename(c *source, name *parser.Node) bool {
	before := strings.TrimRight(string(c.text[max(0, int(name.Start)-64):name.Start]), " \t\r\n")
	rest, ok := strings.CutSuffix(before, "typename")
	return ok && (rest == "" || !parser.IsWordRune(rune(rest[len(rest)-1])))
}

// macroType returns the arithmetic type that an object-like macro stands for, or
// the macro's name where it can be one of several.
func (l *lowerer) macroType(c *source, m *parser.Macro, at int) (base string, ok bool) {
	if m.FunctionLike {
		return "", false
	}
	texts, err := l.cache.Macros(c.file).Alternatives(m.Name, at)
	if err != nil {
		return "", false
	}
	for _, text := range texts {
		b, arithmetic := l.arithmetic(c, text)
		if !arithmetic || text == m.Name {
			return "", false
		}
		if base != "" && base != b {
			b = m.Name
		}
		base = b
	}
	return base, base != ""
}

func (l *lowerer) arithmetic(c *source, name string) (base string, ok bool) {
	if l.cache.Arithmetic == nil {
		return "", false
	}
	class := ""
	if l.fn.View != nil {
		class = l.fn.View.Class
	}
	return l.cache.Arithmetic(c.file, class, strings.TrimSpace(name))
}

// InLibrary is a qualified name with the library's namespace in place of another name for it.
func (l *lowerer) inLibrary(c *source, name string) string {
	plain := strings.TrimPrefix(strings.TrimPrefix(name, "typename "), "::")
	first, rest, qualified := strings.Cut(plain, "::")
	if !qualified || l.cache.Namespace == nil || intrinsic.LibraryOf(first) != nil || strings.ContainsAny(first, "< ") {
		return name
	}
	if means := l.cache.Namespace(c.file, first); means != "" {
		return means + "::" + rest
	}
	return name
}

// localType declares the names of a typedef or alias inside a function, and returns them.
func (l *lowerer) localType(c *source, n *parser.Node) (names []string) {
	underlying := n.Child(parser.FieldType)
	if underlying == nil {
		return nil
	}
	t := Type{Base: l.inLibrary(c, strings.Join(strings.Fields(c.str(underlying)), " "))}
	for d := n.First; d != nil; d = d.Next {
		if name := l.alias(c, d, t.Base); name != "" {
			names = append(names, name)
		}
		if (d.Field == parser.FieldDeclarator || d.Field == parser.FieldName) && d.Kind == parser.KindTypeIdentifier {
			l.declare(&Var{Name: c.str(d), Kind: VarTemplateType, Type: t, File: c.file})
		}
	}
	return names
}

// alias notes what a declarator of a typedef, or the name of an alias, stands for; it returns the
// name, "" where there is none.
func (l *lowerer) alias(c *source, d *parser.Node, base string) (name string) {
	if d.Field != parser.FieldDeclarator && d.Field != parser.FieldName {
		return ""
	}
	name, means := parser.AliasOf(d, base, c.str)
	if name == "" {
		return ""
	}
	if l.fn.Aliases == nil {
		l.fn.Aliases = map[string]string{}
	}
	if old, ok := l.fn.Aliases[name]; ok && old != means {
		means = "*" // one of several
	}
	l.fn.Aliases[name] = means
	return name
}

// classTypes declares the type parameters of the class templates around a member function.
func (l *lowerer) classTypes(c *source, fn *parser.Function) {
	for n := fn.Node.Parent; n != nil; n = n.Parent {
		if n.Kind != parser.KindClassSpecifier && n.Kind != parser.KindStructSpecifier || n.Parent == nil || n.Parent.Kind != parser.KindTemplateDeclaration {
			continue
		}
		for _, p := range c.file.TemplateParams(n.Parent) {
			if p.IsType && !p.Pack && p.Node.Kind != parser.KindTemplateTemplateParameterDeclaration {
				l.declare(&Var{Name: p.Name, Kind: VarTemplateType, File: c.file})
			}
		}
	}
}

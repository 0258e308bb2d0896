package acc

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/parser"
)

// The types of expressions, as far as what is written otherwise asks for them: each as a variable of
// the type.

// element is the type of what a pointer leads to, or of an array's elements; nil for others.
func (v *variable) element() *variable {
	if v == nil || len(v.derived) == 0 {
		return nil
	}
	e := *v
	e.derived = v.derived[1:]
	return &e
}

// target is the type that the value of an expression is converted to, nil where nothing says it,
// or nothing needs to.
func (t *translation) target(n *parser.Node) *variable {
	p := n.Parent
	switch {
	case p == nil:
	case p.Kind == parser.KindParenthesizedExpression, p.Kind == parser.KindConditionalExpression && n.Field != parser.FieldCondition:
		return t.target(p)
	case p.Kind == parser.KindInitDeclarator && n.Field == parser.FieldValue:
		return t.declaredBy(p)
	case p.Kind == parser.KindAssignmentExpression && n.Field == parser.FieldRight && t.text(p.Child(parser.FieldOperator)) == "=":
		return t.typeOf(p.Child(parser.FieldLeft))
	case p.Kind == parser.KindReturnStatement:
		if f := n.Ancestor(parser.KindFunctionDefinition); f != nil {
			return t.returned(t.source, f)
		}
	case p.Kind == parser.KindArgumentList && p.Parent.Kind == parser.KindCallExpression:
		return t.parameterOf(p, n)
	case p.Kind == parser.KindInitializerList:
		i := 0
		for c := p.FirstNamed(); c != nil && c != n; c = c.NextNamed() {
			i++
		}
		return t.partOf(t.listType(p), i)
	case p.Kind == parser.KindInitializerPair && n.Field == parser.FieldValue:
		d := p.FirstNamed()
		whole := t.listType(p.Parent)
		if d == nil || whole == nil {
			return nil
		}
		if d.Kind == parser.KindSubscriptDesignator {
			return whole.element()
		}
		for _, f := range t.fieldsOf(whole) {
			if f.name == strings.TrimPrefix(t.text(d), ".") {
				return f
			}
		}
	}
	return nil
}

// listType is the type of what a list in braces initialises.
func (t *translation) listType(list *parser.Node) *variable {
	if p := list.Parent; p != nil && p.Kind == parser.KindCompoundLiteralExpression {
		return t.described(p.Child(parser.FieldType))
	}
	return t.target(list)
}

// partOf is the type of one part of an array or a structure.
func (t *translation) partOf(whole *variable, i int) *variable {
	if whole == nil {
		return nil
	}
	if len(whole.derived) > 0 {
		return whole.element()
	}
	if fields := t.fieldsOf(whole); i < len(fields) {
		return fields[i]
	}
	return nil
}

// declaredBy is the variable that a declarator with a value declares.
func (t *translation) declaredBy(n *parser.Node) (v *variable) {
	n.Child(parser.FieldDeclarator).Walk(func(c *parser.Node) bool {
		if v == nil && c.Kind == parser.KindIdentifier && t.declares(c) {
			v = t.variableOf(c)
		}
		return v == nil
	})
	return v
}

// typeOf is the type of an expression, as a variable; nil where it can't be told.
func (t *translation) typeOf(n *parser.Node) *variable {
	if n == nil {
		return nil
	}
	switch n.Kind {
	case parser.KindIdentifier:
		if t.declares(n) {
			return nil
		}
		return t.plainVariable(n)
	case parser.KindParenthesizedExpression:
		return t.typeOf(n.FirstNamed())
	case parser.KindSubscriptExpression:
		return t.typeOf(n.First).element()
	case parser.KindPointerExpression:
		if t.text(n.First) == "*" {
			return t.typeOf(n.Child(parser.FieldArgument)).element()
		}
	case parser.KindFieldExpression:
		of := t.typeOf(n.First)
		if of == nil || n.Child(parser.FieldField) == nil {
			return nil
		}
		return t.fieldOf(of, t.text(n.Child(parser.FieldField)))
	case parser.KindCastExpression:
		return t.described(n.Child(parser.FieldType))
	case parser.KindCallExpression:
		name := t.text(n.Child(parser.FieldFunction))
		if returnsConst[name] {
			return &variable{base: "char", resolved: "char", derived: []derivation{{pointer: true}}, isConst: true}
		}
		if allocators[name] {
			return &variable{base: "void", resolved: "void", derived: []derivation{{pointer: true}}}
		}
		for _, s := range append([]*source{t.source}, t.headers...) {
			for _, f := range s.tree.Functions {
				if f.Name == name {
					return t.returned(s, f.Node)
				}
			}
		}
	}
	return nil
}

// returned is the type that a function returns.
func (t *translation) returned(s *source, f *parser.Node) *variable {
	v := headOf(s, f)
	d := f.Child(parser.FieldDeclarator)
	for d != nil && d.Kind == parser.KindPointerDeclarator {
		v.derived = append(v.derived, derivation{pointer: true})
		d = d.Child(parser.FieldDeclarator)
	}
	if d == nil || d.Kind != parser.KindFunctionDeclarator {
		return nil
	}
	return t.behindTypedef(v)
}

// headOf is what a declaration says in front of its declarators.
func headOf(s *source, declaration *parser.Node) *variable {
	v := &variable{src: s}
	for c := declaration.First; c != nil; c = c.Next {
		switch {
		case c.Field == parser.FieldType:
			v.base = bareType(s, c)
		case c.Kind == parser.KindTypeQualifier:
			v.isConst = v.isConst || s.text(c) == "const"
		}
	}
	return v
}

// behindTypedef fills in what a type is behind a typedef.
func (u *unit) behindTypedef(v *variable) *variable {
	v.resolved = v.base
	if named, ok := u.types[v.base]; ok {
		v.resolved = named.base
		if len(named.derived) > 0 {
			v.base, v.derived = named.base, append(v.derived[:len(v.derived):len(v.derived)], named.derived...)
		}
	}
	return v
}

// described is the type that a type descriptor describes, nil where it is no structure, array or pointer.
func (t *translation) described(n *parser.Node) *variable {
	if n == nil {
		return nil
	}
	v := &variable{src: t.source}
	kind := n
	if n.Kind == parser.KindTypeDescriptor {
		kind = n.Child(parser.FieldType)
		for d := n.Child(parser.FieldDeclarator); d != nil; d = d.Child(parser.FieldDeclarator) {
			v.derived = append(v.derived, derivation{pointer: d.Kind != parser.KindAbstractArrayDeclarator})
		}
	}
	if kind == nil {
		return nil
	}
	v.base = bareType(t.source, kind)
	return t.behindTypedef(v)
}

// parameterOf is the type of the parameter that an argument of a call is for.
func (t *translation) parameterOf(arguments, n *parser.Node) *variable {
	i := 0
	for c := arguments.FirstNamed(); c != nil && c != n; c = c.NextNamed() {
		if c.Kind != parser.KindComment {
			i++
		}
	}
	name := t.text(arguments.Parent.Child(parser.FieldFunction))
	if f := t.functionNamed(name); f != nil && t.hasRows {
		p := f.ParamList.FirstNamed()
		for k := 0; p != nil && k < i; k++ {
			p = p.NextNamed()
		}
		if k := slices.IndexFunc(t.vars, func(v *variable) bool { return v.flat && v.decl == p }); k >= 0 {
			return t.vars[k]
		}
	}
	for _, s := range append([]*source{t.source}, t.headers...) {
		for _, f := range s.tree.Functions {
			if f.Name != name || f.ParamList == nil {
				continue
			}
			p := f.ParamList.FirstNamed()
			for k := 0; p != nil && k < i; k++ {
				p = p.NextNamed()
			}
			if p == nil || p.Kind != parser.KindParameterDeclaration {
				return nil
			}
			v := headOf(s, p)
			v.pointersOf(p.Child(parser.FieldDeclarator))
			return t.behindTypedef(v)
		}
	}
	return nil
}

// pointersOf reads the pointers and arrays of a parameter's declarator, named or not.
func (v *variable) pointersOf(d *parser.Node) {
	for ; d != nil; d = d.Child(parser.FieldDeclarator) {
		switch d.Kind {
		case parser.KindPointerDeclarator, parser.KindAbstractPointerDeclarator:
			v.derived = append(v.derived, derivation{pointer: true})
		case parser.KindArrayDeclarator, parser.KindAbstractArrayDeclarator:
			v.derived = append([]derivation{{pointer: len(v.derived) == 0}}, v.derived...)
		case parser.KindIdentifier:
		default:
			v.derived = nil
			return
		}
	}
}

// returnsConst are functions of string.h that C++ has return a pointer to what may not be
// changed, as it takes one.
var returnsConst = map[string]bool{"strchr": true, "strrchr": true, "strstr": true, "strpbrk": true}

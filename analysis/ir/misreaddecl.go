package ir

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/parser"
)

// misreadDeclaration lowers a declaration that begins with a declarator in parentheses, such as
// float (*p)[8] = m, which the grammar takes for an assignment to an element of what a call gives;
// nil where it is an expression. n is the whole of it.
func (l *lowerer) misreadDeclaration(c *source, n *parser.Node, parent *Stmt) *Stmt {
	list := operandsOfComma(n, nil)
	typ := l.typeBefore(c, list[0])
	if typ == nil {
		return nil
	}
	s := &Stmt{Op: StmtDecl, Parent: parent, Range: c.rng(n), Outer: c.rng(n), Macro: c.frag != nil}
	base := Type{Base: strings.Join(strings.Fields(c.str(typ)), " ")}
	vars := make([]*Var, len(list))
	for i, d := range list {
		vars[i] = &Var{Kind: VarLocal, Type: base, Decl: s, File: c.file, Range: c.rng(d), Macro: s.Macro}
		if i == 0 && c.frag == nil {
			vars[i].Range.Start = int(typ.Next.Start)
		}
		declarator, init := initialised(c, d, typ)
		if !l.misreadDeclarator(c, declarator, typ, vars[i]) {
			if i > 0 {
				l.problem(vars[i].Range, "declaration that reads like an expression")
			}
			return nil
		}
		switch {
		case init == nil:
		case init.Kind == parser.KindArgumentList:
			vars[i].Init = &Expr{Op: OpInitList, Kids: l.all(c, init), Range: c.rng(init), Macro: s.Macro}
		default:
			vars[i].Init = l.expr(c, init)
		}
		l.declared(s, vars[i])
	}
	return s
}

// operandsOfComma are the expressions between the commas of one.
func operandsOfComma(n *parser.Node, out []*parser.Node) []*parser.Node {
	left, right := n.Child(parser.FieldLeft), n.Child(parser.FieldRight)
	if n.Kind != parser.KindCommaExpression || left == nil || right == nil {
		return append(out, n)
	}
	return operandsOfComma(right, operandsOfComma(left, out))
}

// initialised parts a declarator that reads like an expression from its initialiser, which is nil for none.
func initialised(c *source, n, typ *parser.Node) (declarator, init *parser.Node) {
	switch {
	case n.Kind == parser.KindAssignmentExpression && operator(c, n) == "=":
		return n.Child(parser.FieldLeft), n.Child(parser.FieldRight)
	case n.Kind == parser.KindCallExpression && n.Child(parser.FieldFunction) != typ:
		return n.Child(parser.FieldFunction), n.Child(parser.FieldArguments)
	}
	return n, nil
}

// typeBefore is the type in front of the parentheses that a statement begins with, nil for none.
func (l *lowerer) typeBefore(c *source, n *parser.Node) *parser.Node {
	if n.Kind == parser.KindAssignmentExpression {
		n = n.Child(parser.FieldLeft)
	}
	for n != nil && n.Kind == parser.KindSubscriptExpression {
		n = n.Child(parser.FieldArgument)
	}
	for n != nil && n.Kind == parser.KindCallExpression {
		f := n.Child(parser.FieldFunction)
		if f != nil && l.namesType(c, f) && f.Next != nil {
			return f
		}
		for n = f; n != nil && n.Kind == parser.KindSubscriptExpression; {
			n = n.Child(parser.FieldArgument)
		}
	}
	return nil
}

// misreadDeclarator fills in v from a declarator that reads like an expression, from outside to
// the name; typ is the "function" of the call that its parentheses are read as.
func (l *lowerer) misreadDeclarator(c *source, n, typ *parser.Node, v *Var) bool {
	for n != nil {
		var inner *parser.Node
		switch n.Kind {
		case parser.KindIdentifier:
			v.Name = c.str(n)
			return true
		case parser.KindParenthesizedExpression:
			inner = n.FirstNamed()
		case parser.KindCallExpression:
			args := n.Child(parser.FieldArguments)
			if n.Child(parser.FieldFunction) != typ || args == nil {
				return false
			}
			if inner = args.FirstNamed(); inner == nil || inner.NextNamed() != nil {
				return false
			}
		case parser.KindPointerExpression:
			if c.text[n.Start] == '&' {
				v.Type.Ref = true
			} else {
				v.pointed()
			}
			inner = n.Child(parser.FieldArgument)
		case parser.KindSubscriptExpression:
			i := n.Child(parser.FieldIndices)
			if i == nil || i.FirstNamed() == nil || i.FirstNamed().NextNamed() != nil {
				return false
			}
			v.arrayed(l.expr(c, i.FirstNamed()))
			inner = n.Child(parser.FieldArgument)
		}
		n = inner
	}
	return false
}

// namesType reports whether what stands where the function of a call would is a type. A name of
// which nothing is known is none.
func (l *lowerer) namesType(c *source, n *parser.Node) bool {
	switch n.Kind {
	case parser.KindPrimitiveType, parser.KindSizedTypeSpecifier:
		return true
	case parser.KindIdentifier, parser.KindTypeIdentifier:
		name := c.str(n)
		if v := l.lookup(name); v != nil {
			return v.Kind == VarTemplateType
		}
		_, cast := l.castTo(c, n)
		return cast || l.typeByName(name)
	case parser.KindQualifiedIdentifier, parser.KindTemplateFunction:
		e := &Expr{}
		l.name(c, n, e)
		return l.typeByName(e.Name)
	}
	return false
}

// typeByName reports whether a name that no variable has is known to be a type's.
func (l *lowerer) typeByName(name string) bool {
	return knownTypes[name] || strings.HasSuffix(name, "_t") ||
		slices.ContainsFunc(l.file.Classes, func(c *parser.Class) bool { return c.Name == name })
}

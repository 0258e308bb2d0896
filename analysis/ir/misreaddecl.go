package ir

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/parser"
)

// grouped is a declarator in parentheses, (*p)[8] or (&r)[8][4], which the grammar takes for an
// argument of a call.
type grouped struct {
	typ, name *parser.Node
	stars     int            // * in the parentheses
	ref       bool           // & or && there
	dims      []*parser.Node // outermost first
	init      *parser.Node   // nil for none
	list      bool           // init is what stands in parentheses behind it
	rest      []*parser.Node // the declarators behind the first, as expressions
	whole     *parser.Node   // the first with its initialiser
}

// groupedDeclaration lowers float (*p)[8] = m, which the grammar takes for an assignment to an
// element of what a call gives; nil where it is an expression.
func (l *lowerer) groupedDeclaration(c *source, n *parser.Node, parent *Stmt) *Stmt {
	g := l.grouped(c, n)
	if g == nil {
		return nil
	}
	s := &Stmt{Op: StmtDecl, Parent: parent, Range: c.rng(n), Outer: c.rng(n), Macro: c.frag != nil}
	base := Type{Base: strings.Join(strings.Fields(c.str(g.typ)), " ")}
	v := &Var{Kind: VarLocal, Type: base, Decl: s, File: c.file, Macro: s.Macro, Name: c.str(g.name)}
	v.Range = c.rng(g.whole)
	if c.frag == nil {
		v.Range.Start = int(g.typ.End)
		for v.Range.Start < int(g.name.Start) && c.text[v.Range.Start] != '(' {
			v.Range.Start++
		}
	}
	for _, d := range g.dims {
		v.Dims = append(v.Dims, l.expr(c, d))
	}
	if g.stars == 1 && !g.ref {
		v.Type.Rows = rowsOf(v.Type, v.Dims)
	}
	v.Type.Ptr, v.Type.Ref = g.stars, g.ref
	switch {
	case g.list:
		v.Init = &Expr{Op: OpInitList, Kids: l.all(c, g.init), Range: c.rng(g.init), Macro: s.Macro}
	case g.init != nil:
		v.Init = l.expr(c, g.init)
	}
	l.declared(s, v)
	for _, r := range g.rest {
		l.further(c, s, base, r)
	}
	return s
}

// grouped finds the parts of such a declaration.
func (l *lowerer) grouped(c *source, n *parser.Node) *grouped {
	g := &grouped{}
	for n.Kind == parser.KindCommaExpression {
		left, right := n.Child(parser.FieldLeft), n.Child(parser.FieldRight)
		if left == nil || right == nil {
			return nil
		}
		n, g.rest = left, append([]*parser.Node{right}, g.rest...)
	}
	g.whole = n
	switch n.Kind {
	case parser.KindAssignmentExpression:
		if operator(c, n) != "=" {
			return nil
		}
		g.init = n.Child(parser.FieldRight)
		n = n.Child(parser.FieldLeft)
	case parser.KindCallExpression:
		if f := n.Child(parser.FieldFunction); f != nil && f.Kind == parser.KindSubscriptExpression {
			g.init, g.list = n.Child(parser.FieldArguments), true
			n = f
		}
	}
	for n != nil && n.Kind == parser.KindSubscriptExpression {
		i := n.Child(parser.FieldIndices)
		if i == nil || i.FirstNamed() == nil || i.FirstNamed().NextNamed() != nil {
			return nil
		}
		g.dims = append([]*parser.Node{i.FirstNamed()}, g.dims...)
		n = n.Child(parser.FieldArgument)
	}
	if n == nil || n.Kind != parser.KindCallExpression || len(g.dims) == 0 {
		return nil
	}
	args := n.Child(parser.FieldArguments)
	if g.typ = n.Child(parser.FieldFunction); g.typ == nil || args == nil || args.FirstNamed() == nil || args.FirstNamed().NextNamed() != nil {
		return nil
	}
	g.name = args.FirstNamed()
	for g.name != nil && g.name.Kind == parser.KindPointerExpression {
		if c.text[g.name.Start] == '&' {
			g.ref = true
		} else if g.stars++; g.ref {
			return nil
		}
		g.name = g.name.Child(parser.FieldArgument)
	}
	if g.name == nil || g.name.Kind != parser.KindIdentifier || g.stars == 0 && !g.ref || !l.namesType(c, g.typ) {
		return nil
	}
	return g
}

// namesType reports whether what stands where the function of a call would is a type. A name of
// which nothing is known is none.
func (l *lowerer) namesType(c *source, n *parser.Node) bool {
	switch n.Kind {
	case parser.KindPrimitiveType, parser.KindSizedTypeSpecifier, parser.KindAuto, parser.KindPlaceholderTypeSpecifier, parser.KindDecltype:
		return true
	case parser.KindIdentifier, parser.KindTypeIdentifier:
	default:
		e := &Expr{}
		l.name(c, n, e)
		return n.Kind != parser.KindFieldExpression && (strings.HasSuffix(e.Name, "_t") || l.isClass(e.Name))
	}
	name := c.str(n)
	if v := l.lookup(name); v != nil {
		return v.Kind == VarTemplateType
	}
	if _, ok := l.castTo(c, n); ok {
		return true
	}
	return knownTypes[name] || strings.HasSuffix(name, "_t") || l.isClass(name)
}

// isClass reports whether the file defines a class of a name.
func (l *lowerer) isClass(name string) bool {
	return slices.ContainsFunc(l.file.Classes, func(c *parser.Class) bool { return c.Name == name })
}

// further adds a declarator behind the first, which the grammar takes for an operand of a comma:
// z, z = 3, *q = x, (*q)[8] = m or q[3].
func (l *lowerer) further(c *source, s *Stmt, base Type, n *parser.Node) {
	if n.Kind == parser.KindCommaExpression {
		if left, right := n.Child(parser.FieldLeft), n.Child(parser.FieldRight); left != nil && right != nil {
			l.further(c, s, base, left)
			l.further(c, s, base, right)
			return
		}
	}
	v := &Var{Kind: VarLocal, Type: base, Decl: s, File: c.file, Macro: s.Macro, Range: c.rng(n)}
	var init *parser.Node
	if n.Kind == parser.KindAssignmentExpression && operator(c, n) == "=" {
		n, init = n.Child(parser.FieldLeft), n.Child(parser.FieldRight)
	}
	parens := false // what was read last stands in parentheses
	for n != nil && n.Kind != parser.KindIdentifier {
		switch n.Kind {
		case parser.KindParenthesizedExpression:
			parens, n = true, n.FirstNamed()
			continue
		case parser.KindPointerExpression:
			switch {
			case c.text[n.Start] == '&':
				v.Type.Ref = true
			case parens:
				v.Type.Rows = rowsOf(v.Type, v.Dims)
				v.Type.Ptr++
			default:
				v.Type.Ptr++
			}
			n = n.Child(parser.FieldArgument)
		case parser.KindSubscriptExpression:
			var dim *Expr
			if i := n.Child(parser.FieldIndices); i != nil && i.FirstNamed() != nil {
				dim = l.expr(c, i.FirstNamed())
			}
			v.Dims = append([]*Expr{dim}, v.Dims...)
			n = n.Child(parser.FieldArgument)
		default:
			n = nil
		}
		parens = false
	}
	if n == nil {
		l.problem(v.Range, "declaration that reads like an expression")
		return
	}
	v.Name = c.str(n)
	if init != nil {
		v.Init = l.expr(c, init)
	}
	l.declared(s, v)
}

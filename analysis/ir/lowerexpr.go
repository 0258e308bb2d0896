package ir

import (
	"math"
	"strconv"
	"strings"

	"github.com/smux-cuda/smux/analysis/intrinsic"
	"github.com/smux-cuda/smux/parser"
)

// expr lowers one expression node.
func (l *lowerer) expr(c *source, n *parser.Node) *Expr {
	e := &Expr{Range: c.rng(n), Macro: c.frag != nil}
	if l.misread(c, n) {
		es := l.reread(c, n)
		for _, right := range es[1:] {
			es[0] = &Expr{Op: OpComma, Kids: []*Expr{es[0], right}, Range: Range{Start: es[0].Range.Start, End: right.Range.End}, Macro: e.Macro}
		}
		return es[0]
	}
	switch n.Kind {
	case parser.KindParenthesizedExpression:
		if k := n.FirstNamed(); k != nil && k.Kind == parser.KindCompoundStatement {
			return l.statements(c, n, k)
		} else if k != nil {
			return l.expr(c, k)
		}
	case parser.KindConditionClause:
		if k := n.Child(parser.FieldValue); k != nil {
			return l.expr(c, k)
		}
	case parser.KindNumberLiteral:
		l.number(e, c.str(n))
	case parser.KindTrue:
		e.Op, e.Int = OpInt, 1
	case parser.KindFalse, parser.KindNull:
		e.Op = OpInt
	case parser.KindCharLiteral, parser.KindStringLiteral, parser.KindRawStringLiteral,
		parser.KindConcatenatedString, parser.KindUserDefinedLiteral:
		e.Op, e.Name = OpLiteral, c.str(n)
	case parser.KindIdentifier, parser.KindFieldIdentifier, parser.KindNamespaceIdentifier, parser.KindTypeIdentifier:
		return l.ident(c, n, e)
	case parser.KindThis:
		e.Op, e.Name = OpIdent, "this"
	case parser.KindQualifiedIdentifier, parser.KindTemplateFunction, parser.KindDependentName,
		parser.KindTemplateType, parser.KindTemplateMethod:
		e.Op = OpIdent
		l.name(c, n, e)
	case parser.KindFieldExpression:
		e.Op = OpMember
		e.Kids = []*Expr{l.child(c, n, parser.FieldArgument)}
		if f := n.Child(parser.FieldField); f != nil {
			l.name(c, f, e)
		}
		dot := between(c, n, parser.FieldArgument, parser.FieldField)
		if e.Arrow = strings.HasPrefix(dot, "->"); strings.HasSuffix(dot, "*") {
			l.problem(e.Range, "pointer to a member")
		}
	case parser.KindSubscriptExpression:
		return l.subscript(c, n, e)
	case parser.KindPointerExpression:
		e.Op = OpDeref
		if c.text[n.Start] == '&' {
			e.Op = OpAddr
		}
		e.Kids = []*Expr{l.child(c, n, parser.FieldArgument)}
		if e.Op == OpAddr {
			// &x, &x.part and &x[i] of an array or object: it may change unseen.
			if r := e.Kids[0].Root(); r != nil && r.Var != nil && (e.Kids[0] == r || r.Var.Type.Ptr == 0 && r.Var.Type.Rows == nil) && !followsPointer(e.Kids[0]) {
				r.Var.AddrTaken = true
			} else if r == nil {
				e.Kids[0].unseen()
			}
		}
	case parser.KindUnaryExpression:
		e.Op, e.Tok = OpUnary, operator(c, n)
		e.Kids = []*Expr{l.child(c, n, parser.FieldArgument)}
		if e.Tok == "+" { // of an array, too, which is an address then
			e.Op, e.Kids = OpBinary, append(e.Kids, &Expr{Op: OpInt, Range: e.Kids[0].Range, Macro: e.Macro})
		}
	case parser.KindUpdateExpression:
		e.Op, e.Tok = OpIncDec, operator(c, n)
		e.Postfix = n.First != nil && n.First.Field == parser.FieldArgument
		e.Kids = []*Expr{l.child(c, n, parser.FieldArgument)}
		l.written(e)
	case parser.KindBinaryExpression:
		e.Op, e.Tok = OpBinary, operator(c, n)
		e.Kids = []*Expr{l.child(c, n, parser.FieldLeft), l.child(c, n, parser.FieldRight)}
	case parser.KindAssignmentExpression:
		e.Op, e.Tok = OpAssign, operator(c, n)
		e.Kids = []*Expr{l.child(c, n, parser.FieldLeft), l.child(c, n, parser.FieldRight)}
		l.written(e)
	case parser.KindConditionalExpression:
		e.Op = OpCond
		e.Kids = []*Expr{l.child(c, n, parser.FieldCondition), l.child(c, n, parser.FieldConsequence), l.child(c, n, parser.FieldAlternative)}
	case parser.KindCommaExpression:
		e.Op = OpComma
		e.Kids = []*Expr{l.child(c, n, parser.FieldLeft), l.child(c, n, parser.FieldRight)}
	case parser.KindCallExpression:
		return l.call(c, n, e)
	case parser.KindCastExpression:
		e.Op = OpCast
		e.Type = l.typeDescriptor(c, n.Child(parser.FieldType))
		e.Kids = []*Expr{l.child(c, n, parser.FieldValue)}
	case parser.KindCompoundLiteralExpression:
		e.Op = OpCast
		e.Type = l.typeDescriptor(c, n.Child(parser.FieldType))
		e.Kids = l.all(c, n.Child(parser.FieldValue))
	case parser.KindSizeofExpression, parser.KindAlignofExpression:
		if strings.HasPrefix(strings.TrimSpace(strings.TrimPrefix(c.str(n), "sizeof")), "...") {
			e.Op, e.Tok = OpMixed, Spread // how many a pack has
			return e
		}
		e.Op = OpSizeof
		if t := n.Child(parser.FieldType); t != nil {
			e.Type = l.typeDescriptor(c, t)
		} else if v := n.Child(parser.FieldValue); v != nil {
			e.Kids = []*Expr{l.expr(c, v)}
		}
	case parser.KindInitializerList, parser.KindArgumentList, parser.KindSubscriptArgumentList, parser.KindNewDeclarator:
		e.Op, e.Kids = OpInitList, l.all(c, n)
		if e.spreads() {
			e.Op, e.Tok = OpMixed, Spread
		}
	case parser.KindLambdaExpression:
		return l.lambda(c, n, e)
	case parser.KindNewExpression, parser.KindDeleteExpression:
		e.Op, e.Kids = OpNew, l.all(c, n)
	case parser.KindTypeDescriptor:
		// A template argument that is a plain name is read as a type, value or not.
		if k := n.FirstNamed(); k != nil && k.Start == n.Start && k.End == n.End && k.Kind == parser.KindTypeIdentifier {
			return l.ident(c, k, e)
		}
		e.Op, e.Name = OpIdent, c.str(n)
	case parser.KindExpressionStatement: // the head of a for statement in some grammars
		if k := n.FirstNamed(); k != nil {
			return l.expr(c, k)
		}
	case parser.KindParameterPackExpansion, parser.KindFoldExpression:
		return l.spread(c, n, e)
	case parser.KindPrimitiveType, parser.KindSizedTypeSpecifier, parser.KindAuto:
		e.Op, e.Name = OpIdent, c.str(n)
	default:
		e.Kids = l.all(c, n)
		l.problem(e.Range, "expression that is not understood ("+n.Kind.String()+")")
	}
	return e
}

func (l *lowerer) child(c *source, n *parser.Node, f parser.Field) *Expr {
	if k := n.Child(f); k != nil {
		return l.expr(c, k)
	}
	l.problem(c.rng(n), "incomplete expression")
	return &Expr{Range: c.rng(n)}
}

func (l *lowerer) all(c *source, n *parser.Node) []*Expr {
	if n == nil {
		return nil
	}
	var out []*Expr
	for k := n.FirstNamed(); k != nil; k = k.NextNamed() {
		if k.Kind == parser.KindInitializerPair {
			if v := k.Child(parser.FieldValue); v != nil {
				k = v
				out = append(out, l.expr(c, v))
				k = v.Parent
				continue
			}
		}
		if l.misread(c, k) {
			out = append(out, l.reread(c, k)...)
			continue
		}
		out = append(out, l.expr(c, k))
	}
	return l.spreading(out)
}

func operator(c *source, n *parser.Node) string {
	if o := n.Child(parser.FieldOperator); o != nil {
		return c.str(o)
	}
	for k := n.First; k != nil; k = k.Next {
		if k.Kind == parser.KindToken {
			return c.str(k)
		}
	}
	return ""
}

func between(c *source, n *parser.Node, a, b parser.Field) string {
	x, y := n.Child(a), n.Child(b)
	if x == nil || y == nil || x.End > y.Start {
		return ""
	}
	return strings.TrimSpace(string(c.text[x.End:y.Start]))
}

// written records an assignment to a variable as a whole, or to one of several.
func (l *lowerer) written(e *Expr) {
	if t := e.Kids[0]; t.Op == OpIdent && t.Var != nil {
		t.Var.Writes = append(t.Var.Writes, e)
	} else if t.Root() == nil {
		t.unseen()
	}
}

func (l *lowerer) number(e *Expr, text string) {
	s := strings.ReplaceAll(strings.ToLower(text), "'", "")
	hex := strings.HasPrefix(s, "0x")
	if !hex && strings.ContainsAny(s, ".ef") || hex && strings.ContainsAny(s, ".p") {
		e.Op, e.Name = OpLiteral, text
		return
	}
	// The grammar takes a sign into the literal where an operand is due.
	s, negative := strings.TrimPrefix(s, "+"), false
	if rest, ok := strings.CutPrefix(s, "-"); ok {
		s, negative = rest, true
	}
	digits := strings.TrimRight(s, "ulz")
	v, err := strconv.ParseUint(digits, 0, 64)
	long, large := strings.ContainsAny(s[len(digits):], "lz"), v > math.MaxInt32
	unsigned := strings.Contains(s[len(digits):], "u") || large && !long && s[0] == '0' // no decimal number turns unsigned
	if err != nil || v > math.MaxUint32 || negative && unsigned {
		e.Op, e.Name = OpLiteral, text
		return
	}
	e.Op, e.Int = OpInt, int64(v)
	if negative {
		e.Int = -e.Int
	}
	if unsigned {
		e.Tok = "u"
	}
	if long || large && !unsigned {
		e.Type.Base = "long"
	}
}

// name fills in the unqualified name, the qualification and the template arguments of a (possibly qualified) name.
func (l *lowerer) name(c *source, n *parser.Node, e *Expr) {
	switch n.Kind {
	case parser.KindQualifiedIdentifier:
		if s := n.Child(parser.FieldScope); s != nil {
			q := c.str(s)
			if e.Qual != "" {
				q = e.Qual + "::" + q
			}
			e.Qual = strings.TrimSuffix(l.inLibrary(c, q+"::"), "::")
		}
		if k := n.Child(parser.FieldName); k != nil {
			l.name(c, k, e)
		}
		if e.Qual == "" && intrinsic.VariableOf(e.Name) != nil {
			e.Qual = "::" // no declaration hides it
		}
	case parser.KindTemplateFunction, parser.KindTemplateType, parser.KindTemplateMethod:
		if k := n.Child(parser.FieldName); k != nil {
			e.Name = c.str(k)
		}
		if a := n.Child(parser.FieldArguments); a != nil {
			e.TArgs = repeated(l.all(c, a))
		}
	case parser.KindDependentName:
		for k := n.FirstNamed(); k != nil; k = k.NextNamed() {
			l.name(c, k, e)
		}
	default:
		e.Name = c.str(n)
	}
}

func (l *lowerer) ident(c *source, n *parser.Node, e *Expr) *Expr {
	name := c.str(n)
	if c.frag == nil {
		if texts, ok := l.macroUse(c, n); ok {
			return l.macroExpr(c, n, texts)
		}
	}
	e.Op, e.Name = OpIdent, name
	if e.Var = l.lookup(name); e.Var == nil {
		e.Var = l.cache.Hidden[name]
	} else if e.Var.Pack { // one of its elements
		return &Expr{Op: OpMixed, Tok: Spread, Kids: []*Expr{e}, Range: e.Range, Macro: e.Macro}
	}
	return e
}

func (l *lowerer) subscript(c *source, n *parser.Node, e *Expr) *Expr {
	e.Op = OpIndex
	base := l.child(c, n, parser.FieldArgument)
	var idx []*Expr
	if a := n.Child(parser.FieldIndices); a != nil {
		idx = l.all(c, a)
	}
	if len(idx) != 1 {
		l.problem(e.Range, "subscript with more than one index")
		e.Op = OpUnknown
		e.Kids = append([]*Expr{base}, idx...)
		return e
	}
	e.Kids = []*Expr{base, idx[0]}
	if base.address() == no && idx[0].address() != no {
		// i[p] is *(i + p).
		sum := &Expr{Op: OpBinary, Tok: "+", Kids: e.Kids, Range: e.Range, Macro: e.Macro}
		e.Op, e.Kids = OpDeref, []*Expr{sum}
	}
	return e
}

func (l *lowerer) typeDescriptor(c *source, n *parser.Node) Type {
	if n == nil {
		return Type{}
	}
	v := &Var{Kind: VarParam, Type: l.typeOf(c, n)}
	if v.Type.Base == "" {
		v.Type.Base = strings.Join(strings.Fields(c.str(n)), " ")
	}
	if d := n.Child(parser.FieldDeclarator); d != nil {
		l.declarator(c, d, v)
		if len(v.Dims) > 0 {
			v.Type.Ptr++
		}
	}
	return v.Type
}

// followsPointer reports whether an lvalue is reached through a pointer.
func followsPointer(e *Expr) bool {
	for {
		switch e.Op {
		case OpDeref:
			return true
		case OpMember:
			if e.Arrow {
				return true
			}
			e = e.Kids[0]
		case OpIndex:
			e = e.Kids[0]
		default:
			return false
		}
	}
}

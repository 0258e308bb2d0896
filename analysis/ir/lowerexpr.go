package ir

import (
	"math"
	"strconv"
	"strings"

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
		if k := n.FirstNamed(); k != nil {
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
		e.Arrow = strings.HasPrefix(between(c, n, parser.FieldArgument, parser.FieldField), "->")
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
			}
		}
	case parser.KindUnaryExpression:
		e.Op, e.Tok = OpUnary, operator(c, n)
		e.Kids = []*Expr{l.child(c, n, parser.FieldArgument)}
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
		e.Op = OpSizeof
		if t := n.Child(parser.FieldType); t != nil {
			e.Type = l.typeDescriptor(c, t)
		} else if v := n.Child(parser.FieldValue); v != nil {
			e.Kids = []*Expr{l.expr(c, v)}
		}
	case parser.KindInitializerList, parser.KindArgumentList, parser.KindSubscriptArgumentList, parser.KindNewDeclarator:
		e.Op, e.Kids = OpInitList, l.all(c, n)
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
	case parser.KindParameterPackExpansion:
		e.Kids = l.all(c, n)
		l.problem(e.Range, "parameter pack expansion")
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
	return out
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

// written records an assignment to a variable as a whole.
func (l *lowerer) written(e *Expr) {
	if t := e.Kids[0]; t.Op == OpIdent && t.Var != nil {
		t.Var.Writes = append(t.Var.Writes, e)
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
	unsigned := strings.Contains(s[len(digits):], "u") || v > math.MaxInt32
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
	if strings.ContainsAny(s[len(digits):], "lz") {
		e.Type.Base = "long"
	}
}

// name fills in the unqualified name, the qualification and the template
// arguments of a (possibly qualified) name.
func (l *lowerer) name(c *source, n *parser.Node, e *Expr) {
	switch n.Kind {
	case parser.KindQualifiedIdentifier:
		if s := n.Child(parser.FieldScope); s != nil {
			q := c.str(s)
			if e.Qual != "" {
				q = e.Qual + "::" + q
			}
			e.Qual = q
		}
		if k := n.Child(parser.FieldName); k != nil {
			l.name(c, k, e)
		}
	case parser.KindTemplateFunction, parser.KindTemplateType, parser.KindTemplateMethod:
		if k := n.Child(parser.FieldName); k != nil {
			e.Name = c.str(k)
		}
		if a := n.Child(parser.FieldArguments); a != nil {
			e.TArgs = l.all(c, a)
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
	e.Var = l.lookup(name)
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

func (l *lowerer) call(c *source, n *parser.Node, e *Expr) *Expr {
	if c.frag == nil {
		if texts, ok := l.macroUse(c, n); ok {
			return l.macroExpr(c, n, texts)
		}
	}
	if view := l.launch(c, n); view != nil {
		e.Op, e.Launch, e.Name = OpLaunch, view, view.Kernel
		for i := range view.Config {
			e.Kids = append(e.Kids, l.launchConfig(c, view, i))
		}
		for _, a := range view.Arguments() {
			e.Kids = append(e.Kids, l.expr(c, a))
		}
		if view.TemplateArgs != nil {
			e.TArgs = l.all(c, view.TemplateArgs)
		}
		return e
	}
	e.Op = OpCall
	callee := n.Child(parser.FieldFunction)
	args := n.Child(parser.FieldArguments)
	if callee == nil {
		l.problem(e.Range, "incomplete call")
		return e
	}
	if args != nil {
		e.ArgsRange = c.rng(args)
	}
	if base, ok := l.castTo(c, callee); ok && args != nil && args.FirstNamed() != nil && args.FirstNamed().NextNamed() == nil {
		e.Op, e.Type, e.Kids = OpCast, Type{Base: base}, l.all(c, args)
		return e
	}
	switch name := c.str(callee); {
	case callee.Kind == parser.KindPrimitiveType, callee.Kind == parser.KindSizedTypeSpecifier:
		e.Op, e.Type, e.Kids = OpCast, Type{Base: name}, l.all(c, args)
		return e
	case name == "asm" || name == "__asm__" || name == "__asm":
		return l.asm(c, args, e)
	}
	fun := l.expr(c, callee)
	e.Name, e.Qual, e.TArgs = fun.Name, fun.Qual, fun.TArgs
	switch e.Name {
	case "static_cast", "reinterpret_cast", "const_cast":
		if callee.Kind == parser.KindTemplateFunction && args != nil {
			e.Op, e.Kids = OpCast, l.all(c, args)
			e.TArgs = nil
			if ta := callee.Child(parser.FieldArguments); ta != nil {
				e.Type = l.typeDescriptor(c, ta.FirstNamed())
			}
			return e
		}
	}
	fun.TArgs = nil
	e.Kids = append([]*Expr{fun}, l.all(c, args)...)
	if e.Qual == "std" && (e.Name == "move" || e.Name == "forward") && len(e.Kids) == 2 {
		return e.Kids[1] // the same object
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

// lambda lowers a lambda expression: its body is kept as statements, so that
// barriers and shared accesses inside are seen.
func (l *lowerer) lambda(c *source, n *parser.Node, e *Expr) *Expr {
	e.Op = OpLambda
	captured := l.captures(c, n.Child(parser.FieldCaptures), e)
	l.push()
	defer l.pop()
	for _, v := range captured {
		l.declare(v)
	}
	if d := n.Child(parser.FieldDeclarator); d != nil {
		if ps := d.Child(parser.FieldParameters); ps != nil {
			for p := ps.FirstNamed(); p != nil; p = p.NextNamed() {
				v := &Var{Kind: VarLocal, Type: l.typeOf(c, p), AddrTaken: true}
				if pd := p.Child(parser.FieldDeclarator); pd != nil {
					l.declarator(c, pd, v)
				}
				if v.Name != "" {
					l.declare(v)
					e.Params = append(e.Params, v)
				}
			}
		}
	}
	if b := n.Child(parser.FieldBody); b != nil {
		e.Lambda = l.stmt(c, b, nil)
	}
	return e
}

// captures adds to Kids what a lambda's variables of its own, [q = s + 3, &r = a[1]], are set to
// where it stands, and returns these variables. The address of what a reference is to stands for it.
func (l *lowerer) captures(c *source, n *parser.Node, e *Expr) (out []*Var) {
	if n == nil {
		return nil
	}
	for k := n.FirstNamed(); k != nil; k = k.NextNamed() {
		left, right := k.Child(parser.FieldLeft), k.Child(parser.FieldRight)
		if k.Kind != parser.KindAssignmentExpression || left == nil || right == nil {
			continue
		}
		v := &Var{Kind: VarLocal, Type: Type{Base: "auto"}, File: c.file, Range: c.rng(k), Macro: c.frag != nil, AddrTaken: true}
		v.Init = l.expr(c, right)
		kid := v.Init
		if left.Kind == parser.KindPointerExpression {
			v.Type.Ref = true
			kid = &Expr{Op: OpAddr, Kids: []*Expr{v.Init}, Range: c.rng(k), Macro: c.frag != nil}
			if r := v.Init.Root(); r != nil && r.Var != nil {
				r.Var.AddrTaken = true
			}
			left = left.Child(parser.FieldArgument)
		}
		e.Kids = append(e.Kids, kid)
		if left != nil && left.Kind == parser.KindIdentifier {
			v.Name = c.str(left)
			out = append(out, v)
		}
	}
	return out
}

// launchConfig is a part of the configuration of a launch: an argument, or a member of
// its cudaLaunchConfig_t.
func (l *lowerer) launchConfig(c *source, view *parser.Launch, i int) *Expr {
	if view.Settings == nil {
		return l.expr(c, view.Config[i])
	}
	e := &Expr{Op: OpMember, Range: c.rng(view.Settings), Name: view.SettingOf(i)}
	if name := view.SettingsName; name != nil {
		e.Kids = []*Expr{l.expr(c, name)}
	} else {
		e.Kids, e.Arrow = []*Expr{l.expr(c, view.Settings)}, true
	}
	return e
}

// launch returns the kernel launch that a call node is, or nil.
func (l *lowerer) launch(c *source, n *parser.Node) *parser.Launch {
	if c.frag != nil {
		return nil
	}
	for _, v := range l.launches {
		if v.Node == n {
			return v
		}
	}
	return nil
}

// asm lowers inline assembly: Name is its text, Kids are the operands. An
// operand "=r"(x) reads as a call of a string; x may change unseen.
func (l *lowerer) asm(c *source, args *parser.Node, e *Expr) *Expr {
	e.Op = OpAsm
	if args == nil {
		return e
	}
	for k := args.FirstNamed(); k != nil; k = k.NextNamed() {
		if k.Kind == parser.KindCallExpression {
			if f := k.Child(parser.FieldFunction); f != nil && (f.Kind == parser.KindStringLiteral || f.Kind == parser.KindConcatenatedString) {
				e.Kids = append(e.Kids, l.all(c, k.Child(parser.FieldArguments))...)
				continue
			}
		}
		op := l.expr(c, k)
		if op.Op == OpLiteral {
			e.Name += op.Name
			continue
		}
		e.Kids = append(e.Kids, op)
	}
	for _, op := range e.Kids {
		if r := op.Root(); r != nil && r.Var != nil {
			r.Var.AddrTaken = true
		}
	}
	return e
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

package ir

import (
	"strings"

	"github.com/smux-cuda/smux/parser"
)

// The grammar does not know which names are templates or types, and takes some expressions
// for what they are not: infix.go reads them again.

// notType returns the lowered name if the "type" of a cast is the name of a variable, or may be one: a plain name
// that is not a known type, before an operator that is unary and binary both.
func (l *lowerer) notType(c *source, n, operand *parser.Node) *Expr {
	if n == nil || operand == nil {
		return nil
	}
	k := n.FirstNamed()
	if k == nil || k.Kind != parser.KindTypeIdentifier || k.Start != n.Start || k.End != n.End {
		return nil
	}
	name := c.str(k)
	either := operand.Kind == parser.KindUnaryExpression || operand.Kind == parser.KindPointerExpression
	v := l.lookup(name)
	if !l.isValue(c, name) && (!either || v != nil || knownTypes[name] || strings.HasSuffix(name, "_t")) {
		return nil
	}
	if _, ok := l.castTo(c, k); ok {
		return nil
	}
	return l.ident(c, k, &Expr{Range: c.rng(k), Macro: c.frag != nil})
}

// knownTypes are type names without a keyword that need no definition in view.
var knownTypes = map[string]bool{
	"uint": true, "uchar": true, "ushort": true, "ulong": true, "half": true, "__half": true,
	"float2": true, "float3": true, "float4": true, "int2": true, "int3": true, "int4": true,
	"uint2": true, "uint3": true, "uint4": true, "double2": true, "dim3": true, "real": true, "Real": true,
}

// isValue reports whether a name is known to be neither a type nor a function.
func (l *lowerer) isValue(c *source, name string) bool {
	if v := l.lookup(name); v != nil {
		return v.Kind != VarTemplateType && !v.Type.Function && (v.Init == nil || v.Init.Op != OpLambda)
	}
	if l.cache.Hidden[name] != nil {
		return true
	}
	if c.frag == nil {
		if m, ok := l.cache.Macros(c.file).Lookup(name, 0); ok && !m.FunctionLike && integer(m.Body) != nil {
			return true
		}
	}
	return false
}

// template is the template that an expression is by the grammar, f<a> or n::f<a>; nil for others.
func template(n *parser.Node) *parser.Node {
	for n != nil && n.Kind == parser.KindQualifiedIdentifier {
		n = n.Child(parser.FieldName)
	}
	if n == nil || n.Kind != parser.KindTemplateFunction && n.Kind != parser.KindTemplateType {
		return nil
	}
	return n
}

// compares reports whether what the grammar takes for a template is comparisons, such as a < b && c > in front of (d)
// or -d: no template is called like a variable, and arguments of templates are constants.
func (l *lowerer) compares(c *source, n *parser.Node) bool {
	t := template(n)
	if t == nil || l.takesType(c, t) {
		return false
	}
	if name := t.Child(parser.FieldName); n == t && name != nil && l.isValue(c, c.str(name)) {
		return true
	}
	return l.changes(c, t.Child(parser.FieldArguments))
}

// takesType reports whether an argument of a template can be nothing but a type.
func (l *lowerer) takesType(c *source, t *parser.Node) bool {
	args := t.Child(parser.FieldArguments)
	if args == nil {
		return false
	}
	for k := args.FirstNamed(); k != nil; k = k.NextNamed() {
		first := k.FirstNamed()
		if k.Kind == parser.KindTypeDescriptor && (first == nil || first.Kind != parser.KindTypeIdentifier || first.NextNamed() != nil && !l.isValue(c, c.str(first))) {
			return true
		}
	}
	return false
}

// untyped is the expression that stands where the grammar sees a type: a name, or a name with a
// subscript, which it takes for the length of an array.
func (l *lowerer) untyped(c *source, n *parser.Node) *Expr {
	name := n.FirstNamed()
	if name == nil {
		return l.expr(c, n)
	}
	d := name.NextNamed()
	switch {
	case d == nil:
		return l.expr(c, name)
	case d.Kind == parser.KindAbstractArrayDeclarator && d.NextNamed() == nil && d.Child(parser.FieldSize) != nil && d.Child(parser.FieldDeclarator) == nil:
		return &Expr{Range: c.rng(n), Op: OpIndex, Kids: []*Expr{l.expr(c, name), l.child(c, d, parser.FieldSize)}, Macro: c.frag != nil}
	}
	l.problem(c.rng(n), "comparison that reads like a type")
	return &Expr{Range: c.rng(n), Op: OpUnknown, Macro: c.frag != nil}
}

// changes reports whether a variable of a function that is no constant is named in a node.
func (l *lowerer) changes(c *source, n *parser.Node) bool {
	if n == nil || n.Kind == parser.KindSizeofExpression || n.Kind == parser.KindAlignofExpression || n.Kind == parser.KindLambdaExpression {
		return false
	}
	if n.Kind == parser.KindIdentifier || n.Kind == parser.KindTypeIdentifier {
		return l.ident(c, n, &Expr{}).Any(func(x *Expr) bool {
			v := x.Var
			return v != nil && (v.Kind == VarParam || v.Kind == VarShared || v.Kind == VarLocal && v.Init == nil && !v.Type.Const)
		})
	}
	for k := n.FirstNamed(); k != nil; k = k.NextNamed() {
		if l.changes(c, k) {
			return true
		}
	}
	return false
}

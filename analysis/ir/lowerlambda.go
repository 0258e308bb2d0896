package ir

import (
	"github.com/smux-cuda/smux/parser"
)

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
			v.Init.unseen()
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

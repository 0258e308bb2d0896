package ir

import (
	"bytes"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/parser"
)

// piece is an operator or an operand of an expression that is read again by the precedence of its operators, where
// the grammar takes comparisons for a template: a < b && c > (d) is a call of a<b && c> for it.
type piece struct {
	op  string
	e   *Expr // operand; of an operator its range, and the type of a cast
	end int   // of an operator in the text, to join > and = to >=
}

// precedence of the operators of two operands, from those that bind least.
var precedence = [][]string{{"||"}, {"&&"}, {"|"}, {"^"}, {"&"}, {"==", "!="}, {"<", "<=", ">", ">="}, {"<<", ">>"}, {"+", "-"}, {"*", "/", "%"}}

// misread reports whether the grammar may have got the operators of an expression wrong: whether what it takes for a
// template or a type is a comparison or an operand, but for what stands in brackets of its own.
func (l *lowerer) misread(c *source, n *parser.Node) bool {
	if n == nil {
		return false
	}
	switch n.Kind {
	case parser.KindQualifiedIdentifier, parser.KindTemplateFunction, parser.KindTemplateType, parser.KindTemplateMethod:
		return l.compares(c, n)
	case parser.KindCallExpression:
		return l.compares(c, n.Child(parser.FieldFunction))
	case parser.KindAssignmentExpression:
		return assigned(n) != nil
	case parser.KindBinaryExpression:
		return l.misread(c, n.Child(parser.FieldLeft)) || l.misread(c, n.Child(parser.FieldRight))
	case parser.KindUnaryExpression, parser.KindPointerExpression, parser.KindSubscriptExpression, parser.KindFieldExpression:
		return l.misread(c, n.Child(parser.FieldArgument))
	case parser.KindCastExpression:
		return l.notType(c, n.Child(parser.FieldType), n.Child(parser.FieldValue)) != nil || l.misread(c, n.Child(parser.FieldValue))
	}
	return false
}

// assigned is the template that something is assigned to by the grammar, which a comparison with >= in front of =
// looks like: a < b && c >= d, and with more before it e && a < b && c >= d; nil for other nodes.
func assigned(n *parser.Node) *parser.Node {
	if n == nil || n.Kind != parser.KindAssignmentExpression {
		return nil
	}
	left := n.Child(parser.FieldLeft)
	for left != nil && (left.Kind == parser.KindBinaryExpression || left.Kind == parser.KindConditionalExpression) {
		if left.Kind == parser.KindBinaryExpression {
			left = left.Child(parser.FieldRight)
		} else {
			left = left.Child(parser.FieldAlternative)
		}
	}
	if template(left) == nil {
		return nil
	}
	return left
}

// isAssigned reports whether a node is such a template.
func isAssigned(n *parser.Node) bool {
	for p := n.Parent; p != nil; p = p.Parent {
		if p.Kind != parser.KindBinaryExpression {
			return assigned(p) == n
		}
	}
	return false
}

// reread reads an expression again; several where commas part it. What it can't read is an OpMixed of its operands.
func (l *lowerer) reread(c *source, n *parser.Node) (out []*Expr) {
	ps := l.pieces(c, n, nil)
	rest := ps
	for {
		var e *Expr
		e, rest = binary(rest, 0)
		if e != nil && len(rest) > 0 && rest[0].op == "?:" {
			e, rest = &Expr{Op: OpCond, Kids: append([]*Expr{e}, rest[0].e.Kids...), Range: Range{Start: e.Range.Start, End: rest[0].e.Range.End}, Macro: e.Macro}, rest[1:]
		}
		if e == nil || len(rest) > 0 && rest[0].op != "," {
			break
		}
		if out = append(out, e); len(rest) == 0 {
			for _, e := range out {
				c.withBrackets(e)
			}
			return out
		}
		rest = rest[1:]
	}
	mixed := &Expr{Op: OpMixed, Range: c.rng(n), Macro: c.frag != nil}
	for _, p := range ps {
		switch p.op {
		case "":
			mixed.Kids = append(mixed.Kids, p.e)
		case "?:":
			mixed.Kids = append(mixed.Kids, p.e.Kids...)
		}
	}
	return []*Expr{mixed}
}

// withBrackets has the ranges of operations that were read again reach over the brackets of their first and last
// operands, whose own ranges leave them out.
func (c *source) withBrackets(e *Expr) {
	if c.frag != nil {
		return
	}
	e.Walk(func(e *Expr) bool {
		if e.Op != OpBinary && e.Op != OpCond || e.Macro {
			return true
		}
		for r := &e.Range; ; {
			text := c.text[r.Start:r.End]
			switch open := bytes.Count(text, []byte("(")) - bytes.Count(text, []byte(")")); {
			case open > 0 && bytes.IndexByte(c.text[r.End:], ')') >= 0:
				r.End += bytes.IndexByte(c.text[r.End:], ')') + 1
			case open < 0 && bytes.LastIndexByte(c.text[:r.Start], '(') >= 0:
				r.Start = bytes.LastIndexByte(c.text[:r.Start], '(')
			default:
				return true
			}
		}
	})
}

// pieces adds the operators and operands of an expression in the order of the text.
func (l *lowerer) pieces(c *source, n *parser.Node, ps []piece) []piece {
	operator := func(op string, end int, of *Expr) {
		if k := len(ps) - 1; k >= 0 && ps[k].op == ">" && ps[k].end == end-len(op) && (op == "=" || op == ">") {
			ps[k].op, ps[k].end = ">"+op, end
			return
		}
		ps = append(ps, piece{op: op, e: of, end: end})
	}
	token := func(n *parser.Node) {
		for k := n.First; k != nil; k = k.Next {
			if k.Kind == parser.KindToken || k.Field == parser.FieldOperator {
				operator(c.str(k), int(k.End), &Expr{Range: c.rng(k), Macro: c.frag != nil})
				return
			}
		}
		operator("?", int(n.Start), nil)
	}
	left, right, value := n.Child(parser.FieldLeft), n.Child(parser.FieldRight), n.Child(parser.FieldArgument)
	switch {
	case n.Kind == parser.KindBinaryExpression, assigned(n) != nil:
		ps = l.pieces(c, left, ps)
		token(n)
		if right.Kind != parser.KindConditionalExpression { // but for what it takes for an assignment
			return l.pieces(c, right, ps)
		}
		ps = l.pieces(c, right.Child(parser.FieldCondition), ps)
		e := &Expr{Range: c.rng(right), Kids: []*Expr{l.child(c, right, parser.FieldConsequence), l.child(c, right, parser.FieldAlternative)}}
		return append(ps, piece{op: "?:", e: e})
	case n.Kind == parser.KindUnaryExpression, n.Kind == parser.KindPointerExpression && l.misread(c, value):
		token(n)
		return l.pieces(c, value, ps)
	case n.Kind == parser.KindCastExpression && l.misread(c, n):
		value = n.Child(parser.FieldValue)
		name := l.notType(c, n.Child(parser.FieldType), value)
		if name == nil {
			operator("()", int(value.Start), &Expr{Type: l.typeDescriptor(c, n.Child(parser.FieldType)), Range: c.rng(n), Macro: c.frag != nil})
			return l.pieces(c, value, ps)
		}
		ps = append(ps, piece{e: name})
		if inner := value.Child(parser.FieldArgument); inner != nil && value.Kind != parser.KindUpdateExpression {
			if op := string(c.text[value.Start:inner.Start]); op == "&" && inner.Kind == parser.KindPointerExpression && inner.Start == value.Start+1 && c.text[inner.Start] == '&' {
				operator("&&", int(inner.Start)+1, nil)
				return l.pieces(c, inner.Child(parser.FieldArgument), ps)
			}
			token(value)
			return l.pieces(c, inner, ps)
		}
		return l.pieces(c, value, ps)
	case n.Kind == parser.KindCallExpression && l.misread(c, n):
		ps = l.pieces(c, n.Child(parser.FieldFunction), ps)
		if args := l.all(c, n.Child(parser.FieldArguments)); len(args) == 1 {
			return append(ps, piece{e: args[0]})
		}
		return append(ps, piece{op: "?"})
	case n.Kind == parser.KindSubscriptExpression && l.misread(c, n), n.Kind == parser.KindFieldExpression && l.misread(c, n):
		ps = l.pieces(c, value, ps)
		for _, e := range l.all(c, n.Child(parser.FieldIndices)) {
			ps = append(ps, piece{op: "?"}, piece{e: e})
		}
		return append(ps, piece{op: "?"})
	case template(n) != nil && l.misread(c, n) || template(n) != nil && isAssigned(n):
		t := template(n)
		if name := t.Child(parser.FieldName); n == t {
			ps = append(ps, piece{e: l.expr(c, name)})
		} else {
			e := &Expr{Range: c.rng(n), Op: OpIdent, Name: c.str(name), Macro: c.frag != nil}
			e.Qual = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(string(c.text[n.Start:t.Start])), "::"))
			ps = append(ps, piece{e: e})
		}
		for k := t.Child(parser.FieldArguments).First; k != nil; k = k.Next {
			switch {
			case k.Kind == parser.KindToken:
				operator(c.str(k), int(k.End), &Expr{Range: c.rng(k), Macro: c.frag != nil})
			case k.Kind == parser.KindTypeDescriptor:
				ps = append(ps, piece{e: l.untyped(c, k)})
			default:
				ps = l.pieces(c, k, ps)
			}
		}
		return ps
	}
	return append(ps, piece{e: l.expr(c, n)})
}

// binary reads an expression with operators that bind as much as those of a level, or more.
func binary(ps []piece, level int) (*Expr, []piece) {
	if level == len(precedence) {
		return unary(ps)
	}
	left, ps := binary(ps, level+1)
	for left != nil && len(ps) > 0 && slices.Contains(precedence[level], ps[0].op) {
		op := ps[0].op
		var right *Expr
		if right, ps = binary(ps[1:], level+1); right == nil {
			return nil, nil
		}
		left = &Expr{Op: OpBinary, Tok: op, Kids: []*Expr{left, right}, Range: Range{Start: left.Range.Start, End: right.Range.End}, Macro: left.Macro}
	}
	return left, ps
}

// unary reads an operand with the operators before it.
func unary(ps []piece) (*Expr, []piece) {
	if len(ps) == 0 {
		return nil, nil
	}
	p := ps[0]
	if p.op == "" {
		return p.e, ps[1:]
	}
	if p.e == nil || !slices.Contains([]string{"!", "-", "+", "~", "*", "()"}, p.op) {
		return nil, nil
	}
	kid, rest := unary(ps[1:])
	if kid == nil {
		return nil, nil
	}
	e := &Expr{Op: OpUnary, Tok: p.op, Kids: []*Expr{kid}, Range: Range{Start: p.e.Range.Start, End: kid.Range.End}, Macro: p.e.Macro}
	switch p.op {
	case "*":
		e.Op, e.Tok = OpDeref, ""
	case "()":
		e.Op, e.Tok, e.Type = OpCast, "", p.e.Type
	}
	return e, rest
}

package acc

import (
	"slices"
	"strconv"
	"strings"

	"github.com/smux-cuda/smux/analysis/polynomial"
	"github.com/smux-cuda/smux/parser"
)

// loop is a for loop that counts: from lower by step as long as the counter is below, or above, upper.
type loop struct {
	node      *parser.Node
	counter   *variable
	declares  bool         // the counter is the loop's own
	lower     *parser.Node // expression
	upper     *parser.Node
	inclusive bool // upper itself is reached
	step      int64
	body      *parser.Node
}

// counts reads a for statement; the text says why it is not one that counts.
func (u *unit) counts(n *parser.Node) (l *loop, why string) {
	l = &loop{node: n, body: n.Child(parser.FieldBody)}
	init, cond, update := n.Child(parser.FieldInitializer), n.Child(parser.FieldCondition), n.Child(parser.FieldUpdate)
	if init == nil || cond == nil || update == nil || l.body == nil {
		return nil, "a part of its head is missing"
	}
	switch init.Kind {
	case parser.KindAssignmentExpression:
		left, right, op := u.sides(init)
		if op != "=" {
			return nil, "its counter gets no first value"
		}
		l.counter, l.lower = u.variableOf(left), right
	case parser.KindDeclaration:
		d := init.Child(parser.FieldDeclarator)
		if d == nil || d.Kind != parser.KindInitDeclarator || d.Child(parser.FieldDeclarator).Kind != parser.KindIdentifier {
			return nil, "its counter gets no first value"
		}
		if len(declarators(init)) > 1 {
			return nil, "it declares more than a counter"
		}
		l.counter, l.declares = u.variableOf(d.Child(parser.FieldDeclarator)), true
		l.lower = d.Child(parser.FieldValue)
	}
	if l.counter == nil || !l.counter.isInteger() || l.lower == nil {
		return nil, "its counter is no integer with a first value"
	}
	var ok bool
	if l.step, ok = u.stepOf(update, l.counter); !ok {
		return nil, "its counter does not go on by a constant"
	}
	if cond.Kind != parser.KindBinaryExpression {
		return nil, "its condition compares nothing"
	}
	left, right, op := cond.Child(parser.FieldLeft), cond.Child(parser.FieldRight), u.op(cond)
	if u.names(right, l.counter) {
		left, right = right, left
		op = map[string]string{"<": ">", ">": "<", "<=": ">=", ">=": "<=", "!=": "!="}[op]
	}
	if !u.names(left, l.counter) {
		return nil, "its condition does not compare the counter"
	}
	l.upper = right
	switch {
	case (op == "<" || op == "!=" && l.step == 1) && l.step > 0:
	case (op == ">" || op == "!=" && l.step == -1) && l.step < 0:
	case op == "<=" && l.step > 0, op == ">=" && l.step < 0:
		l.inclusive = true
	default:
		return nil, "its condition does not end it"
	}
	changed := func(a access) bool {
		return a.v == l.counter || a.v.isScalar() && u.assigned(l.body, a.v) || !a.v.isScalar() && u.writesTo(l.body, a.v)
	}
	switch {
	case u.assigned(l.body, l.counter):
		return nil, "its body changes the counter"
	case slices.ContainsFunc(u.accessesOf(l.upper), changed):
		return nil, "its body changes what ends it"
	case hasCall(l.upper):
		return nil, "its condition calls a function"
	case u.leaves(l.body):
		return nil, "it is left before its end"
	}
	return l, ""
}

func (l *loop) bounds(u *unit) []access {
	return append(u.accessesOf(l.lower), u.accessesOf(l.upper)...)
}

func (u *unit) writesTo(n *parser.Node, v *variable) bool {
	return slices.ContainsFunc(u.accessesOf(n), func(a access) bool { return a.v == v && a.write })
}

func hasCall(n *parser.Node) bool { return has(n, parser.KindCallExpression) }

func has(n *parser.Node, kind parser.Kind) bool {
	return n.Any(func(c *parser.Node) bool { return c.Kind == kind })
}

// stepOf returns the number that an update adds to a counter.
func (u *unit) stepOf(n *parser.Node, v *variable) (int64, bool) {
	a, ok := u.change(n)
	if !ok || !u.names(a.where, v) || a.op != "+" && (a.op != "-" || a.turned) {
		return 0, false
	}
	c := int64(1)
	if a.other != nil {
		c, ok = u.constant(a.other)
	}
	if a.op == "-" {
		c = -c
	}
	return c, ok && c != 0
}

// constant is the value of an expression of integer literals.
func (u *unit) constant(n *parser.Node) (int64, bool) { return u.number(n, nil) }

// number is the value of an expression of integers, by what variables are, of which a nil function knows none.
func (u *unit) number(n *parser.Node, of func(*variable) (int64, bool)) (int64, bool) {
	return polynomialOf(u, n, func(n *parser.Node) polynomial.Polynomial {
		if v := u.variableOf(n); v != nil && of != nil {
			if c, ok := of(v); ok {
				return polynomial.Number(c)
			}
		}
		return polynomial.Lost()
	}).Constant()
}

// polynomialOf returns an expression of integers as a polynomial; leaf returns that of a name, and of a literal that a macro hides.
func polynomialOf(u *unit, n *parser.Node, leaf func(*parser.Node) polynomial.Polynomial) polynomial.Polynomial {
	if n == nil {
		return polynomial.Lost()
	}
	child := func(f parser.Field) polynomial.Polynomial { return polynomialOf(u, n.Child(f), leaf) }
	switch n.Kind {
	case parser.KindNumberLiteral:
		if _, hidden := u.isHidden(n); hidden {
			return leaf(n)
		}
		if c, err := strconv.ParseInt(strings.TrimRight(strings.ToLower(u.text(n)), "ul"), 0, 64); err == nil {
			return polynomial.Number(c)
		}
	case parser.KindIdentifier:
		return leaf(n)
	case parser.KindParenthesizedExpression:
		return polynomialOf(u, n.FirstNamed(), leaf)
	case parser.KindUnaryExpression:
		switch p := child(parser.FieldArgument); u.op(n) {
		case "-":
			return polynomial.Number(0).Minus(p)
		case "+":
			return p
		}
	case parser.KindBinaryExpression:
		a, b := child(parser.FieldLeft), child(parser.FieldRight)
		switch u.op(n) {
		case "+":
			return a.Plus(b)
		case "-":
			return a.Minus(b)
		case "*":
			return a.Times(b)
		case "/":
			c, ok := a.Constant()
			if d, also := b.Constant(); ok && also && d != 0 {
				return polynomial.Number(c / d)
			}
		}
	}
	return polynomial.Lost()
}

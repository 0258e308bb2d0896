package acc

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/parser"
)

// imply finds the scalars that loops of the construct reduce by one operator although no clause says so, and that count after it.
func (c *construct) imply() {
	u := c.u
	for _, v := range u.changes(c.stmt) {
		if !v.isScalar() || v.number().Bytes == 0 || c.named(v) || c.reduced[v] || u.localTo(v, c.stmt) || !u.neededBehind(c.stmt, v) {
			continue
		}
		if op := c.impliedBy(v); op != "" {
			c.reduced[v] = true
			c.implied = append(c.implied, reduction{v: v, op: op})
			u.say(u.at(c.pragma.Pos), CodeImplied, fmt.Sprintf("%s is reduced by %s, which no clause says", v.name, op), fmt.Sprintf("write reduction(%s:%s)", op, v.name))
		}
	}
}

// impliedBy is the operator by which loops reduce a variable, "" for none. In a kernels construct the order must not count.
func (c *construct) impliedBy(v *variable) (op string) {
	u := c.u
	for _, a := range u.accessesOf(c.stmt) {
		if a.v != v {
			continue
		}
		by, exact := c.reducingAt(a.node, v)
		if by == "" || op != "" && by != op || u.isAtomic(a.node) {
			return ""
		}
		op = by
		if !slices.ContainsFunc(c.directives(), func(q *pragma) bool {
			return c.kind != "serial" && q.Loop() && !q.Has("seq") && q.stmt != nil && within(a.node, q.stmt) && (c.kind == "parallel" || exact || q.Has("independent"))
		}) {
			return ""
		}
	}
	return op
}

// reducingAt is the operator by which the statement around a mention of a variable reduces into it, "" for none; exact is set if any order gives the same.
func (c *construct) reducingAt(n *parser.Node, v *variable) (op string, exact bool) {
	u := c.u
	s := n
	for s != nil && s.Kind != parser.KindExpressionStatement && s.Kind != parser.KindIfStatement {
		s = s.Parent
	}
	if s == nil || s.Kind == parser.KindIfStatement {
		return c.extremeOf(s, v), true
	}
	a, ok := u.change(bare(s.FirstNamed()))
	switch {
	case !ok || !u.names(a.where, v):
		return "", false
	case a.op != "=" && a.other != nil && u.mentions(a.other, v):
		return "", false
	}
	of := u.typeOf(a.other)
	exact = v.isInteger() && (a.op == "=" || a.other == nil || of != nil && of.isInteger())
	switch {
	case slices.Contains([]string{"+", "*", "&", "|", "^", "&&", "||"}, a.op):
		return a.op, exact
	case a.op == "-" && !a.turned:
		return "+", exact
	case a.op != "=":
		return "", false
	}
	value := bare(a.other)
	if op := extremes[u.callee(value)]; op != "" {
		args := parts(value.Child(parser.FieldArguments))
		if len(args) != 2 || !(u.names(args[0], v) && !u.mentions(args[1], v) || u.names(args[1], v) && !u.mentions(args[0], v)) {
			op = ""
		}
		return op, op != ""
	}
	up := s.Parent
	if up.Kind == parser.KindCompoundStatement {
		up = up.Parent
	}
	return c.extremeOf(up, v), true
}

// extremeOf returns max or min of if (e > v) v = e and the like, "" for other statements.
func (c *construct) extremeOf(n *parser.Node, v *variable) string {
	u := c.u
	if n == nil || n.Kind != parser.KindIfStatement || n.Child(parser.FieldAlternative) != nil {
		return ""
	}
	is, then := n.Child(parser.FieldCondition), statementsOf(n.Child(parser.FieldConsequence))
	if is != nil && is.Kind == parser.KindConditionClause {
		is = bare(is.FirstNamed())
	}
	if len(then) != 1 || then[0].Kind != parser.KindExpressionStatement || is == nil || is.Kind != parser.KindBinaryExpression {
		return ""
	}
	a, ok := u.change(bare(then[0].FirstNamed()))
	if !ok || a.op != "=" || !u.names(a.where, v) || u.mentions(a.other, v) || changesSomething(a.other) {
		return ""
	}
	x, y, op := is.Child(parser.FieldLeft), is.Child(parser.FieldRight), strings.TrimSuffix(u.op(is), "=")
	switch {
	case u.same(x, a.other) && u.names(y, v):
		return map[string]string{">": "max", "<": "min"}[op]
	case u.same(y, a.other) && u.names(x, v):
		return map[string]string{"<": "max", ">": "min"}[op]
	}
	return ""
}

// extremes are the functions that return the larger or the smaller one of two numbers.
var extremes = map[string]string{"fmax": "max", "fmaxf": "max", "fmin": "min", "fminf": "min"}

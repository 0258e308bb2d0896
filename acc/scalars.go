package acc

import "github.com/smux-cuda/smux/parser"

// use is the effect of a statement on one variable, in the order of execution.
type use struct {
	reads  bool // it may read the value that the variable has before
	writes bool // it certainly writes it, wherever control goes on after it
}

// then is one after the other.
func (a use) then(b use) use {
	return use{a.reads || !a.writes && b.reads, a.writes || b.writes}
}

// either is one or the other.
func (a use) either(b use) use { return use{a.reads || b.reads, a.writes && b.writes} }

// maybe returns the use by a statement that may not run at all.
func (a use) maybe() use { return use{reads: a.reads} }

// useOf says what a subtree does to a variable.
func (u *unit) useOf(n *parser.Node, v *variable) use {
	if n == nil {
		return use{}
	}
	child := func(f parser.Field) use { return u.useOf(n.Child(f), v) }
	switch n.Kind {
	case parser.KindIdentifier:
		if u.variableOf(n) != v || u.declares(n) {
			return use{}
		}
		a := u.accessAt(n, v)
		return use{reads: a.read || a.whole || len(a.subs) > 0 || a.member}
	case parser.KindSizeofExpression:
		return use{}
	case parser.KindAssignmentExpression:
		left, op := n.Child(parser.FieldLeft), n.Child(parser.FieldOperator)
		out := child(parser.FieldRight)
		if u.names(left, v) {
			if op != nil && u.text(op) != "=" {
				out = out.then(use{reads: true})
			}
			return out.then(use{writes: true})
		}
		return out.then(u.useOf(left, v))
	case parser.KindInitDeclarator:
		out := child(parser.FieldValue)
		if d := n.Child(parser.FieldDeclarator); d != nil && d.Kind == parser.KindIdentifier && u.variableOf(d) == v {
			return out.then(use{writes: true})
		}
		return child(parser.FieldDeclarator).then(out)
	case parser.KindBinaryExpression:
		if op := n.Child(parser.FieldOperator); op != nil && (u.text(op) == "&&" || u.text(op) == "||") {
			return child(parser.FieldLeft).then(child(parser.FieldRight).maybe())
		}
	case parser.KindConditionalExpression:
		return child(parser.FieldCondition).then(child(parser.FieldConsequence).either(child(parser.FieldAlternative)))
	case parser.KindIfStatement:
		yes, no := child(parser.FieldConsequence), child(parser.FieldAlternative)
		if jumps(n.Child(parser.FieldConsequence)) {
			yes.writes = true
		}
		if alt := n.Child(parser.FieldAlternative); alt != nil && jumps(alt) {
			no.writes = true
		}
		return child(parser.FieldCondition).then(yes.either(no))
	case parser.KindForStatement:
		out, body := child(parser.FieldInitializer).then(child(parser.FieldCondition)), child(parser.FieldBody)
		if b := n.Child(parser.FieldBody); b != nil && continues(b) {
			body = body.maybe()
		}
		return out.then(body.then(child(parser.FieldUpdate)).maybe())
	case parser.KindWhileStatement:
		return child(parser.FieldCondition).then(child(parser.FieldBody).maybe())
	case parser.KindDoStatement:
		return child(parser.FieldBody).maybe().then(child(parser.FieldCondition))
	case parser.KindSwitchStatement:
		return child(parser.FieldCondition).then(child(parser.FieldBody).maybe())
	}
	out := use{}
	for c := n.First; c != nil; c = c.Next {
		out.writes = out.writes && !u.entered(c)
		out = out.then(u.useOf(c, v))
	}
	return out
}

// names reports whether an expression is the variable and nothing else.
func (u *unit) names(n *parser.Node, v *variable) bool {
	for n != nil && n.Kind == parser.KindParenthesizedExpression {
		n = n.FirstNamed()
	}
	return n != nil && n.Kind == parser.KindIdentifier && u.variableOf(n) == v
}

// jumps reports whether control does not go on after a statement.
func jumps(n *parser.Node) bool {
	if n == nil {
		return false
	}
	switch n.Kind {
	case parser.KindReturnStatement, parser.KindBreakStatement, parser.KindContinueStatement, parser.KindGotoStatement:
		return true
	case parser.KindCompoundStatement, parser.KindElseClause:
		var last *parser.Node
		for c := n.FirstNamed(); c != nil; c = c.NextNamed() {
			last = c
		}
		return jumps(last)
	}
	return false
}

// neededBehind reports whether the value that a variable has after a statement may be read
// later in its function, or outside of it.
func (u *unit) neededBehind(n *parser.Node, v *variable) bool {
	return v.global || v.isStatic || u.readBehind(n, v, nil)
}

// assigned reports whether a subtree may change a variable that is no array.
func (u *unit) assigned(n *parser.Node, v *variable) bool {
	return n.Any(func(c *parser.Node) bool {
		if c.Kind != parser.KindIdentifier || u.variableOf(c) != v {
			return false
		}
		if u.declares(c) {
			return c.Parent.Kind == parser.KindInitDeclarator
		}
		a := u.accessAt(c, v)
		return a.write && len(a.subs) == 0
	})
}

package acc

import (
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/parser"
)

// access is one mention of a variable.
type access struct {
	v           *variable
	node        *parser.Node   // the whole expression: a[i][j], s.x, n
	subs        []*parser.Node // the subscripts, outermost dimension first
	read, write bool
	whole       bool // the address goes somewhere: passed on, or taken
	member      bool // a member of it, or of what it points to
}

// accessesOf are the mentions of variables in a subtree, those declared in it among them, in source order.
func (u *unit) accessesOf(root *parser.Node) (out []access) {
	root.Walk(func(n *parser.Node) bool {
		if n.Kind == parser.KindSizeofExpression {
			return false // evaluates nothing
		}
		if v := u.variableOf(n); v != nil && !u.declares(n) {
			out = append(out, u.accessAt(n, v))
		}
		return true
	})
	return out
}

// declares reports whether an identifier stands where a declarator names it.
func (u *unit) declares(n *parser.Node) bool {
	for p, c := n.Parent, n; p != nil; p, c = p.Parent, p {
		switch p.Kind {
		case parser.KindPointerDeclarator, parser.KindParenthesizedDeclarator:
		case parser.KindArrayDeclarator, parser.KindInitDeclarator:
			if c.Field != parser.FieldDeclarator {
				return false
			}
		case parser.KindDeclaration, parser.KindParameterDeclaration:
			return c.Field == parser.FieldDeclarator
		default:
			return false
		}
	}
	return false
}

// accessAt says what is done with the variable at an identifier.
func (u *unit) accessAt(id *parser.Node, v *variable) access {
	a := access{v: v, node: id}
	if v.path != "" {
		a.node = id.Parent
	}
	for {
		p := a.node.Parent
		if p == nil {
			return a
		}
		switch {
		case p.Kind == parser.KindSubscriptExpression && p.First == a.node:
			if list := p.Child(parser.FieldIndices); list != nil && list.FirstNamed() != nil {
				a.subs = append(a.subs, list.FirstNamed())
			}
		case p.Kind == parser.KindFieldExpression && p.First == a.node:
			a.member = true
		case p.Kind == parser.KindParenthesizedExpression:
		case u.leads(p):
			a.subs = append(a.subs, nil) // *p is p[0], and *(p + 1) is not looked into
		case p.Kind == parser.KindPointerExpression:
			a.whole, a.read, a.write = true, true, !u.onlyRead(v, p) || len(a.subs) == 0 && !v.isScalar() && v.derived[0].pointer
			return a
		case p.Kind == parser.KindUpdateExpression:
			a.read, a.write = true, true
			return a
		case p.Kind == parser.KindAssignmentExpression && a.node.Field == parser.FieldLeft:
			a.read, a.write = u.op(p) != "=", true
			return a
		default:
			a.read = true
			if !a.member && len(a.subs) < len(v.derived) { // the address of an array, or of part of it
				a.whole = true
				a.write = !u.onlyRead(v, a.node)
			}
			return a
		}
		a.node = p
	}
}

// onlyRead reports whether what gets an address of a variable's memory can't write there: one or the other is constant.
func (u *unit) onlyRead(v *variable, address *parser.Node) bool {
	to := u.parameterOf(address)
	return v.isConst || to != nil && to.isConst && len(to.derived) == 1
}

// variablesIn are the variables that a subtree mentions and does not declare, in source order.
func (u *unit) variablesIn(root *parser.Node) (out []*variable) {
	for n := range root.All() {
		v := u.variableOf(n)
		if v == nil || v.src == u.source && within(v.decl, root) {
			continue
		}
		out = lists.Add(out, append([]*variable{v}, u.measures(v)...)...)
	}
	return out
}

// localTo reports whether a variable is declared inside of a subtree.
func (u *unit) localTo(v *variable, root *parser.Node) bool {
	return v.src == u.source && !v.param && within(v.decl, root)
}

// use is the effect of a statement on one variable, in the order of execution.
type use struct {
	reads  bool // it may read the value that the variable has before
	writes bool // it certainly writes it, wherever control goes on after it
}

func (a use) then(b use) use {
	return use{a.reads || !a.writes && b.reads, a.writes || b.writes}
}

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
		to := child(parser.FieldLeft)
		if u.names(n.Child(parser.FieldLeft), v) {
			to = use{reads: u.op(n) != "=", writes: true}
		}
		return child(parser.FieldRight).then(to)
	case parser.KindInitDeclarator:
		out := child(parser.FieldValue)
		if d := n.Child(parser.FieldDeclarator); d != nil && d.Kind == parser.KindIdentifier && u.variableOf(d) == v {
			return out.then(use{writes: true})
		}
		return child(parser.FieldDeclarator).then(out)
	case parser.KindBinaryExpression:
		if op := u.op(n); op == "&&" || op == "||" {
			return child(parser.FieldLeft).then(child(parser.FieldRight).maybe())
		}
	case parser.KindConditionalExpression:
		return child(parser.FieldCondition).then(child(parser.FieldConsequence).either(child(parser.FieldAlternative)))
	case parser.KindIfStatement:
		yes, no := child(parser.FieldConsequence), child(parser.FieldAlternative)
		yes.writes = yes.writes || jumps(n.Child(parser.FieldConsequence))
		no.writes = no.writes || jumps(n.Child(parser.FieldAlternative))
		return child(parser.FieldCondition).then(yes.either(no))
	case parser.KindForStatement:
		out, body := child(parser.FieldInitializer).then(child(parser.FieldCondition)), child(parser.FieldBody)
		if b := n.Child(parser.FieldBody); b != nil && continues(b) {
			body = body.maybe()
		}
		return out.then(body.then(child(parser.FieldUpdate)).maybe())
	case parser.KindWhileStatement, parser.KindSwitchStatement:
		return child(parser.FieldCondition).then(child(parser.FieldBody).maybe())
	case parser.KindDoStatement:
		return child(parser.FieldBody).maybe().then(child(parser.FieldCondition))
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
	n = bare(n)
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
		all := parts(n)
		return len(all) > 0 && jumps(all[len(all)-1])
	}
	return false
}

// neededBehind reports whether the value that a variable has after a statement may be read later.
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

package acc

import (
	"slices"

	"github.com/smux-cuda/smux/parser"
)

// readBehind reports whether the value that a variable has after a statement may be read in a limit around it, nil for its function.
func (u *unit) readBehind(n *parser.Node, v *variable, limit *parser.Node) bool {
	if u.readsOn(n, v, limit) || u.leapReads(n, v, limit) {
		return true
	}
	for label, jumps := range u.labelsAround(n) {
		if len(jumps) == 0 || limit != nil && !within(label, limit) || within(label, n) {
			continue
		}
		if at := u.useOf(label, v); at.reads || !at.writes && u.readsOn(label, v, limit) || u.leapReads(label, v, limit) {
			return true
		}
	}
	return false
}

// readsOn is the same for where control falls through.
func (u *unit) readsOn(n *parser.Node, v *variable, limit *parser.Node) bool {
	for c := n; c != limit && c.Parent != nil; c = c.Parent {
		switch p := c.Parent; p.Kind {
		case parser.KindForStatement, parser.KindWhileStatement, parser.KindDoStatement:
			if c.Field != parser.FieldBody {
				continue
			}
			if again := u.again(p, v); again.reads || again.writes {
				return again.reads
			}
		case parser.KindFunctionDefinition:
			return false
		case parser.KindCompoundStatement, parser.KindCaseStatement, parser.KindLabeledStatement:
			for s := c.Next; s != nil; s = s.Next {
				at := u.useOf(s, v)
				if reads := at.reads || u.leapReads(s, v, limit); reads || at.writes || jumps(s) {
					return reads
				}
			}
		}
	}
	return false
}

// again is the effect of a loop on a variable when its body is over: writes is set if that is before the loop ends.
func (u *unit) again(loop *parser.Node, v *variable) use {
	if loop.Kind != parser.KindForStatement {
		return use{reads: u.useOf(loop, v).reads}
	}
	next := u.useOf(loop.Child(parser.FieldUpdate), v).then(u.useOf(loop.Child(parser.FieldCondition), v))
	return next.then(u.useOf(loop.Child(parser.FieldBody), v).maybe())
}

// leapReads reports whether a variable may be read where a statement is left to by break or continue.
func (u *unit) leapReads(s *parser.Node, v *variable, limit *parser.Node) bool {
	return s.Any(func(c *parser.Node) bool {
		around := leftBy(c)
		if around == nil || within(around, s) || limit != nil && within(limit, around) {
			return false
		}
		on := use{}
		if c.Kind == parser.KindContinueStatement {
			on = u.again(around, v)
		}
		return on.reads || !on.writes && u.readsOn(around, v, limit)
	})
}

// leftBy is the loop, or the switch, that a break or continue is about.
func leftBy(jump *parser.Node) *parser.Node {
	for p := jump.Parent; p != nil && (jump.Kind == parser.KindBreakStatement || jump.Kind == parser.KindContinueStatement); p = p.Parent {
		if isLoop(p) || p.Kind == parser.KindSwitchStatement && jump.Kind == parser.KindBreakStatement {
			return p
		}
	}
	return nil
}

func isLoop(n *parser.Node) bool {
	return n.Kind == parser.KindForStatement || n.Kind == parser.KindWhileStatement || n.Kind == parser.KindDoStatement
}

// labelsAround are the labels of the function around a node, with the gotos that lead to them.
func (u *unit) labelsAround(n *parser.Node) map[*parser.Node][]*parser.Node {
	f := n.Ancestor(parser.KindFunctionDefinition)
	if f == nil || u.labels[f] != nil {
		return u.labels[f]
	}
	gotos, all := map[string][]*parser.Node{}, map[*parser.Node][]*parser.Node{}
	for n := range f.All() {
		switch n.Kind {
		case parser.KindGotoStatement:
			gotos[u.text(n.FirstNamed())] = append(gotos[u.text(n.FirstNamed())], n)
		case parser.KindLabeledStatement:
			all[n] = nil
		}
	}
	for n := range all {
		all[n] = gotos[u.text(n.FirstNamed())]
	}
	u.labels[f] = all
	return all
}

// entered reports whether control may come into a node to a label, or to a case of a switch around it.
func (u *unit) entered(n *parser.Node) bool {
	if u.entries == nil {
		u.entries = map[*parser.Node]bool{}
		for c := range u.tree.Root.All() {
			for p := c; p != nil && (c.Kind == parser.KindLabeledStatement || c.Kind == parser.KindCaseStatement && p.Kind != parser.KindSwitchStatement); p = p.Parent {
				u.entries[p] = true
			}
		}
	}
	return u.entries[n]
}

// leaps reports whether a goto leads out of a statement, or into it.
func (u *unit) leaps(s *parser.Node) bool {
	for label, jumps := range u.labelsAround(s) {
		if slices.ContainsFunc(jumps, func(g *parser.Node) bool { return within(g, s) != within(label, s) }) {
			return true
		}
	}
	return false
}

// leaves reports whether a statement may be left by break, return or goto, or entered by goto.
func (u *unit) leaves(body *parser.Node) bool {
	return u.leaps(body) || body.Any(func(c *parser.Node) bool {
		around := leftBy(c)
		return c.Kind == parser.KindReturnStatement || c.Kind == parser.KindBreakStatement && (around == nil || !within(around, body))
	})
}

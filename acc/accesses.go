package acc

import (
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

// accessesOf are the mentions of variables in a subtree, in source order. What is declared
// in the subtree is among them.
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
		case p.Kind == parser.KindPointerExpression && p.First != nil && u.text(p.First) == "*":
			a.subs = append(a.subs, nil) // *p is p[0], and *(p + 1) is not looked into
		case p.Kind == parser.KindPointerExpression:
			a.whole, a.read, a.write = true, true, !u.onlyRead(v, p) || len(a.subs) == 0 && !v.isScalar() && v.derived[0].pointer
			return a
		case p.Kind == parser.KindUpdateExpression:
			a.read, a.write = true, true
			return a
		case p.Kind == parser.KindAssignmentExpression && a.node.Field == parser.FieldLeft:
			a.write = true
			if op := p.Child(parser.FieldOperator); op != nil && u.text(op) != "=" {
				a.read = true
			}
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

// onlyRead reports whether what gets an address of a variable's memory can't write there: the
// variable is constant, or the address goes to a parameter that leads to constants.
func (u *unit) onlyRead(v *variable, address *parser.Node) bool {
	if v.isConst {
		return true
	}
	list := address.Parent
	if list == nil || list.Kind != parser.KindArgumentList || list.Parent.Kind != parser.KindCallExpression {
		return false
	}
	to := u.parameterOf(list, address)
	return to != nil && to.isConst && len(to.derived) == 1
}

// variablesIn are the variables that a subtree mentions and that are declared outside of
// it, in the order in which they are first mentioned.
func (u *unit) variablesIn(root *parser.Node) (out []*variable) {
	seen := map[*variable]bool{}
	for n := range root.All() {
		v := u.variableOf(n)
		if v == nil || v.src == u.source && within(v.decl, root) {
			continue
		}
		for _, v := range append([]*variable{v}, u.measures(v)...) {
			if !seen[v] {
				seen[v] = true
				out = append(out, v)
			}
		}
	}
	return out
}

// localTo reports whether a variable is declared inside of a subtree.
func (u *unit) localTo(v *variable, root *parser.Node) bool {
	return v.src == u.source && !v.param && within(v.decl, root)
}

package acc

import (
	"strings"

	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/parser"
)

func product(factors []string) string {
	return strings.Join(lists.Map(factors, enclosed), " * ")
}

// rows is the text of a node that is about rows of run-time length; false for others.
func (t *translation) rows(p *printer, n *parser.Node) (string, bool) {
	if !t.hasRows {
		return "", false
	}
	switch n.Kind {
	case parser.KindSizeofExpression:
		return t.sizeofRows(p, n)
	case parser.KindTypeDescriptor:
		if base, sizes := t.describedRows(n); sizes != nil && n.Parent.Kind == parser.KindCastExpression {
			return base + " *", true
		}
	case parser.KindPointerDeclarator, parser.KindArrayDeclarator, parser.KindParenthesizedDeclarator:
		return t.flatDeclarator(p, n)
	case parser.KindPointerExpression:
		if id, subs := t.rowBase(n.Child(parser.FieldArgument)); id != nil && t.text(n.First) == "&" && len(subs) < len(t.variableOf(id).derived) {
			return t.rowText(p, id), true
		}
	case parser.KindSubscriptExpression:
		if id, _ := t.rowBase(n); id != nil {
			return t.rowText(p, id), true
		}
	}
	return "", false
}

// rowBase is the identifier of a variable with rows of run-time length that an expression of all its subscripts begins with.
func (t *translation) rowBase(n *parser.Node) (id *parser.Node, subs []*parser.Node) {
	for id = n; id != nil && id.Kind == parser.KindSubscriptExpression; {
		id = id.First
	}
	if id == nil || t.variableOf(id) == nil || !t.variableOf(id).flat || t.declares(id) {
		return nil, nil
	}
	if top, subs := chain(id); top == n {
		return id, subs
	}
	return nil, nil
}

// rowText is a variable with subscripts: an element, or the address of the first of a row.
func (t *translation) rowText(p *printer, id *parser.Node) string {
	v := t.variableOf(id)
	_, subs := chain(id)
	sizes := v.sizesOf()
	place, wide := "", false
	for i, s := range subs {
		sub := strings.TrimSpace(p.print(s))
		switch {
		case i == 0 && sub == "0":
			continue
		case place == "":
			place = sub
		case sub != "0":
			if !isPrimary(s) && !(s.Kind == parser.KindBinaryExpression && strings.Contains("+-*/%", t.op(s))) {
				sub = "(" + sub + ")"
			}
			place += " + " + sub
		}
		if i+1 < len(v.derived) {
			place = enclosed(place)
			if !wide {
				place, wide = "(ptrdiff_t)"+place, true
			}
			left := sizes[i:]
			if i+1 < len(subs) {
				left = left[:1]
			}
			place += " * " + product(lists.Map(left, p.print))
		}
	}
	switch {
	case len(subs) < len(v.derived) && place == "":
		return v.name
	case len(subs) < len(v.derived):
		return "(" + v.name + " + " + place + ")"
	case place == "":
		place = "0"
	}
	return v.name + "[" + place + "]"
}

// sizeofRows is the size of rows, of an array of them or of a type.
func (t *translation) sizeofRows(p *printer, n *parser.Node) (string, bool) {
	base, sizes := "", []*parser.Node(nil)
	if d := n.Child(parser.FieldType); d != nil {
		base, sizes = t.describedRows(d)
	}
	e := n.Child(parser.FieldValue)
	depth := 0
	for e != nil && (e.Kind == parser.KindParenthesizedExpression || t.leads(e)) {
		if e.Kind == parser.KindPointerExpression {
			depth, e = depth+1, e.Child(parser.FieldArgument)
		} else {
			e = e.FirstNamed()
		}
	}
	if id, subs := t.rowBase(e); id != nil {
		v := t.variableOf(id)
		depth += len(subs)
		switch {
		case depth == 0 && v.isArray():
			base, sizes = v.base, append([]*parser.Node{v.derived[0].size}, v.sizesOf()...)
		case depth == 0:
			return "", false // of a pointer
		default:
			base, sizes = v.base, v.sizesOf()[depth-1:]
		}
		if len(sizes) == 0 {
			return "sizeof(" + base + ")", true
		}
	}
	if sizes == nil {
		return "", false
	}
	return "(sizeof(" + base + ") * " + product(lists.Map(sizes, p.print)) + ")", true
}

// describedRows takes a type with lengths that only the run tells apart: double[n][m] or double (*)[m]; nil for others.
func (t *translation) describedRows(n *parser.Node) (base string, sizes []*parser.Node) {
	if n.Kind != parser.KindTypeDescriptor {
		return "", nil
	}
	v, varies := t.described(n), false
	for i, d := range v.derived {
		switch {
		case d.pointer && i == 0:
			continue
		case d.size == nil || d.in != t.source:
			return "", nil
		}
		sizes, varies = append(sizes, d.size), varies || t.varies(d.size)
	}
	if !varies {
		return "", nil
	}
	return v.base, sizes
}

// flatDeclarator declares a variable with rows as a pointer to elements, or an array of all of them.
func (t *translation) flatDeclarator(p *printer, n *parser.Node) (string, bool) {
	if n.Parent.Kind != parser.KindDeclaration && n.Parent.Kind != parser.KindParameterDeclaration && n.Parent.Kind != parser.KindInitDeclarator {
		return "", false
	}
	for _, v := range t.vars {
		if !v.flat || v.declarator != n && !(v.declarator.Kind == parser.KindInitDeclarator && v.declarator.Child(parser.FieldDeclarator) == n) {
			continue
		}
		if v.isArray() {
			return v.name + "[(size_t)" + enclosed(p.print(v.derived[0].size)) + " * " + product(lists.Map(v.sizesOf(), p.print)) + "]", true
		}
		if v.restricted {
			return "*__restrict__ " + v.name, true
		}
		return "*" + v.name, true
	}
	return "", false
}

// writeRows rewrites what is about rows outside of compute constructs.
func (t *translation) writeRows() {
	if !t.hasRows {
		return
	}
	p := t.plainPrinter()
	var done *parser.Node
	t.tree.Root.Walk(func(n *parser.Node) bool {
		if done != nil && within(n, done) || t.inCompute(n) {
			return !t.inCompute(n)
		}
		if _, ok := t.rows(p, n); !ok {
			return true
		}
		for n.Parent != nil && !t.isExact(n) {
			n = n.Parent
		}
		t.replace(n, p.print(n))
		done = n
		return false
	})
}

// rowCast is the conversion of an array with rows of constant length for a parameter that is a pointer to elements now.
func (t *translation) rowCast(n *parser.Node) string {
	if !t.hasRows || n.Kind != parser.KindIdentifier && n.Kind != parser.KindSubscriptExpression && n.Kind != parser.KindFieldExpression {
		return ""
	}
	switch to, given := t.parameterOf(n), t.typeOf(n); {
	case to == nil || !to.flat || given == nil || given.flat || len(given.derived) < 2:
		return ""
	case to.isConst:
		return "(const " + to.base + " *)"
	default:
		return "(" + to.base + " *)"
	}
}

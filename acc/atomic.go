package acc

import (
	"fmt"
	"strings"

	"github.com/smux-cuda/smux/parser"
)

// atomicNames are the operators that have a name, with writing and reading.
var atomicNames = map[string]string{"=": "write", "read": "read", "+": "add", "-": "subtract", "*": "multiply", "/": "divide", "&": "and", "|": "or", "^": "xor", "<<": "left", ">>": "right"}

// atomicCall is the call of an atomic operation on an element; it returns what was there before.
func (e *emitter) atomicCall(v *variable, op, where, other string) (string, bool) {
	t := e.translation
	native := v.isIntegerOf(4)
	if f := map[string]string{"+": "atomicAdd", "-": "atomicSub", "&": "atomicAnd", "|": "atomicOr", "^": "atomicXor"}[op]; f != "" && native {
		return fmt.Sprintf("%s(&%s, %s)", f, where, other), true
	}
	if op == "=" && (native || v.resolved == "float") {
		return fmt.Sprintf("atomicExch(&%s, %s)", where, other), true
	}
	if op == "+" && v.resolved == "float" {
		return fmt.Sprintf("atomicAdd(&%s, %s)", where, other), true
	}
	word := "unsigned"
	switch {
	case v.resolved == "double" || v.isIntegerOf(8):
		word = "unsigned long long"
	case v.resolved == "float" || native:
	default:
		return "", false
	}
	name := atomicNames[op]
	if name == "" {
		return "", false
	}
	name = "acc_atomic_" + name + "_" + strings.ReplaceAll(v.base, " ", "_")
	text, arguments := texts["cas"], "&"+where+", "+other
	switch op {
	case "=":
		text = texts["write"]
	case "read":
		text, arguments = texts["read"], "&"+where
	}
	r := strings.NewReplacer("NAME", name, "TYPE", v.base, "WORD", word, "VALUE", "a value")
	t.uses[name] = r.Replace(strings.ReplaceAll(text, "COMBINE", "(TYPE)(value "+op+" other)"))
	return fmt.Sprintf("%s(%s)", name, arguments), true
}

// atomic is the text of a statement under an atomic directive.
func (e *emitter) atomic(p *printer, q *pragma) (string, error) {
	t := e.translation
	bad := refusal(t.at(q.Pos), CodeStatement, "what stands under atomic is no statement that it knows", "write x += e, x++, v = x, x = e, v = x++ or { v = x; x += e; }")
	stmts := statementsOf(q.stmt)
	expr := func(n *parser.Node) *parser.Node {
		if n != nil && n.Kind == parser.KindExpressionStatement {
			return n.FirstNamed()
		}
		return nil
	}
	switch {
	case q.Has("read"):
		a := expr(q.stmt)
		if a == nil || a.Kind != parser.KindAssignmentExpression || t.text(a.Child(parser.FieldOperator)) != "=" {
			return "", bad
		}
		right := a.Child(parser.FieldRight)
		v := t.elementOf(right)
		if v == nil {
			return "", bad
		}
		text, ok := p.print(right), true
		if t.writesTo(e.construct.stmt, v) {
			text, ok = e.atomicCall(v, "read", text, "")
		}
		if !ok {
			return "", bad
		}
		return fmt.Sprintf("%s = %s;", p.print(a.Child(parser.FieldLeft)), text), nil
	case q.Has("write"):
		a := expr(q.stmt)
		if a == nil || a.Kind != parser.KindAssignmentExpression {
			return "", bad
		}
		left := a.Child(parser.FieldLeft)
		v := t.elementOf(left)
		if v == nil {
			return "", bad
		}
		text, ok := e.atomicCall(v, "=", p.print(left), p.print(a.Child(parser.FieldRight)))
		if !ok {
			return "", bad
		}
		return text + ";", nil
	case q.Has("capture"):
		if len(stmts) == 1 {
			a := expr(stmts[0])
			if a == nil || a.Kind != parser.KindAssignmentExpression || t.text(a.Child(parser.FieldOperator)) != "=" {
				return "", bad
			}
			return e.capture(p, a.Child(parser.FieldLeft), a.Child(parser.FieldRight), a.Child(parser.FieldRight).Kind == parser.KindAssignmentExpression, bad)
		}
		if len(stmts) != 2 {
			return "", bad
		}
		first, second := expr(stmts[0]), expr(stmts[1])
		if first == nil || second == nil {
			return "", bad
		}
		if _, _, _, ok := e.change(p, first); ok && second.Kind == parser.KindAssignmentExpression && !e.sameText(first, second.Child(parser.FieldLeft)) {
			return e.capture(p, second.Child(parser.FieldLeft), first, true, bad) // x += e; v = x
		}
		if first.Kind != parser.KindAssignmentExpression {
			return "", bad
		}
		return e.capture(p, first.Child(parser.FieldLeft), second, false, bad)
	}
	a := expr(q.stmt)
	if a == nil {
		return "", bad
	}
	where, op, other, ok := e.change(p, a)
	if !ok {
		return "", bad
	}
	text, ok := e.atomicCall(t.elementOf(where), op, p.print(where), other)
	if !ok {
		return "", bad
	}
	return text + ";", nil
}

// onlyAtomic reports whether a statement mentions a variable in atomic operations alone.
func (u *unit) onlyAtomic(n *parser.Node, v *variable) bool {
	for _, a := range u.accessesOf(n) {
		if a.v == v && !u.isAtomic(a.node) {
			return false
		}
	}
	return true
}

// sameText reports whether an expression changes what another one names.
func (e *emitter) sameText(change, where *parser.Node) bool {
	t := e.translation
	target := change.Child(parser.FieldLeft)
	if change.Kind == parser.KindUpdateExpression {
		target = change.Child(parser.FieldArgument)
	}
	return target != nil && where != nil && t.text(target) == t.text(where)
}

// capture is v = (what was there before a change, or, where after is set, after it).
func (e *emitter) capture(p *printer, v, change *parser.Node, after bool, bad error) (string, error) {
	t := e.translation
	where, op, other, ok := e.change(p, change)
	if !ok {
		// v = x; x = e
		if change.Kind != parser.KindAssignmentExpression || after || t.text(change.Child(parser.FieldOperator)) != "=" {
			return "", bad
		}
		where, op, other = change.Child(parser.FieldLeft), "=", p.print(change.Child(parser.FieldRight))
	}
	element := t.elementOf(where)
	if element == nil {
		return "", bad
	}
	call, ok := e.atomicCall(element, op, p.print(where), other)
	if !ok {
		return "", bad
	}
	if change.Kind == parser.KindUpdateExpression && t.text(change.First) != t.text(change.Child(parser.FieldArgument)) {
		after = true // ++x
	}
	if after && op != "=" {
		call = fmt.Sprintf("(%s)(%s %s %s)", element.base, call, op, enclosed(other))
	}
	return fmt.Sprintf("%s = %s;", p.print(v), call), nil
}

// change takes x op= e, x++, x = x op e apart.
func (e *emitter) change(p *printer, a *parser.Node) (where *parser.Node, op, other string, ok bool) {
	t := e.translation
	switch a.Kind {
	case parser.KindUpdateExpression:
		op = "+"
		if strings.Contains(t.text(a), "--") {
			op = "-"
		}
		where = a.Child(parser.FieldArgument)
		return where, op, "1", t.elementOf(where) != nil
	case parser.KindAssignmentExpression:
		where = a.Child(parser.FieldLeft)
		right := a.Child(parser.FieldRight)
		op = t.text(a.Child(parser.FieldOperator))
		if op != "=" {
			return where, strings.TrimSuffix(op, "="), p.print(right), t.elementOf(where) != nil
		}
		for right.Kind == parser.KindParenthesizedExpression {
			right = right.FirstNamed()
		}
		if right.Kind != parser.KindBinaryExpression {
			return nil, "", "", false
		}
		x, y := right.Child(parser.FieldLeft), right.Child(parser.FieldRight)
		op = t.text(right.Child(parser.FieldOperator))
		switch {
		case t.text(x) == t.text(where):
			return where, op, p.print(y), t.elementOf(where) != nil
		case t.text(y) == t.text(where) && strings.Contains("+ * & | ^", op):
			return where, op, p.print(x), t.elementOf(where) != nil
		}
	}
	return nil, "", "", false
}

// elementOf is the variable of whose elements an expression is one, or a member of a structure, nil
// for others: what is changed is then of the variable's type.
func (t *translation) elementOf(n *parser.Node) *variable {
	if n != nil && n.Kind == parser.KindFieldExpression {
		if v := t.typeOf(n); v != nil && len(v.derived) == 0 {
			return v
		}
		return nil
	}
	for n != nil && (n.Kind == parser.KindSubscriptExpression || n.Kind == parser.KindParenthesizedExpression) {
		if n.Kind == parser.KindParenthesizedExpression {
			n = n.FirstNamed()
			continue
		}
		n = n.First
	}
	if n == nil || n.Kind != parser.KindIdentifier {
		return nil
	}
	return t.variableOf(n)
}

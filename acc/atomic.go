package acc

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/parser"
)

// atomicNames are the operators that have a name, with writing and reading.
var atomicNames = map[string]string{"=": "write", "read": "read", "+": "add", "-": "subtract", "*": "multiply", "/": "divide", "&": "and", "|": "or", "^": "xor", "<<": "left", ">>": "right"}

// atomicWord is an unsigned integer of the size of a variable's elements, "" where CUDA has no atomic operation
// of that size.
func (v *variable) atomicWord() string {
	switch {
	case v.resolved == "double" || v.isIntegerOf(8):
		return "unsigned long long"
	case v.resolved == "float" || v.isIntegerOf(4):
		return "unsigned"
	}
	return ""
}

// atomicHelper is a function for an atomic operation that CUDA has not for a variable's type.
func (t *translation) atomicHelper(v *variable, name, text, combine string) string {
	name = "acc_atomic_" + name + "_" + strings.ReplaceAll(v.base, " ", "_")
	t.uses[name] = strings.NewReplacer("NAME", name, "TYPE", v.base, "WORD", v.atomicWord(), "VALUE", "a value").Replace(strings.ReplaceAll(texts[text], "COMBINE", combine))
	return name
}

// atomicCall is the call of an atomic operation on an element; it returns what was there before. ok is false
// where there is none.
func (e *emitter) atomicCall(p *printer, element *parser.Node, op, other string) (call string, ok bool) {
	v := e.translation.elementOf(element)
	if v == nil {
		return "", false
	}
	arguments, native, text := "&"+p.print(element)+", "+other, v.isIntegerOf(4), "cas"
	if f := map[string]string{"+": "atomicAdd", "-": "atomicSub", "&": "atomicAnd", "|": "atomicOr", "^": "atomicXor", "=": "atomicExch"}[op]; f != "" && (native || v.resolved == "float" && (op == "=" || op == "+")) {
		return fmt.Sprintf("%s(%s)", f, arguments), true
	}
	name := atomicNames[op]
	if name == "" || v.atomicWord() == "" {
		return "", false
	}
	switch op {
	case "=":
		text = "write"
	case "read":
		text, arguments = "read", "&"+p.print(element)
	}
	return fmt.Sprintf("%s(%s)", e.atomicHelper(v, name, text, "(TYPE)(value "+op+" other)"), arguments), true
}

// expressionOf is the expression that a statement is, nil for others.
func expressionOf(s *parser.Node) *parser.Node {
	if s.Kind != parser.KindExpressionStatement {
		return nil
	}
	return s.FirstNamed()
}

// sides takes an assignment apart; left is nil for others.
func (s *source) sides(n *parser.Node) (left, right *parser.Node, op string) {
	if n == nil || n.Kind != parser.KindAssignmentExpression {
		return nil, nil, ""
	}
	return n.Child(parser.FieldLeft), n.Child(parser.FieldRight), s.text(n.Child(parser.FieldOperator))
}

// atomic is the text of a statement under an atomic directive; ok is false where it knows no such statement.
func (e *emitter) atomic(p *printer, q *pragma) (text string, ok bool) {
	t := e.translation
	left, right, op := t.sides(expressionOf(q.stmt))
	stmts := statementsOf(q.stmt)
	switch {
	case q.Has("read"):
		v := t.elementOf(right)
		if op != "=" || v == nil {
			return "", false
		}
		text, ok = p.print(right), true
		if t.writesTo(e.construct.stmt, v) {
			text, ok = e.atomicCall(p, right, "read", "")
		}
		return fmt.Sprintf("%s = %s;", p.print(left), text), ok
	case q.Has("write") && left == nil:
		return "", false
	case q.Has("write"):
		text, ok = e.atomicCall(p, left, "=", p.print(right))
	case q.Has("capture") && len(stmts) == 1:
		left, right, op = t.sides(expressionOf(stmts[0]))
		if op != "=" {
			return "", false
		}
		return e.capture(p, left, right, right.Kind == parser.KindAssignmentExpression)
	case q.Has("capture") && len(stmts) != 2:
		return "", false
	case q.Has("capture"):
		first, second := expressionOf(stmts[0]), expressionOf(stmts[1])
		left, _, _ := t.sides(first)
		to, _, _ := t.sides(second)
		if where, _, _, ok := e.change(p, first); ok && to != nil && t.text(where) != t.text(to) {
			return e.capture(p, to, first, true) // x += e; v = x
		}
		if left == nil || second == nil {
			return "", false
		}
		return e.capture(p, left, second, false)
	default:
		where, op, other, known := e.change(p, expressionOf(q.stmt))
		if !known {
			return "", false
		}
		text, ok = e.atomicCall(p, where, op, other)
	}
	return text + ";", ok
}

// onlyAtomic reports whether a statement mentions a variable in atomic operations alone.
func (u *unit) onlyAtomic(n *parser.Node, v *variable) bool {
	return !slices.ContainsFunc(u.accessesOf(n), func(a access) bool { return a.v == v && !u.isAtomic(a.node) })
}

// capture is v = (what was there before a change, or, where after is set, after it).
func (e *emitter) capture(p *printer, v, change *parser.Node, after bool) (string, bool) {
	t := e.translation
	where, op, other, ok := e.change(p, change)
	if !ok { // v = x; x = e
		left, right, is := t.sides(change)
		if after || is != "=" {
			return "", false
		}
		where, op, other = left, "=", p.print(right)
	}
	call, ok := e.atomicCall(p, where, op, other)
	if change.Kind == parser.KindUpdateExpression && t.text(change.First) != t.text(where) {
		after = true // ++x
	}
	if ok && after && op != "=" {
		call = fmt.Sprintf("(%s)(%s %s %s)", t.elementOf(where).base, call, op, enclosed(other))
	}
	return fmt.Sprintf("%s = %s;", p.print(v), call), ok
}

// change takes x op= e, x++, x = x op e apart.
func (e *emitter) change(p *printer, a *parser.Node) (where *parser.Node, op, other string, ok bool) {
	t := e.translation
	if a != nil && a.Kind == parser.KindUpdateExpression {
		op = "+"
		if strings.Contains(t.text(a), "--") {
			op = "-"
		}
		return a.Child(parser.FieldArgument), op, "1", true
	}
	where, right, op := t.sides(a)
	if where == nil {
		return nil, "", "", false
	}
	if op != "=" {
		return where, strings.TrimSuffix(op, "="), p.print(right), true
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
		return where, op, p.print(y), true
	case t.text(y) == t.text(where) && strings.Contains("+ * & | ^", op):
		return where, op, p.print(x), true
	}
	return nil, "", "", false
}

// elementOf is the variable of whose elements an expression is one, or a member of a structure, nil
// for others: what is changed is then of the variable's type.
func (u *unit) elementOf(n *parser.Node) *variable {
	if n != nil && n.Kind == parser.KindFieldExpression {
		if v := u.typeOf(n); v != nil && len(v.derived) == 0 {
			return v
		}
		return nil
	}
	for n != nil && (n.Kind == parser.KindSubscriptExpression || n.Kind == parser.KindParenthesizedExpression) {
		n = n.FirstNamed()
	}
	if n == nil || n.Kind != parser.KindIdentifier {
		return nil
	}
	return u.variableOf(n)
}

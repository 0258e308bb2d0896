package acc

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/acc/texts"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/parser"
)

// atomicNames are the operators that have a name, with writing and reading.
var atomicNames = map[string]string{"=": "write", "read": "read", "+": "add", "-": "subtract", "*": "multiply", "/": "divide", "&": "and", "|": "or", "^": "xor", "<<": "left", ">>": "right"}

// nativeAtomics are the functions that CUDA has for operators.
var nativeAtomics = map[string]string{
	"+": "atomicAdd", "-": "atomicSub", "&": "atomicAnd", "|": "atomicOr", "^": "atomicXor", "=": "atomicExch", "max": "atomicMax", "min": "atomicMin",
}

// atomicWord is an unsigned integer of the size of a variable's elements, "" where CUDA has no atomic operations for it.
func (v *variable) atomicWord() string {
	switch {
	case v.resolved == "double" || v.isIntegerOf(8):
		return "unsigned long long"
	case v.resolved == "float" || v.isIntegerOf(4):
		return "unsigned"
	}
	return ""
}

// atomicHelper is a function for an atomic operation that CUDA has not for a variable's type; other is the other operand's type.
func (t *translation) atomicHelper(v *variable, name, text, combine, other string) string {
	name = "acc_atomic_" + name + "_" + strings.ReplaceAll(v.base, " ", "_")
	if other = cmp.Or(other, v.base); other != v.base {
		name += "_" + strings.ReplaceAll(other, " ", "_")
	}
	t.uses[name] = strings.NewReplacer("NAME", name, "TYPE", v.base, "OTHER", other, "WORD", v.atomicWord(), "VALUE", "a value").Replace(strings.ReplaceAll(texts.Pieces[text], "COMBINE", combine))
	return name
}

// atomicForm is a statement under an atomic directive, taken apart.
type atomicForm struct {
	where  *parser.Node // the memory
	op     string       // where = where op other; "=" of a write, or of an exchange, "read" of a read
	other  *parser.Node // nil of a read, and of ++ and --
	turned bool         // where = other op where
	to     *parser.Node // what gets a value, nil for none
	after  bool         // and that is the new value
}

// atomicForm takes a statement under a directive apart; false for none of OpenACC's forms (3.3, section 2.12).
func (s *source) atomicForm(q *pragma) (a atomicForm, ok bool) {
	stmts := statementsOf(q.stmt)
	first := expressionOf(stmts[0])
	left, right, op := s.sides(first)
	switch {
	case q.Has("capture") && len(stmts) == 2:
		second := expressionOf(stmts[1])
		to, from, is := s.sides(second)
		before, isSet := s.change(second)
		after, known := s.change(first)
		switch {
		case op == "=" && isSet && s.same(before.where, right): // { v = x; x = … }
			a, a.to = before, left
		case is == "=" && known && after.op != "=" && s.same(after.where, from): // { x op= e; v = x; }
			a, a.to, a.after = after, to, true
		}
	case len(stmts) != 1 || q.stmt != stmts[0] && !q.Has("capture"):
	case q.Has("capture") && op == "=":
		a, _ = s.change(right)
		a.to, a.after = left, right.Kind != parser.KindUpdateExpression || right.First == right.Child(parser.FieldOperator)
		if a.op == "=" { // v = x = e
			return a, false
		}
	case q.Has("capture"):
	case q.Has("read") && op == "=":
		a = atomicForm{where: right, op: "read", to: left}
	case q.Has("read"):
	case q.Has("write") && op == "=":
		a = atomicForm{where: left, op: "=", other: right}
	case !q.Has("write"):
		if a, _ = s.change(first); a.op == "=" {
			return a, false
		}
	}
	// What else the statement mentions is other memory.
	apart := func(n *parser.Node) bool {
		return n == nil || !n.Any(func(c *parser.Node) bool { return s.same(c, a.where) || a.to != nil && c != a.to && s.same(c, a.to) })
	}
	return a, a.where != nil && !changesSomething(a.where) && apart(a.other) && apart(a.to) && (a.to == nil || !a.where.Any(func(c *parser.Node) bool { return s.same(c, a.to) }))
}

func (s *source) same(a, b *parser.Node) bool {
	return a != nil && b != nil && s.text(bare(a)) == s.text(bare(b))
}

// bare is an expression without the parentheses around it.
func bare(n *parser.Node) *parser.Node {
	for n != nil && n.Kind == parser.KindParenthesizedExpression {
		n = n.FirstNamed()
	}
	return n
}

// changesSomething reports whether an expression has an effect beside its value.
func changesSomething(n *parser.Node) bool {
	return n != nil && (has(n, parser.KindAssignmentExpression) || has(n, parser.KindUpdateExpression) || hasCall(n))
}

// change takes x op= e, x++, x = x op e and x = e op x apart; another assignment is an exchange.
func (s *source) change(n *parser.Node) (a atomicForm, ok bool) {
	if n != nil && n.Kind == parser.KindUpdateExpression {
		op := "+"
		if strings.Contains(s.op(n), "--") {
			op = "-"
		}
		return atomicForm{where: n.Child(parser.FieldArgument), op: op}, true
	}
	left, right, op := s.sides(n)
	if left == nil {
		return a, false
	}
	a = atomicForm{where: left, op: "=", other: right}
	if op != "=" {
		a.op = strings.TrimSuffix(op, "=")
		return a, true
	}
	if e := bare(right); e.Kind == parser.KindBinaryExpression {
		x, y := e.Child(parser.FieldLeft), e.Child(parser.FieldRight)
		switch is := s.op(e); {
		case s.same(x, left):
			a.op, a.other = is, y
		case s.same(y, left):
			a.op, a.other, a.turned = is, x, true
		}
	}
	return a, true
}

// atomicCall is the call of an atomic operation, which returns what was there before; ok is false for none.
func (e *emitter) atomicCall(p *printer, a atomicForm, other string) (call string, ok bool) {
	t := e.translation
	v := t.typeOf(a.where)
	if v == nil || !v.isScalar() {
		return "", false
	}
	given := t.number(a.other)
	switch {
	case a.other == nil:
		given = v.number()
	case given.Name != "" && given.Bytes == 0: // of an enumeration
		given = ir.Int
	}
	arguments := "&" + p.print(a.where) + ", " + other
	native := v.isIntegerOf(4) && (a.op == "=" || given.Bytes > 0 && !given.Float) || v.resolved == "float" && (a.op == "=" || a.op == "+")
	if f := nativeAtomics[a.op]; f != "" && native && !(a.turned && a.op == "-") {
		return fmt.Sprintf("%s(%s)", f, arguments), true
	}
	name := atomicNames[a.op]
	if name == "" || v.atomicWord() == "" || given.Bytes == 0 && !v.number().Float && a.other != nil && a.op != "=" {
		return "", false
	}
	switch a.op {
	case "=":
		return fmt.Sprintf("%s(%s)", t.atomicHelper(v, name, "write", "", ""), arguments), true
	case "read":
		return fmt.Sprintf("%s(&%s)", t.atomicHelper(v, name, "read", "", ""), p.print(a.where)), true
	}
	combine := "(TYPE)(value " + a.op + " other)"
	if a.turned && !strings.Contains("+*&|^", a.op) {
		name, combine = name+"_from", "(TYPE)(other "+a.op+" value)"
	}
	kind := ""
	if wider := usual(given, v.number()); wider.Name != v.number().Name && !strings.Contains("<<>>", a.op) { // in which C computes
		kind = given.Name
	}
	return fmt.Sprintf("%s(%s)", t.atomicHelper(v, name, "cas", combine, kind), arguments), true
}

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
	return n.Child(parser.FieldLeft), n.Child(parser.FieldRight), s.op(n)
}

func (e *emitter) atomicText(p *printer, q *pragma) string {
	q.takes(atomicForms...)
	if c, ok := q.take("if"); ok && e.region != nil {
		e.noEffect(c, "the statement is one operation whether the condition holds or not")
	}
	a, ok := e.translation.atomicForm(q)
	text := ""
	if ok = ok && !(a.after && changesSomething(a.other)); ok { // which would be computed twice
		text, ok = a.text(e, p)
	}
	refuseIf(!ok, e.translation.at(q.Pos), CodeStatement, "what stands under atomic is no statement that it knows", "write x += e, x = e - x, v = x, x = e, v = x++ or { v = x; x += e; }, in which e has neither x nor v")
	return text
}

// text is the statement in CUDA; ok is false where CUDA has none.
func (a atomicForm) text(e *emitter, p *printer) (text string, ok bool) {
	t, other := e.translation, "1"
	if a.other != nil {
		other = p.print(a.other)
	}
	if of := t.accessesOf(a.where); a.op == "read" && len(of) > 0 && !t.writesTo(e.construct.stmt, of[0].v) {
		text = p.print(a.where)
	} else if text, ok = e.atomicCall(p, a, other); !ok {
		return "", false
	}
	if left, right := text, enclosed(other); a.after {
		if a.turned {
			left, right = right, left
		}
		text = fmt.Sprintf("(%s)(%s %s %s)", t.typeOf(a.where).base, left, a.op, right)
	}
	if a.to != nil {
		text = p.print(a.to) + " = " + text
	}
	return text + ";", true
}

// isAtomic reports whether a node is the memory of an atomic directive, or written like it under one.
func (u *unit) isAtomic(n *parser.Node) bool {
	return slices.ContainsFunc(u.pragmas, func(q *pragma) bool {
		if q.Name != "atomic" || !within(n, q.stmt) {
			return false
		}
		a, ok := u.atomicForm(q)
		return ok && u.same(n, a.where)
	})
}

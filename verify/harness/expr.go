package harness

import (
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"github.com/smux-cuda/smux/diag"
)

// Expr is an integer expression of a specification, such as (n+255)/256.
type Expr struct {
	Phrase
	root *term
}

// String returns the expression as it was written, "" for none.
func (e *Expr) String() string {
	if e == nil {
		return ""
	}
	return e.Text
}

// term is a node of an expression.
type term struct {
	Phrase        // for messages: the operator's, name's or number's place
	op     string // "number", "name", "neg", "+", "-", "*", "/", "%", or a function's name
	number int64
	args   []*term
}

// maxNesting limits the depth of brackets in an expression.
const maxNesting = 64

// functions lists what an expression may call, each with two arguments.
var functions = []string{"min", "max", "ceildiv", "ceil"}

func ParseExpr(p Phrase) (*Expr, error) {
	p = p.trim()
	r := &exprReader{Phrase: p}
	root, err := r.sum(0)
	if err != nil {
		return nil, err
	}
	if !r.done() {
		return nil, r.rest().wrong(CodeSyntax, "", "%q is not expected here", r.rest().Text)
	}
	return &Expr{p, root}, nil
}

// ParseExprs reads up to three expressions with commas between.
func ParseExprs(list string) ([]*Expr, error) {
	if strings.TrimSpace(list) == "" {
		return nil, nil
	}
	return parseExtents(Phrase{Text: list, Flag: list}, ',', "expressions have commas between them")
}

// Value computes the expression; lookup gives the value of a name.
func (e *Expr) Value(lookup func(name string) (int64, error)) (int64, error) {
	return e.root.eval(func(p Phrase) (int64, error) { return lookup(p.Text) })
}

// parseExtents reads one to three expressions with a separator between; help says so.
func parseExtents(p Phrase, separator byte, help string) ([]*Expr, error) {
	p = p.trim()
	r := &exprReader{Phrase: p}
	var out []*Expr
	for {
		begin := r.at
		root, err := r.sum(0)
		if err != nil {
			return nil, err
		}
		out = append(out, &Expr{p.cut(begin, r.at).trim(), root})
		if r.done() {
			return out, nil
		}
		if r.Text[r.at] != separator {
			return nil, r.rest().wrong(CodeSyntax, help, "%q is not expected here", r.rest().Text)
		}
		if len(out) == 3 {
			return nil, r.rest().wrong(CodeSyntax, "", "a launch has three dimensions at most")
		}
		r.at++
	}
}

// exprReader reads an expression by recursive descent.
type exprReader struct {
	Phrase
	at int
}

func (r *exprReader) rest() Phrase { return r.from(r.at) }

// done skips blanks and reports whether nothing is left.
func (r *exprReader) done() bool {
	for r.at < len(r.Text) && strings.IndexByte(blanks, r.Text[r.at]) >= 0 {
		r.at++
	}
	return r.at == len(r.Text)
}

// next reports whether one of the bytes comes next, and takes it.
func (r *exprReader) next(oneOf string) (Phrase, bool) {
	if r.done() || strings.IndexByte(oneOf, r.Text[r.at]) < 0 {
		return Phrase{}, false
	}
	r.at++
	return r.cut(r.at-1, r.at), true
}

func (r *exprReader) sum(depth int) (*term, error) {
	return r.chain("+-", func() (*term, error) {
		return r.chain("*/%", func() (*term, error) { return r.factor(depth) })
	})
}

// chain reads operands with left-associative operators between.
func (r *exprReader) chain(operators string, operand func() (*term, error)) (*term, error) {
	left, err := operand()
	for err == nil {
		op, ok := r.next(operators)
		if !ok {
			return left, nil
		}
		var right *term
		if right, err = operand(); err == nil {
			left = &term{Phrase: op, op: op.Text, args: []*term{left, right}}
		}
	}
	return nil, err
}

func (r *exprReader) factor(depth int) (*term, error) {
	if depth > maxNesting {
		return nil, r.rest().wrong(CodeSyntax, "", "brackets are nested too deep")
	}
	if r.done() {
		return nil, r.wrong(CodeSyntax, "", "%q ends where a number or name should follow", r.Text)
	}
	if op, ok := r.next("-"); ok {
		x, err := r.factor(depth + 1)
		return &term{Phrase: op, op: "neg", args: []*term{x}}, err
	}
	if open, ok := r.next("("); ok {
		x, err := r.sum(depth + 1)
		if err != nil {
			return nil, err
		}
		if _, ok := r.next(")"); !ok {
			return nil, open.wrong(CodeSyntax, "", "\"(\" is never closed")
		}
		return x, nil
	}
	c := r.Text[r.at]
	switch {
	case isDigit(c):
		return r.number()
	case isNameByte(c):
		return r.name(depth)
	}
	return nil, r.rest().wrong(CodeSyntax, "", "%q is not expected here", r.rest().Text)
}

// number reads an integer literal as C writes it, suffix included.
func (r *exprReader) number() (*term, error) {
	begin := r.at
	digits, base := "0123456789", 10
	if s := r.Text[begin:]; len(s) > 2 && s[0] == '0' && (s[1] == 'x' || s[1] == 'X') && strings.IndexByte(hexDigits, s[2]) >= 0 {
		r.at += 2
		digits, base = hexDigits, 16
	}
	first := r.at
	for r.at < len(r.Text) && strings.IndexByte(digits, r.Text[r.at]) >= 0 {
		r.at++
	}
	n, err := strconv.ParseInt(r.Text[first:r.at], base, 64)
	if err != nil {
		return nil, r.cut(begin, r.at).wrong(CodeSyntax, "", "%s is too large", r.Text[begin:r.at])
	}
	for r.at < len(r.Text) && strings.IndexByte("uUlL", r.Text[r.at]) >= 0 {
		r.at++
	}
	return &term{Phrase: r.cut(begin, r.at), op: "number", number: n}, nil
}

const hexDigits = "0123456789abcdefABCDEF"

// name reads a name or a call.
func (r *exprReader) name(depth int) (*term, error) {
	begin := r.at
	for r.at < len(r.Text) && isNameByte(r.Text[r.at]) {
		r.at++
	}
	name := r.cut(begin, r.at)
	if _, ok := r.next("("); !ok {
		return &term{Phrase: name, op: "name"}, nil
	}
	if !slices.Contains(functions, name.Text) {
		return nil, name.wrong(CodeSyntax, diag.DidYouMean(name.Text, functions, "there are"), "%q is not a function", name.Text)
	}
	t := &term{Phrase: name, op: name.Text}
	for i := range 2 {
		x, err := r.sum(depth + 1)
		if err != nil {
			return nil, err
		}
		t.args = append(t.args, x)
		if _, ok := r.next(",)"[i : i+1]); !ok {
			return nil, name.wrong(CodeSyntax, "", "%s takes two arguments", name.Text)
		}
	}
	return t, nil
}

// names calls f for every name in the expression.
func (t *term) names(f func(name string)) {
	if t.op == "name" {
		f(t.Text)
	}
	for _, a := range t.args {
		a.names(f)
	}
}

// eval computes a term; lookup gives the value of a name.
func (t *term) eval(lookup func(Phrase) (int64, error)) (int64, error) {
	switch t.op {
	case "number":
		return t.number, nil
	case "name":
		return lookup(t.Phrase)
	}
	var v [2]int64
	for i, a := range t.args {
		x, err := a.eval(lookup)
		if err != nil {
			return 0, err
		}
		v[i] = x
	}
	result, ok := apply(t.op, v[0], v[1])
	if !ok {
		if v[1] == 0 && t.op != "neg" { // only a division fails with 0
			return 0, t.wrong(CodeValue, "", "division by zero")
		}
		return 0, t.wrong(CodeValue, "", "the result of %q has more than 63 bits", t.op)
	}
	return result, nil
}

// apply computes a op b; ok is false for what overflows or divides by zero.
func apply(op string, a, b int64) (result int64, ok bool) {
	switch op {
	case "neg":
		return -a, a != math.MinInt64
	case "+":
		return a + b, (a+b > a) == (b > 0)
	case "-":
		return a - b, (a-b < a) == (b > 0)
	case "*":
		return product(a, b)
	case "min":
		return min(a, b), true
	case "max":
		return max(a, b), true
	}
	if b == 0 || a == math.MinInt64 && b == -1 {
		return 0, false
	}
	switch op {
	case "/":
		return a / b, true
	case "%":
		return a % b, true
	}
	q := a / b // ceildiv, ceil
	if a%b != 0 && (a < 0) == (b < 0) {
		q++
	}
	return q, true
}

// product multiplies; ok is false where the result has more than 63 bits.
func product(a, b int64) (int64, bool) {
	if a == math.MinInt64 || b == math.MinInt64 {
		return 0, false
	}
	high, low := bits.Mul64(uint64(max(a, -a)), uint64(max(b, -b)))
	return a * b, high == 0 && low <= math.MaxInt64
}

package modelcheck

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Expression is an expression of whole numbers over the constants of a configuration:
// names, numbers, + - * / %, parentheses, min(a, b), max(a, b) and ceil(a, b), which is a
// over b rounded up.
type Expression struct {
	text string
	tree ast.Expr
}

// ParseExpressions reads up to three expressions with commas between them, one for each
// dimension; "" is none.
func ParseExpressions(list string) ([]Expression, error) {
	if strings.TrimSpace(list) == "" {
		return nil, nil
	}
	call, err := parser.ParseExpr("f(" + list + ")")
	if err != nil {
		return nil, fmt.Errorf("%q is not a list of expressions", list)
	}
	c, ok := call.(*ast.CallExpr)
	if !ok || len(c.Args) == 0 || len(c.Args) > 3 || c.Ellipsis.IsValid() {
		return nil, fmt.Errorf("%q is not a list of up to three expressions", list)
	}
	var out []Expression
	for _, e := range c.Args {
		x := Expression{text: list, tree: e}
		if err := x.check(); err != nil {
			return nil, err
		}
		out = append(out, x)
	}
	return out, nil
}

// check refuses what Value could never compute.
func (x Expression) check() error {
	_, err := x.Value(func(string) (int64, error) { return 1, nil })
	if err != nil && err != errDivision {
		return err
	}
	return nil
}

var errDivision = fmt.Errorf("division by zero")

// Value returns the value; lookup returns that of a name.
func (x Expression) Value(lookup func(name string) (int64, error)) (int64, error) {
	return x.of(x.tree, lookup)
}

func (x Expression) of(e ast.Expr, lookup func(string) (int64, error)) (int64, error) {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return x.of(e.X, lookup)
	case *ast.Ident:
		return lookup(e.Name)
	case *ast.BasicLit:
		if n, err := strconv.ParseInt(e.Value, 0, 32); e.Kind == token.INT && err == nil {
			return n, nil
		}
	case *ast.BinaryExpr:
		return x.binary(e.Op.String(), e.X, e.Y, lookup)
	case *ast.CallExpr:
		f, ok := e.Fun.(*ast.Ident)
		if ok && len(e.Args) == 2 && slices.Contains([]string{"min", "max", "ceil"}, f.Name) {
			return x.binary(f.Name, e.Args[0], e.Args[1], lookup)
		}
	}
	return 0, fmt.Errorf("%q holds something that is not a whole number, a name, + - * / %%, min, max or ceil", x.text)
}

func (x Expression) binary(op string, left, right ast.Expr, lookup func(string) (int64, error)) (int64, error) {
	a, err := x.of(left, lookup)
	if err != nil {
		return 0, err
	}
	b, err := x.of(right, lookup)
	if err != nil {
		return 0, err
	}
	if b == 0 && (op == "/" || op == "%" || op == "ceil") {
		return 0, errDivision
	}
	var v int64
	switch op {
	case "+":
		v = a + b
	case "-":
		v = a - b
	case "*":
		v = a * b
	case "/":
		v = a / b
	case "%":
		v = a % b
	case "ceil":
		v = (a + b - 1) / b
	case "min":
		v = min(a, b)
	case "max":
		v = max(a, b)
	default:
		return 0, fmt.Errorf("%q: %s is not among + - * / %%", x.text, op)
	}
	if v > math.MaxInt32 || v < math.MinInt32 {
		return 0, fmt.Errorf("%q is larger than any grid", x.text)
	}
	return v, nil
}

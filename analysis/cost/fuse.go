package cost

import (
	"slices"

	"github.com/smux-cuda/smux/analysis/ir"
)

// fused reports whether an operation merges with one of its operands.
func fused(tok string, a, b *ir.Expr) bool {
	is := func(e *ir.Expr, toks ...string) bool {
		if e.Op != ir.OpBinary {
			return false
		}
		return slices.Contains(toks, e.Tok)
	}
	switch tok {
	case "+", "-":
		return is(a, "*") || is(b, "*") || tok == "+" && (is(a, "<<") || is(b, "<<"))
	case "&", "|", "^":
		return logic(a)%2+logic(b)%2 == 1
	case "<<", ">>":
		return false
	}
	return false
}

// logic counts the logic operations of an expression that make up one with the
// one above: two of them are a three-input instruction.
func logic(e *ir.Expr) int {
	if e.Op != ir.OpBinary || e.Tok != "&" && e.Tok != "|" && e.Tok != "^" {
		return 0
	}
	return 1 + logic(e.Kids[0]) + logic(e.Kids[1])
}

// sums counts the additions of an expression that make up one with the one above: integers are added three at a time.
func sums(e *ir.Expr) int {
	if e.Op != ir.OpBinary || e.Tok != "+" && e.Tok != "-" || e.Kids[1].Op == ir.OpInt || e.Kids[0].Op == ir.OpInt {
		return 0
	}
	return 1 + sums(e.Kids[0]) + sums(e.Kids[1])
}

// rotation reports whether an expression is x << n | x >> m: one funnel shift.
func rotation(e *ir.Expr) bool {
	return e.Tok == "|" && e.Kids[0].Op == ir.OpBinary && e.Kids[1].Op == ir.OpBinary &&
		(e.Kids[0].Tok == "<<" && e.Kids[1].Tok == ">>" || e.Kids[0].Tok == ">>" && e.Kids[1].Tok == "<<")
}

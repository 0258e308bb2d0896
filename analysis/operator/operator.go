// Package operator applies C++'s integer operators to exact numbers, for the analyses that compute with them. It
// knows no types: whether a result fits the width of its type, and what a conversion does to it, is for the caller to
// check. It imports nothing.
package operator

// Apply computes one binary operation, by its token; min and max count as operators, too. Comparisons and logical
// operators give 1 or 0. ok is false where C++ gives no answer (division by 0; a shift of a negative number, or by
// less than 0 or more than 31) and for a token that is not an operator.
func Apply(tok string, x, y int64) (r int64, ok bool) {
	switch tok {
	case "+":
		return x + y, true
	case "-":
		return x - y, true
	case "*":
		return x * y, true
	case "/":
		if y == 0 {
			return 0, false
		}
		return x / y, true
	case "%":
		if y == 0 {
			return 0, false
		}
		return x % y, true
	case "<<":
		if x < 0 || y < 0 || y > 31 {
			return 0, false
		}
		return x << y, true
	case ">>":
		if x < 0 || y < 0 || y > 31 {
			return 0, false
		}
		return x >> y, true
	case "&":
		return x & y, true
	case "|":
		return x | y, true
	case "^":
		return x ^ y, true
	case "==":
		return Truth(x == y), true
	case "!=":
		return Truth(x != y), true
	case "<":
		return Truth(x < y), true
	case ">":
		return Truth(x > y), true
	case "<=":
		return Truth(x <= y), true
	case ">=":
		return Truth(x >= y), true
	case "&&", "and":
		return Truth(x != 0 && y != 0), true
	case "||", "or":
		return Truth(x != 0 || y != 0), true
	case "min":
		return min(x, y), true
	case "max":
		return max(x, y), true
	}
	return 0, false
}

// Logical reports whether an operator gives a truth value: whether it compares or is && or ||.
func Logical(tok string) bool {
	switch tok {
	case "==", "!=", "<", ">", "<=", ">=", "&&", "||", "and", "or":
		return true
	}
	return false
}

// Truth is 1 for true and 0 for false, as C++ converts them.
func Truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

package parser

// apply is a binary operator of a preprocessor condition on numbers of which only bounds may be known.
func apply(op string, a, b interval) interval {
	switch op {
	case "&&":
		return truth(a.isTrue() && b.isTrue(), a.isFalse() || b.isFalse())
	case "||":
		return truth(a.isTrue() || b.isTrue(), a.isFalse() && b.isFalse())
	case "<":
		return truth(a.hi < b.lo, a.lo >= b.hi)
	case ">":
		return truth(a.lo > b.hi, a.hi <= b.lo)
	case "<=":
		return truth(a.hi <= b.lo, a.lo > b.hi)
	case ">=":
		return truth(a.lo >= b.hi, a.hi < b.lo)
	case "==":
		return truth(a.known() && a == b, a.hi < b.lo || b.hi < a.lo)
	case "!=":
		return truth(a.hi < b.lo || b.hi < a.lo, a.known() && a == b)
	}
	if !a.known() || !b.known() {
		return unknownNumber
	}
	x, y := a.lo, b.lo
	switch op {
	case "+":
		return exactly(x + y)
	case "-":
		return exactly(x - y)
	case "*":
		return exactly(x * y)
	case "|":
		return exactly(x | y)
	case "^":
		return exactly(x ^ y)
	case "&":
		return exactly(x & y)
	}
	if (op == "/" || op == "%") && y == 0 || (op == "<<" || op == ">>") && (y < 0 || y > 63) {
		return unknownNumber
	}
	switch op {
	case "/":
		return exactly(x / y)
	case "%":
		return exactly(x % y)
	case "<<":
		return exactly(x << uint(y))
	case ">>":
		return exactly(x >> uint(y))
	}
	return unknownNumber
}

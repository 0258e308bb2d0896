package parser

import (
	"math"
	"strconv"
	"strings"
)

// interval is a number of which the bounds are known. Undecided conditions are
// evaluated with intervals, so that __cplusplus >= 201103L has an answer.
type interval struct{ lo, hi int64 }

var unknownNumber = interval{math.MinInt64, math.MaxInt64}

func exactly(n int64) interval   { return interval{n, n} }
func (v interval) known() bool   { return v.lo == v.hi }
func (v interval) isTrue() bool  { return v.lo > 0 || v.hi < 0 }
func (v interval) isFalse() bool { return v.lo == 0 && v.hi == 0 }

func truth(isTrue, isFalse bool) interval {
	switch {
	case isTrue:
		return exactly(1)
	case isFalse:
		return exactly(0)
	}
	return interval{0, 1}
}

// conditionScope answers what a condition may ask.
type conditionScope interface {
	defined(name string) interval // 1, 0 or unknown
	macro(name string) (m *Macro, state macroState)
}

type macroState uint8

const (
	macroExternal  macroState = iota // not in view: any value
	macroUndefined                   // known not to be a macro: 0 in a condition
	macroDefined
	macroUnclear // several definitions are possible
)

// evaluate computes the condition of an #if or #elif.
func evaluate(text string, scope conditionScope) interval {
	e := &conditionParser{scope: scope, toks: conditionTokens(text, scope)}
	v := e.ternary(0)
	if e.failed || e.i != len(e.toks) {
		return unknownNumber
	}
	return v
}

const cplusplusName = "__cplusplus"

// conditionParser is a recursive-descent parser over tokens. It only sets failed: a malformed condition is unknown.
type conditionParser struct {
	scope  conditionScope
	toks   []string
	i      int
	failed bool
}

func (e *conditionParser) peek() string {
	if e.i < len(e.toks) {
		return e.toks[e.i]
	}
	return ""
}

func (e *conditionParser) accept(t string) bool {
	if e.peek() == t {
		e.i++
		return true
	}
	return false
}

func (e *conditionParser) fail() interval {
	e.failed = true
	return unknownNumber
}

func (e *conditionParser) ternary(depth int) interval {
	if depth > maxExpandDepth {
		return e.fail()
	}
	c := e.binary(1, depth)
	if !e.accept("?") {
		return c
	}
	a := e.ternary(depth + 1)
	if !e.accept(":") {
		return e.fail()
	}
	b := e.ternary(depth + 1)
	switch {
	case c.isTrue():
		return a
	case c.isFalse():
		return b
	}
	return interval{min(a.lo, b.lo), max(a.hi, b.hi)}
}

var conditionPrecedence = map[string]int{
	"||": 1, "&&": 2, "|": 3, "^": 4, "&": 5, "==": 6, "!=": 6,
	"<": 7, ">": 7, "<=": 7, ">=": 7, "<<": 8, ">>": 8, "+": 9, "-": 9, "*": 10, "/": 10, "%": 10,
}

func (e *conditionParser) binary(level, depth int) interval {
	v := e.unary(depth)
	for {
		op := e.peek()
		p := conditionPrecedence[op]
		if p < level {
			return v
		}
		e.i++
		v = apply(op, v, e.binary(p+1, depth+1))
		if e.failed || depth > maxExpandDepth {
			return e.fail()
		}
	}
}

func (e *conditionParser) unary(depth int) interval {
	if depth > maxExpandDepth {
		return e.fail()
	}
	t := e.peek()
	e.i++
	switch {
	case t == "!":
		v := e.unary(depth + 1)
		return truth(v.isFalse(), v.isTrue())
	case t == "-" || t == "+" || t == "~":
		v := e.unary(depth + 1)
		switch {
		case !v.known():
			return unknownNumber
		case t == "-":
			return exactly(-v.lo)
		case t == "~":
			return exactly(^v.lo)
		}
		return v
	case t == "(":
		v := e.ternary(depth + 1)
		if !e.accept(")") {
			return e.fail()
		}
		return v
	case t == unknownOperand:
		return unknownNumber
	case t == cplusplusName && e.scope.defined(t).isFalse():
		return exactly(0)
	case t == cplusplusName:
		return interval{201402, math.MaxInt64} // C++14 is the least that nvcc of today speaks
	case t == "true":
		return exactly(1)
	case t == "false":
		return exactly(0)
	case t != "" && isDigit(t[0]):
		return e.number(t)
	case t != "" && isIdentStart(t[0]):
		return e.name(t)
	}
	return e.fail()
}

func (e *conditionParser) number(t string) interval {
	t = strings.TrimRight(strings.ReplaceAll(t, "'", ""), "uUlL")
	n, err := strconv.ParseInt(t, 0, 64)
	if err != nil {
		return e.fail()
	}
	return exactly(n)
}

// name is the value of a name that expansion left over.
func (e *conditionParser) name(t string) interval {
	if e.peek() == "(" { // a call of what is not in view
		return e.fail()
	}
	if _, state := e.scope.macro(t); state == macroUndefined {
		return exactly(0)
	}
	return unknownNumber
}

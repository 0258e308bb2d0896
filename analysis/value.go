package analysis

import (
	"math"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/operator"
)

// value holds what the evaluator knows of an integer expression for every thread
// of a block at once: nothing, one number for all threads, or a number per
// thread. Numbers are exact; whatever could wrap around is unknown.
type value struct {
	known    bool
	unsigned bool    // the C++ type is unsigned: negative numbers can't occur
	s        int64   // the number, where v is nil
	v        []int64 // one number per thread
}

var unknown = value{}

func scalar(x int64) value { return value{known: true, s: x} }

func (a value) at(i int) int64 {
	if a.v == nil {
		return a.s
	}
	return a.v[i]
}

// uniform reports whether the value is one known number for all threads.
func (a value) uniform() bool { return a.known && a.v == nil }

// inRange drops numbers that the C++ type (32 bits assumed) can't hold.
func (a value) inRange() value {
	if !a.known {
		return unknown
	}
	lo, hi := int64(math.MinInt32), int64(math.MaxInt32)
	if a.unsigned {
		lo, hi = 0, math.MaxUint32
	}
	if a.v == nil {
		if a.s < lo || a.s > hi {
			return unknown
		}
		return a
	}
	for _, x := range a.v {
		if x < lo || x > hi {
			return unknown
		}
	}
	return a
}

// binary computes a binary operation for all threads.
func binary(tok string, a, b value) value {
	if !a.known || !b.known {
		return shortCircuit(tok, a, b)
	}
	u := (a.unsigned || b.unsigned) && !operator.Logical(tok)
	// A signed negative operand beside an unsigned one is converted: it is then
	// larger by 2^32 or 2^64. Sums, differences and products come out as without
	// that if the result is one that an unsigned type can hold.
	modular := tok == "+" || tok == "-" || tok == "*"
	if !modular && (a.unsigned != b.unsigned) && (hasNegative(a) || hasNegative(b)) {
		return unknown
	}
	out := value{known: true, unsigned: u}
	if a.v == nil && b.v == nil {
		r, ok := operator.Apply(tok, a.s, b.s)
		if !ok {
			return unknown
		}
		out.s = r
		return out.inRange()
	}
	n := max(len(a.v), len(b.v))
	out.v = make([]int64, n)
	if !elementwise(tok, out.v, a, b) {
		return unknown
	}
	return out.inRange()
}

// elementwise computes a binary operation for each thread; the common
// operations have loops of their own, because this is where analysis spends
// its time.
func elementwise(tok string, out []int64, a, b value) bool {
	switch {
	case tok == "+" && b.v == nil:
		for i, x := range a.v {
			out[i] = x + b.s
		}
	case tok == "+" && a.v == nil:
		for i, y := range b.v {
			out[i] = a.s + y
		}
	case tok == "+":
		for i, x := range a.v {
			out[i] = x + b.v[i]
		}
	case tok == "*" && b.v == nil:
		for i, x := range a.v {
			out[i] = x * b.s
		}
	case tok == "*" && a.v == nil:
		for i, y := range b.v {
			out[i] = a.s * y
		}
	case tok == "&" && b.v == nil:
		for i, x := range a.v {
			out[i] = x & b.s
		}
	case tok == "<" && b.v == nil:
		for i, x := range a.v {
			out[i] = operator.Truth(x < b.s)
		}
	default:
		for i := range out {
			r, ok := operator.Apply(tok, a.at(i), b.at(i))
			if !ok {
				return false
			}
			out[i] = r
		}
	}
	return true
}

func hasNegative(a value) bool {
	if a.v == nil {
		return a.s < 0
	}
	for _, x := range a.v {
		if x < 0 {
			return true
		}
	}
	return false
}

// shortCircuit handles && and || with one side known.
func shortCircuit(tok string, a, b value) value {
	k := a
	if !a.known {
		k = b
	}
	if !k.uniform() {
		return unknown
	}
	switch {
	case (tok == "&&" || tok == "and") && k.s == 0:
		return scalar(0)
	case (tok == "||" || tok == "or") && k.s != 0:
		return scalar(1)
	}
	return unknown
}

// convert gives a value the declared integer type base; unknown for types that
// are not integers or can't hold it.
func convert(a value, base string) value {
	if !a.known {
		return unknown
	}
	if base == "auto" {
		return a
	}
	t, ok := integerOf(base)
	if !ok {
		return unknown
	}
	lo, hi := int64(math.MinInt32), int64(math.MaxInt32)
	switch {
	case t.bytes == 1 && t.unsigned:
		lo, hi = 0, math.MaxUint8
	case t.bytes == 1:
		lo, hi = math.MinInt8, math.MaxInt8
	case t.bytes == 2 && t.unsigned:
		lo, hi = 0, math.MaxUint16
	case t.bytes == 2:
		lo, hi = math.MinInt16, math.MaxInt16
	case t.unsigned:
		lo, hi = 0, math.MaxUint32
	}
	n := max(1, len(a.v))
	for i := range n {
		if x := a.at(i); x < lo || x > hi {
			return unknown
		}
	}
	a.unsigned = t.unsigned && t.bytes >= 4
	if base == "bool" && (hasNegative(a) || a.v != nil || a.s > 1) {
		return unknown
	}
	return a
}

type integerType struct {
	bytes    int
	unsigned bool
}

// integerOf returns the integer that a type is, false for any other type.
func integerOf(base string) (t integerType, ok bool) {
	n, ok := ir.NumberOf(base)
	if !ok || n.Float {
		return t, false
	}
	return integerType{n.Bytes, n.Unsigned}, true
}

// isUnsigned reports whether a type is one of integers without a sign.
func isUnsigned(base string) bool {
	t, _ := integerOf(base)
	return t.unsigned
}

// isInteger reports whether a type is one of integers.
func isInteger(base string) bool {
	_, ok := integerOf(base)
	return ok
}

// Package values computes with the values that an expression has in the threads of a block.
package values

import (
	"math"
	"slices"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/operator"
)

// Value holds what the evaluator knows of an integer expression for every thread of a block at once: nothing, one
// number for all threads, or a number per thread. Numbers are exact; whatever could wrap around is unknown.
type Value struct {
	Known    bool
	Unsigned bool    // the C++ type is unsigned: negative numbers can't occur
	S        int64   // the number, where v is nil
	V        []int64 // one number per thread
}

// Unknown is a value of which nothing is known.
var Unknown = Value{}

// Scalar returns a value that is the same in all threads.
func Scalar(x int64) Value { return Value{Known: true, S: x} }

// At returns the value in thread i.
func (a Value) At(i int) int64 {
	if a.V == nil {
		return a.S
	}
	return a.V[i]
}

// Uniform reports whether the value is one known number for all threads.
func (a Value) Uniform() bool { return a.Known && a.V == nil }

// InRange drops numbers that the C++ type (32 bits assumed) can't hold.
func (a Value) InRange() Value {
	if !a.Known {
		return Unknown
	}
	lo, hi := int64(math.MinInt32), int64(math.MaxInt32)
	if a.Unsigned {
		lo, hi = 0, math.MaxUint32
	}
	if a.V == nil {
		if a.S < lo || a.S > hi {
			return Unknown
		}
		return a
	}
	for _, x := range a.V {
		if x < lo || x > hi {
			return Unknown
		}
	}
	return a
}

// Binary computes a binary operation for all threads.
func Binary(tok string, a, b Value) Value {
	if !a.Known || !b.Known {
		return shortCircuit(tok, a, b)
	}
	u := (a.Unsigned || b.Unsigned) && !operator.Logical(tok)
	// A signed negative operand beside an unsigned one is converted: it is then larger by 2^32 or 2^64. Sums,
	// differences and products come out as without that if the result is one that an unsigned type can hold.
	modular := tok == "+" || tok == "-" || tok == "*"
	if !modular && (a.Unsigned != b.Unsigned) && (HasNegative(a) || HasNegative(b)) {
		return Unknown
	}
	out := Value{Known: true, Unsigned: u}
	if a.V == nil && b.V == nil {
		r, ok := operator.Apply(tok, a.S, b.S)
		if !ok {
			return Unknown
		}
		out.S = r
		return out.InRange()
	}
	n := max(len(a.V), len(b.V))
	out.V = make([]int64, n)
	if !elementwise(tok, out.V, a, b) {
		return Unknown
	}
	return out.InRange()
}

// elementwise computes a binary operation for each thread; the common operations have loops of their own, because
// analysis spends its time here.
func elementwise(tok string, out []int64, a, b Value) bool {
	switch {
	case tok == "+" && b.V == nil:
		for i, x := range a.V {
			out[i] = x + b.S
		}
	case tok == "+" && a.V == nil:
		for i, y := range b.V {
			out[i] = a.S + y
		}
	case tok == "+":
		for i, x := range a.V {
			out[i] = x + b.V[i]
		}
	case tok == "*" && b.V == nil:
		for i, x := range a.V {
			out[i] = x * b.S
		}
	case tok == "*" && a.V == nil:
		for i, y := range b.V {
			out[i] = a.S * y
		}
	case tok == "&" && b.V == nil:
		for i, x := range a.V {
			out[i] = x & b.S
		}
	case tok == "<" && b.V == nil:
		for i, x := range a.V {
			out[i] = operator.Truth(x < b.S)
		}
	default:
		for i := range out {
			r, ok := operator.Apply(tok, a.At(i), b.At(i))
			if !ok {
				return false
			}
			out[i] = r
		}
	}
	return true
}

// HasNegative reports whether the value is below zero in some thread.
func HasNegative(a Value) bool {
	if a.V == nil {
		return a.S < 0
	}
	return slices.ContainsFunc(a.V, func(x int64) bool { return x < 0 })
}

// shortCircuit handles && and || with one side known.
func shortCircuit(tok string, a, b Value) Value {
	k := a
	if !a.Known {
		k = b
	}
	if !k.Uniform() {
		return Unknown
	}
	switch {
	case (tok == "&&" || tok == "and") && k.S == 0:
		return Scalar(0)
	case (tok == "||" || tok == "or") && k.S != 0:
		return Scalar(1)
	}
	return Unknown
}

// Convert gives a value the declared integer type base; unknown for types that are not integers or can't hold it.
func Convert(a Value, base string) Value {
	if !a.Known {
		return Unknown
	}
	if base == "auto" {
		return a
	}
	t, ok := IntegerOf(base)
	if !ok {
		return Unknown
	}
	lo, hi := int64(math.MinInt32), int64(math.MaxInt32)
	switch {
	case t.Bytes == 1 && t.Unsigned:
		lo, hi = 0, math.MaxUint8
	case t.Bytes == 1:
		lo, hi = math.MinInt8, math.MaxInt8
	case t.Bytes == 2 && t.Unsigned:
		lo, hi = 0, math.MaxUint16
	case t.Bytes == 2:
		lo, hi = math.MinInt16, math.MaxInt16
	case t.Unsigned:
		lo, hi = 0, math.MaxUint32
	}
	n := max(1, len(a.V))
	for i := range n {
		if x := a.At(i); x < lo || x > hi {
			return Unknown
		}
	}
	a.Unsigned = t.Unsigned && t.Bytes >= 4
	if base == "bool" && (HasNegative(a) || a.V != nil || a.S > 1) {
		return Unknown
	}
	return a
}

// IntegerType is an integer type of C++, as device code has it.
type IntegerType struct {
	Bytes    int
	Unsigned bool
}

// IntegerOf returns the integer that a type is, false for any other type.
func IntegerOf(base string) (t IntegerType, ok bool) {
	n, ok := ir.NumberOf(base)
	if !ok || n.Float {
		return t, false
	}
	return IntegerType{n.Bytes, n.Unsigned}, true
}

// IsUnsigned reports whether a type is one of integers without a sign.
func IsUnsigned(base string) bool {
	t, _ := IntegerOf(base)
	return t.Unsigned
}

// IsInteger reports whether a type is one of integers.
func IsInteger(base string) bool {
	_, ok := IntegerOf(base)
	return ok
}

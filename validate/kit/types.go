package kit

import (
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
)

// NumberType is a type of numbers.
type NumberType struct {
	name     string // the one way in which it is written to be compared
	Bits     int    // 1 of truths
	Unsigned bool
	Float    bool
}

// NumberTypeOf returns the type of numbers that is written so, false for any other type.
func NumberTypeOf(base string) (NumberType, bool) {
	n, ok := ir.NumberOf(base)
	t := NumberType{n.Name, 8 * n.Bytes, n.Unsigned, n.Float}
	if t.name == "bool" {
		t.Bits = 1
	}
	return t, ok
}

// PlainName writes a type in one way, if it is one of numbers.
func PlainName(base string) string {
	if t, ok := NumberTypeOf(base); ok {
		return t.name
	}
	return strings.TrimPrefix(base, "std::")
}

// Integer reports whether a type is one of integers that are not truths.
func (t NumberType) Integer() bool { return t.Bits > 1 && !t.Float }

// Limits are the least and the largest number of a type of integers of at most 32 bits.
func (t NumberType) Limits() (least, most int64) {
	if t.Unsigned {
		return 0, 1<<t.Bits - 1
	}
	return -1 << (t.Bits - 1), 1<<(t.Bits-1) - 1
}

// ComponentOf returns the type of the components of one of CUDA's vectors, "" for any other type.
func ComponentOf(vector string) string {
	if vector == "half2" {
		return "half"
	}
	of, _, _ := ir.VectorOf(vector)
	return of.Name
}

// PlainValue reports whether a type is one of numbers only.
func PlainValue(base string) bool {
	_, number := NumberTypeOf(base)
	return number || ComponentOf(base) != "" || base == "dim3"
}

package validate

import (
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
)

// numberType is a type of numbers.
type numberType struct {
	name     string // the one way in which it is written to be compared
	bits     int    // 1 of truths
	unsigned bool
	float    bool
}

// numberTypeOf returns the type of numbers that is written so, false for any other type.
func numberTypeOf(base string) (numberType, bool) {
	n, ok := ir.NumberOf(base)
	t := numberType{n.Name, 8 * n.Bytes, n.Unsigned, n.Float}
	if t.name == "bool" {
		t.bits = 1
	}
	return t, ok
}

// plainName writes a type in one way, if it is one of numbers.
func plainName(base string) string {
	if t, ok := numberTypeOf(base); ok {
		return t.name
	}
	return strings.TrimPrefix(base, "std::")
}

// integer reports whether a type is one of integers that are not truths.
func (t numberType) integer() bool { return t.bits > 1 && !t.float }

// limits are the least and the largest number of a type of integers of at most 32 bits.
func (t numberType) limits() (least, most int64) {
	if t.unsigned {
		return 0, 1<<t.bits - 1
	}
	return -1 << (t.bits - 1), 1<<(t.bits-1) - 1
}

// componentOf returns the type of the components of one of CUDA's vectors, "" for any other type.
func componentOf(vector string) string {
	if vector == "half2" {
		return "half"
	}
	of, _, _ := ir.VectorOf(vector)
	return of.Name
}

// plainValue reports whether a type is one of numbers only.
func plainValue(base string) bool {
	_, number := numberTypeOf(base)
	return number || componentOf(base) != "" || base == "dim3"
}

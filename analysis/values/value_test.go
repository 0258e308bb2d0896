package values

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
)

func vector(xs ...int64) Value { return Value{Known: true, V: xs} }
func unsignedScalar(x int64) Value {
	return Value{Known: true, Unsigned: true, S: x}
}

func TestBinaryIsUnknownWhereTheTypeWouldWrapOrConvert(t *testing.T) {
	for name, v := range map[string]Value{
		"unsigned below zero":         Binary("-", unsignedScalar(1), unsignedScalar(2)),
		"signed overflow":             Binary("*", Scalar(1<<20), Scalar(1<<20)),
		"negative beside unsigned":    Binary("<", Scalar(-1), unsignedScalar(1)),
		"division by zero":            Binary("/", Scalar(1), Scalar(0)),
		"zero for one of the threads": Binary("%", vector(4, 4), vector(2, 0)),
		"shift of a negative":         Binary(">>", Scalar(-4), Scalar(1)),
		"shift by too much":           Binary("<<", Scalar(1), Scalar(32)),
		"unknown operand":             Binary("+", Unknown, Scalar(1)),
	} {
		assert.False(t, v.Known, name)
	}
}

func TestNegativeBesideUnsignedComesOutAsModulo2To32(t *testing.T) {
	eight := Value{Known: true, Unsigned: true, V: []int64{8, 9}}
	assert.Equal(t, []int64{0, 1}, Binary("+", eight, Scalar(-8)).V)
	assert.Equal(t, []int64{16, 17}, Binary("-", eight, Scalar(-8)).V)
	assert.Equal(t, unsignedScalar(0), Binary("*", unsignedScalar(0), Scalar(-8)))
	for name, v := range map[string]Value{
		"a thread falls below zero": Binary("+", eight, Scalar(-9)),
		"negative product":          Binary("*", unsignedScalar(1), Scalar(-1)),
		"quotient":                  Binary("/", unsignedScalar(8), Scalar(-1)),
		"remainder":                 Binary("%", unsignedScalar(8), Scalar(-3)),
		"comparison":                Binary(">", unsignedScalar(8), Scalar(-1)),
		"bits":                      Binary("&", unsignedScalar(8), Scalar(-1)),
	} {
		assert.False(t, v.Known, name)
	}
}

func TestBinaryComputesThreadByThread(t *testing.T) {
	a, b := vector(0, 1, 2, 3), vector(3, 2, 1, 0)
	assert.Equal(t, []int64{3, 3, 3, 3}, Binary("+", a, b).V)
	assert.Equal(t, []int64{1, 1, 0, 0}, Binary("<", a, b).V)
	assert.Equal(t, []int64{0, 4, 8, 12}, Binary("*", a, Scalar(4)).V)
	assert.Equal(t, []int64{0, 1, 0, 1}, Binary("&", a, Scalar(1)).V)
	assert.Equal(t, []int64{5, 4, 3, 2}, Binary("-", Scalar(5), a).V)
}

func TestLogicIsDecidedByOneKnownSide(t *testing.T) {
	assert.Equal(t, Scalar(0), Binary("&&", Unknown, Scalar(0)))
	assert.Equal(t, Scalar(1), Binary("||", Scalar(7), Unknown))
	assert.False(t, Binary("&&", Unknown, Scalar(1)).Known)
}

func TestConversionToATypeThatCantHoldTheValueIsUnknown(t *testing.T) {
	assert.Equal(t, int64(200), Convert(Scalar(200), "unsigned char").S)
	assert.False(t, Convert(Scalar(300), "unsigned char").Known)
	assert.False(t, Convert(Scalar(-1), "unsigned").Known)
	assert.False(t, Convert(Scalar(1), "float").Known)
	assert.False(t, Convert(Scalar(2), "bool").Known)
	assert.True(t, Convert(Scalar(math.MaxInt32), "int").Known)
}

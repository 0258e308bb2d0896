package analysis

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
)

func vector(xs ...int64) value { return value{known: true, v: xs} }
func unsignedScalar(x int64) value {
	return value{known: true, unsigned: true, s: x}
}

func TestBinaryIsUnknownWhereTheTypeWouldWrapOrConvert(t *testing.T) {
	for name, v := range map[string]value{
		"unsigned below zero":         binary("-", unsignedScalar(1), unsignedScalar(2)),
		"signed overflow":             binary("*", scalar(1<<20), scalar(1<<20)),
		"negative beside unsigned":    binary("<", scalar(-1), unsignedScalar(1)),
		"division by zero":            binary("/", scalar(1), scalar(0)),
		"zero for one of the threads": binary("%", vector(4, 4), vector(2, 0)),
		"shift of a negative":         binary(">>", scalar(-4), scalar(1)),
		"shift by too much":           binary("<<", scalar(1), scalar(32)),
		"unknown operand":             binary("+", unknown, scalar(1)),
	} {
		assert.False(t, v.known, name)
	}
}

func TestNegativeBesideUnsignedComesOutAsModulo2To32(t *testing.T) {
	eight := value{known: true, unsigned: true, v: []int64{8, 9}}
	assert.Equal(t, []int64{0, 1}, binary("+", eight, scalar(-8)).v)
	assert.Equal(t, []int64{16, 17}, binary("-", eight, scalar(-8)).v)
	assert.Equal(t, unsignedScalar(0), binary("*", unsignedScalar(0), scalar(-8)))
	for name, v := range map[string]value{
		"a thread falls below zero": binary("+", eight, scalar(-9)),
		"negative product":          binary("*", unsignedScalar(1), scalar(-1)),
		"quotient":                  binary("/", unsignedScalar(8), scalar(-1)),
		"remainder":                 binary("%", unsignedScalar(8), scalar(-3)),
		"comparison":                binary(">", unsignedScalar(8), scalar(-1)),
		"bits":                      binary("&", unsignedScalar(8), scalar(-1)),
	} {
		assert.False(t, v.known, name)
	}
}

func TestBinaryComputesThreadByThread(t *testing.T) {
	a, b := vector(0, 1, 2, 3), vector(3, 2, 1, 0)
	assert.Equal(t, []int64{3, 3, 3, 3}, binary("+", a, b).v)
	assert.Equal(t, []int64{1, 1, 0, 0}, binary("<", a, b).v)
	assert.Equal(t, []int64{0, 4, 8, 12}, binary("*", a, scalar(4)).v)
	assert.Equal(t, []int64{0, 1, 0, 1}, binary("&", a, scalar(1)).v)
	assert.Equal(t, []int64{5, 4, 3, 2}, binary("-", scalar(5), a).v)
}

func TestLogicIsDecidedByOneKnownSide(t *testing.T) {
	assert.Equal(t, scalar(0), binary("&&", unknown, scalar(0)))
	assert.Equal(t, scalar(1), binary("||", scalar(7), unknown))
	assert.False(t, binary("&&", unknown, scalar(1)).known)
}

func TestConversionToATypeThatCantHoldTheValueIsUnknown(t *testing.T) {
	assert.Equal(t, int64(200), convert(scalar(200), "unsigned char").s)
	assert.False(t, convert(scalar(300), "unsigned char").known)
	assert.False(t, convert(scalar(-1), "unsigned").known)
	assert.False(t, convert(scalar(1), "float").known)
	assert.False(t, convert(scalar(2), "bool").known)
	assert.True(t, convert(scalar(math.MaxInt32), "int").known)
}

package ir_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/smux-cuda/smux/analysis/ir"
)

// TestNumbers: a type of numbers has one name, however it is written.
func TestNumbers(t *testing.T) {
	for _, c := range []struct{ written, name string }{
		{"int", "int"}, {"signed", "int"}, {"signed int", "int"}, {"int32_t", "int"}, {"std::int32_t", "int"}, {"unsigned", "unsigned int"},
		{"uint", "unsigned int"}, {"unsigned long int", "unsigned long"}, {"long unsigned int", "unsigned long"}, {"long long", "long long"},
		{"unsigned  long  long", "unsigned long long"}, {"short int", "short"}, {"uchar", "unsigned char"}, {"size_t", "size_t"}, {"__half", "half"},
		{"", ""}, {"bool int", ""}, {"float int", ""}, {"long double", ""}, {"float4", ""}, {"T", ""},
	} {
		n, _ := ir.NumberOf(c.written)
		if c.name == "" {
			_, ok := ir.NumberOf(c.written)
			assert.False(t, ok, c.written)
			continue
		}
		assert.Equal(t, c.name, n.Name, c.written)
	}
	assert.True(t, ir.IsNumber("const volatile int"))
	assert.False(t, ir.IsNumber("const"))
}

// TestUsual: the type in which two numbers meet.
func TestUsual(t *testing.T) {
	for _, c := range [][3]string{
		{"char", "short", "int"}, {"unsigned char", "bool", "int"}, {"int", "unsigned", "unsigned int"}, {"unsigned", "long", "long"},
		{"long", "unsigned long", "unsigned long"}, {"float", "long", "float"}, {"float", "double", "double"}, {"half", "int", "half"},
	} {
		a, _ := ir.NumberOf(c[0])
		b, _ := ir.NumberOf(c[1])
		assert.Equal(t, c[2], ir.Usual(a, b).Name, "%s and %s", c[0], c[1])
		assert.Equal(t, c[2], ir.Usual(b, a).Name, "%s and %s", c[1], c[0])
	}
}

// TestVectors: CUDA's vectors and their components.
func TestVectors(t *testing.T) {
	for _, c := range []struct {
		name, of string
		n        int
	}{{"float4", "float", 4}, {"uchar2", "unsigned char", 2}, {"char3", "signed char", 3}, {"ulonglong1", "unsigned long long", 1}, {"float5", "", 0}, {"4", "", 0}, {"", "", 0}, {"dim3", "", 0}} {
		of, n, ok := ir.VectorOf(c.name)
		assert.Equal(t, c.of, of.Name, c.name)
		assert.Equal(t, c.n, n, c.name)
		assert.Equal(t, c.n > 0, ok, c.name)
	}
	assert.Equal(t, "uint", ir.VectorStem("uint32_t"))
	assert.Equal(t, "char", ir.VectorStem("char"))
	assert.Empty(t, ir.VectorStem("bool"))
}

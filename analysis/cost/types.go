package cost

import (
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
)

// class is a type as an arithmetic unit sees it.
type class uint8

const (
	classInt   class = iota // up to 32 bits
	classLong               // 64-bit integers
	classFloat              // single precision
	classHalf
	classDouble
)

// ctype is a type as far as costs depend on it: scalars, vectors of the CUDA kind, and pointers to them.
type ctype struct {
	class class
	bytes int // of one component
	comps int // 1 for scalars
	ptr   int // levels of pointer
}

var (
	intType    = ctype{classInt, 4, 1, 0}
	longType   = ctype{classLong, 8, 1, 0}
	floatType  = ctype{classFloat, 4, 1, 0}
	doubleType = ctype{classDouble, 8, 1, 0}
)

// size is the size of a value in bytes.
func (t ctype) size() int {
	if t.ptr > 0 {
		return 8
	}
	return t.bytes * t.comps
}

// words counts the 32-bit registers that a value takes.
func (t ctype) words() int { return max(1, (t.size()+3)/4) }

// integer reports whether the type is a scalar integer.
func (t ctype) integer() bool {
	return t.ptr == 0 && t.comps == 1 && (t.class == classInt || t.class == classLong)
}

func (t ctype) elem() ctype {
	if t.ptr > 0 {
		t.ptr--
	}
	return t
}

func (t ctype) pointer() ctype {
	t.ptr++
	return t
}

// scalar is the type of one component.
func (t ctype) scalar() ctype {
	t.comps = 1
	return t
}

// otherTypes are those that are neither numbers of the language nor vectors of these.
var otherTypes = map[string]ctype{
	"__nv_bfloat16": {classHalf, 2, 1, 0}, "half2": {classHalf, 4, 1, 0}, "__half2": {classHalf, 4, 1, 0},
	"cuComplex": {classFloat, 4, 2, 0}, "cuFloatComplex": {classFloat, 4, 2, 0}, "cuDoubleComplex": {classDouble, 8, 2, 0},
	"curandState": {classInt, 4, 12, 0}, "curandState_t": {classInt, 4, 12, 0}, "curandStateXORWOW": {classInt, 4, 12, 0}, "curandStateXORWOW_t": {classInt, 4, 12, 0},
	"dim3": {classInt, 4, 3, 0}, "Real": floatType, "real": floatType, "FP": floatType, "fp": floatType,
}

// baseType classes a type name; a name that it does not know counts as a 32-bit
// integer if it is spelled like one, and as a float if not.
func baseType(name string) ctype {
	if t, ok := builtinType(name); ok {
		return t
	}
	if strings.Contains(name, "int") || strings.Contains(name, "signed") {
		return intType
	}
	return floatType
}

// builtinType is the type of a name that CUDA has.
func builtinType(name string) (ctype, bool) {
	name = strings.TrimPrefix(strings.TrimPrefix(strings.TrimSpace(name), "const "), "struct ")
	if t, ok := otherTypes[name]; ok {
		return t, ok
	}
	n, comps, ok := ir.PartsOf(name)
	of := classInt
	switch {
	case n.Float:
		of = map[int]class{2: classHalf, 4: classFloat, 8: classDouble}[n.Bytes]
	case n.Bytes == 8:
		of = classLong
	}
	return ctype{of, n.Bytes, comps, 0}, ok
}

// namedType is the type of a name of the program: for a struct as many words as
// it has, for an alias a number of its size.
func (f *frame) namedType(name string) ctype {
	if t, ok := builtinType(name); ok {
		return t
	}
	x := f.x
	t, ok := x.named[name]
	if ok {
		return t
	}
	t = baseType(name)
	switch size := x.facts.SizeOf(f.fn, ir.Type{Base: name}); {
	case size == 1 || size == 2:
		t = ctype{classInt, size, 1, 0}
	case size == 8:
		t = doubleType
	case size > 8 && size%4 == 0 && size <= maxRecord:
		t = ctype{classFloat, 4, size / 4, 0}
	}
	x.named[name] = t
	return t
}

// maxRecord is the size in bytes up to which a struct is taken for a value.
const maxRecord = 256

// TypeOf is the type of a declaration; template parameters stand for what the frame binds them to.
func (f *frame) typeOf(t ir.Type) ctype {
	base := t.Base
	for range 4 {
		bound, ok := f.types[base]
		if !ok {
			break
		}
		base = bound
	}
	c := f.namedType(base)
	c.ptr = t.Ptr
	if t.Rows != nil {
		c.ptr = 1 // to the elements: the extents are the value's
	}
	return c
}

// usual is the type of an arithmetic operation on two operands.
func usual(a, b ctype) ctype {
	switch {
	case a.ptr > 0:
		return a
	case b.ptr > 0:
		return b
	}
	t := a
	if b.comps > a.comps || b.comps == a.comps && rank(b.class) > rank(a.class) {
		t = b
	}
	if t.class == classInt {
		t.bytes = 4
	}
	return t
}

func rank(c class) int {
	return [...]int{classInt: 0, classLong: 1, classHalf: 2, classFloat: 3, classDouble: 4}[c]
}

// name spells a type so that baseType reads it back.
func (t ctype) name() string {
	t.ptr = 0
	return vectorName(t)
}

func vectorName(t ctype) string {
	stem := [...]string{classInt: "int", classLong: "longlong", classFloat: "float", classHalf: "half", classDouble: "double"}[t.class]
	if t.class == classLong && t.comps == 1 {
		return "long long"
	}
	if t.class == classInt && t.comps == 1 {
		switch t.bytes {
		case 1:
			return "char"
		case 2:
			return "short"
		}
	}
	if t.comps > 1 {
		return stem + string(rune('0'+t.comps))
	}
	return stem
}

package content

import (
	"math"
	"math/bits"

	"github.com/smux-cuda/smux/validate/kit"
)

// Value is the known part of an expression's value in one thread: an integer, a place in a shared array, or
// nothing (the zero value).
type Value struct {
	Kind     valueKind
	N        int64
	Unsigned bool
	Wide     bool   // 64 bits
	place    *place // of isPlace and isPointer
}

type valueKind uint8

const (
	unknown valueKind = iota
	IsInt
	isPlace   // an element of a shared array, or a part of one
	isPointer // the address of a place
	isShared  // an address somewhere in shared memory
)

// place is a part of a shared array: one index for each of its first extents. Any may be unknown.
type place struct {
	array *Array
	index []index
	part  bool // a member of the element, or some of its bytes
}

type index struct {
	n     int64
	known bool
}

func Integer(n int64) Value { return Value{Kind: IsInt, N: n} }

func Truth(b bool) Value {
	if b {
		return Integer(1)
	}
	return Integer(0)
}

// IsTrue and IsFalse are both false of what is not known.
func (v Value) IsTrue() bool  { return v.Kind == IsInt && v.N != 0 }
func (v Value) IsFalse() bool { return v.Kind == IsInt && v.N == 0 }

// fitted returns an integer in the range of its type: wrapped where that is unsigned, unknown where a
// signed one overflows.
func (v Value) fitted() Value {
	switch {
	case v.Kind != IsInt:
		return Value{}
	case !v.Wide && v.Unsigned:
		v.N &= math.MaxUint32
	case !v.Wide && (v.N > math.MaxInt32 || v.N < math.MinInt32):
		return Value{}
	case v.Wide && v.Unsigned && v.N < 0:
		return Value{} // above what is kept here
	}
	return v
}

// common gives two integers the type in which C++ computes with them.
func common(a, b Value) (Value, Value) {
	wide := a.Wide || b.Wide
	unsigned := a.Unsigned && (a.Wide || !wide) || b.Unsigned && (b.Wide || !wide)
	a.Wide, b.Wide, a.Unsigned, b.Unsigned = wide, wide, unsigned, unsigned
	return a.fitted(), b.fitted()
}

// Binary computes a op b of integers.
func Binary(op string, a, b Value) Value {
	if a.Kind != IsInt || b.Kind != IsInt {
		switch {
		case op == "&&" && (a.IsFalse() || b.IsFalse()):
			return Integer(0)
		case op == "||" && (a.IsTrue() || b.IsTrue()):
			return Integer(1)
		}
		return Value{}
	}
	switch op {
	case "&&":
		return Truth(a.N != 0 && b.N != 0)
	case "||":
		return Truth(a.N != 0 || b.N != 0)
	case "<<", ">>":
		width := int64(32)
		if a.Wide {
			width = 64
		}
		if b.N < 0 || b.N >= width {
			return Value{}
		}
		if op == ">>" {
			a.N >>= uint(b.N)
			return a
		}
		if a.N < 0 || bits.Len64(uint64(a.N))+int(b.N) > 62 {
			return Value{}
		}
		a.N <<= uint(b.N)
		return a.fitted()
	}
	a, b = common(a, b)
	if a.Kind != IsInt || b.Kind != IsInt {
		return Value{}
	}
	out := a
	switch op {
	case "+":
		out.N = a.N + b.N
		if a.N > 0 && b.N > 0 && out.N < 0 || a.N < 0 && b.N < 0 && out.N >= 0 {
			return Value{}
		}
	case "-":
		out.N = a.N - b.N
		if a.N >= 0 && b.N < 0 && out.N < 0 || a.N < 0 && b.N > 0 && out.N > 0 {
			return Value{}
		}
	case "*":
		if a.N != 0 && b.N != 0 {
			out.N = a.N * b.N
			if out.N/b.N != a.N || a.N == math.MinInt64 || b.N == math.MinInt64 {
				return Value{}
			}
		} else {
			out.N = 0
		}
	case "/", "%":
		if b.N == 0 {
			return Value{}
		}
		if op == "/" {
			out.N = a.N / b.N
		} else {
			out.N = a.N % b.N
		}
	case "&":
		out.N = a.N & b.N
	case "|":
		out.N = a.N | b.N
	case "^":
		out.N = a.N ^ b.N
	case "<":
		return Truth(a.N < b.N)
	case "<=":
		return Truth(a.N <= b.N)
	case ">":
		return Truth(a.N > b.N)
	case ">=":
		return Truth(a.N >= b.N)
	case "==":
		return Truth(a.N == b.N)
	case "!=":
		return Truth(a.N != b.N)
	default:
		return Value{}
	}
	return out.fitted()
}

// Unary computes op a.
func Unary(op string, a Value) Value {
	if a.Kind != IsInt {
		return Value{}
	}
	switch op {
	case "+":
	case "-":
		if a.N == math.MinInt64 {
			return Value{}
		}
		a.N = -a.N
	case "~":
		a.N = ^a.N
	case "!":
		return Truth(a.N == 0)
	default:
		return Value{}
	}
	return a.fitted()
}

// Converted returns an integer as a value of a type; unknown for types that are none of integers.
func Converted(v Value, base string) Value {
	if v.Kind != IsInt {
		return Value{}
	}
	switch t, ok := kit.NumberTypeOf(base); {
	case !ok || t.Float:
		return Value{}
	case t.Bits == 1:
		return Truth(v.N != 0)
	case t.Bits == 64 || t.Bits == 32 && t.Unsigned:
		v.Unsigned, v.Wide = t.Unsigned, t.Bits == 64
		return v.fitted()
	default:
		if least, most := t.Limits(); v.N < least || v.N > most {
			return Value{}
		}
		return Integer(v.N) // what is narrower is computed with as an int
	}
}

// member is the place of a member of an element.
func (p *place) member() *place { return &place{p.array, p.index, true} }

// sub is the place that one more index leads to.
func (p *place) sub(v Value) *place {
	i := index{v.N, v.Kind == IsInt}
	return &place{p.array, append(append([]index(nil), p.index...), i), p.part}
}

// moved is the place that an address leads to when a number is added to it.
func (p *place) moved(v Value, sign int64) *place {
	if len(p.index) == 0 {
		return p.sub(Value{Kind: v.Kind, N: sign * v.N})
	}
	out := append([]index(nil), p.index...)
	last := &out[len(out)-1]
	last.known = last.known && v.Kind == IsInt
	last.n += sign * v.N
	return &place{p.array, out, p.part}
}

// decay is the address that a place gives where a pointer is needed.
func (p *place) decay() *place { return p.sub(Integer(0)) }

// decayed turns an array into its address, as where a value is needed, and leaves all else.
func (v Value) decayed() Value {
	if v.Kind == isPlace && len(v.place.index) < len(v.place.array.dims) {
		return Value{Kind: isPointer, place: v.place.decay()}
	}
	return v
}

package validate

import (
	"math"
	"math/bits"
)

// value is what is known of an expression in one thread: an integer, a place in a shared array, or
// nothing (the zero value).
type value struct {
	kind     valueKind
	n        int64
	unsigned bool
	wide     bool   // 64 bits
	place    *place // of isPlace and isPointer
}

type valueKind uint8

const (
	unknown valueKind = iota
	isInt
	isPlace   // an element of a shared array, or a part of one
	isPointer // the address of a place
	isShared  // an address somewhere in shared memory
)

// place is a part of a shared array: one index for each of its first extents. Any may be unknown.
type place struct {
	array *array
	index []index
	part  bool // a member of the element, or some of its bytes
}

type index struct {
	n     int64
	known bool
}

func integer(n int64) value { return value{kind: isInt, n: n} }

func truth(b bool) value {
	if b {
		return integer(1)
	}
	return integer(0)
}

// isTrue and isFalse are both false of what is not known.
func (v value) isTrue() bool  { return v.kind == isInt && v.n != 0 }
func (v value) isFalse() bool { return v.kind == isInt && v.n == 0 }

// fitted returns an integer in the range of its type: wrapped where that is unsigned, unknown where a
// signed one overflows.
func (v value) fitted() value {
	switch {
	case v.kind != isInt:
		return value{}
	case !v.wide && v.unsigned:
		v.n &= math.MaxUint32
	case !v.wide && (v.n > math.MaxInt32 || v.n < math.MinInt32):
		return value{}
	case v.wide && v.unsigned && v.n < 0:
		return value{} // above what is kept here
	}
	return v
}

// common gives two integers the type in which C++ computes with them.
func common(a, b value) (value, value) {
	wide := a.wide || b.wide
	unsigned := a.unsigned && (a.wide || !wide) || b.unsigned && (b.wide || !wide)
	a.wide, b.wide, a.unsigned, b.unsigned = wide, wide, unsigned, unsigned
	return a.fitted(), b.fitted()
}

// binary computes a op b of integers.
func binary(op string, a, b value) value {
	if a.kind != isInt || b.kind != isInt {
		switch {
		case op == "&&" && (a.isFalse() || b.isFalse()):
			return integer(0)
		case op == "||" && (a.isTrue() || b.isTrue()):
			return integer(1)
		}
		return value{}
	}
	switch op {
	case "&&":
		return truth(a.n != 0 && b.n != 0)
	case "||":
		return truth(a.n != 0 || b.n != 0)
	case "<<", ">>":
		width := int64(32)
		if a.wide {
			width = 64
		}
		if b.n < 0 || b.n >= width {
			return value{}
		}
		if op == ">>" {
			a.n >>= uint(b.n)
			return a
		}
		if a.n < 0 || bits.Len64(uint64(a.n))+int(b.n) > 62 {
			return value{}
		}
		a.n <<= uint(b.n)
		return a.fitted()
	}
	a, b = common(a, b)
	if a.kind != isInt || b.kind != isInt {
		return value{}
	}
	out := a
	switch op {
	case "+":
		out.n = a.n + b.n
		if a.n > 0 && b.n > 0 && out.n < 0 || a.n < 0 && b.n < 0 && out.n >= 0 {
			return value{}
		}
	case "-":
		out.n = a.n - b.n
		if a.n >= 0 && b.n < 0 && out.n < 0 || a.n < 0 && b.n > 0 && out.n > 0 {
			return value{}
		}
	case "*":
		if a.n != 0 && b.n != 0 {
			out.n = a.n * b.n
			if out.n/b.n != a.n || a.n == math.MinInt64 || b.n == math.MinInt64 {
				return value{}
			}
		} else {
			out.n = 0
		}
	case "/", "%":
		if b.n == 0 {
			return value{}
		}
		if op == "/" {
			out.n = a.n / b.n
		} else {
			out.n = a.n % b.n
		}
	case "&":
		out.n = a.n & b.n
	case "|":
		out.n = a.n | b.n
	case "^":
		out.n = a.n ^ b.n
	case "<":
		return truth(a.n < b.n)
	case "<=":
		return truth(a.n <= b.n)
	case ">":
		return truth(a.n > b.n)
	case ">=":
		return truth(a.n >= b.n)
	case "==":
		return truth(a.n == b.n)
	case "!=":
		return truth(a.n != b.n)
	default:
		return value{}
	}
	return out.fitted()
}

// unary computes op a.
func unary(op string, a value) value {
	if a.kind != isInt {
		return value{}
	}
	switch op {
	case "+":
	case "-":
		if a.n == math.MinInt64 {
			return value{}
		}
		a.n = -a.n
	case "~":
		a.n = ^a.n
	case "!":
		return truth(a.n == 0)
	default:
		return value{}
	}
	return a.fitted()
}

// converted returns an integer as a value of a type; unknown for types that are none of integers.
func converted(v value, base string) value {
	if v.kind != isInt {
		return value{}
	}
	switch t, ok := numberTypeOf(base); {
	case !ok || t.float:
		return value{}
	case t.bits == 1:
		return truth(v.n != 0)
	case t.bits == 64 || t.bits == 32 && t.unsigned:
		v.unsigned, v.wide = t.unsigned, t.bits == 64
		return v.fitted()
	default:
		if least, most := t.limits(); v.n < least || v.n > most {
			return value{}
		}
		return integer(v.n) // what is narrower is computed with as an int
	}
}

// member is the place of a member of an element.
func (p *place) member() *place { return &place{p.array, p.index, true} }

// sub is the place that one more index leads to.
func (p *place) sub(v value) *place {
	i := index{v.n, v.kind == isInt}
	return &place{p.array, append(append([]index(nil), p.index...), i), p.part}
}

// moved is the place that an address leads to when a number is added to it.
func (p *place) moved(v value, sign int64) *place {
	if len(p.index) == 0 {
		return p.sub(value{kind: v.kind, n: sign * v.n})
	}
	out := append([]index(nil), p.index...)
	last := &out[len(out)-1]
	last.known = last.known && v.kind == isInt
	last.n += sign * v.n
	return &place{p.array, out, p.part}
}

// decay is the address that a place gives where a pointer is needed.
func (p *place) decay() *place { return p.sub(integer(0)) }

// decayed is an array as the address that it is where a value is needed; anything else is what it is.
func (v value) decayed() value {
	if v.kind == isPlace && len(v.place.index) < len(v.place.array.dims) {
		return value{kind: isPointer, place: v.place.decay()}
	}
	return v
}

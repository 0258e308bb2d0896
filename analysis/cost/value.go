package cost

import (
	"github.com/smux-cuda/smux/analysis/operator"
	"github.com/smux-cuda/smux/model/hardware"
)

// value holds the facts about an expression's value: a number per thread as far as it is known, an identity by which
// equal computations are found again, and how many loads in a row it waited for.
type value struct {
	typ ctype

	// known is set if s (with v, per thread) holds the value. Where exact is false, it does so only up to a number
	// that is the same for all threads: good enough for strides, not for deciding anything.
	known, exact bool
	modulo       bool // of an address: right only modulo the 32 banks of shared memory
	s            int64
	v            *lanes   // per thread, on top of s
	next         [3]int64 // by how much s differs in the next thread block, by x, y and z
	apart        bool     // the next differs by no one number for all threads

	// id names what was computed, 0 for constants; two values with the same id differ by the difference of their add.
	// Constants added to an index cost nothing, so they are kept apart.
	id  int
	add int64
	// modulus: the compiler knows the value modulo this, as it does the counter
	// of a loop of which it lays out several turns in a row; 0 for nothing.
	modulus int64
	narrow  bool // 64 bits wide, made of a 32-bit number
	// below is one more than the largest number that an integer of which nothing else is known may be, and
	// how many bytes from its array's begin on an address may lie in that depends on it; 0 for nothing.
	below   int64
	literal bool // a floating-point number in the source, perhaps converted
	power   bool // that is a power of two

	obj  *object // what a pointer points into; the number is a byte offset then
	dims []int64 // dimensions not subscripted yet, of an array
	// Of a pointer: how many indices that vary were added to it, and the bytes of the constants that these hold.
	terms  int
	within int64

	batch int // the batch of loads that the value last came from, 0 for none
	depth int // how many loads in a row within that batch
}

// constant is a number that the compiler knows.
func constant(n int64, t ctype) value {
	return value{typ: t, known: true, exact: true, s: n, add: n}
}

// isConstant reports whether the compiler knows the value.
func (a value) isConstant() bool { return a.id == 0 && a.known && a.v == nil && a.obj == nil }

// uniform reports whether the value is a certain number for all threads.
func (a value) uniform() bool { return a.known && a.exact && a.v == nil }

// width counts the instructions that an addition or comparison of a number takes.
func (a value) width() float64 {
	if a.typ.class == classLong {
		return costLong
	}
	return 1
}

func (a value) at(i int) int64 {
	if a.v == nil {
		return a.s
	}
	return a.s + a.v.of[i]
}

// after makes a wait for what b waited for.
func (a value) after(b value) value {
	switch {
	case b.batch > a.batch:
		a.batch, a.depth = b.batch, b.depth
	case b.batch == a.batch:
		a.depth = max(a.depth, b.depth)
	}
	return a
}

// apply is operator.Apply for numbers that may be 64 bits wide, as addresses are.
func apply(tok string, x, y int64) (int64, bool) {
	switch tok {
	case "<<":
		return x << (uint64(y) & 63), y >= 0
	case ">>":
		return x >> (uint64(y) & 63), y >= 0
	case "bitand":
		tok = "&"
	case "bitor":
		tok = "|"
	case "xor":
		tok = "^"
	}
	return operator.Apply(tok, x, y)
}

// mask is the set of threads that run a piece of code; nil is all of them.
type mask []bool

func (m mask) has(i int) bool { return m == nil || m[i] }

// and keeps the threads of m for which a number is, or is not, zero.
func (m mask) and(n int, c value, want bool) mask {
	if c.v == nil && (c.s != 0) == want {
		return m
	}
	out := make(mask, n)
	for i := range out {
		out[i] = m.has(i) && (c.at(i) != 0) == want
	}
	return out
}

// warps is the number of warps with a thread in m, of n threads.
func (m mask) warps(n int) int {
	if m == nil {
		return (n + hardware.WarpSize - 1) / hardware.WarpSize
	}
	count := 0
	for w := 0; w < n; w += hardware.WarpSize {
		for i := w; i < min(n, w+hardware.WarpSize); i++ {
			if m[i] {
				count++
				break
			}
		}
	}
	return count
}

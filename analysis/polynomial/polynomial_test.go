package polynomial_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/smux-cuda/smux/analysis/polynomial"
)

// value computes a random polynomial in x, y, z beside its value at a point.
func value(r *rand.Rand, syms []*polynomial.Symbol, at []int64, depth int) (polynomial.Polynomial, int64) {
	if depth == 0 || r.IntN(4) == 0 {
		if i := r.IntN(len(syms) + 1); i < len(syms) {
			return polynomial.Of(syms[i]), at[i]
		}
		n := r.Int64N(7) - 3
		return polynomial.Number(n), n
	}
	p, a := value(r, syms, at, depth-1)
	q, b := value(r, syms, at, depth-1)
	switch r.IntN(3) {
	case 0:
		return p.Plus(q), a + b
	case 1:
		return p.Minus(q), a - b
	}
	return p.Times(q), a * b
}

// What is proved of a polynomial holds at every point that its symbols allow.
func TestProofsHoldAtRandomPoints(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	syms := []*polynomial.Symbol{
		{Name: "x", Min: 1, Max: 5, Order: 0}, {Name: "y", Min: 0, Max: 4, Order: 1},
		{Name: "z", Min: polynomial.None, Max: polynomial.None, Order: 2},
	}
	proved, refuted, bounded := 0, 0, 0
	for range 20000 {
		at := []int64{1 + r.Int64N(5), r.Int64N(5), r.Int64N(9) - 4}
		p, v := value(r, syms, at, 3)
		if n, ok := p.Constant(); ok {
			assert.Equal(t, v, n)
		}
		if p.NonNegative() {
			proved++
			assert.GreaterOrEqual(t, v, int64(0))
		} else if v < 0 {
			refuted++
		}
		if most, ok := p.Magnitude(); ok {
			bounded++
			assert.LessOrEqual(t, max(v, -v), most)
		}
		if least, ok := p.Least(); ok {
			assert.GreaterOrEqual(t, v, least)
		}
		if coef, rest, ok := p.Linear(syms[0]); ok {
			assert.True(t, p.Equal(coef.Times(polynomial.Of(syms[0])).Plus(rest)) || p.IsLost())
		}
	}
	assert.Greater(t, proved, 1000, "the proofs must not be empty")
	assert.Greater(t, refuted, 1000)
	assert.Greater(t, bounded, 1000)
}

func TestInequalities(t *testing.T) {
	b := polynomial.Of(&polynomial.Symbol{Name: "blockDim.x", Min: 1, Max: 1024})
	n := polynomial.Of(&polynomial.Symbol{Name: "n", Min: polynomial.None, Max: polynomial.None, Order: 1})
	one := polynomial.Number(1)
	for _, c := range []struct {
		name string
		p, q polynomial.Polynomial
		want bool
	}{
		{"a block has a thread", one, b, true},
		{"not two", polynomial.Number(2), b, false},
		{"twice as many", b, b.Plus(b), true},
		{"and not fewer", b.Plus(b), b, false},
		{"an unknown number is itself", n, n, true},
		{"and less than the next", n, n.Plus(one), true},
		{"but may be negative", polynomial.Number(0), n, false},
		{"even times a block", n, n.Times(b), false},
		{"a square", b, b.Times(b), true},
		{"what is given up proves nothing", polynomial.Lost(), polynomial.Lost(), false},
		{"nor does what grows too large", one, polynomial.Number(1 << 39).Times(polynomial.Number(4)), false},
	} {
		assert.Equal(t, c.want, c.p.AtMost(c.q), c.name)
	}
}

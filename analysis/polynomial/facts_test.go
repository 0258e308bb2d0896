package polynomial_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/smux-cuda/smux/analysis/polynomial"
)

// What is proved from facts holds at every point at which these hold.
func TestProofsFromFactsHoldAtRandomPoints(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	syms := []*polynomial.Symbol{
		{Name: "x", Min: 1, Max: 5, Order: 0}, {Name: "y", Min: 0, Max: 4, Order: 1},
		{Name: "z", Min: polynomial.None, Max: polynomial.None, Order: 2}, {Name: "w", Min: -3, Max: 3, Order: 3},
	}
	proved, byFacts := 0, 0
	for range 5000 {
		at := []int64{1 + r.Int64N(5), r.Int64N(5), r.Int64N(9) - 4, r.Int64N(7) - 3}
		var facts polynomial.Facts
		for range 3 {
			f, v := value(r, syms, at, 2)
			if n := r.Int64N(3); v >= 0 {
				f = f.Minus(polynomial.Number(max(0, v-n))) // a sharp one says more
			} else {
				f = polynomial.Number(n).Minus(f.Minus(polynomial.Number(v)))
			}
			facts = append(facts, f)
		}
		p, v := value(r, syms, at, 2)
		if facts.NonNegative(p) {
			proved++
			assert.GreaterOrEqual(t, v, int64(0))
			if !p.NonNegative() {
				byFacts++
			}
		}
	}
	assert.Greater(t, proved, 500)
	assert.Greater(t, byFacts, 100)
}

func TestFactsAreAddedUp(t *testing.T) {
	sym := func(name string, low int64, order int) polynomial.Polynomial {
		return polynomial.Of(&polynomial.Symbol{Name: name, Min: low, Max: polynomial.None, Order: order})
	}
	number := polynomial.Number
	n, q, block, x := sym("n", polynomial.None, 0), sym("q", 0, 1), sym("block", 0, 2), sym("x", 0, 3)
	size := sym("size", 1, 4)
	facts := polynomial.Facts{
		n.Minus(number(8).Times(q)),       // q is n / 8
		q.Minus(number(1)).Minus(block),   // a block's number
		number(7).Minus(x),                // a thread's number
		n.Minus(size.Times(q)),            // q is n / size, too
		size.Minus(number(1)).Minus(x),    //
		number(1000).Minus(n).Minus(size), //
	}
	last := n.Minus(number(1))
	for name, c := range map[string]struct {
		p    polynomial.Polynomial
		want bool
	}{
		"the last thread":                   {last.Minus(number(8).Times(block)).Minus(x), true},
		"one more":                          {last.Minus(number(8).Times(block)).Minus(x).Minus(number(1)), false},
		"half of the blocks":                {last.Minus(number(4).Times(block)).Minus(x), true},
		"blocks of a size that isn't known": {last.Minus(size.Times(block)).Minus(x), true},
		"larger ones":                       {last.Minus(size.Times(block)).Minus(size.Times(block)).Minus(x), false},
		"a number at least 0":               {n, true},
		"a number at least 1":               {n.Minus(number(1)), true}, // there is a block, which has a number
	} {
		t.Run(name, func(t *testing.T) { assert.Equal(t, c.want, facts.NonNegative(c.p)) })
	}
}

package affine

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
)

// numbers gives every symbol and axis a number, so that forms have values.
type numbers map[any]int64

func (n numbers) of(key any) int64 { return n[key] }

func (n numbers) value(f Form) int64 {
	sum := int64(0)
	for _, t := range f.Terms {
		v := t.Coef
		for _, s := range t.Symbols {
			v *= n.of(s)
		}
		if t.Axis != nil {
			v *= n.of(t.Axis)
		}
		sum += v
	}
	return sum
}

// pool is a walker with symbols and axes to draw from.
func pool(r *rand.Rand) (*activation, numbers, func() Form) {
	w := &walker{terms: newTerms(), budget: maxSteps, out: &Kernel{}}
	n := numbers{}
	var symbols []Form
	var axes []*Axis
	for _, name := range []string{"w", "h", "n"} {
		f := w.symbol(name)
		symbols = append(symbols, f)
		n[f.Terms[0].Symbols[0]] = r.Int64N(2000) - 1000
	}
	for d, name := range []string{"threadIdx.x", "threadIdx.y", "blockIdx.x"} {
		a := w.axis(Axis{Kind: AxisThread, Dim: d, Name: name})
		axes = append(axes, a)
		n[a] = r.Int64N(2000) - 1000
	}
	a := &activation{walker: w}
	return a, n, func() Form {
		f := Number(r.Int64N(20) - 10)
		for range r.IntN(4) {
			t := Number(r.Int64N(9) - 4)
			for range r.IntN(3) {
				t = a.product(t, symbols[r.IntN(len(symbols))])
			}
			if r.IntN(2) == 0 {
				t = a.product(t, along(axes[r.IntN(len(axes))]))
			}
			f = f.Add(t)
		}
		return f
	}
}

// TestArithmeticKeepsValues: forms add, subtract, scale and multiply as the
// numbers do that they stand for.
func TestArithmeticKeepsValues(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		a, n, form := pool(r)
		f, g := form(), form()
		by := r.Int64N(11) - 5
		assert.Equal(t, n.value(f)+n.value(g), n.value(f.Add(g)))
		assert.Equal(t, n.value(f)-n.value(g), n.value(f.Sub(g)))
		assert.Equal(t, n.value(f)*by, n.value(f.Scale(by)))
		if f.Uniform() || g.Uniform() {
			assert.Equal(t, n.value(f)*n.value(g), n.value(a.product(f, g)))
		}
		if q, ok := f.Scale(by).Divide(by); by != 0 {
			assert.True(t, ok)
			assert.True(t, q.Equal(f), "%s / %d = %s", f, by, q)
		}
		assert.True(t, f.Add(g).Equal(g.Add(f)))
		assert.Empty(t, f.Sub(f).Terms)
		assert.True(t, slices.IsSortedFunc(f.Terms, Term.compare), f.String())
		if t.Failed() {
			return
		}
	}
}

func TestAProductOfTwoAxesIsOneValueOfItsOwn(t *testing.T) {
	a, _, _ := pool(rand.New(rand.NewPCG(1, 1)))
	x, y := along(a.axes["threadIdx.x"]), along(a.axes["threadIdx.y"])
	p := a.product(x, y)
	assert.Equal(t, AxisData, p.Terms[0].Axis.Kind)
	assert.True(t, p.Equal(a.product(x, y)), "the same product is the same value")
}

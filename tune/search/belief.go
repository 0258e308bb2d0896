package search

import "math"

// belief takes the logarithm of each item's ratio for a Gaussian variable: what the model predicts, an error that all merged
// forms share (the original's time is in each ratio), a part by which the model's gains are too large, effects of traits
// and constants, and an error of the item's own. It is a mixture over sizes of the errors, weighted by how well each
// explains what was measured: ridge regression of log(measured/predicted) on traits, the penalty chosen by evidence.
type belief struct {
	weight []float64   // of each size, together 1
	mean   [][]float64 // by size and item, of the logarithm of the ratio
	sd     [][]float64
}

// What is supposed before anything has been measured, as standard deviations of logarithms.
const (
	kernelError    = 0.25 // that the merged forms of a kernel share
	gainError      = 0.3  // part by which predicted gains are off
	formError      = 0.06 // of forms of which the model says nothing, such as a register cap
	constantError  = 0.5  // of forms with other constants
	spaceError     = 1.0  // that all of a space share: its first one may be any
	spaceGainError = 0.3
	least          = 0.003
	unknown        = 0.01 // of a measurement whose interval is not known
	spread         = 0.8  // of the logarithm of the size
)

// sizes are standard deviations of the model's error within a kernel, the middle one as in the figures of lab/fidelity.
var sizes = []float64{0.01, 0.02, 0.03, 0.045, 0.07, 0.1, 0.15, 0.22, 0.33}

// spaceSizes are those of constants, which move a kernel's time by 2 to 10 times.
var spaceSizes = []float64{0.1, 0.16, 0.25, 0.4, 0.6, 0.9, 1.4}

// How an error is divided: between what items have in common and the item alone.
const (
	byTraits    = 0.3
	byManyAlike = 0.3 // grows with the square of what they have in common
	alone       = 0.4
)

// measured is an item with the logarithm of its ratio and that logarithm's error.
type measured struct {
	item     int
	log, err float64
}

// negligible is the likelihood, relative to the best one's, below which a size is left out.
const negligible = 0.01

// believe combines predictions and measurements, and says what follows for some items.
func believe(p *prior, seen []measured, items []int) belief {
	between := p.between(seen)
	of := make([]explanation, len(p.sizes))
	best := math.Inf(-1)
	for n, size := range p.sizes {
		of[n] = p.explain(seen, between, size)
		best = max(best, of[n].evidence)
	}
	var b belief
	sum := 0.0
	var sizes []float64
	var by []explanation
	for n, e := range of {
		if w := math.Exp(e.evidence - best); w > negligible {
			b.weight, sizes, by = append(b.weight, w), append(sizes, p.sizes[n]), append(by, e)
			sum += w
		}
	}
	b.mean, b.sd = make([][]float64, len(by)), make([][]float64, len(by))
	for n := range by {
		b.weight[n] /= sum
		b.mean[n], b.sd[n] = make([]float64, len(items)), make([]float64, len(items))
	}
	shared, with := make([]near, len(seen)), make([]float64, len(seen))
	for at, item := range items {
		for i, s := range seen {
			shared[i] = p.near(item, s.item)
		}
		self := p.near(item, item)
		for n, e := range by {
			for i, s := range seen {
				with[i] = p.covariance(item, s.item, shared[i], sizes[n])
			}
			e.factor.solveInto(with, with)
			b.mean[n][at] = p.trust*p.log[item] + dot(with, e.off)
			b.sd[n][at] = math.Sqrt(max(p.covariance(item, item, self, sizes[n])-dot(with, with), least*least))
		}
	}
	return b
}

// between returns what all pairs of measured items share, as the rows of a triangle.
func (p *prior) between(seen []measured) [][]near {
	out := make([][]near, len(seen))
	for i, a := range seen {
		out[i] = make([]near, i+1)
		for j := range out[i] {
			out[i][j] = p.near(a.item, seen[j].item)
		}
	}
	return out
}

// explanation holds what a size makes of the measurements.
type explanation struct {
	factor   cholesky // of their covariance
	off      []float64
	evidence float64 // logarithm, up to a constant
}

func (p *prior) explain(seen []measured, between [][]near, size float64) explanation {
	e := explanation{off: make([]float64, len(seen))}
	e.factor = factor(len(seen), func(i, j int) float64 {
		v := p.covariance(seen[i].item, seen[j].item, between[i][j], size)
		if i == j {
			v += seen[i].err * seen[i].err
		}
		return v
	})
	for i, s := range seen {
		e.off[i] = s.log - p.trust*p.log[s.item]
	}
	e.factor.solveInto(e.off, e.off)
	determinant := 0.0 // the logarithm of L·Lᵀ's
	for i := range e.factor {
		determinant += 2 * math.Log(e.factor[i][i])
	}
	far := math.Log(size/p.sizes[len(p.sizes)/2]) / spread
	e.evidence = -0.5 * (dot(e.off, e.off) + determinant + far*far)
	return e
}

// expected returns the mean of an item, and the standard deviation around it.
func (b belief) expected(item int) (mean, sd float64) {
	square := 0.0
	for i, w := range b.weight {
		m, s := b.mean[i][item], b.sd[i][item]
		mean += w * m
		square += w * (m*m + s*s)
	}
	return mean, math.Sqrt(max(0, square-mean*mean))
}

// improvement returns by how much an item is expected to be above a level, if it is.
func (b belief) improvement(item int, level float64) float64 {
	sum := 0.0
	for i, w := range b.weight {
		m, s := b.mean[i][item], b.sd[i][item]
		z := (m - level) / s
		sum += w * s * (z*above(-z) + math.Exp(-z*z/2)/math.Sqrt(2*math.Pi))
	}
	return sum
}

// chance returns the probability that an item is above a level.
func (b belief) chance(item int, level float64) float64 {
	sum := 0.0
	for i, w := range b.weight {
		sum += w * above((level-b.mean[i][item])/b.sd[i][item])
	}
	return sum
}

// above returns the probability that a normal deviate is above z.
func above(z float64) float64 { return math.Erfc(z/math.Sqrt2) / 2 }

// cholesky is the lower triangle L of a positive definite matrix L·Lᵀ, by rows. Unlike a tuned library, the same sums in
// the same order give the same bits on every machine.
type cholesky [][]float64

func factor(n int, at func(i, j int) float64) cholesky {
	l := make(cholesky, n)
	for i := range l {
		l[i] = make([]float64, i+1)
		for j := range l[i] {
			sum := at(i, j)
			other := l[j][:j]
			for k, v := range l[i][:j] {
				sum -= float64(v * other[k]) // not fused
			}
			if i == j {
				l[i][j] = math.Sqrt(max(sum, 1e-12))
			} else {
				l[i][j] = sum / l[j][j]
			}
		}
	}
	return l
}

// solveInto solves L·x = b; x may be b.
func (l cholesky) solveInto(x, b []float64) {
	for i, row := range l {
		sum := b[i]
		for k, v := range row[:i] {
			sum -= float64(v * x[k])
		}
		x[i] = sum / row[i]
	}
}

func dot(a, b []float64) float64 {
	sum := 0.0
	for i := range a {
		sum += float64(a[i] * b[i])
	}
	return sum
}

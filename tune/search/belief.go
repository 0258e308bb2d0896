package search

import "math"

// belief is what the measurements make of the model's predictions: the logarithm
// of each item's ratio is taken for a Gaussian variable. It is what the model
// predicts, plus an error that all merged forms of the kernel share (the original's time
// is in each ratio), plus a part by which the model's gains are too large, plus
// effects of traits, plus an error of the item's own. How large the errors are is
// learnt as well: the belief is a mixture over sizes, weighted by how well each explains
// what was measured. That is ridge regression of log(measured/predicted) on traits with the
// penalty chosen by evidence, and known variances of what it says.
type belief struct {
	weight []float64   // of each size, together 1
	mean   [][]float64 // by size and item, of the logarithm of the ratio
	sd     [][]float64
}

// What is supposed before anything has been measured, as standard deviations
// of logarithms.
const (
	kernelError = 0.25 // that the merged forms of a kernel share
	gainError   = 0.3  // part by which predicted gains are off
	formError   = 0.06 // of forms of which the model says nothing, such as a register cap
	least       = 0.003
	unknown     = 0.01 // of a measurement whose interval is not known
	typical     = 0.07 // of the sizes below: as in the measured figures of model/sim/fidelity
	spread      = 0.8  // of the logarithm of the size
)

// sizes are the standard deviations of the model's error within a kernel.
var sizes = []float64{0.01, 0.02, 0.03, 0.045, 0.07, 0.1, 0.15, 0.22, 0.33}

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

// believe combines predictions and measurements.
func believe(p *prior, seen []measured) belief {
	var b belief
	best := math.Inf(-1)
	for _, size := range sizes {
		n := len(seen)
		l := factor(n, func(i, j int) float64 {
			v := p.covariance(seen[i].item, seen[j].item, size)
			if i == j {
				v += seen[i].err * seen[i].err
			}
			return v
		})
		off := make([]float64, n)
		for i, s := range seen {
			off[i] = s.log - p.log[s.item]
		}
		z := l.solve(off)
		far := math.Log(size/typical) / spread
		evidence := -0.5 * (dot(z, z) + l.logDeterminant() + far*far)
		mean, sd := make([]float64, len(p.log)), make([]float64, len(p.log))
		with := make([]float64, n)
		for j := range p.log {
			for i, s := range seen {
				with[i] = p.covariance(j, s.item, size)
			}
			v := l.solve(with)
			mean[j] = p.log[j] + dot(v, z)
			sd[j] = math.Sqrt(max(p.covariance(j, j, size)-dot(v, v), least*least))
		}
		b.weight, b.mean, b.sd = append(b.weight, evidence), append(b.mean, mean), append(b.sd, sd)
		best = max(best, evidence)
	}
	sum := 0.0
	for i, e := range b.weight {
		b.weight[i] = math.Exp(e - best)
		sum += b.weight[i]
	}
	for i := range b.weight {
		b.weight[i] /= sum
	}
	return b
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

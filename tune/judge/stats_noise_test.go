package judge_test

import (
	"math"
	"math/rand/v2"

	"github.com/smux-cuda/smux/tune/judge"
)

// A noise is what a run's time is multiplied by; each call is the next run.
type noise func() float64

// noises are the kinds of noise that times have. Each call starts one anew.
var noises = map[string]func(r *rand.Rand) noise{
	"normal": func(r *rand.Rand) noise {
		return func() float64 { return 1 + 0.02*r.NormFloat64() }
	},
	"lognormal": func(r *rand.Rand) noise {
		return func() float64 { return math.Exp(0.2 * r.NormFloat64()) }
	},
	"two clocks": func(r *rand.Rand) noise {
		return func() float64 {
			if r.IntN(3) == 0 {
				return 1.3 + 0.005*r.NormFloat64()
			}
			return 1 + 0.005*r.NormFloat64()
		}
	},
	"heavy tail": func(r *rand.Rand) noise {
		// A Pareto tail on top, without a variance.
		return func() float64 { return 1 + 0.01*math.Pow(r.Float64(), -1/1.5) }
	},
	"autocorrelated": func(r *rand.Rand) noise {
		state := r.NormFloat64()
		return func() float64 {
			state = 0.9*state + math.Sqrt(1-0.81)*r.NormFloat64()
			return math.Exp(0.1 * state)
		}
	},
	"clock that stays": func(r *rand.Rand) noise {
		slow := r.IntN(2) == 0
		return func() float64 {
			if r.IntN(20) == 0 {
				slow = !slow
			}
			if slow {
				return 1.2 * (1 + 0.003*r.NormFloat64())
			}
			return 1 + 0.003*r.NormFloat64()
		}
	},
	"drift": func(r *rand.Rand) noise {
		at := 0.0
		return func() float64 { at++; return (1 + 0.01*at) * (1 + 0.01*r.NormFloat64()) }
	},
}

// samples are n pairs of one repetition, of a variant that is gain times as fast.
// The variant is first in every other pair.
func samples(n int, gain float64, next noise) []judge.Sample {
	out := make([]judge.Sample, n)
	for i := range out {
		a, b := next(), next()
		if i%2 == 1 {
			a, b = b, a
		}
		out[i] = judge.Sample{Base: []float64{gain * a}, Variant: []float64{b}}
	}
	return out
}

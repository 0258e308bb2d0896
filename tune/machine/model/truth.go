package model

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"

	"github.com/smux-cuda/smux/tune/record"
)

// The parts of the variance of the model's error. Most of it is shared by all that
// merges thread blocks, as the model's time of the original is in each ratio: so
// it is in the measured figures of lab/fidelity, where 70 to 90 % of the
// error's variance lies between kernels. How the rest is divided is assumed.
const (
	ofKernel  = 0.70
	ofRewrite = 0.06
	ofSync    = 0.05
	ofFactor  = 0.04
	ofWay     = 0.09
	ofForm    = 0.06
)

// Truth returns the time of the original over that of a form, without noise.
// predicted is the ratio that the model expects, 0 where it says nothing.
func (m *Machine) Truth(c record.TunedVariant, predicted float64) float64 {
	if c.IsOriginal() {
		return 1
	}
	if !(predicted > 0) {
		return math.Exp(m.o.Unpredicted * m.normal("unpredicted", c.String()))
	}
	sum := 0.0
	for _, part := range []struct{ share, z float64 }{
		{ofKernel, m.normal("kernel")},
		{ofRewrite, m.normal("rewrite", c.Rewriter)},
		{ofSync, m.normal("sync", c.Sync)},
		{ofFactor, m.normal("factor", fmt.Sprint(c.Factor))},
		{ofWay, m.normal("way", c.Variant.String())},
		{ofForm, m.normal("form", c.String())},
	} {
		sum += math.Sqrt(part.share) * part.z
	}
	return predicted * math.Exp(m.o.Error*sum)
}

// normal returns the normal deviate that belongs to some words.
func (m *Machine) normal(words ...any) float64 { return m.random(words...).NormFloat64() }

// random returns the series of numbers that belongs to some words.
func (m *Machine) random(words ...any) *rand.Rand {
	h := fnv.New128a()
	fmt.Fprintf(h, "%q %q %d %q", m.o.GPU, m.o.Name, m.o.Seed, fmt.Sprint(words...))
	sum := h.Sum(nil)
	var a, b uint64
	for i := range 8 {
		a, b = a<<8|uint64(sum[i]), b<<8|uint64(sum[i+8])
	}
	return rand.New(rand.NewPCG(a, b))
}

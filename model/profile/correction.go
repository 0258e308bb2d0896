package profile

import (
	"cmp"
	"math"
	"slices"
)

// Correction says how far the predicted gains of a rewriter were off on a GPU, by the kernels that were measured there.
type Correction struct {
	GPU      string `json:"gpu"` // as gpu.GPU.String gives it
	Rewriter string `json:"rewriter"`
	Kernels  int    `json:"kernels"`
	Forms    int    `json:"forms"`
	// Factor corrects a predicted ratio. It is the median over the kernels of the mean of the logarithms of measured over
	// predicted ratios, drawn towards 1 as if two kernels more had been predicted right.
	Factor float64 `json:"factor"`
	// Low and High are measured over predicted ratios at the quantiles of 10 and 90 %, of the Gains forms that were predicted to
	// gain 5 % or more; 0 for fewer than ten.
	Gains int     `json:"gains"`
	Low   float64 `json:"low,omitempty"`
	High  float64 `json:"high,omitempty"`
}

// Sample is a form of a kernel that was measured on a GPU: the time of the original over its own.
type Sample struct {
	GPU, Rewriter, Kernel string
	Predicted, Measured   float64
}

// LeastKernels is the number of kernels that correct a prediction: fewer say more of themselves than of the rewriter.
const LeastKernels = 3

const (
	leastGains = 10
	asRight    = 2 // kernels that are thought to have been predicted right besides
)

// Corrections returns what samples say of the predictions, by GPU and rewriter, of rewriters with three kernels or more.
func Corrections(samples []Sample) []Correction {
	type key struct{ gpu, rewriter string }
	kernels, gains, forms := map[key]map[string][]float64{}, map[key][]float64{}, map[key]int{}
	for _, s := range samples {
		if s.Predicted <= 0 || s.Measured <= 0 {
			continue
		}
		k, off := key{s.GPU, s.Rewriter}, math.Log(s.Measured/s.Predicted)
		if kernels[k] == nil {
			kernels[k] = map[string][]float64{}
		}
		kernels[k][s.Kernel] = append(kernels[k][s.Kernel], off)
		forms[k]++
		if s.Predicted >= 1.05 {
			gains[k] = append(gains[k], off)
		}
	}
	var out []Correction
	for k, of := range kernels {
		n := len(of)
		if n < LeastKernels {
			continue
		}
		var means []float64
		for _, off := range of {
			sum := 0.0
			for _, x := range off {
				sum += x
			}
			means = append(means, sum/float64(len(off)))
		}
		c := Correction{GPU: k.gpu, Rewriter: k.rewriter, Kernels: n, Forms: forms[k], Gains: len(gains[k])}
		c.Factor = quantile(means, 0.5, float64(n)/float64(n+asRight))
		if c.Gains >= leastGains {
			c.Low, c.High = quantile(gains[k], 0.1, 1), quantile(gains[k], 0.9, 1)
		}
		out = append(out, c)
	}
	slices.SortFunc(out, func(a, b Correction) int {
		return cmp.Or(cmp.Compare(a.GPU, b.GPU), cmp.Compare(a.Rewriter, b.Rewriter))
	})
	return out
}

// quantile returns the number of which logs has a quantile of the logarithms, times part, to four digits.
func quantile(logs []float64, at, part float64) float64 {
	slices.Sort(logs)
	place := at * float64(len(logs)-1)
	low := int(place)
	x := logs[low]
	if low+1 < len(logs) {
		x += (place - float64(low)) * (logs[low+1] - x)
	}
	return math.Round(math.Exp(part*x)*1e4) / 1e4
}

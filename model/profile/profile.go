// Package profile holds what Nsight Compute measured of kernels: what their warps waited for, and how
// busy the parts of the GPU were. It reads the tables of ncu --csv, of the page "details" and of the page "raw".
package profile

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync/atomic"
)

// Kernel holds what was measured of the launches of one kernel with one shape, as means of the launches.
type Kernel struct {
	Name       string `json:"name"`             // of the function alone
	Device     string `json:"device,omitempty"` // the product, where the profile names it
	Capability string `json:"capability"`       // such as "8.0"
	Block      [3]int `json:"block"`            // threads in x, y, z; zero where the profile doesn't say
	Grid       [3]int `json:"grid"`             // thread blocks; zero where the profile doesn't say
	Launches   int    `json:"launches"`
	// Waits are the reasons for which warps issued nothing, the most frequent first, in percent of the cycles between two
	// instructions of a warp.
	Waits []Share `json:"waits,omitempty"`
	// Busy are the parts of the GPU, the busiest first, in percent of the peak of each.
	Busy []Share `json:"busy,omitempty"`

	shown *atomic.Bool
}

// Show notes that what was measured of the kernel is shown. It is safe for concurrent use.
func (k Kernel) Show() {
	if k.shown != nil {
		k.shown.Store(true)
	}
}

// Shown reports whether Show was called of the kernel, as Read returned it.
func (k Kernel) Shown() bool { return k.shown != nil && k.shown.Load() }

// Share is a part of a whole in percent.
type Share struct {
	Of      string  `json:"of"`
	Percent float64 `json:"percent"`
}

// The parts of a GPU that Busy names.
const (
	SM   = "SM"
	L1   = "L1"
	L2   = "L2"
	DRAM = "DRAM"
)

// saturated is the share of its peak in percent from which on a part of the GPU limits a kernel, as ncu's own rules take it.
const saturated = 80

// Limit returns the part of the GPU that limits the kernel, with its share, and false where warps mostly wait.
func (k Kernel) Limit() (Share, bool) {
	if len(k.Busy) == 0 || k.Busy[0].Percent < saturated {
		return Share{}, false
	}
	return k.Busy[0], true
}

// reasons are ncu's names of what a warp waits for, in words.
var reasons = map[string]string{
	"barrier":            "barriers",
	"branch_resolving":   "branches",
	"dispatch_stall":     "the dispatcher",
	"drain":              "stores at its end",
	"imc_miss":           "constants that miss the cache",
	"lg_throttle":        "the queue of global and local accesses",
	"long_scoreboard":    "loads of global or local memory",
	"math_pipe_throttle": "an arithmetic pipe",
	"membar":             "memory fences",
	"mio_throttle":       "the queue of shared memory",
	"misc":               "other things",
	"no_instruction":     "instructions",
	"not_selected":       "other warps that issue",
	"short_scoreboard":   "shared memory or special functions",
	"sleeping":           "the end of a sleep",
	"tex_throttle":       "the queue of textures",
	"wait":               "the pipeline's fixed latency",
}

// leastTold is the smallest share in percent that String tells, and mostTold the number of reasons.
const (
	leastTold = 10
	mostTold  = 3
)

// String tells what was measured: "measured on NVIDIA A100 (8.0): waits for barriers 40 %, shared memory 21 %; DRAM 62 % of its
// peak".
func (k Kernel) String() string {
	var waits, out []string
	for _, w := range k.Waits {
		if w.Percent >= leastTold && len(waits) < mostTold {
			waits = append(waits, fmt.Sprintf("%s %.0f %%", w.words(), w.Percent))
		}
	}
	if len(waits) > 0 {
		out = append(out, "waits for "+strings.Join(waits, ", "))
	}
	if len(k.Busy) > 0 {
		out = append(out, fmt.Sprintf("%s %.0f %% of its peak", k.Busy[0].Of, k.Busy[0].Percent))
	}
	if len(out) == 0 {
		out = []string{"neither waits nor the use of the GPU"}
	}
	where := k.Capability
	if k.Device != "" {
		where = fmt.Sprintf("%s (%s)", k.Device, k.Capability)
	}
	return fmt.Sprintf("measured on %s: %s", where, strings.Join(out, "; "))
}

func (s Share) words() string {
	if words, ok := reasons[s.Of]; ok {
		return words
	}
	return s.Of
}

// sorted returns shares, the largest first.
func sorted(of map[string]float64) []Share {
	var out []Share
	for name, percent := range of {
		out = append(out, Share{name, percent})
	}
	slices.SortFunc(out, func(a, b Share) int {
		return cmp.Or(cmp.Compare(b.Percent, a.Percent), strings.Compare(a.Of, b.Of))
	})
	return out
}

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

// Package profile holds what Nsight Compute measured of kernels: what their warps waited for, and how
// busy the parts of the GPU were. It reads the tables of ncu --csv, of the page "details" and of the page "raw".
package profile

import (
	"cmp"
	"fmt"
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

package occupancy

import (
	"cmp"
	"slices"

	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/model/hardware"
)

// Curve is the occupancy against one part of a demand, the others fixed: the curves of NVIDIA's calculator sheets.
type Curve struct {
	Axis   string  `json:"axis"`   // what X is: "threads per block", "registers per thread", "shared bytes per block"
	Points []Point `json:"points"` // by X, ascending
	At     int     `json:"at"`     // index of the demand's own point
}

// Point is one point of a curve. Where nothing can run the counts are 0.
type Point struct {
	X         int     `json:"x"`
	Blocks    int     `json:"blocks"`
	Warps     int     `json:"warps"`
	Occupancy float64 `json:"occupancy"`
	Limiters  Limits  `json:"limiters"`
}

// Curves returns three of them: against the block size, in whole warps, the registers per thread, from 1 to all that one can
// have, and the shared bytes per block, in granules up to all that one can have. Each has a point for what d asks, too. A demand
// that can't run has a point like any other; the error is for one that makes no sense.
func Curves(g *gpu.GPU, d Demand) ([]Curve, error) {
	if _, err := Compute(g, d); isInvalid(err) {
		return nil, err
	}
	var curves []Curve
	for _, of := range []struct {
		axis string
		xs   []int
		part func(*Demand) *int
	}{
		{"threads per block", upTo(hardware.WarpSize, g.Arch.ThreadsPerBlock, hardware.WarpSize), func(d *Demand) *int { return &d.Threads }},
		{"registers per thread", upTo(1, g.Arch.RegistersPerThread, 1), func(d *Demand) *int { return &d.Registers }},
		{"shared bytes per block", upTo(0, sharedPerBlock(&g.Arch), max(1, g.Arch.SharedGranularity)), func(d *Demand) *int { return &d.Shared }},
	} {
		d := d
		part := of.part(&d)
		at, there := slices.BinarySearch(of.xs, *part)
		if !there {
			of.xs = slices.Insert(of.xs, at, *part)
		}
		c := Curve{Axis: of.axis, At: at}
		for _, x := range of.xs {
			*part = x
			r, _ := Compute(g, d) // what can't run has 0 blocks and its limiters
			c.Points = append(c.Points, Point{x, r.Blocks, r.Warps, r.Occupancy, r.Limiters})
		}
		curves = append(curves, c)
	}
	return curves, nil
}

// upTo returns the multiples of step from first to last.
func upTo(first, last, step int) []int {
	var xs []int
	for x := first; x <= last; x += step {
		xs = append(xs, x)
	}
	return xs
}

// Kernel is a demand with the name that it goes by in a census.
type Kernel struct {
	Name   string `json:"name"`
	Demand Demand `json:"demand"`
}

// Census counts what limits the kernels on one GPU.
type Census struct {
	GPU        string       `json:"gpu"` // its name, with the carve-out where one is set
	Kernels    int          `json:"kernels"`
	Full       int          `json:"full"`       // kernels that fill all warp slots
	Limits     []LimitCount `json:"limits"`     // most kernels first
	Headroom   []Headroom   `json:"headroom"`   // kernels that run, most headroom first
	Impossible []Unrunnable `json:"impossible"` // kernels that can't run, in the order given
}

// LimitCount counts the kernels that just these limits bind, all of them at once.
type LimitCount struct {
	Limiters Limits  `json:"limiters"`
	Kernels  int     `json:"kernels"`
	Share    float64 `json:"share"` // of the kernels that run
}

// Headroom is the gain of a kernel if what limits it were lifted.
type Headroom struct {
	Kernel
	Result Result  `json:"result"`
	Lifted int     `json:"lifted"` // blocks that the other limits allow
	Factor float64 `json:"factor"` // Lifted over the blocks now
}

// Unrunnable is a kernel of which no block can run, and why.
type Unrunnable struct {
	Kernel
	Reason string `json:"reason"`
}

// Summary returns a census of kernels.
func Summary(g *gpu.GPU, kernels []Kernel) Census {
	c := Census{GPU: g.String(), Kernels: len(kernels), Limits: []LimitCount{}, Headroom: []Headroom{}, Impossible: []Unrunnable{}}
	bound := map[Limits]int{}
	for _, k := range kernels {
		r, err := Compute(g, k.Demand)
		if err != nil {
			c.Impossible = append(c.Impossible, Unrunnable{k, err.Error()})
			continue
		}
		bound[r.Limiters]++
		if r.Warps == g.Arch.WarpsPerSM {
			c.Full++
		}
		lifted := r.Lifted()
		c.Headroom = append(c.Headroom, Headroom{k, r, lifted, float64(lifted) / float64(r.Blocks)})
	}
	for limits, n := range bound {
		c.Limits = append(c.Limits, LimitCount{limits, n, float64(n) / float64(len(c.Headroom))})
	}
	slices.SortFunc(c.Limits, func(x, y LimitCount) int {
		return cmp.Or(cmp.Compare(y.Kernels, x.Kernels), cmp.Compare(x.Limiters, y.Limiters))
	})
	slices.SortStableFunc(c.Headroom, func(x, y Headroom) int { return cmp.Compare(y.Factor, x.Factor) })
	return c
}

// Lifted returns the blocks that would run if what limits them now did not: the least that the other resources allow.
// The slots for threads are the SM's own, and nothing lifts them: where they limit, it is Blocks.
func (r Result) Lifted() int {
	if r.Limiters.Has(Threads) {
		return r.Blocks
	}
	lifted := Unlimited
	for l, n := range r.ByLimit {
		if !r.Limiters.Has(Limit(l)) {
			lifted = min(lifted, n)
		}
	}
	return lifted
}

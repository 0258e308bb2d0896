package occupancy

import (
	"slices"

	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/model/hardware"
)

// Curve is the occupancy against one part of a demand, the others fixed: the
// curves of NVIDIA's calculator sheets.
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

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

// curveThreads returns the curve against the block size, in whole warps and that of d.
// Registers per thread and shared bytes per block stay as they are.
func curveThreads(g *gpu.GPU, d Demand) (Curve, error) {
	xs := upTo(hardware.WarpSize, g.Arch.ThreadsPerBlock, hardware.WarpSize)
	return curve(g, d, "threads per block", xs, func(d *Demand) *int { return &d.Threads })
}

// curveRegisters returns the curve against the registers per thread, from 1 to all
// that a thread can have.
func curveRegisters(g *gpu.GPU, d Demand) (Curve, error) {
	xs := upTo(1, g.Arch.RegistersPerThread, 1)
	return curve(g, d, "registers per thread", xs, func(d *Demand) *int { return &d.Registers })
}

// curveShared returns the curve against the shared bytes per block, in granules from
// none to all that a block can have.
func curveShared(g *gpu.GPU, d Demand) (Curve, error) {
	xs := upTo(0, sharedPerBlock(&g.Arch), max(1, g.Arch.SharedGranularity))
	return curve(g, d, "shared bytes per block", xs, func(d *Demand) *int { return &d.Shared })
}

// Curves returns the three of them: block size, registers, shared bytes. A demand
// that can't run has a point like any other; the error is an *InvalidError.
func Curves(g *gpu.GPU, d Demand) ([]Curve, error) {
	var curves []Curve
	for _, of := range []func(*gpu.GPU, Demand) (Curve, error){curveThreads, curveRegisters, curveShared} {
		c, err := of(g, d)
		if err != nil {
			return nil, err
		}
		curves = append(curves, c)
	}
	return curves, nil
}

// curve has a point for each of xs and for what d asks, of the part of the
// demand that part points to.
func curve(g *gpu.GPU, d Demand, axis string, xs []int, part func(*Demand) *int) (Curve, error) {
	if _, err := Compute(g, d); isInvalid(err) {
		return Curve{}, err
	}
	at, there := slices.BinarySearch(xs, *part(&d))
	if !there {
		xs = slices.Insert(xs, at, *part(&d))
	}
	c := Curve{Axis: axis, At: at}
	for _, x := range xs {
		*part(&d) = x
		r, _ := Compute(g, d) // what can't run has 0 blocks and its limiters
		c.Points = append(c.Points, Point{x, r.Blocks, r.Warps, r.Occupancy, r.Limiters})
	}
	return c, nil
}

// upTo returns the multiples of step from first to last.
func upTo(first, last, step int) []int {
	var xs []int
	for x := first; x <= last; x += step {
		xs = append(xs, x)
	}
	return xs
}

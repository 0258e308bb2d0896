package stall

import (
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/model/hardware"
)

// Mix counts the instructions of each class that a warp issues, loops multiplied out.
// What is in no class counts in Issue alone.
type Mix struct {
	Issue   float64 // all of them
	Integer float64
	Float   float64 // single precision
	Double  float64
	Special float64 // special functions and conversions
	Memory  float64 // loads, stores and atomics of all kinds but constants
}

// Add returns the sum with another mix that counts times as often.
func (m Mix) Add(o Mix, times float64) Mix {
	return Mix{
		m.Issue + times*o.Issue, m.Integer + times*o.Integer, m.Float + times*o.Float,
		m.Double + times*o.Double, m.Special + times*o.Special, m.Memory + times*o.Memory,
	}
}

// Busy returns how many cycles the SM needs for the instructions of one warp if it has
// always one at hand: those of the unit that is busiest.
func (m Mix) Busy(a *gpu.Arch) float64 {
	r := RatesOf(a)
	busy := 0.0
	for _, one := range [...][2]float64{{m.Issue, r.Issue}, {m.Integer, r.Integer}, {m.Float, r.Float}, {m.Double, r.Double}, {m.Special, r.Special}, {m.Memory, r.Memory}} {
		if one[1] > 0 {
			busy = max(busy, one[0]/one[1])
		}
	}
	return busy
}

// Rates are warp instructions per cycle that an SM can start, by class. Tensor
// cores are left out.
type Rates struct{ Issue, Integer, Float, Double, Special, Memory float64 }

// RatesOf returns the rates of an architecture: the CUDA C++ Programming Guide's
// "Throughput of Native Arithmetic Instructions" (add and multiply-add; results per
// cycle over 32; the rows of floating point up to 7.5 were seen, all else is as remembered) and
// an address per cycle for each load/store unit, as the whitepapers' figures of an SM have them. An integer multiplication that is slower is not
// told apart. Of an architecture that is not listed, those of the latest one before it.
func RatesOf(a *gpu.Arch) Rates {
	found := rates[0]
	for _, r := range rates {
		if a.Major > r.major || a.Major == r.major && a.Minor >= r.minor {
			found = r
		}
	}
	lanes := func(n float64) float64 { return n / hardware.WarpSize }
	return Rates{Issue: a.IssuePerCycle, Integer: lanes(found.integer), Float: lanes(found.float), Double: lanes(found.double), Special: lanes(found.special), Memory: lanes(found.memory)}
}

// rates are results per cycle and SM, ascending.
var rates = []struct {
	major, minor                            int
	integer, float, double, special, memory float64
}{
	{2, 0, 32, 32, 16, 4, 16},
	{3, 0, 160, 192, 8, 32, 32},
	{3, 5, 160, 192, 64, 32, 32},
	{5, 0, 128, 128, 4, 32, 32},
	{6, 0, 64, 64, 32, 16, 32},
	{6, 1, 128, 128, 4, 32, 32},
	{7, 0, 64, 64, 32, 16, 32},
	{7, 5, 64, 64, 2, 16, 16},
	{8, 0, 64, 64, 32, 16, 32},
	{8, 6, 64, 128, 2, 16, 16},
	{9, 0, 64, 128, 64, 16, 32},
	{10, 0, 64, 128, 64, 16, 32},
	{12, 0, 64, 128, 2, 16, 16},
}

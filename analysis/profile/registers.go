package profile

import (
	"math"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/hardware"
	"github.com/smux-cuda/smux/parser"
)

// The weights of the estimate: a least-absolute-deviation fit over all kernels
// of the measurement that Registers describes, rounded.
const (
	registersFixed    = 9.0
	registersLive     = 0.94 // per word that is live: the compiler reorders to shorten lifetimes
	registersInFlight = 0.36 // per word that a batch of loads brings, up to maxInFlight
	registersArray    = 0.64 // per global array, up to maxArrays: part of its address stays

	maxInFlight = 64
	maxArrays   = 8
	leastUsed   = 8
)

// demand is what the estimate is made of.
type demand struct {
	live     int // words that are live at once (pressure)
	inFlight int // words that the loads of one batch bring
	arrays   int // global arrays that the kernel accesses
}

// Registers estimates the registers per thread of a kernel without a compiler,
// for an instance (nil: the first in view). It adds up the words that are live
// at once, the loads in flight, and addresses, with weights that are the same for all
// kernels; __launch_bounds__ cap it.
//
// Measured against ptxas -v of nvcc 11.8 for sm_80, on 286 kernels of the example
// programs, Rodinia and NVIDIA's CUDA samples (instances of a template: the
// median): half of the estimates are off by at most 5 registers, 90 % by at most 15,
// and the median error is 0; with the weights fitted on four fifths of the kernels,
// the others are off by 5.6 and 15.9. The thread blocks per SM come out the same for
// 86 % of the kernels on an A100 and for 98 % on a T4, whose warp slots bind first.
// Worst are kernels whose loops the compiler unrolls over many shared or matrix loads.
func Registers(k *analysis.Kernel, in *analysis.Instance) int {
	if in == nil && len(k.Instances) > 0 {
		in = k.Instances[0]
	} else if in == nil {
		in = &analysis.Instance{}
	}
	if k.Unread() {
		return leastUsed
	}
	x := newWalk(k, in)
	x.run()
	return x.registers()
}

// registers is the estimate for a kernel that was walked.
func (x *walk) registers() int {
	d := x.demand()
	n := registersFixed + registersLive*float64(d.live) + registersInFlight*float64(min(d.inFlight, maxInFlight)) +
		registersArray*float64(min(d.arrays, maxArrays))
	return min(max(leastUsed, int(math.Round(n))), x.launchBound())
}

func (x *walk) demand() demand {
	p := &pressure{x: x, busy: map[*ir.Func]bool{}, known: map[*ir.Func]int{}}
	f := &frame{x: x, fn: x.k.Func, types: x.types, cells: map[cell]value{}, alias: map[*ir.Var]lvalue{}}
	x.mute++
	defer func() { x.mute-- }()
	d := demand{live: p.of(f), inFlight: x.inFlight}
	for o := range x.accessed {
		if o.space == inGlobal && o.v != nil {
			d.arrays++
		}
	}
	return d
}

// launchBound is the most registers that a block may have where it is full, at
// the block size that the kernel is bound or launched to.
func (x *walk) launchBound() int {
	if b := x.k.View.LaunchBounds; b == nil || b.Kind == parser.MarkMacro {
		return hardware.MaxRegistersPerThread
	}
	perThread := hardware.RegistersPerSM / max(hardware.WarpSize, x.n)
	return min(hardware.MaxRegistersPerThread, max(leastUsed, perThread/8*8))
}

// Hoisted is how many more 32-bit words a thread keeps in registers where a
// rewrite moves the loads of a region's definitions in front of it: the most of
// all regions.
func Hoisted(k *analysis.Kernel) int {
	most := 0
	for _, r := range k.Regions {
		words := 0
		for _, sp := range k.Splits(r) {
			words += max(1, sp.Count) * baseType(sp.Type).words()
		}
		most = max(most, words)
	}
	return most
}

package cost

import (
	"slices"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/motion"
	"github.com/smux-cuda/smux/model/hardware"
	"github.com/smux-cuda/smux/parser"
)

const (
	// registersFixed are those beside the values that are live: the stack pointer, what pairs and fours of registers
	// leave free to be aligned, and those that an instruction under way still reads. The median error is 0 with it.
	registersFixed = 6
	// registersFree is the number of registers that ptxas takes to make loads early where the GPU is not known:
	// with 32, an SM that has 64 Ki of them and 2048 threads is full. For 1536 threads nvcc
	// 11.8 takes 40, for 1024 it takes 64.
	registersFree = 32
	// registersUnit is the number that a thread gets at once, so that the rest costs nothing.
	registersUnit = 8
	// registersOfCalls are the least of a kernel that calls a function which is not
	// inlined, as printf, malloc and what assert calls.
	registersOfCalls = 24
	leastUsed        = 8
)

// Registers estimates the registers per thread of a kernel without a compiler, for an instance (nil: the first in
// view). The kernel is walked with nothing known but what the compiler knows: both sides of a branch, a turn and the
// next of each loop. It needs what is live at once, at most; where that is more than free, with which an SM is full
// (0: 32), and another order needs no more than that, the compiler takes that order. Loads that can be made early
// take more, as far as that costs nothing: up to free, or to the end of the last unit. __launch_bounds__ cap it.
//
// How good it is was measured against nvcc 11.8 for sm_80, on the kernels of the example
// programs, Rodinia and NVIDIA's CUDA samples: see docs/evidence/estimate.md, and package accuracy.
func Registers(k *analysis.Kernel, in *analysis.Instance, free int) int {
	switch {
	case free == 0:
		free = registersFree
	case free > registersFree:
		free = free / registersUnit * registersUnit
	}
	d := needsOf(k, in)
	n := d.registers(free)
	if d.callsOut {
		n = max(n, registersOfCalls)
	}
	return min(max(leastUsed, n), d.bound)
}

// needs are the registers that an instance of a kernel needs, whatever is free.
type needs struct {
	late, early int // with all loads where they stand, and as early as they can be
	bound       int // by __launch_bounds__
	callsOut    bool
	lives       *lifetimes // nil where no other order can need fewer than are always free
}

// needsOf walks an instance once: GPUs differ in what is free.
func needsOf(k *analysis.Kernel, in *analysis.Instance) needs {
	type key struct {
		k  *analysis.Kernel
		in *analysis.Instance
	}
	return analysis.Once(&k.Prog.Memo, key{k, in}, func() needs {
		if in == nil && len(k.Instances) > 0 {
			in = k.Instances[0]
		} else if in == nil {
			in = &analysis.Instance{}
		}
		if k.Unread() {
			return needs{bound: leastUsed}
		}
		x := newWalk(k, in, true)
		x.run()
		most := func(early bool) int { return registersFixed + slices.Max(x.lives.live(early)) }
		out := needs{late: most(false), early: most(true), bound: x.launchBound(), callsOut: x.callsOut}
		if out.late > registersUnit {
			out.lives = x.lives
		}
		return out
	})
}

func (d needs) registers(free int) int {
	must := d.late
	if must > free && d.lives != nil {
		if few := registersFixed + d.lives.fewest(free-registersFixed); few <= free {
			must = few
		}
	}
	if must > max(free, registersFree) {
		free = (must + registersUnit - 1) / registersUnit * registersUnit
	}
	return max(must, min(d.early, free))
}

// launchBound is the most registers that a block may have where it is full, at
// the block size that the kernel is bound or launched to.
func (x *walk) launchBound() int {
	if b := x.k.View.LaunchBounds; b == nil || b.Kind == parser.MarkMacro {
		return hardware.MaxRegistersPerThread
	}
	n := assumedThreads
	if shape, ok := x.in.BlockShape(); ok {
		n = shape[0] * shape[1] * shape[2]
	}
	perThread := hardware.RegistersPerSM / max(hardware.WarpSize, n)
	return min(hardware.MaxRegistersPerThread, max(leastUsed, perThread/8*8))
}

// Hoisted returns the number of further 32-bit words that a thread keeps in registers where a rewrite moves the loads
// of a region's definitions in front of it: the most of all regions.
func Hoisted(k *analysis.Kernel) int {
	most := 0
	for _, r := range k.Regions {
		words := 0
		for _, sp := range motion.Splits(k, r) {
			words += max(1, sp.Count) * baseType(sp.Type).words()
		}
		most = max(most, words)
	}
	return most
}

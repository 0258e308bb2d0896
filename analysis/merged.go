package analysis

import (
	"bytes"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/model/hardware"
)

// mergedExtents folds the block of a launch that an earlier rewrite merged:
// smux::block<N, X, Y, Z>(b) stacks N blocks along z, and stops the program where b
// is not of the shape that it names. What smux::try_block makes is not known.
func (f *frame) mergedExtents(e, at *ir.Expr) ([3]int, bool) {
	none := [3]int{1, 1, 1}
	if e.Name != "block" || len(e.Args()) != 1 || len(e.TArgs) == 0 || len(e.TArgs) > 4 || !f.hasRuntime() {
		return none, false
	}
	numbers := [4]int{0, 0, 1, 1}
	for i, t := range e.TArgs {
		v := f.eval(t)
		if !v.uniform() || v.s < 0 || v.s > hardware.MaxThreadsPerBlock {
			return none, false
		}
		numbers[i] = int(v.s)
	}
	shape := [3]int{numbers[1], numbers[2], numbers[3]}
	if numbers[1] == 0 {
		var ok bool
		if shape, ok = f.extents(e.Args()[0], at); !ok {
			return none, false
		}
	}
	shape[2] *= numbers[0]
	return shape, numbers[0] > 0
}

// hasRuntime reports whether smux's device runtime is in view: then smux::block is
// its function and no other.
func (f *frame) hasRuntime() bool {
	for _, file := range append(f.ev.prog.Parsed.Reach(f.fn.File), f.fn.File) {
		if bytes.Contains(file.Src, []byte("#ifndef SMUX_CUH")) || bytes.Contains(file.Src, []byte(`#include "smux.cuh"`)) {
			return true
		}
	}
	return false
}

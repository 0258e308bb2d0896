package instrument

import (
	"slices"

	"github.com/smux-cuda/smux/analysis"
)

// Named returns the kernels of a program that have one of the names, in their order.
func Named(prog *analysis.Program, names ...string) (out []*analysis.Kernel) {
	for _, k := range prog.Kernels() {
		if slices.Contains(names, k.Name) {
			out = append(out, k)
		}
	}
	return out
}

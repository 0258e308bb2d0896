package instrument

import (
	"slices"

	"github.com/smux-cuda/smux/analysis"
)

// Same is the kernel of a rewritten program that stands for k: that with its name,
// of several the one with its number among them. nil if there is none.
func Same(k *analysis.Kernel, prog *analysis.Program) *analysis.Kernel {
	number := 0
	for _, o := range k.Prog.Kernels() {
		if o.View == k.View {
			break
		}
		if o.Name == k.Name {
			number++
		}
	}
	for _, o := range prog.Kernels() {
		if o.Name != k.Name {
			continue
		}
		if number == 0 {
			return o
		}
		number--
	}
	return nil
}

// Named are the kernels of a program that have one of the names, in their order.
func Named(prog *analysis.Program, names ...string) (out []*analysis.Kernel) {
	for _, k := range prog.Kernels() {
		if slices.Contains(names, k.Name) {
			out = append(out, k)
		}
	}
	return out
}

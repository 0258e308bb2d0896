package instrument

import (
	"path/filepath"
	"slices"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/parser"
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

// Units returns the .cu files that no other of a program includes.
func Units(prog *parser.Program) (out []string) {
	for _, f := range prog.Files {
		if filepath.Ext(f.Name) == ".cu" && len(prog.Including(f)) == 0 {
			out = append(out, f.Name)
		}
	}
	return out
}

package fidelity

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/smux-cuda/smux/analysis/cost"
	"github.com/smux-cuda/smux/analysis/passes"
	"github.com/smux-cuda/smux/model/workload"
	"github.com/smux-cuda/smux/parser"
)

// names are the ten benchmarks in the order of PACT'12 Table 1.
var names = []string{"mv", "fft", "mc", "sto", "sp", "hg", "cv", "mm", "tp", "rd"}

// full is the number of registers per thread that fill an SM of the GTX 285; the GTX 480 has more.
const full = 16

// countExamples profiles the ten programs as smux does: from the source alone. The
// grid is taken to be large, not the few blocks of a self-check.
func countExamples(folder string) ([]*workload.Kernel, error) {
	var out []*workload.Kernel
	for _, name := range names {
		prog, errs := parser.LoadProgram([]string{filepath.Join(folder, name, name+".cu")}, parser.Options{})
		if len(errs) > 0 {
			return nil, errs[0]
		}
		kernels := passes.NewProgram(prog, [3]int{}).Kernels()
		if len(kernels) == 0 {
			return nil, fmt.Errorf("%s: no kernel", name)
		}
		w, err := cost.Of(kernels[0], nil, cost.Options{Registers: cost.Registers(kernels[0], nil, full)})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		w.Name, w.Blocks = strings.ToUpper(name), 0
		out = append(out, w)
	}
	return out, nil
}

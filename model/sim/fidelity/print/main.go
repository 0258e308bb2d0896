// Print writes how well the simulation agrees with measured results, as Markdown:
//
//	go run ./model/sim/fidelity/print
//
// Run at the top of the repository it also counts the programs in examples/.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/smux-cuda/smux/model/sim"
	"github.com/smux-cuda/smux/model/sim/fidelity"
)

func main() {
	ilp := flag.Float64("ilp", 0, "independent instructions of a warp; 0 is the simulation's own assumption")
	examples := flag.String("examples", "examples", "`folder` of the ten benchmark programs")
	flag.Parse()
	if err := write(os.Stdout, *examples, sim.Options{ILP: *ilp}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// write writes all tables; the programs are those in the folder examples.
func write(w io.Writer, examples string, opt sim.Options) error {
	counted, err := countExamples(examples)
	if err != nil {
		return err
	}
	return fidelity.WriteMarkdown(w, opt, fidelity.Set{Title: "the programs in examples/, counted by smux", Kernels: counted})
}

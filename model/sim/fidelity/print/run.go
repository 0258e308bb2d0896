// Package print writes how well the simulation agrees with measured results, as Markdown:
//
//	go run ./internal/tables/main.go simulation
//
// Run at the top of the repository it also counts the programs in examples/.
package print

import (
	"flag"
	"io"

	"github.com/smux-cuda/smux/model/sim"
	"github.com/smux-cuda/smux/model/sim/fidelity"
)

// Main is the program: it reads the flags and writes the tables to stdout.
func Main(args []string, stdout io.Writer) error {
	flags := flag.NewFlagSet("print", flag.ExitOnError)
	ilp := flags.Float64("ilp", 0, "independent instructions of a warp; 0 is the simulation's own assumption")
	examples := flags.String("examples", "examples", "`folder` of the ten benchmark programs")
	flags.Parse(args)
	return write(stdout, *examples, sim.Options{ILP: *ilp})
}

// write writes all tables; the programs are those in the folder examples.
func write(w io.Writer, examples string, opt sim.Options) error {
	if err := writeChoices(w, examples, opt); err != nil {
		return err
	}
	if err := writeKnobs(w, examples, opt); err != nil {
		return err
	}
	counted, err := countExamples(examples)
	if err != nil {
		return err
	}
	return fidelity.WriteMarkdown(w, opt, fidelity.Set{Title: "the programs in examples/, counted by smux", Kernels: counted})
}

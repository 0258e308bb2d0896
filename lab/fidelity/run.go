package fidelity

import (
	"flag"
	"io"

	"github.com/smux-cuda/smux/model/sim"
)

// Main writes how well the simulation agrees with measured results, as Markdown, and counts the programs in examples/, too:
//
//	go run ./lab/main.go simulation
func Main(args []string, stdout io.Writer) error {
	flags := flag.NewFlagSet("simulation", flag.ExitOnError)
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
	return WriteMarkdown(w, opt, Set{Title: "the programs in examples/, counted by smux", Kernels: counted})
}

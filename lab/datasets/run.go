// Package datasets makes the records of the ten benchmark programs that strategies of
// search are tried on, and tables the results of each strategy:
//
//	go run ./lab/main.go datasets            # replays the records in testdata/tune/simulated
//	go run ./lab/main.go datasets -seeds 200 # and 200 others of each that nothing was tuned on
//	go run ./lab/main.go datasets -update    # makes the records anew
//
// It is run at the top of the repository and needs neither nvcc nor a GPU. The
// records are simulated: the forms are those that smux lists, the times those
// that its model predicts with an error and noise on them (package
// tune/machine/model). They show how strategies fare if a model errs so and so
// much, and nothing about a GPU. trials.jsonl is not a simulation of smux's: it holds the
// figures that an outside cycle-level simulator gave for programs
// rewritten by hand (lab/fidelity).
package datasets

import (
	"flag"
	"io"
)

// folder holds the records.
const folder = "testdata/tune/simulated"

// Main is the program: it reads the flags and writes the table to stdout, or the records to their folder.
func Main(args []string, stdout io.Writer) error {
	flags := flag.NewFlagSet("datasets", flag.ExitOnError)
	update := flags.Bool("update", false, "make the records anew")
	seeds := flags.Int("seeds", 0, "replay so many unseen seeds, too")
	flags.Parse(args)
	if *update {
		return write(folder)
	}
	return tabulate(stdout, *seeds)
}

// Datasets makes the records of the ten benchmark programs that strategies of
// search are tried on, and tables what comes of each strategy:
//
//	go run ./tune/fidelity/datasets            # replays the records in testdata/tune/simulated
//	go run ./tune/fidelity/datasets -seeds 200 # and 200 others of each that nothing was tuned on
//	go run ./tune/fidelity/datasets -update    # makes the records anew
//
// It is run at the top of the repository and needs neither nvcc nor a GPU. The
// records are simulated: the forms are those that smux lists, the times those
// that its model predicts with an error and noise on them (package
// tune/machine/model). They show how strategies fare if a model errs so and so
// much, and nothing about a GPU. trials.jsonl is no simulation of smux's: it holds the
// figures that an outside cycle-level simulator gave for programs
// rewritten by hand (model/sim/fidelity).
package main

import (
	"flag"
	"fmt"
	"os"
)

// folder is where the records are.
const folder = "testdata/tune/simulated"

func main() {
	update := flag.Bool("update", false, "make the records anew")
	seeds := flag.Int("seeds", 0, "replay so many unseen seeds, too")
	flag.Parse()
	run := func() error { return tabulate(os.Stdout, *seeds) }
	if *update {
		run = func() error { return write(folder) }
	}
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

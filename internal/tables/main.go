//go:build ignore

// The program that prints the tables of the docs, and figures of other programs:
//
//	go run ./internal/tables/main.go NAME [ARGUMENTS]
//
// It is left out of builds of the whole module, so that "go install ./..." installs smux
// alone.
package main

import (
	"fmt"
	"io"
	"maps"
	"os"
	"slices"

	"github.com/smux-cuda/smux/analysis/cost/accuracy"
	"github.com/smux-cuda/smux/model/papers"
	"github.com/smux-cuda/smux/model/sim/fidelity/print"
	"github.com/smux-cuda/smux/pipeline/allocation"
	"github.com/smux-cuda/smux/pipeline/footprint"
	"github.com/smux-cuda/smux/rewrite/regreduce/census"
	"github.com/smux-cuda/smux/rewrite/regreduce/table"
	"github.com/smux-cuda/smux/rewrite/variants"
	"github.com/smux-cuda/smux/tune/bundle/replays"
	"github.com/smux-cuda/smux/tune/fidelity/datasets"
	"github.com/smux-cuda/smux/tune/modelcheck/sets"
	"github.com/smux-cuda/smux/tune/space/sizetable"
	"github.com/smux-cuda/smux/verify/kernelsuite"
)

// programs are what can be printed, each documented in its package.
var programs = map[string]func(args []string, stdout io.Writer) error{
	"accuracy": accuracy.Main, "allocation": allocation.Main, "census": census.Main, "datasets": datasets.Main, "footprint": footprint.Main, "judged": sets.Main, "kernelsuite": kernelsuite.Main,
	"papers": papers.Main, "replays": replays.Main, "regdem": table.RegDem, "registers": table.Main, "simulation": print.Main, "sizes": sizetable.Main, "variants": variants.Main,
}

func main() {
	err := fmt.Errorf("name one of %v", slices.Sorted(maps.Keys(programs)))
	if len(os.Args) > 1 && programs[os.Args[1]] != nil {
		err = programs[os.Args[1]](os.Args[2:], os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

//go:build ignore

// The program that prints the tables of the docs, and figures of other programs:
//
//	go run ./lab/main.go NAME [ARGUMENTS]
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

	"github.com/smux-cuda/smux/lab/accuracy"
	"github.com/smux-cuda/smux/lab/allocation"
	"github.com/smux-cuda/smux/lab/datasets"
	"github.com/smux-cuda/smux/lab/fidelity"
	"github.com/smux-cuda/smux/lab/h100"
	"github.com/smux-cuda/smux/lab/judged"
	"github.com/smux-cuda/smux/lab/kernelsuite"
	"github.com/smux-cuda/smux/lab/papers"
	"github.com/smux-cuda/smux/lab/registers"
	"github.com/smux-cuda/smux/lab/variants"
)

// programs lists what can be printed, each documented in its package.
var programs = map[string]func(args []string, stdout io.Writer) error{
	"accuracy": accuracy.Main, "allocation": allocation.Main, "datasets": datasets.Main, "h100": h100.Main, "judged": judged.Main, "kernelsuite": kernelsuite.Main,
	"papers": papers.Main, "regdem": registers.RegDem, "registers": registers.Main, "simulation": fidelity.Main, "variants": variants.Main,
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

//go:build ignore

// The program of package accuracy. It is left out of builds of the whole module, so
// that "go install ./..." installs smux alone.
package main

import (
	"fmt"
	"os"

	"github.com/smux-cuda/smux/analysis/cost/accuracy"
)

func main() {
	if err := accuracy.Main(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

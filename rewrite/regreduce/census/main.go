//go:build ignore

// The program that package census is. It is left out of builds of the whole module, so
// that "go install ./..." installs smux alone.
package main

import (
	"fmt"
	"os"

	"github.com/smux-cuda/smux/rewrite/regreduce/census"
)

func main() {
	if err := census.Main(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

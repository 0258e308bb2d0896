//go:build ignore

// The program that package table is. It is left out of builds of the whole module, so
// that "go install ./..." installs smux alone.
package main

import (
	"fmt"
	"os"

	"github.com/smux-cuda/smux/rewrite/regreduce/table"
)

func main() {
	if err := table.Main(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

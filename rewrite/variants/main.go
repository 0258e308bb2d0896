// Variants writes what nvcc makes of every rewrite of the ten benchmark programs,
// as Markdown:
//
//	go run ./rewrite/variants
//
// It is run at the top of the repository and needs nvcc, but no GPU. The figures
// are those of the nvcc that is found; docs/variants.md shows those of version
// 11.8.
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/smux-cuda/smux/nvcc"
)

// The GPU that the figures are for.
const (
	arch  = "sm_80"
	board = "a100"
)

func main() {
	examples := flag.String("examples", "examples", "`folder` of the ten benchmark programs")
	flag.Parse()
	if err := run(*examples); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(examples string) error {
	toolkit, err := nvcc.Find()
	if err != nil {
		return err
	}
	programs, err := measureAll(toolkit, examples)
	if err != nil {
		return err
	}
	version, err := toolkit.Version()
	if err != nil {
		return err
	}
	return write(os.Stdout, version, programs)
}

// Package variants writes what nvcc makes of every rewrite of the ten benchmark
// programs, as Markdown:
//
//	go run ./lab/main.go variants
//
// It is run at the top of the repository and needs nvcc, but no GPU. The figures
// are those of the nvcc that is found; docs/evidence/variants.md shows those of version
// 11.8.
package variants

import (
	"flag"
	"io"

	"github.com/smux-cuda/smux/nvcc"
)

// The GPU that the figures are for.
const (
	arch  = "sm_80"
	board = "a100"
)

// Main is the program: it reads the flags and writes the table to stdout.
func Main(args []string, stdout io.Writer) error {
	flags := flag.NewFlagSet("variants", flag.ExitOnError)
	examples := flags.String("examples", "examples", "`folder` of the ten benchmark programs")
	flags.Parse(args)
	return run(stdout, *examples)
}

func run(w io.Writer, examples string) error {
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
	return write(w, version, programs)
}

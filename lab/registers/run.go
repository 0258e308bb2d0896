// Package registers writes what each rung of the ladder makes of the programs in
// examples/registers, as Markdown:
//
//	go run ./lab/main.go registers
//
// It is run at the top of the repository and needs nvcc, but no GPU. The figures
// are those of the nvcc that is found; docs/evidence/registers.md shows those of version
// 11.8.
package registers

import (
	"context"
	"flag"
	"io"

	"github.com/smux-cuda/smux/nvcc"
)

// boards are the GPUs that the figures are for. The ladder climbs for the first.
var boards = []string{"a100", "h100"}

// Main is the program: it reads the flags and writes the table to stdout.
func Main(args []string, stdout io.Writer) error {
	flags := flag.NewFlagSet("table", flag.ExitOnError)
	examples := flags.String("examples", "examples/registers", "`folder` of the programs")
	flags.Parse(args)
	return run(stdout, *examples)
}

func run(w io.Writer, examples string) error {
	toolkit, err := nvcc.Find()
	if err != nil {
		return err
	}
	programs, err := climbAll(context.Background(), toolkit, examples)
	if err != nil {
		return err
	}
	version, err := toolkit.Version()
	if err != nil {
		return err
	}
	return write(w, version, programs)
}

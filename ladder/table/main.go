// Table writes what each rung of the ladder makes of the programs in
// examples/registers, as Markdown:
//
//	go run ./ladder/table
//
// It is run at the top of the repository and needs nvcc, but no GPU. The figures
// are those of the nvcc that is found; docs/registers.md shows those of version
// 11.8.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"

	"github.com/smux-cuda/smux/nvcc"
)

// boards are the GPUs that the figures are for. The ladder climbs for the first.
var boards = []string{"a100", "h100"}

func main() {
	examples := flag.String("examples", "examples/registers", "`folder` of the programs")
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
	programs, err := climbAll(context.Background(), toolkit, examples)
	if err != nil {
		return err
	}
	version, err := toolkit.Version()
	if err != nil {
		return err
	}
	return write(os.Stdout, version, programs)
}

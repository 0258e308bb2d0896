package accuracy

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/spf13/pflag"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/nvcc"
	"github.com/smux-cuda/smux/parser"
)

// board is the GPU that decides what registers limit, arch what nvcc compiles for.
const (
	board = "a100"
	arch  = "sm_80"
)

// Main is the program: it reads the flags and writes to stdout.
func Main(args []string, stdout io.Writer) error {
	flags := pflag.NewFlagSet("accuracy", pflag.ExitOnError)
	includes := flags.StringArrayP("include", "I", nil, "`folder` to search for headers; can be repeated")
	defines := flags.StringArrayP("define", "D", nil, "`macro` to define, NAME or NAME=VALUE; can be repeated")
	listed := flags.Bool("list", false, "list the kernels that are looked at")
	flags.Parse(args)

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	kernels, left, err := measure(ctx, parser.Options{IncludeDirs: *includes, Defines: *defines}, flags.Args())
	if err != nil {
		return err
	}
	if *listed {
		for _, k := range kernels {
			if !k.heldOut() {
				fmt.Fprintln(stdout, k)
			}
		}
		fmt.Fprintln(stdout)
	}
	_, err = fmt.Fprintf(stdout, "%s\n%d files left out\n", table(kernels), left)
	return err
}

// measure compares all kernels of some files; left is how many of these nvcc, or
// smux, can't read.
func measure(ctx context.Context, opt parser.Options, files []string) (kernels []kernel, left int, err error) {
	toolkit, err := nvcc.Find()
	if err != nil {
		return nil, 0, err
	}
	g, err := gpu.Lookup(board)
	if err != nil {
		return nil, 0, err
	}
	seen := map[diag.Position]bool{}
	for _, file := range files {
		if ctx.Err() != nil {
			return nil, 0, ctx.Err()
		}
		prog, errs := parser.LoadProgram([]string{file}, opt)
		if len(errs) > 0 {
			left++
			continue
		}
		request := nvcc.Request{Texts: prog.Texts(), Includes: opt.IncludeDirs, Defines: opt.Defines, Arch: arch}
		compiled, err := toolkit.Resources(ctx, request)
		if err != nil {
			left++
			continue
		}
		for _, k := range compare(prog, compiled, g) {
			if !seen[k.at] { // in a file that several include
				seen[k.at] = true
				kernels = append(kernels, k)
			}
		}
	}
	return kernels, left, nil
}

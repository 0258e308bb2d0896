package cmd

import (
	"cmp"

	"github.com/spf13/cobra"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/console"
	"github.com/smux-cuda/smux/internal/usage"
	"github.com/smux-cuda/smux/project/load"
	"github.com/smux-cuda/smux/verify"
	"github.com/smux-cuda/smux/verify/harness"
)

const checkLong = `Runs a CUDA program on the CPU and looks for races, deadlocks, divergent barriers,
accesses out of bounds, and reads of memory that nobody wrote. It also finds output
that depends on the order of threads and blocks. Needs g++ or clang++, and neither
nvcc nor a GPU.

A finding did happen, with the arguments and orders that were run; code that did not
run has none. With --all-schedules, launches of up to 64 threads run in every order
that can make a difference, as far as the bound goes.

In a FOLDER each program is looked at: a file with a main and what it needs, and
each file with kernels that none needs. There is a line for each. A program that has
not changed since it was run is not run again. --baseline and --record let known
findings not count.

Exit codes: 0 nothing found; 1 something found; 2 wrong usage; 3 nothing found, but
a program could not be run, or with --require-all, did not launch each of its
kernels.`

const checkExample = `  smux check a.cu -- 1001
  smux check --all-schedules a.cu -- 8  # each order of atomics and flags
  smux check --exclude third_party --timeout 10s .  # each program of a tree
  smux check --args 100 --args 101 main.cu --source kernel.cu
  smux check --kernel scale --launch grid=64,block=256 --buffer 'x=float[16384]:random' scale.cu`

// checkCommand is `smux check FILE`.
func (s *session) checkCommand() *cobra.Command {
	var (
		in   load.Options
		runs runFlags
		own  verifyFlags
		walk load.Tree
	)
	c := &cobra.Command{
		Use:     "check FILE|FOLDER… [-- ARGUMENTS…]",
		Short:   "Look for races, deadlocks and accesses out of bounds in a program, on the CPU",
		Long:    checkLong,
		Example: checkExample,
		Args:    cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			files, after := behindDash(c, args)
			request, err := runs.request(after)
			if err := cmp.Or(err, runs.launch(in, in.Kernels), own.check(verdictFormats)); err != nil {
				return err
			}
			if files = walk.Arguments(files); load.AsksTree(files, walk) {
				return console.Quietly(s.checkTree(files, in, walk, runs, own, request))
			}
			return console.Quietly(s.checkFiles(files, in, runs, own, request))
		},
	}
	f := c.Flags()
	f.SortFlags = false
	own.register(f)
	runs.register(f, true)
	f.StringVar(&runs.board, "gpu", "", "refuse launches that need more shared memory or registers than this `GPU` has, such as t4")
	usage.Under(f, usage.Run)
	registerInput(f, &in)
	registerTreeBeside(f, &walk)
	return c
}

// checkFiles runs `smux check` with its flags read.
func (s *session) checkFiles(files []string, in load.Options, runs runFlags, own verifyFlags, request verify.Request) error {
	in.Python = true
	switch {
	case len(files) == 0:
		return diag.Usagef(`name a CUDA file, or "-" for standard input`, "no files")
	case len(files) == 1:
		files = s.programOf(files[0], in, runs.bench)
	default:
		if twice := load.Twice(files, in); twice != "" {
			return diag.Usagef("name the files of one program", "two of the files define %s, and check runs one program", twice)
		}
	}
	bench := in.Kernels
	in.Kernels = harness.PlainNames(in.Kernels)
	if err := in.Check(); err != nil {
		return err
	}
	how := &chosenHost{request: request}
	p, err := s.loadRunnable(files, in, runs, bench, how)
	if err != nil {
		return err
	}
	request = p.asSet(request)
	request.Original, request.Kernels, request.Timeout = p.program, in.Kernels, p.timeout
	return s.reportVerdict("check", request, own, func(r verify.Request) (*verify.Verdict, error) {
		return judgeWhole(s, p, runs, bench, r, how.chosen)
	})
}

// checkTree runs `smux check` for the programs of trees.
func (s *session) checkTree(args []string, in load.Options, walk load.Tree, runs runFlags, own verifyFlags, request verify.Request) error {
	if err := in.Check(); err != nil {
		return err
	}
	request.Reuse = true
	return s.judgeTree("check", args, in, walk, runs, own, nil, func(s *session, p *runnable, runs runFlags) (verify.Request, *verify.Verdict, error) {
		return checkProgram(s, p, runs, request)
	})
}

// checkProgram runs a program of a tree.
func checkProgram(s *session, p *runnable, runs runFlags, request verify.Request) (verify.Request, *verify.Verdict, error) {
	request = p.asSet(request)
	how := &chosenHost{request: request}
	if err := s.giveHost(p, runs, nil, how); err != nil {
		return request, nil, err
	}
	request.Original, request.Timeout = p.program, p.timeout
	v, err := judgeWhole(s, p, runs, nil, s.forBoard(request), how.chosen)
	return request, v, err
}

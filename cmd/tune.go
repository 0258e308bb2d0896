package cmd

import (
	"cmp"

	"github.com/smux-cuda/smux/internal/console"
	"github.com/smux-cuda/smux/project/load"
	"github.com/smux-cuda/smux/verify/harness"
	"github.com/spf13/cobra"
)

const tuneLong = `Measures the forms of each kernel and says which is the fastest. Forms are the
rewrites that can be proved right, with their knobs, register caps and the carve-out
of shared memory. The model says which are worth measuring. Each is compiled,
compared with the original's outputs, and timed beside the original, pair by pair. A
form is chosen if it beats the original by more than the noise; otherwise the
original is kept.

Without --kernel the kernels come in the order of the time that they take in the
program, and all together get two minutes, or --budget.

Measurements go into a record (--store), one line each, as soon as they are made. A
run that was stopped goes on from there. --replay decides by a record without a GPU,
and --report says how well the model predicted it. --export writes a folder to be
run elsewhere, and --import takes its results back. --on slurm makes the call on a
node of a cluster, by one job.

smux tune import makes such a record of what Kernel Tuner or KTT measured.

The program is the files' own main, whose launches are timed without a change to any
file. A kernel alone runs with --launch, --arg and --buffer or a "// smux:bench"
comment, as in smux verify. With --run a command runs, and the first group of
--metric is its time. Arguments for the program stand after "--"; files that are not
CUDA are compiled or linked with it.

The table goes to standard output, and after it the diff of what is faster. With -d,
-l, -w or -o the table goes to standard error. docs/use/measuring.md says how it is
measured and decided.

Exit codes: 0 done; 1 -d or -l found differences; 2 wrong usage, no GPU or no nvcc
here, or no such record; 3 the program could not be compiled, run or timed, or the
record could not be written.`

const tuneExample = `  smux tune kernel.cu                      # on the GPU of this machine
  smux tune -d kernel.cu -- 1024 16        # what would change; the program's arguments
  smux tune -w --kernel fft --budget 10m fft.cu
  smux tune --bench --flush kernels.cu     # kernels without a program, cold L2
  smux tune --build make --run './app' --metric 'GPU time: ([0-9.]+) ms' src/*.cu
  smux tune --replay results.jsonl -d kernel.cu
  smux tune --report results.jsonl         # how well did the model predict it?
  smux tune --export bundle kernel.cu      # for a machine with nvcc and a GPU alone
  smux tune --on slurm --gres gpu:a100:1 --store ~/k.jsonl kernel.cu`

// tuneCommand is `smux tune [FILES…] [-- ARGUMENTS…]`.
func (s *session) tuneCommand() *cobra.Command {
	var (
		in    load.Options
		knobs knobFlags
		out   outputFlags
		o     tuneFlags
	)
	c := &cobra.Command{
		Use:     "tune [FILES…] [-- ARGUMENTS…]",
		Short:   "Measure the forms of kernels and choose the fastest",
		Long:    tuneLong,
		Example: tuneExample,
		Args:    cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			args, after := behindDash(c, args)
			bench := in.Kernels
			in.Kernels = harness.PlainNames(in.Kernels)
			opt, err := knobs.options(in)
			if err != nil {
				return err
			}
			if !c.Flags().Changed("factor") {
				opt.Factor = 0
			}
			if err := cmp.Or(o.check(c.Flags(), after), o.Bench.Of(bench).Check()); err != nil {
				return err
			}
			if err := out.check(args); err != nil && o.measures() {
				return err
			}
			t := &tuneCall{session: s, flags: &o, in: in, opt: opt, out: out, files: args}
			return console.Quietly(t.main(o.Bench.Of(bench), after))
		},
	}
	f := c.Flags()
	f.SortFlags = false
	out.register(f)
	o.register(f)
	knobs.register(f)
	registerInput(f, &in)
	c.AddCommand(s.tuneImportCommand())
	return c
}

package cmd

import (
	"cmp"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/console"
	"github.com/smux-cuda/smux/internal/usage"
	"github.com/smux-cuda/smux/pipeline"
	"github.com/smux-cuda/smux/project/load"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/verify/harness"
)

const rewriteLong = `Rewrites kernels of CUDA files if it can prove that nothing changes but their speed.
Prints the rewritten files. -d prints a unified diff that "git apply" takes, and -l
the names of the files that would change. -w replaces the files. The three can be
combined, as in gofmt.

Without --variant a model chooses, kernel by kernel. It ranks the rewrites that can
be proved right on each GPU of --gpu. The best is applied if it is expected to gain
--min-gain percent on average and to lose on none. Most kernels are left alone; a
line for each says why (docs/use/choice.md has the rule). -v shows what is expected
of each rewrite. --sync and --factor alone restrict the choice.

Files given together are one program. A FOLDER stands for the CUDA files in it that
git does not ignore, parted into programs. Settings come from .smux.yaml (smux
config). "// smux:ignore", "// smux:pin" and other comments in the source say what
to do with a kernel (docs/use/directives.md). "-" reads standard input.

If nvcc is at hand, original and rewrite are compiled for the GPUs. The messages say
how many registers each takes and how many thread blocks run at once. A rewrite that
runs fewer, or spills, says so, and one that nvcc refuses is not written.
--resources estimate does without. For folders, registers are estimated unless
--resources nvcc says otherwise.

--variant demote brings registers down to the next number with which one more thread
block fits, by the cheapest means that nvcc confirms. --demote does so after another
rewrite (docs/use/rewrites/demote.md).

With --verify the program and its rewrite run on the CPU before anything is written.
Kernels whose rewrite does not pass are left alone. The flags that say how to run it
are those of smux verify.`

const rewriteExample = `  smux rewrite -d kernel.cu              # review what would change
  smux rewrite -d --gpu a100,t4 a.cu     # for these GPUs, whichever are here
  smux rewrite -d --variant vtb a.cu     # whether it is expected to gain or not
  smux rewrite -d --variant demote a.cu  # fewer registers, where they limit
  smux rewrite -w --kernel 'fft*' *.cu   # rewrite some kernels in place
  smux rewrite -d src/*.cu | git apply   # the same by way of git`

// rewriteCommand is `smux rewrite [FILES…]`.
func (s *session) rewriteCommand() *cobra.Command {
	var (
		in     load.Options
		knobs  knobFlags
		choice choiceFlags
		climb  ladderFlags
		out    outputFlags
		runs   runFlags
		say    verbosity
		walk   load.Tree
		show   formatFlags
		stores evidenceFlags
		check  bool
	)
	running := pflag.NewFlagSet("running", pflag.ContinueOnError)
	running.SortFlags = false
	runs.register(running, false)
	usage.Under(running, usage.Run)
	c := &cobra.Command{
		Use:     "rewrite [FILE|FOLDER…]",
		Short:   "Rewrite the kernels of CUDA files",
		Long:    rewriteLong,
		Example: rewriteExample,
		Args:    cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			bench := in.Kernels // with template arguments, for a kernel that is run alone
			in.Kernels = harness.PlainNames(in.Kernels)
			opt, err := knobs.orChosen(in, &choice, c.Flags())
			if err := cmp.Or(err, say.check()); err != nil {
				return err
			}
			if out.write && len(args) == 0 && walk.Root != "" {
				// An empty list of changed files must not come to mean all files.
				return diag.Usagef(fmt.Sprintf("smux rewrite -w %s rewrites all of it", walk.Root), "with --root, -w rewrites the files that are named, and none is")
			}
			args = walk.Arguments(args)
			if err := cmp.Or(out.check(args), climb.check(opt), show.checkDiff(out), stores.check(show.document())); err != nil {
				return err
			}
			r := rewriting{in: in, opt: opt, choice: choice, climb: climb, out: out, say: say, walk: walk, show: show, stores: stores}
			if !check {
				if name := firstChanged(c.Flags(), running); name != "" {
					return diag.Usagef("give --verify, too", "--%s says how to run the program, and it is not run", name)
				}
				return s.rewriteFiles(args, r)
			}
			if c.Flags().Changed("jobs") { // which counts for both
				runs.Jobs = walk.Jobs
			}
			request, err := runs.request(nil)
			if err := cmp.Or(err, runs.launch(in, bench)); err != nil {
				return err
			}
			r.filter = func(job *pipeline.Job, opt rewrite.Options, result *rewrite.Result) (*rewrite.Result, string, error) {
				s := s.with(job.Console)
				v, err := s.newVerification(job, bench, runs, request)
				if err != nil {
					return nil, "", err
				}
				kept, err := v.Passed(job, opt, result)
				return kept, v.Ran(), err
			}
			return console.Quietly(s.rewriteFiles(args, r))
		},
	}
	f := c.Flags()
	f.SortFlags = false
	out.register(f)
	knobs.register(f)
	choice.register(f)
	choice.registerProfile(f)
	climb.register(f)
	registerInput(f, &in)
	registerTree(f, &walk)
	show.edits = true
	usage.Word(f, &show.format, "format", formatText, "with -d, print the edits as `FORMAT`; text is a unified diff", formats...)
	show.registerAlso(f)
	stores.register(f)
	f.StringVar(&out.certificate, "certificate", "", "judge the result as smux validate does, and write the proof to this `FILE`")
	f.BoolVar(&check, "verify", false, "run the program on the CPU and write only what does the same (see smux verify)")
	say.register(f)
	usage.Under(f, usage.Output)
	f.AddFlagSet(running)
	return c
}

// firstChanged returns the first of some flags that the person has given, "" if there is none.
func firstChanged(given, some *pflag.FlagSet) (name string) {
	some.VisitAll(func(f *pflag.Flag) {
		if name == "" && f.Changed && given.Lookup(f.Name) == f { // not another one of that name
			name = f.Name
		}
	})
	return name
}

// verbosity says how much to print beside the result.
type verbosity struct{ quiet, verbose bool }

func (v *verbosity) register(f *pflag.FlagSet) {
	f.BoolVarP(&v.quiet, "quiet", "q", false, "do not say why kernels were rewritten or left alone")
	f.BoolVarP(&v.verbose, "verbose", "v", false, "print the model's expectation for each rewrite, at each place")
}

func (v *verbosity) check() error {
	if v.quiet && v.verbose {
		return diag.Usagef("", "-q and -v contradict each other: give one")
	}
	return nil
}

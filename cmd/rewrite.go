package cmd

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/directive"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/survey"
)

const rewriteLong = `Merges thread blocks so that they take turns with one copy of their shared
memory. Prints the rewritten files; with -d a unified diff that "git apply"
takes, with -l the names of the files that would change; with -w the files are
replaced in place. -d, -l and -w can be combined, as in gofmt.

Without --variant a model chooses, kernel by kernel: it ranks the rewrites that
can be proved right on each GPU of --gpu, and applies the best where it is
expected to gain --min-gain percent or more on average and to lose on none. Most
kernels are left alone; the message says why (docs/choice.md has the rule). -v
shows what is expected of each. --sync and --factor alone restrict the choice.

Files given together are one program: a kernel in one may be launched in
another. A FOLDER, or one with /... behind it, stands for the CUDA files in it that
git does not ignore, parted into programs. Settings come from .smux.yaml (smux
config), and "// smux:ignore", "// smux:pin" and other comments in the source say
what to do with a kernel (docs/directives.md). "-" reads standard input. Kernels that cannot be rewritten are left
alone, and the reason goes to standard error.

Where nvcc is at hand, original and rewrite are compiled for the GPUs, and the
messages say how many registers each takes and how many thread blocks run at
once; a rewrite that runs fewer, or spills, says so. --resources estimate does
without, and so does -q.

--variant demote brings registers down to the next number with which one more thread
block fits, by the cheapest means that nvcc confirms (docs/demote.md); --demote does
so behind another rewrite.

With --verify the program and its rewrite run on the CPU before anything is
written, and kernels whose rewrite does not pass are left alone. The flags that
say how to run it are those of smux verify.`

const rewriteExample = `  smux rewrite -d kernel.cu              # review what would change
  smux rewrite -d --gpu a100,t4 a.cu     # for these GPUs, whichever are here
  smux rewrite -d --variant vtb a.cu     # whether it is expected to gain or not
  smux rewrite -d --variant demote a.cu  # fewer registers, where they limit
  smux rewrite -w --kernel 'fft*' *.cu   # rewrite some kernels in place
  smux rewrite -d src/*.cu | git apply   # the same by way of git`

// rewriteCommand is `smux rewrite [FILES…]`.
func (s *session) rewriteCommand() *cobra.Command {
	var (
		in     inputFlags
		knobs  knobFlags
		choice choiceFlags
		climb  ladderFlags
		out    outputFlags
		runs   runFlags
		say    verbosity
		walk   treeFlags
		show   formatFlags
		stores evidenceFlags
		check  bool
	)
	running := pflag.NewFlagSet("running", pflag.ContinueOnError)
	running.SortFlags = false
	runs.register(running, false)
	c := &cobra.Command{
		Use:     "rewrite [FILE|FOLDER…]",
		Short:   "Rewrite the kernels of CUDA files",
		Long:    rewriteLong,
		Example: rewriteExample,
		Args:    cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			bench := in.kernels // with template arguments, for a kernel that is run alone
			in.kernels = plainNames(in.kernels)
			opt, err := knobs.options(in)
			if err != nil {
				return err
			}
			if !c.Flags().Changed("factor") {
				opt.Factor = 0
			}
			if err := choice.check(); err != nil {
				return err
			}
			if opt.Variant != "" {
				if err := choice.unused(c.Flags()); err != nil {
					return err
				}
			}
			if err := say.check(); err != nil {
				return err
			}
			if err := out.check(args); err != nil {
				return err
			}
			if err := climb.check(opt); err != nil {
				return err
			}
			if err := show.checkDiff(out); err != nil {
				return err
			}
			if err := stores.check(show.document()); err != nil {
				return err
			}
			r := rewriting{in, opt, choice, climb, out, say, walk, show, nil, stores, nil, false}
			if !check {
				if name := firstChanged(c.Flags(), running); name != "" {
					return usagef("give --verify, too", "--%s says how to run the program, and it is not run", name)
				}
				return s.rewriteFiles(args, r)
			}
			if c.Flags().Changed("jobs") { // which counts for both
				runs.jobs = walk.jobs
			}
			request, err := runs.request(nil)
			if err != nil {
				return err
			}
			if err := runs.bench.check(bench); err != nil {
				return err
			}
			r.sieve = func(s *session, prog *parser.Program, parse parser.Options, opt rewrite.Options, result *rewrite.Result) (*rewrite.Result, error) {
				v, err := s.newVerification(prog, parse, opt, bench, runs, request)
				if err != nil {
					return nil, err
				}
				return s.verified(prog, result, v, opt)
			}
			return s.quietly(s.rewriteFiles(args, r))
		},
	}
	f := c.Flags()
	f.SortFlags = false
	out.register(f)
	knobs.register(f)
	choice.register(f)
	climb.register(f)
	in.register(f)
	walk.register(f)
	show.registerDiff(f)
	stores.register(f)
	f.BoolVar(&check, "verify", false, "run the program on the CPU and write only what does the same (see smux verify)")
	say.register(f)
	f.AddFlagSet(running)
	return c
}

// firstChanged returns the first of some flags that the person has given, "" if
// there is none.
func firstChanged(given, some *pflag.FlagSet) (name string) {
	some.VisitAll(func(f *pflag.Flag) {
		if name == "" && f.Changed && given.Lookup(f.Name) == f { // not another one of that name
			name = f.Name
		}
	})
	return name
}

// verbosity is how much is said beside the result.
type verbosity struct{ quiet, verbose bool }

func (v *verbosity) register(f *pflag.FlagSet) {
	f.BoolVarP(&v.quiet, "quiet", "q", false, "do not say why kernels were rewritten or left alone")
	f.BoolVarP(&v.verbose, "verbose", "v", false, "say what the model expects of each rewrite")
}

func (v *verbosity) check() error {
	if v.quiet && v.verbose {
		return usagef("", "-q and -v contradict each other: give one")
	}
	return nil
}

// sieve takes out of a result what is not to be written.
type sieve func(*session, *parser.Program, parser.Options, rewrite.Options, *rewrite.Result) (*rewrite.Result, error)

// rewriting is what the flags of `smux rewrite` say.
type rewriting struct {
	in     inputFlags
	opt    rewrite.Options
	choice choiceFlags
	climb  ladderFlags
	out    outputFlags
	say    verbosity
	walk   treeFlags
	show   formatFlags
	sieve  sieve // nil for none
	stores evidenceFlags
	shown  *evidence // measurements to show, nil for none
	all    bool      // have the model look at kernels that cannot be rewritten, too
}

// rewriteFiles is the whole of `smux rewrite` behind its flags.
func (s *session) rewriteFiles(args []string, r rewriting) error {
	if r.show.document() {
		var err error
		if r.shown, err = s.openEvidence(r.stores); err != nil {
			return err
		}
		defer r.shown.remarkOnUnused(s)
	}
	var surveyed *choiceFlags
	if r.opt.Variant == "" {
		surveyed = &r.choice
	}
	programs, err := s.survey(args, r.in, r.walk, r.opt, surveyed, func(s *session, p part) (*survey.Program, error) {
		return s.rewriteProgram(p, r)
	})
	if err != nil || len(programs) == 0 && !r.show.always() {
		return err // each file's message has been printed
	}
	if r.show.document() {
		return s.showSurvey(programs, r.show)
	}
	if !r.say.quiet {
		var kernels []rewrite.KernelResult
		for _, p := range programs {
			kernels = append(kernels, p.Results...)
		}
		s.kernelSummary(kernels)
		s.remarkOnRuntime(programs, r.out)
	}
	return nil
}

// rewriteProgram rewrites one program and delivers the result, unless it is to go
// into a document.
func (s *session) rewriteProgram(p part, r rewriting) (*survey.Program, error) {
	r, err := r.within(p)
	if err != nil {
		return nil, err
	}
	prog, parse, err := s.readPart(p, r.opt.Kernels)
	if prog == nil {
		return nil, err
	}
	done, err := s.rewritten(prog, parse, r)
	if err != nil {
		return nil, err
	}
	if r.show.document() {
		if r.out.diff && len(done.result.Files) > 0 {
			s.note(ExitDiffers)
		}
		out, err := s.rewriteSurvey(done)
		if err == nil {
			r.shown.add(prog, parse, out)
		}
		return out, err
	}
	if err := s.output(prog, done.result, r.out); err != nil {
		return nil, err
	}
	if !r.say.quiet {
		s.kernelMessages(done.policy.told(done.result.Kernels, r.say.verbose))
	}
	return &survey.Program{Changed: done.result.Files, Results: done.result.Kernels}, nil
}

// decided is a program with what was decided and what came of it.
type decided struct {
	prog   *parser.Program
	opt    rewrite.Options // with the decisions
	choice *choice         // nil where no model was asked
	policy *policy
	result *rewrite.Result
}

// rewritten decides what becomes of a program's kernels, and rewrites them.
func (s *session) rewritten(prog *parser.Program, parse parser.Options, r rewriting) (*decided, error) {
	opt, say := r.opt, r.say
	var c *choice
	var err error
	chosen := opt.Variant != ""
	r.choice.directives = directive.Read(prog)
	if !chosen || (say.verbose || r.all) && opt.Variant != demoteName {
		if c, err = s.study(prog, parse, opt, r.choice, !r.all, say.quiet); err != nil {
			return nil, err
		}
	}
	var wants *policy
	if c != nil {
		wants = c.policy
	} else {
		wants = newPolicy(func() [][]*analysis.Kernel {
			analysed := analysis.NewProgram(prog, opt.Block)
			return rewrite.Together(analysed, analysed.Kernels())
		}, r.choice.directives, r.choice.settings)
	}
	s.reportDirectives(wants, say.quiet)
	switch {
	case !chosen:
		opt.Decisions = c.decisions()
	case opt.Variant == demoteName && opt.Recipe == "":
		if opt.Decisions, err = s.climb(prog, parse, opt, r.choice, r.climb, say); err != nil {
			return nil, err
		}
	default:
		if err := s.splitRows(prog, parse, &opt, r.choice, say.quiet); err != nil {
			return nil, err
		}
	}
	if chosen {
		opt.Decisions = wants.keepUnclear(opt.Decisions)
	}
	if r.climb.also {
		if err := s.thenDemote(prog, parse, opt, wants, r.choice, r.climb, say); err != nil {
			return nil, err
		}
	}
	result, err := s.rewrite(prog, opt)
	if err != nil {
		return nil, failure("rewriting", err)
	}
	if say.verbose && c != nil {
		s.reportPredictions(c, result.Kernels, !chosen)
	}
	if r.sieve != nil {
		if result, err = r.sieve(s, prog, parse, opt, result); err != nil {
			return nil, err
		}
	}
	if !say.quiet {
		if err := s.feedback(prog, parse, opt, r.choice, c, result.Kernels); err != nil {
			return nil, err
		}
	}
	if wants.refusesPin(result.Kernels) {
		s.note(ExitDiffers)
	}
	if chosen && !say.quiet {
		s.remarkOnWishes(wants, result.Kernels)
	}
	return &decided{prog, opt, c, wants, result}, nil
}

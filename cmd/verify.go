package cmd

import (
	"cmp"
	"context"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/console"
	"github.com/smux-cuda/smux/internal/prose"
	"github.com/smux-cuda/smux/internal/usage"
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/pipeline"
	"github.com/smux-cuda/smux/pipeline/selection"
	"github.com/smux-cuda/smux/pipeline/targets"
	"github.com/smux-cuda/smux/project"
	"github.com/smux-cuda/smux/project/config"
	"github.com/smux-cuda/smux/project/load"
	"github.com/smux-cuda/smux/report"
	"github.com/smux-cuda/smux/report/baseline"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/rewrite/runtime"
	"github.com/smux-cuda/smux/rewrite/variant"
	"github.com/smux-cuda/smux/verify"
	"github.com/smux-cuda/smux/verify/alone"
	"github.com/smux-cuda/smux/verify/build"
	"github.com/smux-cuda/smux/verify/harness"
)

const verifyLong = `Runs a CUDA program and its rewrite on the CPU and says whether they do the same.
Needs g++ or clang++, and neither nvcc nor a GPU.

The rewrite is the one that smux rewrite makes of the same files with the same flags:
without --variant, what the model chooses for --gpu. A kernel that smux rewrite would
leave alone is named, with the reason; where it would leave all of them alone nothing
is run. --variant verifies one rewrite, --all every one that can be proved.

Files given together are one program, as in smux rewrite. Two files that define the
same, that is main, a kernel or another function, can't be one: they are compared with
each other.

Every copy to the host, standard output and the exit status are compared, over
several orders of threads and blocks. A rewrite may add no race, deadlock,
access out of bounds or read of memory that nobody wrote. A value in shared
memory may not cross from one region into the next.

A C program may stand before a CUDA program, in one file or several. One file follows
what directives of OpenACC say of values: what begins as zeros, and what is private.
Output, standard error and exit status are compared, and so are arrays that come
back from a device. One of these must show what kernels compute.

Sources that are not CUDA are named with --source. Arguments for the
program stand after "--" or in --args. A kernel without a program runs with
--kernel and --launch, or as a comment "// smux:bench" above it says.

In a FOLDER each program is compared with its rewrite. A program is a file with a main
and what it needs, or a file with kernels that no program needs.

Exit codes: 0 equal, or smux rewrite would change nothing; 1 different, or something
was found; 2 wrong usage; 3 the program could not be run, or its kernels stand in
files that were not named.`

const verifyExample = `  smux verify a.cu                      # against what "smux rewrite" makes of it
  smux verify --gpu t4 kernel.cu main.cu # what it makes for a T4 of a program of two files
  smux verify --variant vtb a.cu        # one rewrite, whether it is expected to gain or not
  smux verify --all a.cu -- 1001        # every variant, with an argument
  smux verify .                         # each program of a tree
  smux verify old.cu new.cu             # two programs that define the same
  smux verify jacobi.c jacobi.cu        # a C program and a CUDA program
  smux verify --kernel scale --launch grid=64,block=256 \
      --arg n=16384 --buffer 'x=float[n]:random' scale.cu`

// verifyFlags are those of `smux verify` beside what it shares with others.
type verifyFlags struct {
	all, quiet bool
	baseline   string
	record     bool
	formatFlags
}

// silent reports whether nothing is printed beside the verdict.
func (o *verifyFlags) silent() bool { return o.quiet || o.document() }

// register adds those that smux check has as well. What is found are places, so there is no Markdown.
func (o *verifyFlags) register(f *pflag.FlagSet) {
	usage.Word(f, &o.format, "format", formatText, "print the verdict as `FORMAT`", verdictFormats...)
	f.BoolVar(&o.json, "json", false, "the same as --format json")
	f.BoolVarP(&o.quiet, "quiet", "q", false, "say only what counts")
	f.StringVar(&o.baseline, "baseline", "", "leave out findings that this `FILE` records, such as "+baseline.Name)
	f.BoolVar(&o.record, "record", false, "record in the file of --baseline the findings, and the programs that could not be judged")
	usage.Under(f, usage.Output)
}

// verifying holds the flags of `smux verify`.
type verifying struct {
	rewriting rewriting // what smux rewrite would do
	runs      runFlags
	own       verifyFlags
	request   verify.Request
	bench     []string // kernels to run, with template arguments
	oneFactor bool     // of --all
	alone     bool     // the kernels, since the program's own run said nothing
}

// verifyCommand is `smux verify FILE…`.
func (s *session) verifyCommand() *cobra.Command {
	var (
		in     load.Options
		knobs  knobFlags
		choice choiceFlags
		climb  ladderFlags
		runs   runFlags
		own    verifyFlags
		walk   load.Tree
	)
	chosen := pflag.NewFlagSet("chosen", pflag.ContinueOnError)
	chosen.SortFlags = false
	c := &cobra.Command{
		Use:     "verify FILE|FOLDER… [-- ARGUMENTS…]",
		Short:   "Compare a program with its rewrite, or with another program, on the CPU",
		Long:    verifyLong,
		Example: verifyExample,
		Args:    cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			files, after := behindDash(c, args)
			in.Python = true
			request, err := runs.request(after)
			if err := cmp.Or(err, runs.launch(in, in.Kernels), own.check(verdictFormats)); err != nil {
				return err
			}
			if request.Board, err = s.smallestBoard(choice); err != nil {
				return err
			}
			files = walk.Arguments(files)
			tree := load.AsksTree(files, walk)
			last := len(files) - 1 // a CUDA program that is to do the same as one of the host
			host := last > 0 && parser.IsCUDA(files[last]) && !slices.ContainsFunc(files[:last], func(f string) bool { return !project.IsHostSource(f) })
			several := false
			if !host && !tree {
				if several, err = programsOf(files, in); err != nil {
					return err
				}
			}
			if name := firstChanged(c.Flags(), chosen); name != "" && (host || several) {
				return diag.Usagef("name one program to compare it with its rewrite", "--%s chooses a rewrite, but two programs are given", name)
			}
			v := verifying{runs: runs, own: own, request: request, bench: in.Kernels, oneFactor: c.Flags().Changed(variant.KnobFactor)}
			if host {
				exact := c.Flags().Changed("rtol") || c.Flags().Changed("atol")
				return console.Quietly(s.againstHost(files, in, runs, in.Kernels, own, request, exact))
			}
			in := in
			in.Kernels = harness.PlainNames(in.Kernels)
			opt, err := knobs.orChosen(in, &choice, c.Flags())
			if err := cmp.Or(err, climb.check(opt)); err != nil {
				return err
			}
			if own.all && opt.Rewriter == variant.Demote && opt.Recipe == "" {
				return diag.Usagef("give --recipe, or omit --all", "--all makes what the flags say, and --variant demote alone does not say what to do")
			}
			v.rewriting = rewriting{in: in, opt: opt, choice: choice, climb: climb}
			if tree {
				return console.Quietly(s.verifyTree(files, walk, v))
			}
			if several {
				return console.Quietly(s.verifyTwo(files, v))
			}
			return console.Quietly(s.verifyRewrite(files, v))
		},
	}
	f := c.Flags()
	f.SortFlags = false
	knobs.registerChosen(chosen)
	climb.register(chosen)
	chosen.BoolVar(&own.all, "all", false, "compare with every rewrite that can be proved, with N = 2 and 4 and in every sync mode")
	usage.Under(chosen, usage.Rewrite)
	f.AddFlagSet(chosen)
	choice.register(f)
	f.Lookup("gpu").Usage += ". Refuse launches that need more shared memory or registers than the smallest has for a block"
	own.register(f)
	runs.register(f, true)
	registerInput(f, &in)
	registerTreeBeside(f, &walk)
	return c
}

// programsOf reports whether files are two programs to compare: two that define the same. Others are one program, as in smux rewrite.
func programsOf(files []string, in load.Options) (two bool, err error) {
	switch twice := load.Twice(files, in); {
	case len(files) == 0:
		return false, diag.Usagef(`name a CUDA file, or "-" for standard input`, "no files")
	case len(files) == 2 && (twice != "" || slices.Contains(files, "-")):
		return true, nil
	case twice != "":
		return false, diag.Usagef("name the files of one program, or two programs of one file each", "two of the files define %s, so they are not one program", twice)
	}
	return false, nil
}

// smallestBoard returns the GPU with the least shared memory for a block of those that --gpu names, nil where it names none.
func (s *session) smallestBoard(choice choiceFlags) (*verify.Board, error) {
	if !choice.given("gpu") {
		return nil, nil
	}
	gpus, err := s.choiceGPUs(choice, true)
	if err != nil {
		return nil, err
	}
	g := slices.MinFunc(gpus, func(a, b *gpu.GPU) int { return cmp.Compare(a.Arch.SharedPerBlockOptin, b.Arch.SharedPerBlockOptin) })
	return &verify.Board{Name: g.Name, Shared: g.Arch.SharedPerBlockOptin}, nil
}

// behindDash parts arguments into files and what stands after "--".
func behindDash(c *cobra.Command, args []string) (files, after []string) {
	if n := c.ArgsLenAtDash(); n >= 0 {
		return args[:n], slices.Clone(args[n:])
	}
	return args, nil
}

// verifyTwo compares two programs.
func (s *session) verifyTwo(files []string, v verifying) error {
	how := &chosenHost{request: v.request, alias: true}
	line := s.NewProgress()
	defer line.End()
	line.Say("reading %s", files[0])
	original, err := s.loadRunnable(files[:1], v.rewriting.in, v.runs, v.bench, how)
	if err != nil {
		return err
	}
	other, err := s.loadRunnable(files[1:], v.rewriting.in, v.runs, v.bench, how)
	if err != nil {
		return err
	}
	line.End()
	v.request.Original, v.request.Timeout = original.program, original.timeout
	v.request.Variants = []verify.Variant{{Name: files[1], Program: other.program, Separate: true}}
	return s.reportVerdict("verify", v.request, v.own, s.judge)
}

// verifyRewrite compares a program with what smux rewrite makes of it.
func (s *session) verifyRewrite(files []string, v verifying) error {
	if len(files) == 1 {
		files = s.programOf(files[0], v.rewriting.in, v.runs.bench)
	}
	line := s.NewProgress()
	defer line.End()
	line.Say("reading %s", files[0])
	p, err := s.loadWhole(files, v.rewriting.in, v.runs)
	if err != nil {
		return err
	}
	v.request = p.asSet(v.request)
	line.Say("rewriting")
	if v.request.Variants, err = s.variants(p, v); err != nil {
		return err
	}
	v.request.Original, v.request.Timeout = p.program, cmp.Or(v.request.Timeout, p.timeout)
	line.End()
	if len(v.request.Variants) == 0 {
		return s.reportUnchanged(p, v)
	}
	if !v.own.silent() {
		load.RemarkOnUnread(s.Console, p.prog)
	}
	return s.reportVerdict("verify", v.request, v.own, func(r verify.Request) (*verify.Verdict, error) {
		v.request = r
		return compared(s, p, v)
	})
}

// verifyTree compares the programs of trees with what smux rewrite makes of each.
func (s *session) verifyTree(args []string, walk load.Tree, v verifying) error {
	chosen, own := &v.rewriting.choice, v.own
	if v.rewriting.opt.Rewriter != "" {
		chosen = nil
	}
	v.own.quiet, v.request.Reuse = true, true
	return s.judgeTree("verify", args, v.rewriting.in, walk, v.runs, own, chosen, func(s *session, p *runnable, runs runFlags) (verify.Request, *verify.Verdict, error) {
		v := v
		v.runs, v.request = runs, p.asSet(v.request)
		var err error
		if v.request.Variants, err = s.variants(p, v); err != nil {
			return v.request, nil, err
		}
		v.request.Original, v.request.Timeout = p.program, cmp.Or(v.request.Timeout, p.timeout)
		if len(v.request.Variants) == 0 {
			return v.request, unchanged(p), nil
		}
		v.request = s.forBoard(v.request)
		verdict, err := compared(s, p, v)
		return v.request, verdict, err
	})
}

// reportUnchanged reports that there is nothing to compare a program with: that smux rewrite would
// change nothing, or that the kernels stand in files that were not named.
func (s *session) reportUnchanged(p *runnable, v verifying) error {
	verdict := unchanged(p)
	err := s.showVerdict("verify", v.request, verdict, v.own)
	if verdict.Outcome == verify.Unchanged && !v.own.silent() && !v.own.all {
		s.Remark("--variant NAME verifies one rewrite whatever is expected of it, --all every one that can be proved")
	}
	return err
}

// unchanged is the verdict where there is nothing to compare with.
func unchanged(p *runnable) *verify.Verdict {
	verdict := &verify.Verdict{Schema: verify.Schema, Outcome: verify.Unchanged, Rows: []verify.Row{}, Findings: []verify.Finding{}, Failures: []verify.Failure{}}
	if text := load.IncludedKernels(p.prog); text != "" {
		verdict.Outcome = verify.CouldNotRun
		verdict.Failures = append(verdict.Failures, verify.Failure{Variant: verify.OriginalName, Message: diag.Message{
			Pos: diag.Position{File: p.prog.Files[0].Name}, Code: verify.CodeNotExercised, Text: text + "; nothing was run",
			Help: "name all files of the program, as for smux rewrite"}})
	}
	return verdict
}

// preparing prints why the first run takes longer, as the go command does where it
// downloads: on every kind of stderr, and only when it happens.
func (s *session) preparing(compiler string) {
	s.Remark("compiling the CPU runtime with %s, once for this version of both", compiler)
}

// judge runs a request; an interrupt ends it and leaves no files behind.
func (s *session) judge(request verify.Request) (*verify.Verdict, error) {
	var verdict *verify.Verdict
	if s.share > 0 {
		request.Jobs = s.share
	}
	line := s.NewProgress()
	defer line.End()
	request.Progress = func(program string, build build.Mode, begun, all int) {
		line.Say("running %d of %d: %s, %s build", begun, all, program, build)
	}
	err := s.Interruptible("verifying", func(ctx context.Context) (err error) {
		if verdict, err = s.verify(ctx, request); err != nil {
			return diag.Failed("verifying", err)
		}
		return nil
	})
	return verdict, err
}

// runnable is a program as it is read and as it is run.
type runnable struct {
	found   targets.Program
	prog    *parser.Program // as its files have it
	parse   parser.Options
	run     *parser.Program // with the host side that it may lack
	program verify.Program  // of run
	timeout time.Duration   // of a run with that host side; 0 for what is usual
}

// loadRunnable reads files and the others of their program, and gives it the host side that it lacks.
func (s *session) loadRunnable(files []string, in load.Options, runs runFlags, bench []string, how *chosenHost) (*runnable, error) {
	p, err := s.loadWhole(files, in, runs)
	if err != nil {
		return nil, err
	}
	return p, s.giveHost(p, runs, bench, how)
}

// loadWhole reads files and the others of their program, each of which must be there.
func (s *session) loadWhole(files []string, in load.Options, runs runFlags) (*runnable, error) {
	cuda, others := parser.PartCUDA(runs.sources)
	for _, name := range others {
		if _, err := os.Stat(name); err != nil {
			return nil, diag.Usagef("check the path", "--source %s: %w", name, diag.PlainCause(err))
		}
	}
	names := slices.Concat(files, cuda)
	found, err := load.One(s.Console, names, in)
	if err != nil {
		return nil, err
	}
	p := &runnable{found: targets.Program{Program: *found}}
	p.prog, p.parse = p.found.Read(s.Console)
	if len(p.prog.Files) < len(load.DistinctFiles(names)) {
		return nil, diag.ErrReported // a part of the program is not a program
	}
	return p, load.CheckKernels(p.prog, in.Kernels)
}

// giveHost gives a program the host side that it lacks.
func (s *session) giveHost(p *runnable, runs runFlags, bench []string, how *chosenHost) (err error) {
	if p.run, err = s.host(p.prog, runs, bench, p.parse, how); err != nil {
		return err
	}
	p.program, p.timeout = verify.NewProgram(p.run, p.parse), how.request.Timeout
	p.program.Remarks = alone.Absent(p.prog, how.absent)
	if p.prog, err = alone.Without(p.prog, how.absent); err != nil {
		return err
	}
	_, p.program.Sources = parser.PartCUDA(runs.sources)
	if set := p.setting(); set != nil {
		p.program.Sources = append(p.program.Sources, set.Source...)
	}
	p.program.Libraries = runs.libraries
	return nil
}

// setting returns how the settings say that the program is run, nil if they say nothing.
func (p *runnable) setting() *config.Program {
	return p.found.Settings.Program(cmp.Or(p.found.Name, p.found.Files[0]))
}

// asSet returns a request as the settings say how the program is run, where no flag does.
func (p *runnable) asSet(r verify.Request) verify.Request {
	set := p.setting()
	if set == nil {
		return r
	}
	r.Dir = cmp.Or(r.Dir, set.Chdir)
	if len(r.Args) == 0 {
		for _, text := range set.Args {
			words, _ := prose.Words(text) // it has been checked
			r.Args = append(r.Args, words)
		}
	}
	return r
}

// variants returns what a program is compared with: every rewrite that there is, or what smux rewrite makes of its files. What becomes
// of the kernels is printed. The program gets the host side that it lacks where there is something to compare.
func (s *session) variants(p *runnable, v verifying) ([]verify.Variant, error) {
	r, err := v.rewriting.within(p.found)
	if err != nil {
		return nil, err
	}
	r.opt.Runtime = runtime.Inline // the device code runs the same wherever it stands
	// What nvcc makes of a rewrite that a person names is not asked for here.
	job := s.job(p.prog, p.parse, r.opt, r.choice, verbosity{quiet: v.own.silent() || r.opt.Rewriter != ""})
	host := func() error {
		return s.giveHost(p, v.runs, v.bench, &chosenHost{request: v.request, alias: true, alone: v.alone})
	}
	if v.own.all {
		if err := host(); err != nil {
			return nil, err
		}
		return job.On(p.run).AllVariants(p.program, v.oneFactor)
	}
	done, err := job.Rewritten(r.climb.reduction(), false, nil)
	if err != nil {
		return nil, err
	}
	var out []verify.Variant
	result := done.Result
	if len(result.Files) > 0 || r.opt.Rewriter != "" {
		if err := host(); err != nil {
			return nil, err
		}
		out, result, err = done.Variant(p.run, p.program)
		if err == nil && len(out) == 0 && p.run != p.prog {
			out, result, err = s.variantOfRun(job.On(p.run), p, r)
		}
	}
	if err == nil && !v.own.silent() {
		told := onlyChosen(done.Preferences.Visible(result.Kernels, false))
		s.kernelMessages(told, false)
		s.HelpLine(report.Advice(told))
	}
	return out, err
}

// variantOfRun makes the rewrite that a person names of a program that has no launch in view but those that are run.
func (s *session) variantOfRun(job *pipeline.Job, p *runnable, r rewriting) ([]verify.Variant, *rewrite.Result, error) {
	done, err := job.Rewritten(r.climb.reduction(), false, nil)
	if err != nil {
		return nil, nil, err
	}
	out, result, err := done.Variant(p.run, p.program)
	if len(out) > 0 {
		s.Remark("no launch is in view but the one that is run here; smux rewrite needs --block to make the same")
	}
	return out, result, err
}

// onlyChosen returns results without the notes but those that say why a rewrite was chosen.
func onlyChosen(kernels []rewrite.KernelResult) []rewrite.KernelResult {
	for i := range kernels {
		k := &kernels[i]
		k.Notes = slices.DeleteFunc(slices.Clone(k.Notes), func(m diag.Message) bool {
			return m.Code != selection.CodeChosen && m.Code != config.CodePinned
		})
	}
	return kernels
}

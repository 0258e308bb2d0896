package cmd

import (
	"cmp"
	"context"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/console"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/pipeline"
	"github.com/smux-cuda/smux/project/load"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/rewrite/variant"
	"github.com/smux-cuda/smux/verify"
	"github.com/smux-cuda/smux/verify/build"
	"github.com/smux-cuda/smux/verify/harness"
)

const verifyLong = `Runs CUDA programs on the CPU and says whether they do the same: with one file
the program and its rewrite, with two files these two. Needs g++ or clang++, and
neither nvcc nor a GPU.

Every copy to the host, standard output and the exit status are compared, over
several orders of threads and blocks. A rewrite may add no race, deadlock,
access out of bounds or read of memory that nobody wrote, and a value in shared
memory may not cross from one region into the next.

A C program that stands before a CUDA program, in one file or several, is compiled
as it is: its directives are ignored. What the two print, on standard error as well, and the exit status are
compared, and what the CUDA program prints must show what its kernels compute.

A program of several files: name the others with --source, or all of them where one
has a main that calls what the others define. Arguments for the
program stand behind "--" or in --args. A kernel without a program runs with
--kernel and --launch, or as a comment "// smux:bench" above it says.

Exit codes: 0 equal; 1 different, or something was found; 2 wrong usage; 3 the
program could not be run.`

const verifyExample = `  smux verify a.cu                      # against what "smux rewrite" makes of it
  smux verify --all a.cu -- 1001        # every variant, with an argument
  smux verify old.cu new.cu             # any two programs
  smux verify jacobi.c jacobi.cu        # a C program and a CUDA program
  smux verify --kernel scale --launch grid=64,block=256 \
      --arg n=16384 --buffer 'x=float[n]:random' scale.cu`

// verifyFlags are those of `smux verify` beside what it shares with others.
type verifyFlags struct {
	all, quiet bool
	formatFlags
}

// register adds those that smux check has as well. What is found are places, so there is no Markdown.
func (o *verifyFlags) register(f *pflag.FlagSet) {
	f.StringVar(&o.format, "format", formatText, "print the verdict as `"+strings.Join(verdictFormats, "|")+"`")
	f.BoolVar(&o.json, "json", false, "the same as --format json")
	f.BoolVarP(&o.quiet, "quiet", "q", false, "say only what counts")
}

// verifyCommand is `smux verify FILE [FILE]`.
func (s *session) verifyCommand() *cobra.Command {
	var (
		in    load.Options
		knobs knobFlags
		runs  runFlags
		own   verifyFlags
	)
	c := &cobra.Command{
		Use:     "verify FILE [FILE] [-- ARGUMENTS…]",
		Short:   "Compare a program with its rewrite, or with another program, on the CPU",
		Long:    verifyLong,
		Example: verifyExample,
		Args:    cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			files, after := behindDash(c, args)
			host := isHostProgram(files)
			whole := !host && (len(files) < 2 || load.IsWhole(files, in))
			for _, name := range []string{"variant", "factor", "sync", "slots", "all"} {
				if !whole && c.Flags().Changed(name) {
					return diag.Usagef("name one file to compare it with its rewrite", "--%s chooses a rewrite, but two programs are given", name)
				}
			}
			request, err := runs.request(after)
			if err := cmp.Or(err, runs.bench.Of(in.Kernels).Check(), own.check(verdictFormats)); err != nil {
				return err
			}
			if host {
				exact := c.Flags().Changed("rtol") || c.Flags().Changed("atol")
				return console.Quietly(s.againstHost(files, in, runs, in.Kernels, own, request, exact))
			}
			return console.Quietly(s.verifyFiles(files, in, knobs, runs, own, request, c.Flags().Changed("factor")))
		},
	}
	f := c.Flags()
	f.SortFlags = false
	knobs.registerRewrite(f)
	f.BoolVar(&own.all, "all", false, "compare with every rewrite there is: N = 2 and 4, in every sync mode, with every number of slots")
	own.register(f)
	runs.register(f, true)
	runs.registerBoard(f)
	registerInput(f, &in)
	return c
}

// behindDash parts arguments into files and what stands behind "--".
func behindDash(c *cobra.Command, args []string) (files, after []string) {
	if n := c.ArgsLenAtDash(); n >= 0 {
		return args[:n], slices.Clone(args[n:])
	}
	return args, nil
}

// verifyFiles is the whole of `smux verify` behind its flags.
func (s *session) verifyFiles(files []string, in load.Options, knobs knobFlags, runs runFlags, own verifyFlags, request verify.Request, oneFactor bool) error {
	in.Python = true
	bench := in.Kernels
	in.Kernels = harness.PlainNames(in.Kernels)
	opt, err := knobs.options(in)
	if err != nil {
		return err
	}
	if opt.Rewriter == variant.Demote && opt.Recipe == "" {
		return diag.Usagef("give --recipe; smux rewrite --variant demote looks for one", "--variant demote alone does not say what to do")
	}
	whole := len(files) < 2 || load.IsWhole(files, in)
	first := files
	switch {
	case len(files) == 0:
		return diag.Usagef(`name a CUDA file, or "-" for standard input`, "no files")
	case len(files) == 1:
		first = s.programOf(files[0], in, runs.bench)
	case whole:
	case len(files) == 2:
		first = files[:1]
	default:
		return diag.Usagef("name the other files of a program with --source", "verify compares two programs, got %d files", len(files))
	}
	how := &chosenHost{request: request, alias: true}
	line := s.NewProgress()
	defer line.End()
	line.Say("reading %s", first[0])
	prog, program, err := s.loadRunnable(first, in, runs, bench, how)
	if err != nil {
		return err
	}
	line.Say("rewriting")
	request.Original = program
	if !whole {
		_, other, err := s.loadRunnable(files[1:], in, runs, bench, how)
		if err != nil {
			return err
		}
		request.Variants = []verify.Variant{{Name: files[1], Program: other, Separate: true}}
	} else if request.Variants, err = s.variants(prog, program, opt, own.all, oneFactor); err != nil {
		return err
	}
	line.End()
	if len(request.Variants) == 0 {
		s.Remark("no kernel was rewritten, so there is nothing to verify")
		load.RemarkOnUnread(s.Console, prog)
		return nil
	}
	return s.reportVerdict("verify", request, own)
}

// preparing prints why the first run takes longer, as the go command does where it
// downloads: on every kind of stderr, and only when it happens.
func (s *session) preparing(compiler string) {
	s.Remark("compiling the CPU runtime with %s, once for this version of both", compiler)
}

// judge runs a request; an interrupt ends it and leaves no files behind.
func (s *session) judge(request verify.Request) (*verify.Verdict, error) {
	var verdict *verify.Verdict
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

// loadRunnable reads files and the others of their program, and gives it the
// host side that it lacks.
func (s *session) loadRunnable(files []string, in load.Options, runs runFlags, bench []string, how *chosenHost) (*parser.Program, verify.Program, error) {
	var program verify.Program
	cuda, others := parser.PartCUDA(runs.sources)
	for _, name := range others {
		if _, err := os.Stat(name); err != nil {
			return nil, program, diag.Usagef("check the path", "--source %s: %w", name, diag.PlainCause(err))
		}
	}
	names := slices.Concat(files, cuda)
	prog, opt, err := load.Files(s.Console, names, in)
	if err != nil {
		return nil, program, err
	}
	if len(prog.Files) < len(load.DistinctFiles(names)) {
		return nil, program, diag.ErrReported // a part of the program is not a program
	}
	if err := load.CheckKernels(prog, in.Kernels); err != nil {
		return nil, program, err
	}
	if prog, err = s.host(prog, runs, bench, opt, how); err != nil {
		return nil, program, err
	}
	program = verify.NewProgram(prog, opt)
	program.Sources, program.Libraries = others, runs.libraries
	return prog, program, nil
}

// variants rewrites a program: as the knobs say, or as every variant that there is.
func (s *session) variants(prog *parser.Program, program verify.Program, opt rewrite.Options, all, oneFactor bool) ([]verify.Variant, error) {
	job := &pipeline.Job{Console: s.Console, Program: prog, Options: opt, Rewrite: s.rewrite}
	if all {
		return job.AllVariants(program, oneFactor)
	}
	out, result, err := job.Variant(program)
	if len(out) == 0 && err == nil {
		s.reportKernels(result.Kernels)
	}
	return out, err
}

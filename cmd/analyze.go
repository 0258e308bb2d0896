package cmd

import (
	"cmp"

	"github.com/spf13/cobra"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/pipeline/targets"
	"github.com/smux-cuda/smux/project/config"
	"github.com/smux-cuda/smux/project/load"
	"github.com/smux-cuda/smux/report"
	"github.com/smux-cuda/smux/rewrite"
)

const analyzeLong = `Says what limits each kernel on each GPU of --gpu, which rewrite smux rewrite would
choose, if any (docs/use/choice.md), and how many are possible.

-v tells the rest: shared variables, regions, barriers, exits and launches, what a
thread block takes on each GPU, and the ranking. It also says why a rewrite is
impossible, and which global arrays are read again.

The share of a kernel that its regions take is an estimate: statements are counted,
ten times for each loop around them.

Files given together are one program. A FOLDER stands for the CUDA files in it that
git does not ignore, parted into programs. --summary counts what limits their
kernels, and names those with most to gain. Registers are estimated there unless
--resources nvcc says otherwise. Settings come from .smux.yaml (smux config). "//
smux:" comments in the source say what to do with a kernel (docs/use/directives.md).

With --json the report has a version, "schema": fields may be added to it, but none
changes its meaning without a new version.`

// analyzeCommand is `smux analyze FILE…`.
func (s *session) analyzeCommand() *cobra.Command {
	var (
		in     load.Options
		choice choiceFlags
		walk   load.Tree
		show   formatFlags
		stores evidenceFlags
		sizes  bool
	)
	c := &cobra.Command{
		Use:   "analyze [FILE|FOLDER…]",
		Short: "Say what limits each kernel, and which rewrites are possible",
		Long:  analyzeLong,
		Example: `  smux analyze --gpu a100,t4 kernel.cu main.cu  # one program, for these GPUs
  smux analyze -v --kernel fft fft.cu           # all that is known of a kernel
  smux analyze --summary ./...                  # of a tree: what limits how many
  smux analyze --format sarif ./... > smux.sarif`,
		Args: cobra.ArbitraryArgs,
		RunE: func(_ *cobra.Command, args []string) error {
			opt, err := in.RewriteOptions()
			if err != nil {
				return err
			}
			if err := cmp.Or(choice.check(), show.check(formats), stores.check(show.document())); err != nil {
				return err
			}
			return s.analyzeFiles(walk.Arguments(args), analyzing{in, opt, choice, walk, show, stores, nil, sizes})
		},
	}
	f := c.Flags()
	f.SortFlags = false
	show.register(f)
	stores.register(f)
	stores.registerCertificates(f)
	choice.register(f)
	choice.registerProfile(f)
	f.BoolVar(&sizes, "sizes", false, "also look for the constants that set block shapes, shared arrays and unroll factors")
	registerInput(f, &in)
	registerTree(f, &walk)
	return c
}

// analyzing holds the flags of `smux analyze`.
type analyzing struct {
	in     load.Options
	opt    rewrite.Options
	choice choiceFlags
	walk   load.Tree
	show   formatFlags
	stores evidenceFlags
	shown  *shownEvidence // measurements and proofs to show, nil for none
	sizes  bool
}

// analyzeFiles runs `smux analyze` with its flags read.
func (s *session) analyzeFiles(args []string, a analyzing) error {
	if a.show.document() {
		var err error
		if a.shown, err = a.stores.open(s.Console); err != nil {
			return err
		}
		defer a.shown.remarkOnUnused(s.Console)
	}
	programs, err := s.survey(args, a.in, a.walk, a.opt, &a.choice, func(s *session, p targets.Program) (*report.Program, error) {
		return s.analyzeProgram(p, a)
	})
	if err != nil || len(programs) == 0 && !a.show.always() {
		return err // each file's message has been printed
	}
	return s.showSurvey(programs, a.show)
}

// analyzeProgram returns the facts about one program, nil where none of its files can be read.
func (s *session) analyzeProgram(p targets.Program, a analyzing) (*report.Program, error) {
	a, err := a.within(p)
	if err != nil {
		return nil, err
	}
	prog, parse, err := p.Parse(s.Console, a.opt.Kernels)
	if prog == nil {
		return nil, err
	}
	job := s.job(prog, parse, a.opt, a.choice, verbosity{})
	job.Ask.Directives = config.ReadDirectives(prog)
	model, err := job.Study(false)
	if err != nil {
		return nil, err
	}
	job.ReportDirectives(model.Preferences)
	out := model.Analyze(a.opt)
	a.shown.add(prog, parse, &out)
	if a.sizes {
		if err := out.AddSizes(job.Analysed(), a.opt.Kernels); err != nil {
			return nil, diag.Failed("looking for constants", err)
		}
	}
	if len(a.show.also) == 0 && (a.show.format == formatText || a.show.format == formatJSON) {
		out.Forget()
	}
	return &out, nil
}

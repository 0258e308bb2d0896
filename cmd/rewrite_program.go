package cmd

import (
	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/project/directive"
	"github.com/smux-cuda/smux/report"
	"github.com/smux-cuda/smux/rewrite"
)

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
	if r.opt.Rewriter == "" {
		surveyed = &r.choice
	}
	programs, err := s.survey(args, r.in, r.walk, r.opt, surveyed, func(s *session, p part) (*report.Program, error) {
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
func (s *session) rewriteProgram(p part, r rewriting) (*report.Program, error) {
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
			s.Note(diag.ExitDiffers)
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
	return &report.Program{Changed: done.result.Files, Results: done.result.Kernels}, nil
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
	chosen := opt.Rewriter != ""
	r.choice.directives = directive.Read(prog)
	if !chosen || (say.verbose || r.all) && opt.Rewriter != demoteName {
		if c, err = s.study(prog, parse, opt, r.choice, !r.all, say.quiet); err != nil {
			return nil, err
		}
	}
	wants := wantsOf(prog, opt, r.choice, c)
	s.reportDirectives(wants, say.quiet)
	switch {
	case !chosen:
		opt.Decisions = c.decisions()
	case opt.Rewriter == demoteName && opt.Recipe == "":
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
		if err := s.thenDemote(prog, parse, &opt, wants, r.choice, r.climb, say); err != nil {
			return nil, err
		}
	}
	result, err := s.rewrite(prog, opt)
	if err != nil {
		return nil, diag.Failed("rewriting", err)
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
		s.Note(diag.ExitDiffers)
	}
	if chosen && !say.quiet {
		s.remarkOnWishes(wants, result.Kernels)
	}
	return &decided{prog, opt, c, wants, result}, nil
}

// wantsOf is what people want of a program's kernels: a choice has asked already.
func wantsOf(prog *parser.Program, opt rewrite.Options, flags choiceFlags, c *choice) *policy {
	if c != nil {
		return c.policy
	}
	together := func() [][]*analysis.Kernel {
		analysed := analysis.NewProgram(prog, opt.Block)
		return rewrite.KernelGroups(analysed, analysed.Kernels())
	}
	return newPolicy(together, flags.directives, flags.settings)
}

package cmd

import (
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/pipeline"
	"github.com/smux-cuda/smux/pipeline/targets"
	"github.com/smux-cuda/smux/project/load"
	"github.com/smux-cuda/smux/report"
	"github.com/smux-cuda/smux/rewrite"
)

// rewriting holds the flags of `smux rewrite`.
type rewriting struct {
	in     load.Options
	opt    rewrite.Options
	choice choiceFlags
	climb  ladderFlags
	out    outputFlags
	say    verbosity
	walk   load.Tree
	show   formatFlags
	filter pipeline.ResultFilter // nil for none
	stores evidenceFlags
	shown  *shownEvidence // measurements and proofs to show, nil for none
	all    bool           // have the model look at kernels that cannot be rewritten, too
}

// rewriteFiles runs `smux rewrite` with its flags read.
func (s *session) rewriteFiles(args []string, r rewriting) error {
	if r.show.document() {
		var err error
		if r.shown, err = r.stores.open(s.Console); err != nil {
			return err
		}
		defer r.shown.remarkOnUnused(s.Console)
	}
	var surveyed *choiceFlags
	if r.opt.Rewriter == "" {
		surveyed = &r.choice
	}
	s.headers.Quiet, s.headers.Top = r.say.quiet, topOfTree(args, r.walk)
	programs, err := s.survey(args, r.in, r.walk, r.opt, surveyed, func(s *session, p targets.Program) (*report.Program, error) {
		return s.rewriteProgram(p, r)
	})
	if err != nil || len(programs) == 0 && !r.show.always() {
		return err // each file's message has been printed
	}
	if r.out.certificate != "" {
		if err := s.writeCertificate(r.out.certificate, s.certificates.all); err != nil {
			return err
		}
	}
	if r.show.document() {
		return s.showSurvey(programs, r.show)
	}
	s.showHeaders(r.out)
	if !r.say.quiet {
		var kernels []rewrite.KernelResult
		for _, p := range programs {
			kernels = append(kernels, p.Results...)
		}
		if !r.say.verbose {
			s.HelpLine(report.Advice(kernels))
		}
		s.kernelSummary(kernels)
		s.remarkOnRuntime(programs, r.out)
	}
	return nil
}

// jobOf parses a program and returns it on its way through the pipeline, with the flags as they count for it; nil where none of
// its files can be read.
func jobOf(s *session, p targets.Program, r rewriting) (*pipeline.Job, rewriting, error) {
	r, err := r.within(p)
	if err != nil {
		return nil, r, err
	}
	prog, parse, err := p.Parse(s.Console, r.opt.Kernels)
	if prog == nil {
		return nil, r, err
	}
	return s.job(prog, parse, r.opt, r.choice, r.say), r, nil
}

// rewriteProgram rewrites one program and delivers the result, unless it is to go into a document.
func (s *session) rewriteProgram(p targets.Program, r rewriting) (*report.Program, error) {
	job, r, err := jobOf(s, p, r)
	if job == nil {
		return nil, err
	}
	done, err := job.Rewritten(r.climb.reduction(), r.all, r.filter)
	if err != nil {
		return nil, err
	}
	if r.show.document() {
		if r.out.diff && len(done.Result.Files) > 0 {
			s.Note(diag.ExitDiffers)
		}
		out, err := done.Survey()
		if err == nil {
			r.shown.add(job.Program, job.Parse, out)
			s.certificates.add(out.Judge(job.Program, done.Ran))
		}
		return out, err
	}
	result, err := s.delivered(job.Program, done.Result, r.out)
	if err != nil {
		return nil, err
	}
	if len(result.Files) > 0 && (r.out.certificate != "" || r.out.diff && !r.say.quiet) {
		found := report.JudgeFiles(job.Program, result.Files)
		if err := s.certify(found, r.out); err != nil {
			return nil, err
		}
		found.AddEvidence(done.Result.Kernels, done.Ran)
	}
	if err := s.output(job.Program, p.Files, result, r.out); err != nil {
		return nil, err
	}
	told := done.Preferences.Visible(done.Result.Kernels, r.say.verbose)
	if !r.say.quiet {
		s.kernelMessages(told, r.say.verbose)
	} else {
		s.warnings(done.Result.Kernels)
	}
	return &report.Program{Changed: done.Result.Files, Results: told}, nil
}

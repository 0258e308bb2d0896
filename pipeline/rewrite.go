package pipeline

import (
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/project/config"
	"github.com/smux-cuda/smux/report"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// ResultFilter takes out of a result what is not to be written, and tells what was compared of the rest.
type ResultFilter func(*Job, rewrite.Options, *rewrite.Result) (kept *rewrite.Result, ran string, err error)

// Decided is a program with the decisions on its kernels and their results.
type Decided struct {
	Job         *Job
	Options     rewrite.Options // with the decisions
	Choice      *Choice         // nil where no model was asked
	Preferences *Preferences
	Result      *rewrite.Result
	Ran         string // what was compared of the result by running it, "" for nothing
}

// Rewritten decides what becomes of the kernels, and rewrites them: as the options ask
// where they name a rewriter, else as the model does. With all the model looks at
// kernels that can't be rewritten, too; filter may be nil.
func (j *Job) Rewritten(r Reduction, all bool, filter ResultFilter) (*Decided, error) {
	var c *Choice
	var err error
	opt := j.Options
	chosen := opt.Rewriter != ""
	j.Ask.Directives = config.ReadDirectives(j.Program)
	if !chosen || (j.Verbose || all) && opt.Rewriter != variant.Demote {
		if c, err = j.Study(!all); err != nil {
			return nil, err
		}
	}
	wants := j.preferences(c)
	j.ReportDirectives(wants)
	switch {
	case !chosen:
		opt.Decisions = c.decisions()
	case opt.Rewriter == variant.Demote && opt.Recipe == "":
		if opt.Decisions, err = j.reduce(r); err != nil {
			return nil, err
		}
	default:
		if err := j.splitRows(&opt); err != nil {
			return nil, err
		}
	}
	if chosen {
		opt.Decisions = wants.holdBackMisread(opt.Decisions)
	}
	if r.After {
		if err := j.thenReduce(&opt, wants, r); err != nil {
			return nil, err
		}
	}
	result, err := j.Apply(opt)
	if err != nil {
		return nil, err
	}
	if j.Verbose && c != nil {
		j.reportPredictions(c, result.Kernels, !chosen)
	}
	if opt, result, err = j.compiling(opt, result); err != nil {
		return nil, err
	}
	ran := ""
	if filter != nil {
		if result, ran, err = filter(j, opt, result); err != nil {
			return nil, err
		}
	}
	if err := j.harm(c, wants, result.Kernels); err != nil {
		return nil, err
	}
	if !j.Quiet {
		if err := j.feedback(c, result.Kernels); err != nil {
			return nil, err
		}
	}
	if wants.refusesPin(result.Kernels) {
		j.Note(diag.ExitDiffers)
	}
	if chosen && !j.Quiet {
		j.remarkOnRequests(wants, result.Kernels)
	}
	return &Decided{j, opt, c, wants, result, ran}, nil
}

// preferences returns the requests for the program's kernels: a choice has asked
// already.
func (j *Job) preferences(c *Choice) *Preferences {
	if c != nil {
		return c.Preferences
	}
	return newPreferences(j.groups, j.Ask.Directives, j.Ask.Settings)
}

// Analyze runs all analyses and tries all rewrites on a program's kernels, and
// adds what the model predicts of them.
func (c *Choice) Analyze(opt rewrite.Options) report.Program {
	out := report.Analyze(c.Program, c.Kernels, opt, c.Of, func(name string) bool {
		return rewrite.Matches(opt.Kernels, name)
	})
	c.Preferences.Attach(&out)
	return out
}

package pipeline

import (
	"github.com/smux-cuda/smux/analysis/summary"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/pipeline/selection"
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

// Rewritten decides what becomes of the kernels, and rewrites them: as the options ask where they name a rewriter,
// else as the model does. With all the model looks at kernels that can't be rewritten, too; filter may be nil.
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

// preferences returns the requests for the program's kernels: a choice has asked already.
func (j *Job) preferences(c *Choice) *Preferences {
	if c != nil {
		return c.Preferences
	}
	return newPreferences(j.groups, j.Ask.Directives, j.Ask.Settings)
}

// Analyze runs all analyses and tries all rewrites on a program's kernels, and adds what the model predicts of them.
func (c *Choice) Analyze(opt rewrite.Options) report.Program {
	out := report.Analyze(c.Program, c.Kernels, opt, c.Of, func(name string) bool {
		return rewrite.Matches(opt.Kernels, name)
	})
	c.Preferences.Attach(&out)
	return out
}

// Survey returns all facts about a program that was rewritten: what
// analyses and model report of it, and what became of each kernel.
func (d *Decided) Survey() (*report.Program, error) {
	c := d.Choice
	if c == nil { // a person has chosen by --variant
		prog := d.Job.Analysed()
		c = &Choice{Program: prog, Kernels: prog.Kernels(), Preferences: d.Preferences}
		c.Groups = rewrite.Groups(c.Program, c.Kernels, d.Options)
		c.Reports = make([]*selection.Report, len(c.Groups))
	}
	opt := d.Options
	opt.Decisions = nil
	out := c.Analyze(opt)
	var err error
	if out.Changed, err = d.delivered(d.Result); err != nil {
		return nil, err
	}
	out.Results = d.Result.Kernels
	for i := range out.Kernels {
		k := &out.Kernels[i]
		for j := range out.Results {
			if out.Results[j].Pos == k.Position {
				k.Result = &out.Results[j]
			}
		}
		if k.Result == nil || k.Result.Rewriter == "" {
			continue
		}
		if k.Fix, err = d.alone(c, k.Position); err != nil {
			return nil, err
		}
	}
	return &out, nil
}

// alone rewrites the group of one kernel and leaves all others as they are.
func (d *Decided) alone(c *Choice, pos diag.Position) ([]rewrite.FileResult, error) {
	var others []diag.Position
	for _, g := range c.Groups {
		if holds(g, pos) {
			continue
		}
		for _, k := range g.Kernels {
			if done := d.done(summary.Position(k)); done != nil && done.Rewriter != "" {
				others = append(others, summary.Position(k))
			}
		}
	}
	if len(others) == 0 {
		return d.delivered(d.Result)
	}
	result, err := d.Job.Apply(without(d.Options, others))
	if err != nil {
		return nil, err
	}
	return d.delivered(result)
}

func (d *Decided) delivered(r *rewrite.Result) ([]rewrite.FileResult, error) {
	files, err := rewrite.Delivered(r, d.Job.Program)
	if err != nil {
		return nil, diag.Failed("rewriting", err)
	}
	return files, nil
}

// done returns what became of a kernel, nil where it was not asked for.
func (d *Decided) done(pos diag.Position) *rewrite.KernelResult {
	for i := range d.Result.Kernels {
		if d.Result.Kernels[i].Pos == pos {
			return &d.Result.Kernels[i]
		}
	}
	return nil
}

func holds(g rewrite.Group, pos diag.Position) bool {
	for _, k := range g.Kernels {
		if summary.Position(k) == pos {
			return true
		}
	}
	return false
}

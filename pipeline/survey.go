package pipeline

import (
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/pipeline/selection"
	"github.com/smux-cuda/smux/report"
	"github.com/smux-cuda/smux/rewrite"
)

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
			if done := d.done(k.Position()); done != nil && done.Rewriter != "" {
				others = append(others, k.Position())
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
		if k.Position() == pos {
			return true
		}
	}
	return false
}

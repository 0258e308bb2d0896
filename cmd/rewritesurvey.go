package cmd

import (
	"maps"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/pipeline/selection"
	"github.com/smux-cuda/smux/report"
	"github.com/smux-cuda/smux/rewrite"
)

// rewriteSurvey is all that is known of a program that was rewritten: what
// analyses and model say of it, and what became of each kernel.
func (s *session) rewriteSurvey(d *decided) (*report.Program, error) {
	c := d.choice
	if c == nil { // a person has chosen by --variant
		analysed := analysis.NewProgram(d.prog, d.opt.Block)
		c = &choice{prog: analysed, kernels: analysed.Kernels()}
		c.groups = rewrite.Groups(analysed, c.kernels, d.opt)
		c.reports = make([]*selection.Report, len(c.groups))
		c.policy = d.policy
	}
	opt := d.opt
	opt.Decisions = nil
	out := analyze(c, opt)
	out.Changed, out.Results = d.result.Files, d.result.Kernels
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
		var err error
		if k.Fix, err = s.alone(d, c, k.Position); err != nil {
			return nil, err
		}
	}
	return &out, nil
}

// alone rewrites the group of one kernel and leaves all others as they are.
func (s *session) alone(d *decided, c *choice, pos diag.Position) ([]rewrite.FileResult, error) {
	opt := d.opt
	opt.Decisions = maps.Clone(opt.Decisions)
	if opt.Decisions == nil {
		opt.Decisions = map[diag.Position]rewrite.Decision{}
	}
	opt.Then = maps.Clone(opt.Then)
	others := 0
	for _, g := range c.groups {
		if holds(g, pos) {
			continue
		}
		for _, k := range g.Kernels {
			if done := d.done(k.Position()); done == nil || done.Rewriter == "" {
				continue
			}
			opt.Decisions[k.Position()] = rewrite.Decision{}
			delete(opt.Then, k.Position())
			others++
		}
	}
	if others == 0 {
		return d.result.Files, nil
	}
	result, err := s.rewrite(d.prog, opt)
	if err != nil {
		return nil, diag.Failed("rewriting", err)
	}
	return result.Files, nil
}

// done is what became of a kernel, nil where it was not asked for.
func (d *decided) done(pos diag.Position) *rewrite.KernelResult {
	for i := range d.result.Kernels {
		if d.result.Kernels[i].Pos == pos {
			return &d.result.Kernels[i]
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

package pipeline

import (
	"context"
	"errors"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/summary"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/model/sim"
	"github.com/smux-cuda/smux/pipeline/resources"
	"github.com/smux-cuda/smux/pipeline/selection"
	"github.com/smux-cuda/smux/rewrite"
)

// Choice holds what the model predicts of a program's kernels.
type Choice struct {
	Program     *analysis.Program
	Kernels     []*analysis.Kernel
	Groups      []rewrite.Group
	offered     [][]rewrite.CheckedVariant // by group, those that a request rules out included
	Reports     []*selection.Report        // by group, nil where it was not asked
	Preferences *Preferences
	reportAt    map[diag.Position]*selection.Report // by the kernel's place, see Of
}

// Study asks the model about the groups of kernels that the options select; with legal about those alone that have a
// legal rewrite and on which no person has decided. Where there are none no GPU is looked for, unless one is named.
func (j *Job) Study(legal bool) (*Choice, error) {
	c := &Choice{Program: j.Analysed(), Kernels: j.Analysed().Kernels()}
	c.Groups = rewrite.Groups(c.Program, c.Kernels, j.Options)
	c.Reports = make([]*selection.Report, len(c.Groups))
	c.askPreferences(j.Ask, j.Options)
	var ask []int
	for i, g := range c.Groups {
		decided := c.request(g).decides()
		if rewrite.Matches(j.Options.Kernels, g.Kernels[0].Name) && (!legal || g.Can() && !decided) {
			ask = append(ask, i)
		}
	}
	if len(ask) == 0 && !j.Ask.Named {
		return c, nil
	}
	return c, j.rank(c, ask, selection.Group)
}

// rank asks a model about groups of kernels, by their indices.
func (j *Job) rank(c *Choice, ask []int, model func(rewrite.Group, selection.Request) *selection.Report) error {
	gpus, err := j.Ask.GPUs(j.Quiet)
	if err != nil || len(ask) == 0 {
		return err
	}
	var asked []*analysis.Kernel
	var ranked []rewrite.Group
	for _, i := range ask {
		asked = append(asked, c.Groups[i].Kernels...)
		ranked = append(ranked, c.Groups[i])
	}
	return j.Interruptible("choosing rewrites", func(ctx context.Context) error {
		defer j.Silence(j.Quiet && j.Ask.Resources == resources.Auto)()
		source, err := j.newSource(ctx, asked, gpus, "")
		if err != nil {
			return err
		}
		defer source.end()
		req := selection.Request{GPUs: gpus, Source: source, Profile: j.Ask.Profile, Corrections: j.Ask.Corrections, Clock: clock(ctx), Check: c.check(j.Options), Analysis: &source.mu, Rewrites: selection.NewRewrites(ranked)}
		line := j.NewProgress()
		defer line.End()
		for n, i := range ask {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			line.Say("choosing rewrites, %d of %d kernels", n+1, len(ask))
			req.MinGain = c.request(c.Groups[i]).gain(j.Ask)
			c.Reports[i] = model(c.Groups[i], req)
		}
		return nil
	})
}

// askPreferences looks at what people want of the kernels, and leaves the model what it may choose from.
func (c *Choice) askPreferences(ask Ask, opt rewrite.Options) {
	together := func() [][]*analysis.Kernel { return rewrite.KernelGroups(c.Program, c.Kernels) }
	c.Preferences = newPreferences(together, ask.Directives, ask.Settings)
	c.Preferences.prove(c, opt)
	c.Preferences.findUnused(c.Groups, opt)
	c.offered = make([][]rewrite.CheckedVariant, len(c.Groups))
	for i := range c.Groups {
		g := &c.Groups[i]
		c.offered[i] = g.Variants
		g.Variants = c.request(*g).restrict(g.Variants)
	}
}

// request returns the request for a group, nil for none.
func (c *Choice) request(g rewrite.Group) *request {
	return c.Preferences.of(summary.Position(g.Kernels[0]))
}

// check reports what is against a variant that was not offered.
func (c *Choice) check(opt rewrite.Options) func(rewrite.Group, rewrite.Variant) error {
	return func(g rewrite.Group, w rewrite.Variant) error {
		opt.Variant = w
		if why := rewrite.Refusals(c.Program, c.Kernels, g, opt); len(why) > 0 {
			return errors.New(why[0].Text)
		}
		return nil
	}
}

// clock returns the simulation, until the context ends.
func clock(ctx context.Context) selection.Clock {
	return selection.Once(func(p selection.Place, policy sim.Policy) (float64, error) {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		return selection.Simulated(p, policy)
	})
}

// decisions returns what package rewrite is to do, by the kernels' positions: what a
// person asks, else what the model chose.
func (c *Choice) decisions() map[diag.Position]rewrite.Decision {
	out := map[diag.Position]rewrite.Decision{}
	for i, g := range c.Groups {
		for _, k := range g.Kernels {
			at := summary.Position(k)
			if d, ok := c.request(g).decision(at, c.offered[i]); ok {
				out[at] = d
			} else if c.Reports[i] != nil && g.Can() { // else what is against it tells why it is left alone
				out[at] = c.Reports[i].For(k.Name).Decision(at)
			}
		}
	}
	return out
}

// Of returns the report on a kernel, nil where there is none.
func (c *Choice) Of(pos diag.Position) *selection.Report {
	if c.reportAt == nil {
		c.reportAt = map[diag.Position]*selection.Report{}
		for i, g := range c.Groups {
			for _, k := range g.Kernels {
				if at := summary.Position(k); c.reportAt[at] == nil {
					c.reportAt[at] = c.Reports[i].For(k.Name)
				}
			}
		}
	}
	return c.reportAt[pos]
}

// reportPredictions prints what the model expects: of what was applied where a person has chosen, else of everything.
func (j *Job) reportPredictions(c *Choice, kernels []rewrite.KernelResult, all bool) {
	for _, k := range kernels {
		r := c.Of(k.Pos)
		if r == nil {
			continue
		}
		for _, line := range r.Lines(func(w rewrite.Variant) bool { return all || w == k.Variant }) {
			j.Remark("kernel %q: %s", k.Name, line)
		}
	}
}

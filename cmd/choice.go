package cmd

import (
	"context"
	"errors"
	"math"

	"github.com/spf13/pflag"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/model/sim"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/pipeline/resources"
	"github.com/smux-cuda/smux/pipeline/selection"
	"github.com/smux-cuda/smux/project/config"
	"github.com/smux-cuda/smux/project/directive"
	"github.com/smux-cuda/smux/rewrite"
)

// choiceFlags say for which GPUs a rewrite is chosen, and what is asked of it.
type choiceFlags struct {
	gpus      gpuFlags
	resources string
	minGain   float64
	found     []*gpu.GPU // those that the flags mean, once that is settled
	set       *pflag.FlagSet
	settings  *config.Settings // of the program, nil for none
	// directives are those of the program, nil where they don\'t count.
	directives *directive.Set
}

func (c *choiceFlags) register(f *pflag.FlagSet) {
	c.set = pflag.NewFlagSet("choice", pflag.ContinueOnError)
	c.set.SortFlags = false
	c.gpus.register(c.set)
	registerResources(c.set, &c.resources)
	c.set.Float64Var(&c.minGain, "min-gain", 5, "change a kernel only where `PERCENT` or more are expected to be gained")
	f.AddFlagSet(c.set)
}

// check refuses values that cannot be meant.
func (c *choiceFlags) check() error {
	if math.IsNaN(c.minGain) || c.minGain < 0 || c.minGain > 1000 {
		return diag.Usagef("write --min-gain 5 for 5 %", "--min-gain must be from 0 to 1000 percent, got %v", c.minGain)
	}
	return oneOf("--resources", c.resources, resources.Auto, resources.NVCC, resources.Estimate)
}

// unused refuses the flags where a person has chosen and nothing is asked of the
// model. The GPUs are those that registers are compared for.
func (c *choiceFlags) unused(given *pflag.FlagSet) error {
	if given.Changed("min-gain") {
		return diag.Usagef("leave --variant away to have smux choose", "--min-gain says when to rewrite, and --variant says to do it anyway")
	}
	return nil
}

// choice is what the model says of a program's kernels.
type choice struct {
	prog    *analysis.Program
	kernels []*analysis.Kernel
	groups  []rewrite.Group
	offers  [][]rewrite.CheckedVariant // by group, those that a wish rules out included
	reports []*selection.Report        // by group, nil where it was not asked
	policy  *policy
}

// study asks the model about the groups of kernels that opt selects; with legal
// about those alone that have a legal rewrite and on which no person has decided.
// Where there are none no GPU is looked for, unless one is named: a wrong name is told
// in any case.
func (s *session) study(prog *parser.Program, parse parser.Options, opt rewrite.Options, flags choiceFlags, legal, quiet bool) (*choice, error) {
	analysed := analysis.NewProgram(prog, opt.Block)
	c := &choice{prog: analysed, kernels: analysed.Kernels()}
	c.groups = rewrite.Groups(analysed, c.kernels, opt)
	c.reports = make([]*selection.Report, len(c.groups))
	c.askPolicy(flags, opt)
	var ask []int
	var asked []*analysis.Kernel
	for i, g := range c.groups {
		decided := c.wish(g).decides()
		if wanted(opt.Kernels, g.Kernels[0].Name) && (!legal || g.Can() && !decided) {
			ask = append(ask, i)
			asked = append(asked, g.Kernels...)
		}
	}
	if len(ask) == 0 && !flags.gpus.given() {
		return c, nil
	}
	gpus, err := s.choiceGPUs(flags, quiet)
	if err != nil {
		return nil, err
	}
	if len(ask) == 0 {
		return c, nil
	}
	return c, s.Interruptible("choosing rewrites", func(ctx context.Context) error {
		defer s.Silence(quiet && flags.resources == resources.Auto)()
		source, err := s.newChoiceSource(ctx, prog, parse, opt, flags.resources, asked, gpus, "")
		if err != nil {
			return err
		}
		defer source.end()
		req := selection.Request{GPUs: gpus, Source: source, Clock: clock(ctx), Check: c.check(opt)}
		for _, i := range ask {
			req.MinGain = c.wish(c.groups[i]).gain(flags)
			c.reports[i] = selection.Group(c.groups[i], req)
		}
		return nil
	})
}

// askPolicy looks at what people want of the kernels, and leaves the model what it
// may choose from.
func (c *choice) askPolicy(flags choiceFlags, opt rewrite.Options) {
	together := func() [][]*analysis.Kernel { return rewrite.KernelGroups(c.prog, c.kernels) }
	c.policy = newPolicy(together, flags.directives, flags.settings)
	c.policy.prove(c, opt)
	c.policy.findUnused(c.groups, opt)
	c.offers = make([][]rewrite.CheckedVariant, len(c.groups))
	for i := range c.groups {
		g := &c.groups[i]
		c.offers[i] = g.Variants
		g.Variants = c.wish(*g).restrict(g.Variants)
	}
}

// wish is what is wanted of a group, nil for nothing.
func (c *choice) wish(g rewrite.Group) *wish { return c.policy.of(g.Kernels[0].Position()) }

// check says what is against a way that was not offered.
func (c *choice) check(opt rewrite.Options) func(rewrite.Group, rewrite.Variant) error {
	return func(g rewrite.Group, w rewrite.Variant) error {
		opt.Variant = w
		if why := rewrite.Refusals(c.prog, c.kernels, g, opt); len(why) > 0 {
			return errors.New(why[0].Text)
		}
		return nil
	}
}

// clock is the simulation, until the context ends.
func clock(ctx context.Context) selection.Clock {
	return func(p selection.Place, policy sim.Policy) (float64, error) {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		return selection.Simulated(p, policy)
	}
}

// choiceGPUs finds the GPUs; with quiet it doesn't say what it takes where
// nothing was asked for.
func (s *session) choiceGPUs(flags choiceFlags, quiet bool) ([]*gpu.GPU, error) {
	if flags.found != nil {
		return flags.found, nil
	}
	defer s.Silence(quiet && !flags.gpus.given())()
	return flags.gpus.gpus(s)
}

// decisions are what package rewrite is to do, by the kernels' positions: what a
// person wants, else what the model chose.
func (c *choice) decisions() map[diag.Position]rewrite.Decision {
	out := map[diag.Position]rewrite.Decision{}
	for i, g := range c.groups {
		for _, k := range g.Kernels {
			at := k.Position()
			if d, ok := c.wish(g).decision(at, c.offers[i]); ok {
				out[at] = d
			} else if c.reports[i] != nil && g.Can() { // else what is against it says why it is left alone
				out[at] = c.reports[i].Decision(at)
			}
		}
	}
	return out
}

// of is the report on a kernel, nil where there is none.
func (c *choice) of(pos diag.Position) *selection.Report {
	for i, g := range c.groups {
		for _, k := range g.Kernels {
			if k.Position() == pos {
				return c.reports[i]
			}
		}
	}
	return nil
}

// reportPredictions tells what the model expects: of what was applied where a
// person has chosen, else of everything.
func (s *session) reportPredictions(c *choice, kernels []rewrite.KernelResult, all bool) {
	for _, k := range kernels {
		r := c.of(k.Pos)
		if r == nil {
			continue
		}
		for _, line := range r.Lines(func(w rewrite.Variant) bool { return all || w == k.Variant }) {
			s.Remark("kernel %q: %s", k.Name, line)
		}
	}
}

package cmd

import (
	"github.com/smux-cuda/smux/pipeline/resources"
	"github.com/smux-cuda/smux/pipeline/targets"
	"github.com/smux-cuda/smux/project/config"
	"github.com/smux-cuda/smux/project/load"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// resourcesWith is --resources, or what settings say where it was not given.
func resourcesWith(flag string, given bool, set *config.Settings) string {
	if set != nil && !given && set.Resources != "" {
		return set.Resources
	}
	return flag
}

// with returns the flags with what settings say where they were not given.
func (c choiceFlags) with(set *config.Settings) choiceFlags {
	if set == nil {
		return c
	}
	c.Settings = set
	c.gpus = c.gpus.With(set)
	c.Resources = resourcesWith(c.Resources, c.given("resources"), set)
	if !c.given("min-gain") && set.MinGain != nil {
		c.MinGain = *set.MinGain
	}
	return c
}

// in returns the flags of a choice as they count for a program.
func (c choiceFlags) in(p targets.Program) choiceFlags {
	c = c.with(p.Settings)
	c.gpus = c.gpus.BuiltFor(p.Architectures())
	if p.Settled {
		c.found = p.GPUs
	}
	if c.Resources == resources.Auto && p.Tree {
		// Compiling each kernel of a tree as every variant would take hours.
		c.Resources = resources.Estimate
	}
	return c
}

// within returns what the flags of `smux rewrite` say of a program.
func (r rewriting) within(p targets.Program) (rewriting, error) {
	var err error
	from := r.choice.with(p.Settings).Resources
	r.in, r.choice = r.in.With(p.Settings), r.choice.in(p)
	if r.opt.Rewriter == variant.Demote || r.climb.After {
		r.choice.Resources = from // which only a compiler can say
	}
	r.opt, err = r.in.RewriteOptionsWith(r.opt, p.Settings)
	r.out = r.out.with(p.Settings, r.in)
	if !r.show.document() {
		r.opt.Runtime = r.out.orDefault(r.opt.Runtime, p.Files)
	}
	return r, err
}

// within returns what the flags of `smux analyze` say of a program.
func (a analyzing) within(p targets.Program) (analyzing, error) {
	var err error
	a.in, a.choice = a.in.With(p.Settings), a.choice.in(p)
	a.opt, err = a.in.RewriteOptionsWith(a.opt, p.Settings)
	return a, err
}

// with lets settings say what a measurement goes by. For which GPU and for how much of a gain is asked for in each
// call: what runs here need not be what a team's code is chosen for.
func (t *tuneCall) with(set *config.Settings) (err error) {
	given := t.flags.set.Changed
	t.flags.resources = resourcesWith(t.flags.resources, given("resources"), set)
	t.flags.gpus.File = t.flags.gpus.With(set).File
	t.opt, err = t.in.RewriteOptionsWith(t.opt, set)
	t.out = t.out.with(set, t.in.With(set))
	return err
}

// lookedAt are the flags of a command that looks at kernels of files on GPUs, with the settings of these files.
func (s *session) lookedAt(files []string, in *load.Options, gpus *targets.Request, resources *string, given func(string) bool) error {
	files, err := load.Arguments(s.Console, files)
	if err != nil {
		return err
	}
	set, err := in.Settings.For(s.Console, files)
	if err != nil {
		return err
	}
	read := *in
	*in, *gpus, *resources = in.With(set), gpus.With(set), resourcesWith(*resources, given("resources"), set)
	if len(gpus.Names) > 0 {
		return nil
	}
	how, err := read.Reading(s.Console, set)
	*gpus = gpus.BuiltFor(how.Commands.Architectures(files))
	return err
}

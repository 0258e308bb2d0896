package cmd

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/pipeline/resources"
	"github.com/smux-cuda/smux/project/config"
	"github.com/smux-cuda/smux/project/load"
	"github.com/smux-cuda/smux/rewrite"
)

// with are the flags with what settings say where they were not given.
func (g gpuFlags) with(set *config.Settings) gpuFlags {
	if set == nil {
		return g
	}
	given := func(name string) bool { return g.set != nil && g.set.Changed(name) }
	if !given("gpu") && len(set.GPUs) > 0 {
		g.names, g.from = set.GPUs, set.At["gpus"]
	}
	if !given("gpu-file") && set.GPUFile != "" {
		g.file = set.GPUFile
	}
	return g
}

// resourcesWith is --resources, or what settings say where it was not given.
func resourcesWith(flag string, given bool, set *config.Settings) string {
	if set != nil && !given && set.Resources != "" {
		return set.Resources
	}
	return flag
}

// with are the flags with what settings say where they were not given.
func (c choiceFlags) with(set *config.Settings) choiceFlags {
	if set == nil {
		return c
	}
	given := func(name string) bool { return c.set != nil && c.set.Changed(name) }
	c.settings = set
	c.gpus = c.gpus.with(set)
	c.resources = resourcesWith(c.resources, given("resources"), set)
	if !given("min-gain") && set.MinGain != nil {
		c.minGain = *set.MinGain
	}
	return c
}

// in are the flags of a choice as they count for a program.
func (c choiceFlags) in(p part) choiceFlags {
	c = c.with(p.Settings)
	c.gpus.built = c.gpus.builtFor(p)
	if p.settled {
		c.found = p.gpus
	}
	if c.resources == resources.Auto && p.Tree {
		// Compiling each kernel of a tree in all ways would take hours.
		c.resources = resources.Estimate
	}
	return c
}

// within is what the flags of `smux rewrite` say of a program.
func (r rewriting) within(p part) (rewriting, error) {
	var err error
	from := r.choice.with(p.Settings).resources
	r.in, r.choice = r.in.With(p.Settings), r.choice.in(p)
	if r.opt.Rewriter == rewrite.Demote || r.climb.also {
		r.choice.resources = from // which only a compiler can say
	}
	r.opt, err = r.in.WithSettings(r.opt, p.Settings)
	return r, err
}

// within is what the flags of `smux analyze` say of a program.
func (a analyzing) within(p part) (analyzing, error) {
	var err error
	a.in, a.choice = a.in.With(p.Settings), a.choice.in(p)
	a.opt, err = a.in.WithSettings(a.opt, p.Settings)
	return a, err
}

// with lets settings say what a measurement goes by. For which GPU and for how much
// of a gain is asked for in each call: what runs here need not be what a team's code
// is chosen for.
func (t *tuning) with(set *config.Settings) (err error) {
	given := t.flags.set.Changed
	t.flags.resources = resourcesWith(t.flags.resources, given("resources"), set)
	t.flags.gpus.file = t.flags.gpus.with(set).file
	t.opt, err = t.in.WithSettings(t.opt, set)
	return err
}

// lookedAt are the flags of a command that looks at kernels of files on GPUs, with
// the settings of these files.
func (s *session) lookedAt(files []string, in *load.Options, gpus *gpuFlags, resources *string, given func(string) bool) error {
	files, err := load.Arguments(s.Console, files)
	if err != nil {
		return err
	}
	set, err := in.Settings.For(s.Console, files)
	if err != nil {
		return err
	}
	read := *in
	*in, *gpus, *resources = in.With(set), gpus.with(set), resourcesWith(*resources, given("resources"), set)
	if len(gpus.names) > 0 {
		return nil
	}
	how, err := read.Reading(s.Console, set)
	gpus.built = built{archs: how.Commands.Architectures(files)}
	return err
}

// part is one of the programs that a command looks at.
type part struct {
	load.Program
	gpus    []*gpu.GPU // that it is looked at for, once that is settled
	settled bool
}

// withGPUs gives each program of a tree the GPUs that it is looked at for, if a choice
// asks for some. Programs whose settings name wrong ones are left out, with a message;
// the error is for what concerns all of them.
func (s *session) withGPUs(programs []load.Program, choice *choiceFlags) ([]part, error) {
	var parts []part
	for _, p := range programs {
		parts = append(parts, part{Program: p})
	}
	switch {
	case choice == nil:
		return parts, nil
	case len(parts) == 0 && choice.gpus.given():
		_, err := s.choiceGPUs(*choice, false) // a wrong name is told in any case
		return nil, err
	}
	keys, share := make([]string, len(parts)), map[string]int{}
	for i, p := range parts {
		flags := choice.with(p.Settings)
		keys[i] = fmt.Sprintf("%q", append(slices.Concat(flags.gpus.names, flags.gpus.builtFor(p).archs), flags.gpus.file))
		share[keys[i]]++
	}
	sets, told := map[string]func() ([]*gpu.GPU, error){}, map[string]bool{}
	var out []part
	for i, p := range parts {
		if !p.Tree {
			return parts, nil
		}
		flags := choice.with(p.Settings)
		flags.gpus.built = flags.gpus.builtFor(p)
		flags.gpus.built.told = told
		if len(share) > 1 {
			flags.gpus.built.of = otherPrograms(p.Files[0], share[keys[i]])
		}
		p.settled = true
		var err error
		p.gpus, err = once(sets, keys[i], func() ([]*gpu.GPU, error) { return s.choiceGPUs(flags, false) })
		switch {
		case err == nil:
			out = append(out, p)
		case p.ConcernsAll(err):
			return nil, err
		}
	}
	return out, nil
}

// builtFor is what a compilation database says of a program's GPUs where neither a
// flag nor a setting names some.
func (g *gpuFlags) builtFor(p part) built {
	if len(g.names) > 0 {
		return built{}
	}
	return built{archs: p.Architectures()}
}

// once calls f for the first of equal keys, and returns errReported to the others
// where it failed so: a message is printed once.
func once[K comparable, V any](known map[K]func() (V, error), key K, f func() (V, error)) (V, error) {
	if known[key] == nil {
		v, err := f()
		known[key] = func() (V, error) { return v, err }
	}
	return known[key]()
}

// inSettings tells at the place of the setting that a GPU is not there.
func (g *gpuFlags) inSettings(s *session, err error) error {
	if !g.from.IsValid() || err == diag.ErrReported {
		return err
	}
	exit, ok := err.(*diag.Failure)
	if !ok || exit.Exit != diag.ExitUsage {
		return err
	}
	text := strings.TrimLeft(strings.TrimPrefix(exit.Error(), "--gpu"), ": ")
	load.ReportSetting(s.Console, g.from, "gpus: "+text, exit.Help)
	return diag.ErrReported
}

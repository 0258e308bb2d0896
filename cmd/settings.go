package cmd

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/pipeline/resources"
	"github.com/smux-cuda/smux/project/config"
	"github.com/smux-cuda/smux/rewrite"
)

// A setting counts where its flag was not given; a flag that was given replaces the
// setting, lists too, so that what a person types is all there is.

// given reports whether a flag of the command was given. Some parse no flags at all.
func (in *inputFlags) given(name string) bool { return in.set != nil && in.set.Changed(name) }

// with are the flags with what settings say where they were not given.
func (in inputFlags) with(set *config.Settings) inputFlags {
	if set == nil {
		return in
	}
	if !in.given("include") && len(set.Include) > 0 {
		in.includes = set.Include
	}
	if !in.given("define") && len(set.Define) > 0 {
		in.defines = set.Define
	}
	if !in.given("compile-commands") && set.CompileCommands != "" {
		in.compileCommands = set.CompileCommands
	}
	if !in.given("block") && set.Block != "" {
		in.block = set.Block
	}
	return in
}

// rewriting are a rewrite's options with what settings say.
func (in inputFlags) rewriting(opt rewrite.Options, set *config.Settings) (rewrite.Options, error) {
	if set == nil {
		return opt, nil
	}
	if !in.given("runtime") && set.Runtime != "" {
		opt.Runtime = set.Runtime
	}
	if in.given("block") {
		return opt, nil
	}
	var err error
	if set.Block != "" {
		opt.Block, err = parseBlock(set.Block)
	}
	return opt, err
}

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
	c = c.with(p.settings)
	c.gpus.built = c.gpus.builtFor(p)
	if p.settled {
		c.found = p.gpus
	}
	if c.resources == resources.Auto && p.tree {
		// Compiling each kernel of a tree in all ways would take hours.
		c.resources = resources.Estimate
	}
	return c
}

// within is what the flags of `smux rewrite` say of a program.
func (r rewriting) within(p part) (rewriting, error) {
	var err error
	from := r.choice.with(p.settings).resources
	r.in, r.choice = r.in.with(p.settings), r.choice.in(p)
	if r.opt.Rewriter == rewrite.Demote || r.climb.also {
		r.choice.resources = from // which only a compiler can say
	}
	r.opt, err = r.in.rewriting(r.opt, p.settings)
	return r, err
}

// within is what the flags of `smux analyze` say of a program.
func (a analyzing) within(p part) (analyzing, error) {
	var err error
	a.in, a.choice = a.in.with(p.settings), a.choice.in(p)
	a.opt, err = a.in.rewriting(a.opt, p.settings)
	return a, err
}

// with lets settings say what a measurement goes by. For which GPU and for how much
// of a gain is asked for in each call: what runs here need not be what a team's code
// is chosen for.
func (t *tuning) with(set *config.Settings) (err error) {
	given := t.flags.set.Changed
	t.flags.resources = resourcesWith(t.flags.resources, given("resources"), set)
	t.flags.gpus.file = t.flags.gpus.with(set).file
	t.opt, err = t.in.rewriting(t.opt, set)
	return err
}

// lookedAt are the flags of a command that looks at kernels of files on GPUs, with
// the settings of these files.
func (s *session) lookedAt(files []string, in *inputFlags, gpus *gpuFlags, resources *string, given func(string) bool) error {
	files, err := s.fileArguments(files)
	if err != nil {
		return err
	}
	set, err := in.config.of(s, files)
	if err != nil {
		return err
	}
	read := *in
	*in, *gpus, *resources = in.with(set), gpus.with(set), resourcesWith(*resources, given("resources"), set)
	if len(gpus.names) > 0 {
		return nil
	}
	how, err := s.readingWith(read, set)
	gpus.built = built{archs: how.commands.Architectures(files)}
	return err
}

// configured gives each program its settings and the GPUs that it is looked at for.
// Programs whose settings are wrong are left out, with a message; the error is for
// what concerns all of them, and for a program that is the only one.
func (s *session) configured(parts []part, in inputFlags, choice *choiceFlags) ([]part, error) {
	if err := in.config.check(); err != nil {
		return nil, err
	}
	readings := map[*config.Settings]func() (reading, error){}
	if len(parts) == 0 && choice != nil && choice.gpus.given() {
		_, err := s.choiceGPUs(*choice, false) // a wrong name is told in any case
		return nil, err
	}
	var out []part
	for _, p := range parts {
		err := func() (err error) {
			if p.settings, err = in.config.of(s, p.files); err != nil || p.settings == nil { // else it has been read
				return err
			}
			p.how, err = once(readings, p.settings, func() (reading, error) { return s.readingWith(in, p.settings) })
			return err
		}()
		switch {
		case err == nil:
			out = append(out, p)
		case concernsAll(err, p, in):
			return nil, err
		}
	}
	if choice == nil {
		return out, nil
	}
	return s.withGPUs(out, in, *choice)
}

// concernsAll reports whether an error about a program is one about all of them.
func concernsAll(err error, p part, in inputFlags) bool {
	return err != diag.ErrReported || !p.tree || in.config != nil && in.config.file != ""
}

// withGPUs gives each program of a tree the GPUs that it is looked at for.
func (s *session) withGPUs(parts []part, in inputFlags, choice choiceFlags) ([]part, error) {
	keys, share := make([]string, len(parts)), map[string]int{}
	for i, p := range parts {
		flags := choice.with(p.settings)
		keys[i] = fmt.Sprintf("%q", append(slices.Concat(flags.gpus.names, flags.gpus.builtFor(p).archs), flags.gpus.file))
		share[keys[i]]++
	}
	sets, told := map[string]func() ([]*gpu.GPU, error){}, map[string]bool{}
	var out []part
	for i, p := range parts {
		if !p.tree {
			return parts, nil
		}
		flags := choice.with(p.settings)
		flags.gpus.built = flags.gpus.builtFor(p)
		flags.gpus.built.told = told
		if len(share) > 1 {
			flags.gpus.built.of = otherPrograms(p.files[0], share[keys[i]])
		}
		p.settled = true
		var err error
		p.gpus, err = once(sets, keys[i], func() ([]*gpu.GPU, error) { return s.choiceGPUs(flags, false) })
		switch {
		case err == nil:
			out = append(out, p)
		case concernsAll(err, p, in):
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
	return built{archs: p.how.commands.Architectures(p.files)}
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

// readingWith is how files are read under settings. A compilation database that
// cannot be read is told at the place that names it.
func (s *session) readingWith(in inputFlags, set *config.Settings) (reading, error) {
	with := in.with(set)
	how, err := with.reading()
	if err != nil && set != nil && !in.given("compile-commands") && set.CompileCommands != "" {
		s.atSetting(set.At["compile-commands"], "compile-commands: "+err.Error(), helpOf(err))
		return how, diag.ErrReported
	}
	return how, err
}

// atSetting prints what is wrong with a setting that only its use shows.
func (s *session) atSetting(pos diag.Position, text, help string) {
	m := diag.Message{Pos: pos, Code: config.CodeValue, Text: text, Help: help}
	s.Note(diag.ExitUsage)
	s.Message(m)
	s.Unread = append(s.Unread, m)
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
	s.atSetting(g.from, "gpus: "+text, exit.Help)
	return diag.ErrReported
}

// helpOf is the line of help of an error, "" for none.
func helpOf(err error) string {
	if exit, ok := err.(*diag.Failure); ok {
		return exit.Help
	}
	return ""
}

package cmd

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/console"
	"github.com/smux-cuda/smux/internal/prose"
	"github.com/smux-cuda/smux/internal/usage"
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/model/profile"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/pipeline"
	"github.com/smux-cuda/smux/pipeline/targets"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/tune/fidelity"
	"github.com/smux-cuda/smux/tune/record"
)

// choiceFlags say for which GPUs a rewrite is chosen, and what is asked of it.
type choiceFlags struct {
	pipeline.Ask // what is given to it directly: Resources, MinGain, Settings
	gpus         targets.Request
	found        []*gpu.GPU // those that the flags mean, once that is settled
	profiles     []string
	set          *pflag.FlagSet
}

func (c *choiceFlags) register(f *pflag.FlagSet) {
	c.set = pflag.NewFlagSet("choice", pflag.ContinueOnError)
	c.set.SortFlags = false
	registerGPUs(c.set, &c.gpus)
	registerResources(c.set, &c.Resources)
	c.set.Float64Var(&c.MinGain, "min-gain", 5, "change a kernel only where `PERCENT` or more are expected to be gained")
	usage.Under(c.set, usage.Choice)
	f.AddFlagSet(c.set)
}

// registerProfile adds the flag of commands that go by what was measured.
func (c *choiceFlags) registerProfile(f *pflag.FlagSet) {
	f.StringArrayVar(&c.profiles, "profile", nil, "go by what was measured: a `FILE` that ncu --csv wrote, or smux tune import made of it, or a record of smux tune; can be repeated")
	usage.Under(f, usage.Choice)
}

// given reports whether a person gave a flag.
func (c *choiceFlags) given(name string) bool { return c.set != nil && c.set.Changed(name) }

// check refuses values that cannot be meant.
func (c *choiceFlags) check() error {
	if math.IsNaN(c.MinGain) || c.MinGain < 0 || c.MinGain > 1000 {
		return diag.Usagef("write --min-gain 5 for 5 %", "--min-gain must be from 0 to 1000 percent, got %v", c.MinGain)
	}
	var records []string
	for _, file := range c.profiles {
		src, err := readResults(file)
		if err != nil {
			return err
		}
		if record.Is(src) {
			records = append(records, file)
			continue
		}
		kernels, err := profile.Read(file, src)
		if err != nil {
			return err
		}
		c.Profile = append(c.Profile, kernels...)
	}
	var err error
	c.Corrections, err = fidelity.ReadCorrections(records)
	return cmp.Or(err, checkResources(c.Resources))
}

// remarkOnUnused names the kernels of profiles of which nothing is shown.
func (c *choiceFlags) remarkOnUnused(s *console.Console) {
	var names []string
	for _, k := range c.Profile {
		if !k.Shown() && !slices.Contains(names, k.Name) {
			names = append(names, k.Name)
		}
	}
	if len(names) > 0 {
		s.Remark("the profile's %s %s: no kernel of that name is launched with as many threads here", prose.Noun(len(names), "kernel"), prose.Printable(strings.Join(names, ", ")))
	}
}

// unused refuses the flags where a person has chosen and nothing is asked of the
// model. The GPUs are those that registers are compared for.
func (c *choiceFlags) unused(given *pflag.FlagSet) error {
	const help = "omit --variant to have smux choose"
	switch {
	case given.Changed("min-gain"):
		return diag.Usagef(help, "--min-gain says when to rewrite, and --variant says to do it anyway")
	case len(c.profiles) > 0:
		return diag.Usagef(help, "--profile says which rewrites help, and --variant says to do one anyway")
	}
	return nil
}

// ask returns what the flags ask of the model.
func (c *choiceFlags) ask(s *session) pipeline.Ask {
	flags := *c
	out := c.Ask
	out.GPUs = func(quietly bool) ([]*gpu.GPU, error) { return s.choiceGPUs(flags, quietly) }
	out.Named, out.Insists = c.gpus.Asked(), c.given("min-gain")
	return out
}

// choiceGPUs finds the GPUs; with quiet it doesn't say what it takes if nothing was asked for.
func (s *session) choiceGPUs(flags choiceFlags, quiet bool) ([]*gpu.GPU, error) {
	if flags.found != nil {
		return flags.found, nil
	}
	defer s.Silence(quiet && !flags.gpus.Asked())()
	return s.targets().GPUs(flags.gpus)
}

// job returns a program on its way through the pipeline, as the flags ask.
func (s *session) job(prog *parser.Program, parse parser.Options, opt rewrite.Options, choice choiceFlags, say verbosity) *pipeline.Job {
	return &pipeline.Job{
		Console: s.Console, Program: prog, Parse: parse, Options: opt, Ask: choice.ask(s),
		Quiet: say.quiet, Verbose: say.verbose, FindNVCC: s.findNVCC, Rewrite: s.rewrite,
	}
}

// registerGPUs adds the flags that say for which GPUs a model is asked.
func registerGPUs(f *pflag.FlagSet, r *targets.Request) {
	r.Changed = f.Changed
	f.StringArrayVar(&r.Names, "gpu", nil, "choose for these GPUs, `NAMES` such as a100,sm_86 or native, as gpus in .smux.yaml; the default is those of compile_commands.json, else those of this machine, else a few common ones")
	f.StringVar(&r.File, "gpu-file", "", "read more GPUs from this TOML `FILE`")
}

// targets finds GPUs for this session.
func (s *session) targets() targets.Finder {
	return targets.Finder{Console: s.Console, NVIDIASMI: s.nvidiaSMI}
}

package cmd

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/pflag"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/usage"
	"github.com/smux-cuda/smux/pipeline/targets"
	"github.com/smux-cuda/smux/tune"
	"github.com/smux-cuda/smux/tune/judge"
	"github.com/smux-cuda/smux/tune/search"
)

// tuneFlags are those of `smux tune`.
type tuneFlags struct {
	tune.Options // but for Kernels, Arguments, Strategy, Budget and parts that flags give in percent
	gpus         targets.Request
	strategy     string
	budget       string

	precision, confidence, modelError, modelNoise float64 // percent

	replay, export, imported, t4 string
	report, asJSON               bool

	resources string
	set       *pflag.FlagSet
}

func (o *tuneFlags) register(f *pflag.FlagSet) {
	o.set, o.Rules = f, judge.DefaultRules()
	f.BoolVar(&o.asJSON, "json", false, "print the verdicts as JSON")
	f.StringVar(&o.Store, "store", "", "keep measurements in this `FILE`, lines of JSON; the default is in the cache folder")
	f.StringVar(&o.replay, "replay", "", "measure nothing, decide by this record `FILE`")
	f.BoolVar(&o.report, "report", false, "measure nothing, say how well the model predicted the records that are named")
	f.StringVar(&o.export, "export", "", "measure nothing, write a bundle to this `DIR` for a machine with nvcc and a GPU")
	f.StringVar(&o.imported, "import", "", "take back what was measured in this `DIR` of --export, and decide")
	f.StringVar(&o.t4, "t4", "", "also write the results to this `FILE` in the autotuning community's T4 format")
	usage.Word(f, &o.strategy, "strategy", "guided", "measure forms by this `STRATEGY`; guided begins with the best predicted and stops when the rest can't win", "guided", "exhaustive", "random")
	f.StringVar(&o.budget, "budget", "", "measure at most `N` forms of each kernel, or for a time such as 10m in all; the default is 2m for guided where --kernel names none")
	f.Uint64Var(&o.Seed, "seed", 1, "begin what is random with this `SEED`: the strategy, resampling, --on model")
	f.Float64Var(&o.Rules.MinGain, "min-gain", o.Rules.MinGain, "choose a form only if it gains `PERCENT` or more, and more than the noise")
	f.Float64Var(&o.precision, "precision", 100*o.Rules.Precision, "repeat until the interval is narrower than `PERCENT` of the ratio")
	f.Float64Var(&o.confidence, "confidence", 100*o.Rules.Confidence, "make intervals that hold in `PERCENT` of the cases")
	f.IntVar(&o.Rules.MinPairs, "min-pairs", o.Rules.MinPairs, "measure each form at least `N` times next to the original")
	f.IntVar(&o.Rules.MaxPairs, "max-pairs", o.Rules.MaxPairs, "measure each form at most `N` times")
	f.IntVar(&o.Rules.Confirm, "confirm", o.Rules.Confirm, "measure the form to be chosen `N` times anew")
	f.IntVar(&o.WarmUp, "warm-up", 1, "do not count the first `N` runs of each form, or repetitions of a kernel alone")
	f.IntVar(&o.Repeats, "repeats", 5, "repeat a kernel alone `N` times within a run")
	f.BoolVar(&o.FlushL2, "flush", false, "flush the L2 cache before each launch")
	f.DurationVar(&o.Timeout, "timeout", time.Minute, "stop a run after this `TIME`")
	f.Float64Var(&o.Tolerance.Abs, "atol", 0, "let floating-point outputs differ by this `AMOUNT`")
	f.Float64Var(&o.Tolerance.Rel, "rtol", 0, "let floating-point outputs differ by this `FRACTION` of the original's")
	f.StringVar(&o.Tolerance.Except, "except-lines", "", "do not compare lines of the output that this `REGEXP` matches in both runs")
	usage.Word(f, &o.On, "on", tune.OnGPU, "measure on this `MACHINE`; slurm is a GPU of a cluster, cpu and model say nothing of a GPU", tune.OnGPU, tune.OnSlurm, tune.OnCPU, tune.OnModel)
	usage.Under(f, usage.Measure)
	registerGPUs(f, &o.gpus)
	f.Lookup("gpu").Usage = "have the model predict for the GPU `NAME`; the default is that of this machine"
	f.StringVar(&o.Devices, "devices", "", "use the GPUs of this `LIST` side by side, such as 0,1 or all; the default is the first")
	o.registerJobs(f)
	registerResources(f, &o.resources)
	f.StringVar(&o.Command.Run, "run", "", "measure by this shell `COMMAND`, in a copy of the tree")
	f.StringVar(&o.Command.Build, "build", "", "with --run: build each form by this `COMMAND` first")
	f.StringVar(&o.Command.Metric, "metric", "", "with --run: take the first group of this `REGEXP` in the command's output as its time")
	f.BoolVar(&o.Command.Maximize, "maximize", false, "with --run: take more of the metric as better")
	f.StringVar(&o.Command.Root, "root", "", "with --run: copy this `DIR`; the default is the current one")
	f.BoolVar(&o.Sizes, "sizes", false, "also try other values of constants that set sizes; only the comparison of outputs confirms such a form")
	f.BoolVar(&o.Verify, "verify", false, "run the chosen form on the CPU as well before it is written (see smux verify)")
	f.StringVar(&o.Dir, "chdir", "", "run the program in this `DIR`")
	f.StringArrayVar(&o.Libraries, "library", nil, "link with this `LIBRARY`; can be repeated")
	f.Float64Var(&o.modelError, "model-error", 10, "with --on model: let the model err by `PERCENT`")
	f.Float64Var(&o.modelNoise, "model-noise", 1, "with --on model: let times differ by `PERCENT` from run to run")
	f.BoolVarP(&o.Quiet, "quiet", "q", false, "print neither progress nor the reasons")
	f.BoolVarP(&o.Verbose, "verbose", "v", false, "show all forms, and why others are left out")
	usage.Under(f, usage.Measure)
	registerBench(f, &o.Bench)
}

// measures reports whether a call measures something here.
func (o *tuneFlags) measures() bool {
	return !o.report && o.replay == "" && o.export == "" && o.imported == ""
}

// options returns what the flags say of a tuning.
func (o *tuneFlags) options() tune.Options {
	out := o.Options
	out.Budget.Forms, out.Budget.Seconds, _ = o.limits()
	out.GPUs, out.Strategy = o.gpus.Names, o.searched()
	out.ModelError, out.ModelNoise = o.modelError/100, o.modelNoise/100
	out.Rules.Precision, out.Rules.Confidence = o.precision/100, o.confidence/100
	out.Rules.MaxPairs = max(out.Rules.MaxPairs, out.Rules.MinPairs)
	return out
}

// searched returns the strategy.
func (o *tuneFlags) searched() search.Strategy {
	switch o.strategy {
	case "exhaustive":
		return search.Exhaustive{}
	case "random":
		return search.Random{Seed: o.Seed}
	}
	return search.Guided{Looks: true}
}

// check refuses what can't be meant.
func (o *tuneFlags) check(f *pflag.FlagSet, after []string) error {
	modes := []string{"replay", "report", "export", "import"}
	given := ""
	for _, name := range modes {
		if !f.Changed(name) {
			continue
		}
		if given != "" {
			return diag.Usagef("give one of them", "--%s and --%s ask for different things", given, name)
		}
		given = name
		if name != "report" && f.Lookup(name).Value.String() == "" {
			return diag.Usagef("", "--%s names nothing", name)
		}
	}
	if given == "replay" || given == "report" {
		for _, name := range []string{"store", "on", "devices", "run", "budget", "strategy"} {
			if f.Changed(name) {
				return diag.Usagef("leave it out", "--%s measures nothing, and --%s says how to measure", given, name)
			}
		}
		if after != nil {
			return diag.Usagef(`leave out "--" and what follows`, "--%s runs no program", given)
		}
	}
	_, _, wrong := o.limits()
	if err := cmp.Or(o.checkNumbers(f),
		oneOf("--on", o.On, tune.OnGPU, tune.OnSlurm, tune.OnCPU, tune.OnModel), o.checkJobs(f),
		oneOf("--strategy", o.strategy, "guided", "exhaustive", "random"),
		checkResources(o.resources), wrong); err != nil {
		return err
	}
	if o.Command.Run == "" {
		for _, name := range []string{"build", "metric", "maximize", "root"} {
			if f.Changed(name) {
				return diag.Usagef("add --run COMMAND", "--%s is about a command that measures, and --run is missing", name)
			}
		}
	} else {
		switch {
		case o.Command.Metric == "":
			return diag.Usagef(`write --metric 'time: ([0-9.]+) ms'`, "--run needs --metric, which finds the time in the command's output")
		case f.Changed("on"):
			return diag.Usagef("omit --on", "--run and --on both say what measures")
		case after != nil:
			return diag.Usagef("write them into the command", `the arguments after "--" are for a program, and --run calls a command`)
		case o.Bench.Launch != "" || o.Bench.Comments:
			return diag.Usagef("give one of them", "--run, and --launch or --bench, exclude each other")
		}
	}
	if o.Quiet && o.Verbose {
		return diag.Usagef("", "-q and -v contradict each other: give one")
	}
	return nil
}

func (o *tuneFlags) checkNumbers(f *pflag.FlagSet) error {
	for _, n := range []struct {
		name      string
		low, high float64
	}{
		{"min-gain", 0, 1000}, {"precision", 0.001, 100}, {"confidence", 50, 99.9}, {"min-pairs", 3, 10000}, {"max-pairs", 3, 10000},
		{"confirm", 3, 10000}, {"warm-up", 0, 10000}, {"repeats", 1, 10000}, {"model-error", 0, 100}, {"model-noise", 0, 100},
		{"atol", 0, 1e300}, {"rtol", 0, 1e300}, {"tries", 1, 1000},
	} {
		x, err := strconv.ParseFloat(f.Lookup(n.name).Value.String(), 64)
		if err != nil || !(x >= n.low && x <= n.high) {
			return diag.Usagef("", "--%s must be from %g to %g, got %s", n.name, n.low, n.high, f.Lookup(n.name).Value)
		}
	}
	if _, err := regexp.Compile(o.Tolerance.Except); err != nil {
		return diag.Usagef("", "--except-lines is not a regular expression: %w", err)
	}
	if o.Timeout <= 0 {
		return diag.Usagef("write --timeout 60s or --timeout 5m", "--timeout must be more than nothing, got %s", o.Timeout)
	}
	return nil
}

// limits reads --budget: a number of forms, or a time.
func (o *tuneFlags) limits() (forms int, seconds float64, err error) {
	if o.budget == "" {
		return 0, 0, nil
	}
	if n, err := strconv.Atoi(o.budget); err == nil && n > 0 {
		return n, 0, nil
	}
	if d, err := time.ParseDuration(o.budget); err == nil && d > 0 {
		return 0, d.Seconds(), nil
	}
	return 0, 0, diag.Usagef("write --budget 40 for 40 forms, or --budget 10m", "--budget %q is neither a number of forms nor a time", o.budget)
}

// jobFlags are the names of the flags about jobs; one of them does nothing any more.
var jobFlags = []string{"partition", "gres", "account", "sbatch-arg", "tries", "shared", "jobs"}

func (o *tuneFlags) registerJobs(f *pflag.FlagSet) {
	f.StringVar(&o.Slurm.Partition, "partition", "", "with --on slurm: submit to this `PARTITION`")
	f.StringVar(&o.Slurm.Gres, "gres", "gpu:1", "with --on slurm: ask for these `RESOURCES`, such as gpu:a100:1")
	f.StringVar(&o.Slurm.Account, "account", "", "with --on slurm: charge this `ACCOUNT`")
	f.StringArrayVar(&o.Slurm.Further, "sbatch-arg", nil, "with --on slurm: give sbatch this `OPTION`, such as --qos=low; can be repeated")
	f.IntVar(&o.Slurm.Tries, "tries", 3, "with --on slurm: give up when `N` jobs in a row have measured nothing")
	f.StringVar(&o.Shared, "shared", "", "with --on slurm: work in this `DIR`, which the nodes must see; the default is beside the record")
	f.Int("jobs", 0, "")
	f.Lookup("jobs").Hidden = true
}

// checkJobs refuses what is about jobs without jobs.
func (o *tuneFlags) checkJobs(f *pflag.FlagSet) error {
	for _, name := range jobFlags {
		if o.On != tune.OnSlurm && f.Changed(name) {
			return diag.Usagef("add --on slurm", "--%s is about jobs of Slurm", name)
		}
	}
	return nil
}

// given returns the flags that a person gave, but for some.
func given(f *pflag.FlagSet, but ...string) (out []string) {
	f.Visit(func(one *pflag.Flag) {
		values := []string{one.Value.String()}
		if many, ok := one.Value.(pflag.SliceValue); ok {
			values = many.GetSlice()
		}
		for _, v := range values {
			if !slices.Contains(but, one.Name) {
				out = append(out, "--"+one.Name+"="+v)
			}
		}
	})
	return out
}

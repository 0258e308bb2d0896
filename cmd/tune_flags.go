package cmd

import (
	"strconv"
	"time"

	"github.com/spf13/pflag"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/pipeline/resources"
	"github.com/smux-cuda/smux/pipeline/targets"
	"github.com/smux-cuda/smux/tune"
	"github.com/smux-cuda/smux/tune/judge"
	"github.com/smux-cuda/smux/tune/search"
	"github.com/smux-cuda/smux/tune/tuning"
	"github.com/smux-cuda/smux/verify"
)

// tuneFlags are those of `smux tune`.
type tuneFlags struct {
	on       string
	gpus     targets.Request
	devices  string
	strategy string
	seed     uint64
	budget   string

	minGain, precision, confidence float64
	minPairs, maxPairs, confirm    int
	warmUp, inner                  int
	flush                          bool
	timeout                        time.Duration
	abs, rel                       float64

	build, run, metric, root string
	maximize                 bool

	store, replay, export, imported, t4 string
	report, verify, asJSON, quiet       bool
	verbose                             bool

	simulatedError, simulatedNoise float64

	resources string
	dir       string
	libraries []string
	bench     benchFlags
	set       *pflag.FlagSet
}

func (o *tuneFlags) register(f *pflag.FlagSet) {
	o.set = f
	rules := judge.DefaultRules()
	f.BoolVar(&o.asJSON, "json", false, "print the verdicts as JSON")
	f.StringVar(&o.store, "store", "", "keep measurements in this `FILE`, lines of JSON; the default is in the user's cache folder, by the program's text")
	f.StringVar(&o.replay, "replay", "", "measure nothing, decide by this record `FILE`")
	f.BoolVar(&o.report, "report", false, "measure nothing, say how well the model predicted the records that are named as files")
	f.StringVar(&o.export, "export", "", "measure nothing, write all there is to be measured to this `DIR`, for a machine with nvcc and a GPU alone")
	f.StringVar(&o.imported, "import", "", "take back what was measured in this `DIR` of --export, and decide")
	f.StringVar(&o.t4, "t4", "", "also write the results to this `FILE` in the autotuning community's T4 format")
	f.StringVar(&o.strategy, "strategy", "guided", "`guided|exhaustive|random`: which forms are measured; guided begins with the best predicted and stops when the rest can't win")
	f.StringVar(&o.budget, "budget", "", "measure at most `N` forms, or for a TIME such as 10m")
	f.Uint64Var(&o.seed, "seed", 1, "`SEED` of what is random: the strategy, resampling, --on model")
	f.Float64Var(&o.minGain, "min-gain", rules.MinGain, "a form must beat the original by `PERCENT` or more, and by more than the noise")
	f.Float64Var(&o.precision, "precision", 100*rules.Precision, "repeat until the interval is narrower than `PERCENT` of the ratio")
	f.Float64Var(&o.confidence, "confidence", 100*rules.Confidence, "`PERCENT` of the intervals")
	f.IntVar(&o.minPairs, "min-pairs", rules.MinPairs, "measure each form at least `N` times next to the original")
	f.IntVar(&o.maxPairs, "max-pairs", rules.MaxPairs, "… and at most `N` times")
	f.IntVar(&o.confirm, "confirm", rules.Confirm, "measure what is to be chosen `N` times anew, nine times at least")
	f.IntVar(&o.warmUp, "warm-up", 1, "`N` runs of each form (or repetitions within each, of a kernel alone) that don't count")
	f.IntVar(&o.inner, "repeats", 5, "`N` repetitions within a run that count, of a kernel alone")
	f.BoolVar(&o.flush, "flush", false, "flush the L2 cache before each launch")
	f.DurationVar(&o.timeout, "timeout", time.Minute, "`TIME` that one run may take")
	f.Float64Var(&o.abs, "atol", 0, "let floating-point outputs differ by this `AMOUNT`")
	f.Float64Var(&o.rel, "rtol", 0, "let floating-point outputs differ by this `FRACTION` of the original's")
	f.StringVar(&o.on, "on", tuning.OnGPU, "`gpu|cpu|model`: measure on a GPU, on the CPU engine of smux verify (which says nothing of a GPU), or make times up from the model")
	registerGPUs(f, &o.gpus)
	f.Lookup("gpu").Usage = "the GPU `NAME` that the model predicts for; the default is that of this machine"
	f.StringVar(&o.devices, "devices", "", "use these GPUs of the machine side by side, `LIST` such as 0,1 or all; the default is the first")
	registerResources(f, &o.resources)
	f.StringVar(&o.run, "run", "", "measure by this shell `COMMAND`, in a copy of the tree")
	f.StringVar(&o.build, "build", "", "with --run: build each form by this `COMMAND` first")
	f.StringVar(&o.metric, "metric", "", "with --run: the first group of this `REGEXP` in what the command prints is its time")
	f.BoolVar(&o.maximize, "maximize", false, "with --run: more of the metric is better")
	f.StringVar(&o.root, "root", "", "with --run: copy this `DIR`; the default is the current one")
	f.BoolVar(&o.verify, "verify", false, "run what is chosen on the CPU as well before it is written (see smux verify)")
	f.StringVar(&o.dir, "chdir", "", "run the program in this `DIR`")
	f.StringArrayVar(&o.libraries, "library", nil, "link with this `LIBRARY`; can be repeated")
	f.Float64Var(&o.simulatedError, "model-error", 10, "with --on model: the model errs by `PERCENT`")
	f.Float64Var(&o.simulatedNoise, "model-noise", 1, "with --on model: times differ by `PERCENT` from run to run")
	f.BoolVarP(&o.quiet, "quiet", "q", false, "print neither progress nor the reasons")
	f.BoolVarP(&o.verbose, "verbose", "v", false, "say which forms are left out, and why")
	o.bench.register(f)
}

// measures reports whether a call measures something here.
func (o *tuneFlags) measures() bool {
	return !o.report && o.replay == "" && o.export == "" && o.imported == ""
}

// options are what the flags say of a tuning.
func (o *tuneFlags) options() tuning.Options {
	forms, seconds, _ := o.limits()
	out := tuning.Options{
		Dir: o.dir, Libraries: o.libraries,
		On: o.on, Command: tuning.Command{Build: o.build, Run: o.run, Metric: o.metric, Maximize: o.maximize, Root: o.root},
		GPUs: o.gpus.Names, Devices: o.devices, Seed: o.seed, ModelError: o.simulatedError / 100, ModelNoise: o.simulatedNoise / 100,
		Strategy: o.searched(), Budget: tune.Budget{Forms: forms, Seconds: seconds}, Rules: o.rules(),
		WarmUp: o.warmUp, Repeats: o.inner, FlushL2: o.flush, Timeout: o.timeout,
		Store: o.store, Verify: o.verify, Quiet: o.quiet, Verbose: o.verbose,
	}
	if o.set.Changed("atol") || o.set.Changed("rtol") {
		out.Tolerance = &verify.Tolerance{Abs: o.abs, Rel: o.rel}
	}
	return out
}

// searched is the strategy.
func (o *tuneFlags) searched() search.Strategy {
	switch o.strategy {
	case "exhaustive":
		return search.Exhaustive{}
	case "random":
		return search.Random{Seed: o.seed}
	}
	return search.Guided{Looks: true}
}

// rules are the judge's.
func (o *tuneFlags) rules() judge.Rules {
	r := judge.DefaultRules()
	r.MinGain, r.Precision, r.Confidence = o.minGain, o.precision/100, o.confidence/100
	r.MinPairs, r.MaxPairs, r.Confirm = o.minPairs, max(o.maxPairs, o.minPairs), o.confirm
	return r
}

// check refuses what can't be meant.
func (o *tuneFlags) check(f *pflag.FlagSet, args, after []string) error {
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
	if err := o.checkNumbers(f); err != nil {
		return err
	}
	if err := oneOf("--on", o.on, tuning.OnGPU, tuning.OnCPU, tuning.OnModel); err != nil {
		return err
	}
	if err := oneOf("--strategy", o.strategy, "guided", "exhaustive", "random"); err != nil {
		return err
	}
	if err := oneOf("--resources", o.resources, resources.Auto, resources.NVCC, resources.Estimate); err != nil {
		return err
	}
	if _, _, err := o.limits(); err != nil {
		return err
	}
	if o.run == "" {
		for _, name := range []string{"build", "metric", "maximize", "root"} {
			if f.Changed(name) {
				return diag.Usagef("add --run COMMAND", "--%s is about a command that measures, and --run is missing", name)
			}
		}
	} else {
		switch {
		case o.metric == "":
			return diag.Usagef(`write --metric 'time: ([0-9.]+) ms'`, "--run needs --metric, which finds the time in what the command prints")
		case f.Changed("on"):
			return diag.Usagef("omit --on", "--run and --on both say what measures")
		case after != nil:
			return diag.Usagef("write them into the command", `the arguments behind "--" are for a program, and --run calls a command`)
		case o.bench.launch != "" || o.bench.comments:
			return diag.Usagef("give one of them", "--run and --launch or --bench both say what is run")
		}
	}
	if o.quiet && o.verbose {
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
		{"atol", 0, 1e300}, {"rtol", 0, 1e300},
	} {
		x, err := strconv.ParseFloat(f.Lookup(n.name).Value.String(), 64)
		if err != nil || !(x >= n.low && x <= n.high) {
			return diag.Usagef("", "--%s must be from %g to %g, got %s", n.name, n.low, n.high, f.Lookup(n.name).Value)
		}
	}
	if o.timeout <= 0 {
		return diag.Usagef("write --timeout 60s or --timeout 5m", "--timeout must be more than nothing, got %s", o.timeout)
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

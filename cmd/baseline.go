package cmd

import (
	"cmp"
	"math"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/console"
	"github.com/smux-cuda/smux/internal/usage"
	"github.com/smux-cuda/smux/pipeline/resources"
	"github.com/smux-cuda/smux/pipeline/targets"
	"github.com/smux-cuda/smux/project/config"
	"github.com/smux-cuda/smux/project/load"
	"github.com/smux-cuda/smux/report/baseline"
	"github.com/smux-cuda/smux/rewrite"
)

const baselineLong = `Records what kernels take and fails where that gets worse. smux baseline write keeps
the figures, and how many thread blocks run at once, in a small file that is committed.
smux baseline check says what got worse since, and which line did it. It needs neither a GPU nor
nvcc, so it can be a check on every pull request (docs/use/baseline.md).

The file has, per kernel, GPU and launch, the thread blocks per multiprocessor and what
limits them. It also has registers and who counted them, shared bytes, and regions. It is
looked for from the working directory upwards; paths in it are relative to its folder.
Without FILE or FOLDER all that lies below that folder is looked at; where --file names
the baseline, all below the working directory.`

const baselineExample = `  smux baseline write --gpu a100,t4     # the first time; commit .smux-baseline.json
  smux baseline check                   # status 1: something got worse
  smux baseline check --threshold 10 src
  smux baseline write src/fft.cu        # renew what is recorded of one file`

// baselineFlags are those of `smux baseline write` and `smux baseline check`.
type baselineFlags struct {
	in        load.Options
	walk      load.Tree
	gpus      targets.Request
	file      string
	resources string
	threshold float64
	format    string
}

func (o *baselineFlags) register(f *pflag.FlagSet) {
	f.SortFlags = false
	registerGPUs(f, &o.gpus)
	f.Lookup("gpu").Usage = "look at these GPUs, `NAMES` as in smux analyze; the default is those that are recorded"
	usage.Word(f, &o.resources, "resources", "", "take registers from this `SOURCE`; the default is as recorded, and estimate at first", resources.NVCC, resources.Estimate)
	registerInput(f, &o.in)
	registerTree(f, &o.walk)
}

// check refuses values that cannot be meant.
func (o *baselineFlags) check(args []string) (rewrite.Options, error) {
	if slices.Contains(args, "-") {
		return rewrite.Options{}, diag.Usagef("name files or folders", "a baseline needs files, not standard input")
	}
	if err := cmp.Or(oneOf("--resources", o.resources, "", resources.NVCC, resources.Estimate), oneOf("--format", o.format, append(baselineFormats, "")...)); err != nil {
		return rewrite.Options{}, err
	}
	if math.IsNaN(o.threshold) || o.threshold < 0 || o.threshold > 1000 {
		return rewrite.Options{}, diag.Usagef("write --threshold 10 for 10 %", "--threshold must be from 0 to 1000 percent, got %v", o.threshold)
	}
	return o.in.RewriteOptions()
}

// run checks the flags and calls what a subcommand does.
func (o *baselineFlags) run(command func(args []string, o baselineFlags, opt rewrite.Options) error) func(*cobra.Command, []string) error {
	return func(_ *cobra.Command, args []string) error {
		args = o.walk.Arguments(args)
		opt, err := o.check(args)
		if err != nil {
			return err
		}
		return console.Quietly(command(args, *o, opt))
	}
}

// with returns the flags with what settings say where they were not given. What is recorded comes before the
// settings' GPUs and resources: these are for what is recorded first.
func (o baselineFlags) with(set *config.Settings) baselineFlags {
	if set == nil {
		return o
	}
	if o.file == "" && set.Baseline.File != "" {
		o.file = set.Baseline.File
	}
	if !o.in.Given("threshold") && set.Baseline.Threshold != nil {
		o.threshold = *set.Baseline.Threshold
	}
	if !o.in.Given("exclude") && len(set.Exclude) > 0 {
		o.walk.Exclude = set.Exclude
	}
	return o
}

// baselineCommand is `smux baseline`.
func (s *session) baselineCommand() *cobra.Command {
	c := &cobra.Command{
		Use:     "baseline",
		Short:   "Record the resources of kernels, and fail if they get worse",
		Long:    baselineLong,
		Example: baselineExample,
		Args:    knownCommand,
		RunE:    s.onlyHelp,
	}
	c.AddCommand(s.baselineWriteCommand(), s.baselineCheckCommand())
	return c
}

// baselineWriteCommand is `smux baseline write [FILE|FOLDER…]`.
func (s *session) baselineWriteCommand() *cobra.Command {
	var o baselineFlags
	c := &cobra.Command{
		Use:   "write [FILE|FOLDER…]",
		Short: "Record what kernels take",
		Long: `Records what kernels take in ` + baseline.Name + `. Records of other files stay
as they are. Nothing is written if a file could not be read.`,
		Args: cobra.ArbitraryArgs,
		RunE: o.run(s.baselineWrite),
	}
	f := c.Flags()
	f.StringVarP(&o.file, "file", "o", "", "write this `FILE`; the default is the one that is found, or "+baseline.Name)
	o.register(f)
	return c
}

// baselineCheckCommand is `smux baseline check [FILE|FOLDER…]`.
func (s *session) baselineCheckCommand() *cobra.Command {
	var o baselineFlags
	c := &cobra.Command{
		Use:   "check [FILE|FOLDER…]",
		Short: "Say which kernels got worse since they were recorded",
		Long: `Compares kernels with what is recorded of them. Worse are fewer warps at once per
multiprocessor, more registers, more shared memory, and, if shared memory limits,
more or larger regions. Kernels that are new, gone or better are told, and fail
nothing.

Exit codes: 0 nothing got worse; 1 something did; 2 wrong usage, input that cannot be
read, no baseline, or one that says nothing of what is here; 3 I/O or internal error.`,
		Args: cobra.ArbitraryArgs,
		RunE: o.run(s.baselineCheck),
	}
	f := c.Flags()
	f.StringVar(&o.file, "file", "", "compare with this `FILE`; the default is the nearest "+baseline.Name+" upwards")
	usage.Word(f, &o.format, "format", formatText, "print findings as `FORMAT`", baselineFormats...)
	f.Float64Var(&o.threshold, "threshold", 0, "let numbers get worse by `PERCENT`")
	o.register(f)
	return c
}

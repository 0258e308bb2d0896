package cmd

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"
	"time"

	"github.com/spf13/pflag"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/pipeline/resources"
	"github.com/smux-cuda/smux/pipeline/targets"
	"github.com/smux-cuda/smux/project/load"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/tune/record"
	"github.com/smux-cuda/smux/tune/stress"
)

const stressLong = `With --stress nvcc compiles the program, and it runs on the GPU of this machine with
fewer and with more thread blocks per SM. For fewer, launches take shared memory
that they don't use; for more, registers are capped. The report says from how many
thread blocks on more gain nothing. Every launch of the one kernel is timed; the
program's files stay as they are. Arguments for the program stand after "--"; files
that are not CUDA are compiled or linked with it. --record keeps the measurements,
and --replay decides by them without a GPU. A level that can't be compiled, fails,
takes too long or prints something else than the original is a row that doesn't
count.

Exit codes with --stress: 0 measured; 2 wrong usage, no GPU here, or no such record;
3 the program itself could not be compiled, run or timed.`

// stressFlags are those of --stress.
type stressFlags struct {
	on             bool
	record, replay string
	repeats        int
	tolerance      float64
	timeout        time.Duration
	libraries      []string
}

// stressNames are the flags that say nothing without --stress.
var stressNames = []string{"record", "replay", "repeats", "tolerance", "timeout", "library"}

func (o *stressFlags) register(f *pflag.FlagSet) {
	f.BoolVar(&o.on, "stress", false, "run the program at several occupancies and find where its time stops falling")
	f.StringVar(&o.record, "record", "", "with --stress: add the measurements to this `FILE`, a line of JSON for each level")
	f.StringVar(&o.replay, "replay", "", "with --stress: run nothing, take the measurements of this `FILE`")
	f.IntVar(&o.repeats, "repeats", 5, "with --stress: run each level `N` times, after one to warm up")
	f.Float64Var(&o.tolerance, "tolerance", 100*stress.DefaultTolerance, "with --stress: count no gains below `PERCENT`")
	f.DurationVar(&o.timeout, "timeout", time.Minute, "with --stress: stop a run after this `TIME`")
	f.StringArrayVarP(&o.libraries, "library", "l", nil, "with --stress: link with this `LIBRARY`; can be repeated")
}

// check refuses what can't be meant; after are the arguments after "--".
func (o *stressFlags) check(f *pflag.FlagSet, after []string) error {
	if !o.on {
		for _, name := range stressNames {
			if f.Changed(name) {
				return diag.Usagef("add --stress", "--%s says how to measure, and --stress is missing", name)
			}
		}
		if after != nil {
			return diag.Usagef("add --stress, or leave them out", `the arguments after "--" are for a program, and only --stress runs one`)
		}
		return nil
	}
	for _, name := range append([]string{"summary", "plot", "resources"}, handNames...) {
		if f.Changed(name) {
			return diag.Usagef("give one of them", "--stress measures a kernel, and --%s asks for something else", name)
		}
	}
	switch {
	case f.Changed("record") && f.Changed("replay"):
		return diag.Usagef("give one of them", "--replay measures nothing that --record could keep")
	case f.Changed("record") && o.record == "", f.Changed("replay") && o.replay == "":
		return diag.Usagef("write --record FILE.jsonl or --replay FILE.jsonl", "no file is named")
	case o.replay != "" && after != nil:
		return diag.Usagef(`leave out "--" and what follows`, "--replay runs no program")
	case o.repeats < 1 || o.repeats > 1000:
		return diag.Usagef("", "--repeats must be from 1 to 1000, got %d", o.repeats)
	case !(o.tolerance >= 0 && o.tolerance < 100):
		return diag.Usagef("write --tolerance 3 for 3 %", "--tolerance is a percentage below 100, got %g", o.tolerance)
	case o.timeout <= 0:
		return diag.Usagef("write --timeout 60s or --timeout 5m", "--timeout must be more than nothing, got %s", o.timeout)
	}
	return nil
}

// occupancyStress is `smux occupancy --stress`.
func (s *session) occupancyStress(files, after []string, in load.Options, opt rewrite.Options, gpus targets.Request, own occupancyFlags) error {
	o := own.stress
	if o.replay != "" {
		return s.replayStress(files, in, opt, gpus, own)
	}
	if err := stress.Appendable(o.record); err != nil {
		return err
	}
	plan, err := s.stressPlan(files, after, in, opt, gpus, o)
	if err != nil {
		return err
	}
	line := s.NewProgress()
	plan.Progress = func(text string) { line.Say("%s", text) }
	var rows []stress.Row
	err = s.Interruptible("measuring", func(ctx context.Context) error {
		var err error
		rows, err = stress.Run(ctx, plan)
		return err
	})
	line.End()
	var failed *record.Failure
	if err != nil && !errors.As(err, &failed) {
		return err
	}
	if failed != nil {
		return diag.Failed("the program as it is", failed)
	}
	if o.record != "" {
		if err := stress.Append(o.record, rows); err != nil {
			return diag.Failed("writing "+o.record, err)
		}
	}
	return s.printDocument(stress.NewReport([]stress.Series{{Subject: plan.Subject, Rows: rows}}, o.tolerance/100), own.asJSON)
}

// stressPlan finds the kernel, its demand on this machine's GPU, and the levels.
func (s *session) stressPlan(args, after []string, in load.Options, opt rewrite.Options, gpus targets.Request, o stressFlags) (stress.Plan, error) {
	var none stress.Plan
	files, further := parser.PartCUDA(args)
	for _, name := range further {
		if _, err := os.Stat(name); err != nil || name == "-" {
			return none, diag.Usagef("name the files of a program", "%s can't be compiled or linked", name)
		}
	}
	if len(files) == 0 {
		return none, diag.Usagef("name the .cu files of the program", "--stress runs a program, and no CUDA file was named")
	}
	g, err := s.targets().Own(gpus, "--stress", "measure with --record FILE.jsonl on a machine with a GPU, and give --replay FILE.jsonl here")
	if err != nil {
		return none, err
	}
	sel, err := load.Kernels(s.Console, files, in, opt)
	if err != nil {
		return none, err
	}
	from, err := resources.New(s.Console, s.findNVCC, resources.NVCC, sel.Program, sel.Options)
	if err != nil {
		return none, err
	}
	k, err := oneKernel(sel)
	if err != nil {
		return none, err
	}
	if err := from.PrepareOrEnd([]*analysis.Kernel{k}, []*gpu.GPU{g}); err != nil {
		return none, err
	}
	program := &stress.Program{Parsed: sel.Program, Kernel: k, Block: opt.Block, Further: further, Libraries: o.libraries}
	plan, remarks, err := stress.NewPlan(program, after, g, from)
	for _, r := range remarks {
		s.Remark("%s", r)
	}
	plan.Repeats, plan.Timeout = o.repeats, o.timeout
	return plan, err
}

// oneKernel returns the only kernel of a selection.
func oneKernel(sel *load.Selection) (*analysis.Kernel, error) {
	names := lists.Map(sel.Kernels, func(k *analysis.Kernel) string { return k.Name })
	switch {
	case len(names) == 1:
		return sel.Kernels[0], nil
	case len(names) == 0:
		return nil, diag.Usagef("a kernel is a function marked __global__", "--stress measures a kernel, and there is none in these files")
	}
	return nil, diag.Usagef("the kernels are: "+diag.OrList(names), "--stress measures one kernel: --kernel must name it")
}

// replayStress judges a record.
func (s *session) replayStress(files []string, in load.Options, opt rewrite.Options, gpus targets.Request, own occupancyFlags) error {
	file := own.stress.replay
	all, err := stress.Read(file)
	var path *fs.PathError
	switch {
	case errors.As(err, &path):
		return diag.Usagef("check the path", "--replay %s: %w", file, path.Err)
	case err != nil:
		return diag.Usagef("--record writes such files", "--replay: %w", err)
	}
	var on []*gpu.GPU
	if len(gpus.Names) > 0 {
		if on, err = s.targets().GPUs(gpus); err != nil {
			return err
		}
	}
	kept := slices.DeleteFunc(slices.Clone(all), func(r stress.Series) bool {
		return !rewrite.Matches(opt.Kernels, r.Kernel) || len(on) > 0 && !slices.ContainsFunc(on, func(g *gpu.GPU) bool { return g.String() == r.GPU })
	})
	if len(kept) == 0 {
		return diag.Usagef("leave out --kernel or --gpu", "--replay %s holds no such measurement", file)
	}
	if len(files) > 0 {
		if err := s.compareSource(files, in, kept); err != nil {
			return err
		}
	}
	return s.printDocument(stress.NewReport(kept, own.stress.tolerance/100), own.asJSON)
}

// compareSource remarks on measurements of another text than the files hold.
func (s *session) compareSource(files []string, in load.Options, measured []stress.Series) error {
	files, _ = parser.PartCUDA(files)
	parsed, _, err := load.Files(s.Console, files, in)
	if err != nil {
		return err
	}
	hash := record.HashSource(parsed.Texts())
	if slices.ContainsFunc(measured, func(r stress.Series) bool { return r.Source != hash }) {
		s.Remark("the files are not what was measured: their text is another")
	}
	return nil
}

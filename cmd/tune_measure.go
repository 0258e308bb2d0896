package cmd

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/plural"
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/pipeline"
	"github.com/smux-cuda/smux/pipeline/selection"
	"github.com/smux-cuda/smux/project/load"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/tune"
	"github.com/smux-cuda/smux/tune/judge"
	"github.com/smux-cuda/smux/tune/machine"
	"github.com/smux-cuda/smux/tune/record"
	"github.com/smux-cuda/smux/tune/search"
	"github.com/smux-cuda/smux/tune/space"
	"github.com/smux-cuda/smux/tune/store"
)

// tuning is one call of `smux tune`.
type tuning struct {
	session *session
	flags   *tuneFlags
	in      load.Options
	opt     rewrite.Options
	out     outputFlags
	args    []string
	after   []string // the program's arguments, nil without "--"
	bench   []string // --kernel with template arguments

	further []string        // files that are no CUDA
	prog    *parser.Program // as it is written
	parse   parser.Options
	run     *parser.Program // as it is run: with the main that a kernel alone gets
	how     string          // how a kernel without a program is run
	gpu     *gpu.GPU
	choice  *pipeline.Choice // of run

	measured map[string]time.Time // by the key of the subject
}

// measure is `smux tune` where something is measured.
func (t *tuning) measure() error {
	if err := t.load(); err != nil {
		return err
	}
	groups, err := t.groups()
	if err != nil || len(groups) == 0 {
		return err
	}
	path, err := t.storePath()
	if err != nil {
		return err
	}
	st, err := store.Open(path)
	if err != nil {
		return storeError(err)
	}
	defer st.Close()
	if n := st.Torn(); n > 0 && !t.flags.quiet {
		t.session.Remark("%s: the last line is left out (%s): a run that was killed did not finish it", path, plural.Count(n, "byte"))
	}
	if t.flags.store == "" && !t.flags.quiet {
		t.session.Remark("measurements are kept in %s", path)
	}
	var verdicts []judge.Verdict
	err = t.session.Interruptible("measuring", func(ctx context.Context) error {
		for _, g := range groups {
			v, err := t.tuneGroup(ctx, g, st)
			var base *tune.BaseError
			switch {
			case errors.As(err, &base):
				t.session.Fail(t.baseFailed(g, base))
				if base.Failure.Kind == record.FailedCompile {
					return nil // nor would it be for the next kernel
				}
			case err != nil:
				return err
			default:
				verdicts = append(verdicts, *v)
			}
		}
		return nil
	})
	if err != nil {
		return t.measuringFailed(err, path)
	}
	if len(verdicts) == 0 {
		return diag.ErrReported
	}
	return t.deliver(verdicts, st.Lines())
}

// measuringFailed is the error of measuring as a person is to see it.
func (t *tuning) measuringFailed(err error, path string) error {
	if errors.Is(err, diag.ErrInterrupted) {
		return &diag.Failure{Exit: diag.ExitInternal, Err: err, Help: "what was measured is in " + path + "; the same command goes on from there"}
	}
	return storeError(err)
}

// baseFailed says that a kernel can't be measured as it is. The others may: one that
// is not launched has nothing to do with them.
func (t *tuning) baseFailed(g *tuneGroup, err *tune.BaseError) error {
	return &diag.Failure{Exit: diag.ExitInternal, Doing: fmt.Sprintf("kernel %q", g.name()), Err: err, Help: t.helpOf(err.Failure)}
}

// helpOf is a line of help on why the original can't be measured.
func (t *tuning) helpOf(f *record.Failure) string {
	switch f.Kind {
	case record.FailedRun:
		if strings.Contains(f.Text, "no code for this GPU") {
			return "take an nvcc that knows this GPU, or name the devices that this one compiles for with --devices"
		}
	case record.FailedUntimed:
		if t.flags.run != "" {
			return "the first group of --metric must be a number that the command prints"
		}
		return "the program must launch the kernel; its arguments stand behind \"--\""
	case record.FailedTimeout:
		return "give it more with --timeout"
	case record.FailedUnsteady:
		return "a program whose equal runs differ can't be told from a wrong one; --atol and --rtol let floating-point values differ"
	}
	return ""
}

// tuneGroup is a group of kernels of the program as it is run.
type tuneGroup struct {
	index int // in choice.groups
	input space.Input
	forms []tune.Variant
}

// groups are the kernels to be tuned, with their forms.
func (t *tuning) groups() ([]*tuneGroup, error) {
	var out []*tuneGroup
	line := t.session.NewProgress()
	defer line.End()
	named := map[string]int{}
	for _, g := range t.choice.Groups {
		named[g.Kernels[0].Name]++
	}
	for i, g := range t.choice.Groups {
		k := g.Kernels[0]
		if !rewrite.Matches(t.opt.Kernels, k.Name) {
			continue
		}
		if named[k.Name] > 1 { // launches are timed, and measurements kept, by the name
			t.session.Remark("%s: kernel %q is not tuned: %s of that name have nothing to do with each other", k.Position(), k.Name, plural.Count(named[k.Name], "kernel"))
			continue
		}
		line.Say("writing the forms of kernel %q", k.Name)
		in := t.input(t.run, t.choice.Program, g, t.choice.Reports[i])
		entries, left := space.Enumerate(in)
		if t.flags.verbose {
			for _, l := range left {
				t.session.Remark("kernel %q: %s is left out: %s", k.Name, l.TunedVariant, l.Why)
			}
		}
		if len(entries) < 2 {
			t.nothingToMeasure(k, left)
			continue
		}
		tg := &tuneGroup{index: i, input: in}
		for _, e := range entries {
			tg.forms = append(tg.forms, tune.Variant{Traits: e.Traits, MeasuredVariant: record.MeasuredVariant{
				Candidate: e.TunedVariant, Predicted: e.Predicted, Registers: e.Registers, Shared: e.Shared, VTBs: e.VTBs, Limiter: e.Limiter,
			}})
		}
		out = append(out, tg)
	}
	if len(t.choice.Groups) == 0 {
		return nil, diag.Usagef("a kernel is a function marked __global__", "there is no kernel in these files")
	}
	return out, nil
}

// nothingToMeasure says why a kernel has no form but the original.
func (t *tuning) nothingToMeasure(k *analysis.Kernel, left []space.OmittedVariant) {
	if t.flags.quiet {
		return
	}
	why := "no rewrite can be proved right"
	if len(left) > 0 {
		why = fmt.Sprintf("%s: %s", left[0].TunedVariant, left[0].Why)
	}
	t.session.Remark(`kernel %q has no other form that can be measured (%s); "smux analyze" says more`, k.Name, why)
}

// input is a group of kernels as it is measured: with smux's device code in each file,
// since the header need not be on this machine.
func (t *tuning) input(prog *parser.Program, analysed *analysis.Program, g rewrite.Group, report *selection.Report) space.Input {
	opt := t.opt
	opt.Runtime = rewrite.RuntimeInline
	return space.Input{Program: prog, Parse: t.parse, Analysed: analysed, Group: g, Options: opt, GPU: t.gpu, Report: report}
}

// tuneGroup measures the forms of a group.
func (t *tuning) tuneGroup(ctx context.Context, g *tuneGroup, st *store.Store) (*judge.Verdict, error) {
	forms, seconds, err := t.flags.limits()
	if err != nil {
		return nil, err
	}
	m, err := t.machine(ctx, g)
	if err != nil {
		return nil, err
	}
	defer m.Close()
	line := t.session.newTuneProgress(t.flags.quiet)
	defer line.end()
	return tune.Run(ctx, tune.Request{
		Subject:  t.subject(g, m.About()),
		Forms:    g.forms,
		Source:   func(ctx context.Context, c record.TunedVariant) (machine.Source, error) { return t.source(g, c) },
		Machine:  m,
		Strategy: t.strategy(),
		Rules:    t.flags.rules(),
		Budget:   tune.Budget{Forms: forms, Seconds: seconds},
		Store:    st,
		Progress: line.show,
		Now:      time.Now,
	})
}

// source writes the program in a form, as it is compiled.
func (t *tuning) source(g *tuneGroup, c record.TunedVariant) (machine.Source, error) {
	result, err := space.Emit(g.input, c)
	if err != nil {
		return machine.Source{}, err
	}
	src := machine.Source{Candidate: c, Texts: result.Texts(t.run)}
	if c.Registers > 0 {
		src.Flags = append(src.Flags, fmt.Sprintf("-maxrregcount=%d", c.Registers))
	}
	return src, nil
}

// strategy is that of --strategy.
func (t *tuning) strategy() search.Strategy {
	switch t.flags.strategy {
	case "exhaustive":
		return search.Exhaustive{}
	case "random":
		return search.Random{Seed: t.flags.seed}
	}
	return search.Guided{Looks: true}
}

package cmd

import (
	"bytes"
	"fmt"
	"slices"
	"time"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/pipeline"
	"github.com/smux-cuda/smux/project/load"
	"github.com/smux-cuda/smux/report"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/rewrite/runtime"
	"github.com/smux-cuda/smux/tune"
	"github.com/smux-cuda/smux/tune/judge"
	"github.com/smux-cuda/smux/verify"
	"github.com/smux-cuda/smux/verify/harness"
)

// tuneCall is one call of `smux tune`.
type tuneCall struct {
	session *session
	flags   *tuneFlags
	in      load.Options
	opt     rewrite.Options
	out     outputFlags
	files   []string
}

// defaultBudget is the time in which all kernels are tuned by the guided search, unless a person names kernels or a budget.
const defaultBudget = 2 * time.Minute

// main does what the flags ask for. after are the program's arguments after "--".
func (t *tuneCall) main(bench harness.Request, after []string) error {
	s, o := t.session, t.flags
	run := &tune.Session{
		Console: s.Console, Options: o.options(), Same: t.same, NVIDIASMI: s.nvidiaSMI,
	}
	run.Kernels, run.Bench, run.Arguments = t.opt.Kernels, bench, after
	if o.budget == "" && len(run.Kernels) == 0 && o.strategy == "guided" && o.measures() && o.On != tune.OnSlurm {
		run.Budget.Seconds = defaultBudget.Seconds()
	}
	if len(t.files) > 0 || o.measures() || o.export != "" {
		run.Load = t.load
	}
	var found tune.Outcome
	var err error
	switch {
	case o.report:
		return t.report(run)
	case o.replay != "":
		found, err = run.Replay(o.replay, t.out.asked())
	case o.export != "":
		err = t.export(run)
	case o.imported != "":
		found, err = run.Import(o.imported, t.out.asked())
	case o.On == tune.OnSlurm:
		return s.benchError(t.byJob(run, after))
	default:
		found, err = run.Measure()
	}
	if err != nil || len(found.Verdicts) == 0 {
		return s.benchError(err)
	}
	return s.benchError(t.deliver(run, found))
}

// export writes what another machine measures.
func (t *tuneCall) export(run *tune.Session) error {
	settings, err := t.in.Settings.Path(t.files)
	if err != nil {
		return err
	}
	words := given(t.flags.set, "export", "store", "gpu", "gpu-file", "chdir", "include", "define", "nvcc-flag", "compile-commands", "config", "no-config", "quiet",
		"diff", "list", "write", "output", "t4")
	return run.Export(t.flags.export, settings, append(words, "--compile-commands="))
}

// byJob has the same call made on a node of a cluster.
func (t *tuneCall) byJob(run *tune.Session, after []string) error {
	words := append(given(t.flags.set, append(slices.Clone(jobFlags), "on", "store")...), t.files...)
	if after != nil {
		words = append(append(words, "--"), after...)
	}
	if t.flags.set.Changed("jobs") && !t.flags.Quiet {
		t.session.Remark("--jobs does nothing any more: one job measures all forms; --gres gpu:N with --devices all measures on N GPUs")
	}
	exit, err := run.MeasureByJob(words)
	t.session.Note(exit)
	return err
}

// load reads the files.
func (t *tuneCall) load() (tune.Files, error) {
	s, out := t.session, tune.Files{}
	files, further, err := tune.Split(s.Console, t.files)
	if err != nil {
		return out, err
	}
	set, err := t.in.Settings.For(s.Console, files)
	if err != nil {
		return out, err
	}
	if err := t.with(set); err != nil {
		return out, err
	}
	if t.opt.Runtime == "" && !t.out.asked() {
		t.opt.Runtime = runtime.Included // for showWinners
	} else {
		t.opt.Runtime = t.out.orDefault(t.opt.Runtime, files)
	}
	prog, parse, err := load.Files(s.Console, files, t.in)
	if err != nil {
		return out, err
	}
	if len(prog.Files) == 0 {
		return out, diag.ErrReported
	}
	choice := choiceFlags{Ask: pipeline.Ask{Resources: t.flags.resources, MinGain: t.flags.Rules.MinGain}}
	out.Further, out.GPUs = further, t.flags.gpus
	out.Job = s.job(prog, parse, t.opt, choice, verbosity{quiet: t.flags.Quiet})
	return out, load.CheckKernels(prog, t.opt.Kernels)
}

// same compares programs on the CPU, and tells in what they differ.
func (t *tuneCall) same(request verify.Request) (bool, error) {
	request.Preparing = t.session.preparing
	verdict, err := t.session.judgeAloud(request)
	return err == nil && verdict.Outcome == verify.Equal, err
}

// deliver prints the verdicts, and the result where it is asked for.
func (t *tuneCall) deliver(run *tune.Session, found tune.Outcome) error {
	if t.flags.t4 != "" {
		if err := run.WriteT4(t.flags.t4, found); err != nil {
			return err
		}
	}
	s, shown := t.session, judge.NewReport(found.Verdicts)
	shown.All = t.flags.Verbose
	if !t.out.asked() {
		if err := s.printDocument(shown, t.flags.asJSON); err != nil || t.flags.asJSON || t.flags.Quiet {
			return err
		}
		return t.showWinners(run, found)
	}
	if !t.flags.Quiet {
		text, err := render(shown, false)
		if err == nil {
			_, err = s.Stderr.Write(text)
		}
		if err != nil {
			return diag.Failed("writing the table", err)
		}
	}
	result, err := run.Winners(found)
	if err != nil {
		return err
	}
	if result, err = s.delivered(run.Program(), result, t.out); err != nil {
		return err
	}
	if err := s.output(run.Program(), t.files, result, t.out); err != nil {
		return err
	}
	s.showHeaders(t.out)
	if t.opt.Runtime == runtime.Included {
		s.remarkOnRuntime([]report.Program{{Changed: result.Files}}, t.out)
	}
	return nil
}

// showWinners prints the diff of what a GPU measured as faster. smux.cuh is left out: it is long, and always the same.
func (t *tuneCall) showWinners(run *tune.Session, found tune.Outcome) error {
	gains := func(v judge.Verdict) bool { return v.Chosen >= 0 && v.Subject.Machine.Measures() }
	if run.Program() == nil || !slices.ContainsFunc(found.Verdicts, gains) {
		return nil
	}
	result, err := run.Winners(found)
	if err != nil {
		return err
	}
	var text bytes.Buffer
	for _, f := range result.Files {
		t.session.show(&text, f, outputFlags{diff: true})
	}
	fmt.Fprintln(&text, "The same command with -w writes this; nothing is measured again.")
	_, err = t.session.Stdout.Write(text.Bytes())
	return err
}

// report prints how well the model predicted the records that are named.
func (t *tuneCall) report(run *tune.Session) error {
	if len(t.files) == 0 {
		return diag.Usagef("name records: smux tune --report results.jsonl", "--report reads records, and none is named")
	}
	if t.out.asked() {
		return diag.Usagef("use --replay for a diff", "--report changes no file")
	}
	found, err := run.Fidelity(t.files)
	if err != nil {
		return err
	}
	return t.session.printDocument(found, t.flags.asJSON)
}

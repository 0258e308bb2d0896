package cmd

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/verify"
	"github.com/smux-cuda/smux/verify/execute"
	"github.com/smux-cuda/smux/verify/explore"
	"github.com/smux-cuda/smux/verify/harness"
)

// chosenHost says how to run kernels without a program where smux chooses: for the first program that
// needs it, and as well for another one that is compared with it.
type chosenHost struct {
	request verify.Request
	alias   bool // in one run, pointers that may be one are one
	alone   bool // the program has a main, whose run said nothing
	specs   []*harness.Spec
	chosen  []*harness.Chosen    // those that the specifications are of
	calls   []*harness.TorchCall // of a PyTorch extension
}

// host gives a program the host side that it lacks: as flags or comments say, or else one
// of smux's own choice, which is printed as the comments that would say so.
func (s *session) host(prog *parser.Program, runs runFlags, bench []string, opt parser.Options, how *chosenHost) (*parser.Program, error) {
	request := runs.bench.Of(bench)
	_, others := parser.PartCUDA(runs.sources)
	if !how.alone && !request.IsOpen(prog) || len(others) > 0 || len(runs.libraries) > 0 { // a main may be in what is not CUDA
		run, err := request.Attach(prog)
		return run, s.benchError(err)
	}
	if how.specs == nil && how.calls == nil && !how.alone {
		if how.calls = harness.TorchCalls(prog); how.calls != nil {
			defer s.Silence(how.request.Reuse)()
			s.Remark("no file has a main, so the functions of the extension are called as smux chooses:")
			for _, c := range how.calls {
				s.Remark("  %s", c)
			}
		}
	}
	if how.calls != nil {
		run, err := harness.AttachTorch(prog, how.calls)
		return run, err
	}
	if how.specs == nil {
		if err := s.choose(prog, bench, opt, how); err != nil || how.specs == nil {
			return prog, err
		}
	}
	run, err := harness.AttachChosen(prog, how.specs)
	return run, s.benchError(err)
}

// choose chooses how the kernels of a program are run; none where it has no kernel that can be.
func (s *session) choose(prog *parser.Program, kernels []string, opt parser.Options, how *chosenHost) error {
	choice := harness.Choice{Alias: how.alias, Usual: usualLaunch(prog)}
	if how.request.AllSchedules > 0 {
		choice.Threads = explore.MostThreads
	}
	chosen, skipped := harness.Choose(prog, kernels, choice)
	for _, m := range skipped {
		s.Message(m)
	}
	if len(chosen) == 0 {
		return nil
	}
	how.request.Timeout = cmp.Or(how.request.Timeout, chosenTimeout)
	if err := s.measure(prog, chosen, how.request, opt); err != nil {
		return err
	}
	var err error
	var leftOut []*harness.Chosen
	if how.alias { // what comes out is compared
		if chosen, leftOut, err = s.settle(prog, chosen, how.request, opt); err != nil {
			return err
		}
	}
	if how.specs, err = harness.Specs(chosen); err != nil {
		return s.benchError(err)
	}
	how.chosen = chosen
	defer s.Silence(how.request.Reuse)() // of many programs, what is found is enough
	if how.alone {
		s.Remark("the program's own run could not be judged, so its kernels are run as smux chooses; with --bench, these comments would keep it:")
	} else {
		s.Remark("no file has a main, so the kernels are run as smux chooses; these comments above them would keep it:")
	}
	for _, c := range chosen {
		s.Remark("  // smux:bench %s", c)
	}
	for _, c := range leftOut {
		s.Remark("left out, since the original computes something else in each order of its threads: %s", c)
	}
	for _, name := range harness.Undefined(prog) {
		s.Remark("no file defines %s: a stand-in does nothing and returns zero", name)
	}
	return nil
}

// chosenTimeout is the time that a run of small launches may take: one that takes longer most often never ends, since the
// values that were chosen are none that the kernel waits for.
const chosenTimeout = 5 * time.Second

// mostSettled limits the runs that are left out.
const mostSettled = 8

// settle leaves out runs in which what the original computes depends on the order of its threads, as where a pointer is another one,
// or a length is shorter than what is written: nothing can be compared with it. Where that would be all of them, none is left out.
func (s *session) settle(prog *parser.Program, chosen []*harness.Chosen, request verify.Request, opt parser.Options) (kept, leftOut []*harness.Chosen, err error) {
	r := request
	r.CheckedSchedules, r.AllSchedules, r.Variants, r.Address, r.Keep = []execute.Schedule{}, 0, nil, false, ""
	if len(r.Schedules) < 3 { // with --fast, too
		r.Schedules = verify.DefaultSchedules(1)[:3]
	}
	kept = slices.Clone(chosen)
	for len(kept) > 0 && len(leftOut) < mostSettled {
		specs, err := harness.Specs(kept)
		if err != nil {
			return chosen, nil, nil // which is told of all of them
		}
		run, err := harness.AttachChosen(prog, specs)
		if err != nil {
			return chosen, nil, nil
		}
		r.Original = verify.NewProgram(run, opt)
		verdict, err := s.judge(r)
		if err != nil {
			return nil, nil, err
		}
		at := slices.IndexFunc(verdict.Findings, func(f verify.Finding) bool {
			return f.Message.Code == verify.CodeOrderDependent && f.Difference != nil && f.Difference.Copy > 0
		})
		if at < 0 {
			return kept, leftOut, nil
		}
		i := harness.RunOfCopy(kept, verdict.Findings[at].Difference.Copy)
		if i < 0 {
			break
		}
		leftOut = append(leftOut, kept[i])
		kept = slices.Delete(kept, i, i+1)
	}
	return chosen, nil, nil
}

// usualLaunch returns what a program tells of a kernel's launches.
func usualLaunch(prog *parser.Program) func(f *parser.File, fn *parser.Function) ([3]int, int) {
	p := analysis.NewProgram(prog, [3]int{})
	return func(f *parser.File, fn *parser.Function) (block [3]int, shared int) {
		for _, in := range p.Kernel(f, fn).Counted() {
			// A number of threads that is computed often begins with 1: that says nothing.
			if dims, ok := in.BlockShape(); ok && !(in.Told && dims == [3]int{1, 1, 1}) {
				return dims, in.DynamicBytes
			}
		}
		return block, 0
	}
}

// measure sizes the arrays of runs by running them.
func (s *session) measure(prog *parser.Program, chosen []*harness.Chosen, request verify.Request, opt parser.Options) error {
	return s.Interruptible("sizing arrays", func(ctx context.Context) error {
		return harness.Measure(prog, chosen, func(program *parser.Program) (map[int]int64, error) {
			r := request
			r.Original = verify.NewProgram(program, opt)
			extents, err := verify.Extents(ctx, r)
			if err != nil {
				return nil, diag.Failed("sizing arrays", err)
			}
			return extents, nil
		})
	})
}

// judgeChosen runs a program whose launches smux chose. What is found with one launch, and not with each of the others that the kernel's
// text allows as well, may come from the choice, and does not count.
func judgeChosen(s *session, prog *parser.Program, request verify.Request, opt parser.Options, chosen []*harness.Chosen) (*verify.Verdict, error) {
	v, err := s.judge(request)
	if err != nil || len(v.Findings) == 0 || len(chosen) == 0 {
		return v, err
	}
	if slices.ContainsFunc(v.Findings, func(f verify.Finding) bool { return f.Ended }) {
		request.Args = byKernel(chosen) // what ended one hides what comes after it
		if v, err = s.judge(request); err != nil {
			return nil, err
		}
	}
	var others []*harness.Chosen
	var numbers [][]string                             // of each
	instead := map[*harness.Chosen][]*harness.Chosen{} // of a run
	found := make([]*harness.Chosen, len(v.Findings))  // with which run
	for i, f := range v.Findings {
		of := runOf(&f, chosen)
		found[i] = of
		if m := f.Message; of != nil && of.IsCut() && (m.Code == verify.CodeIllegalAddress || strings.Contains(m.Text, " past the end of an allocation ")) {
			v.Guess(i, guessed(m, "smux gives an array of %q no more elements", of))
		}
		if of == nil || v.Findings[i].Severity != verify.Counts || instead[of] != nil {
			continue
		}
		instead[of] = of.Others()
		for _, o := range instead[of] {
			others = append(others, o)
			numbers = append(numbers, []string{strconv.Itoa(len(others))})
		}
	}
	if len(others) == 0 {
		return v, nil
	}
	if err := s.measure(prog, others, request, opt); err != nil {
		return nil, err
	}
	specs, err := harness.Specs(others)
	if err != nil {
		return nil, s.benchError(err)
	}
	run, err := harness.AttachChosen(prog, specs)
	if err != nil {
		return nil, s.benchError(err)
	}
	request.Original, request.Keep, request.Args = verify.NewProgram(run, opt), "", numbers
	again, err := s.judge(request)
	if err != nil {
		return nil, err
	}
	for i := range v.Findings {
		if f := &v.Findings[i]; found[i] != nil && f.Severity == verify.Counts {
			if without := runWithout(f, again, instead[found[i]], others); without != nil {
				v.Guess(i, guessed(f.Message, "so with %q, which smux guessed, and not with %q", found[i], without))
			}
		}
	}
	guessUnordered(v, found)
	return v, nil
}

// untold reports whether a program's own run was tried, and says nothing of its kernels: it takes too long, or ends before it
// launches one. They can be run alone if all is CUDA.
func (p *runnable) untold(v *verify.Verdict, runs runFlags) bool {
	_, others := parser.PartCUDA(runs.sources)
	return v.Outcome == verify.CouldNotRun && len(v.Findings)+len(v.Kernels) == 0 && len(others) == 0 && len(runs.libraries) == 0 && p.run == p.prog &&
		slices.ContainsFunc(v.Failures, func(f verify.Failure) bool { return f.Variant == verify.OriginalName }) &&
		!slices.ContainsFunc(v.Failures, func(f verify.Failure) bool {
			return !slices.Contains([]diag.Code{verify.CodeHangs, verify.CodeExitsNonzero, verify.CodeNotExercised}, f.Message.Code)
		})
}

// withAlone returns the verdict of kernels that were run alone, with why their program could not be judged.
func withAlone(v, alone *verify.Verdict) *verify.Verdict {
	alone.Alone, alone.Failures = alone.Outcome, append(v.Failures, alone.Failures...)
	if alone.Outcome == verify.Clean || alone.Outcome == verify.Equal {
		alone.Outcome = verify.CouldNotRun
	}
	return alone
}

// judgeWhole judges a program, and if its own run says nothing of the kernels, those run alone. The runs of chosen are its main.
func judgeWhole(s *session, p *runnable, runs runFlags, kernels []string, request verify.Request, chosen []*harness.Chosen) (*verify.Verdict, error) {
	v, err := judgeChosen(s, p.prog, request, p.parse, chosen)
	if err != nil || !p.untold(v, runs) {
		return v, err
	}
	request.Args, request.Stdin = nil, nil
	how := &chosenHost{request: request, alone: true}
	if err := s.giveHost(p, runs, kernels, how); err != nil || how.specs == nil {
		return v, err
	}
	request.Original, request.Timeout = p.program, p.timeout
	alone, err := judgeChosen(s, p.prog, request, p.parse, how.chosen)
	if err != nil {
		return nil, err
	}
	return withAlone(v, alone), nil
}

// compared compares a program with what smux rewrite makes of it, or if its own run says nothing, its kernels run alone.
func compared(s *session, p *runnable, v verifying) (*verify.Verdict, error) {
	verdict, err := s.judge(v.request)
	if err != nil || !p.untold(verdict, v.runs) {
		return verdict, err
	}
	v.alone, v.own.quiet, v.request.Args, v.request.Stdin = true, true, nil, nil
	if v.request.Variants, err = s.variants(p, v); err != nil || len(v.request.Variants) == 0 || p.run == p.prog {
		return verdict, err
	}
	v.request.Original, v.request.Timeout = p.program, cmp.Or(v.request.Timeout, p.timeout)
	alone, err := s.judge(v.request)
	if err != nil {
		return nil, err
	}
	return withAlone(verdict, alone), nil
}

// byKernel returns the numbers of the runs of each kernel, as arguments.
func byKernel(chosen []*harness.Chosen) (out [][]string) {
	for i, c := range chosen {
		if i == 0 || c.Kernel != chosen[i-1].Kernel {
			out = append(out, nil)
		}
		out[len(out)-1] = append(out[len(out)-1], strconv.Itoa(i+1))
	}
	return out
}

// runOf returns the run in which something was found first, nil where that is not known.
func runOf(f *verify.Finding, chosen []*harness.Chosen) *harness.Chosen {
	made := chosen
	if args := f.Runs[0].Args; len(args) > 0 {
		made = nil
		for i, c := range chosen {
			if slices.Contains(args, strconv.Itoa(i+1)) {
				made = append(made, c)
			}
		}
	}
	i := f.Launch - 1
	if f.Difference != nil && f.Difference.Copy > 0 {
		i = harness.RunOfCopy(made, f.Difference.Copy)
	}
	if i < 0 || i >= len(made) {
		return nil
	}
	return made[i]
}

// runWithout returns one of the runs that were made in place of another one in which something was not found; nil for none. Runs of one
// thread block tell nothing of two, those in which threads do the same nothing of races, and those that are out of bounds nothing at all.
func runWithout(f *verify.Finding, again *verify.Verdict, instead, others []*harness.Chosen) *harness.Chosen {
	for _, o := range instead {
		if f.BetweenBlocks && o.OneBlock() || o.FewValues() && (f.Check == verify.Races || f.Check == verify.Output) {
			continue
		}
		number := strconv.Itoa(1 + slices.Index(others, o))
		there := slices.ContainsFunc(again.Findings, func(g verify.Finding) bool {
			return (f.Like(&g) || g.Ended || g.Check == verify.Bounds) && slices.ContainsFunc(g.Runs, func(r verify.RunName) bool { return slices.Equal(r.Args, []string{number}) })
		})
		if !there {
			return o
		}
	}
	return nil
}

// guessUnordered takes an output that depends on the order of threads for a guess where the kernel has no race: what the program that is
// missing makes of the output, nobody knows.
func guessUnordered(v *verify.Verdict, found []*harness.Chosen) {
	for i := range v.Findings {
		of := found[i]
		if of == nil || v.Findings[i].Severity != verify.Counts || v.Findings[i].Message.Code != verify.CodeOrderDependent {
			continue
		}
		races := false
		for k, g := range v.Findings {
			races = races || g.Severity == verify.Counts && g.Message.Code != verify.CodeOrderDependent && found[k] != nil && found[k].Kernel == of.Kernel
		}
		if !races {
			v.Guess(i, guessed(v.Findings[i].Message, "whether the program looks at the order, nothing says"))
		}
	}
}

// guessed returns the message of a finding that may come from the launch that smux chose.
func guessed(m diag.Message, why string, about ...any) diag.Message {
	m.Text = fmt.Sprintf("%s: %s; "+why, append([]any{m.Code, m.Text}, about...)...)
	m.Code, m.Help = verify.CodeGuessedLaunch, diag.Help(verify.CodeGuessedLaunch)
	return m
}

package cmd

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/smux-cuda/smux/analysis/passes"
	"github.com/smux-cuda/smux/analysis/usual"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/verify"
	"github.com/smux-cuda/smux/verify/alone"
	"github.com/smux-cuda/smux/verify/execute"
	"github.com/smux-cuda/smux/verify/explore"
	"github.com/smux-cuda/smux/verify/harness"
	"github.com/smux-cuda/smux/verify/harness/choose"
)

// chosenHost says how to run kernels without a program where smux chooses: for the first program that
// needs it, and as well for another one that is compared with it.
type chosenHost struct {
	request verify.Request
	alias   bool // in one run, pointers that may be one are one
	alone   bool // the program has a main, whose run said nothing
	specs   []*harness.Spec
	chosen  []*choose.Chosen     // those that the specifications are of
	calls   []*harness.TorchCall // of a PyTorch extension
	absent  []string             // headers that nobody has, taken for empty
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
		if err := s.choose(prog, runs.block, bench, opt, how); err != nil || how.specs == nil {
			return prog, err
		}
	}
	prog, err := alone.Without(prog, how.absent)
	if err != nil {
		return nil, err
	}
	run, err := harness.AttachChosen(prog, how.specs)
	return run, s.benchError(err)
}

// choose chooses how the kernels of a program are run, by blocks of that shape if no launch tells theirs; none where it has no kernel that can be.
func (s *session) choose(prog *parser.Program, block [3]int, kernels []string, opt parser.Options, how *chosenHost) error {
	choice := choose.Choice{Alias: how.alias, Usual: usualLaunch(prog), Block: [3]int64{int64(block[0]), int64(block[1]), int64(block[2])}}
	if how.request.AllSchedules > 0 {
		choice.Threads = explore.MostThreads
	}
	first, skipped := choose.Choose(prog, kernels, choice)
	tell := func() {
		for _, m := range skipped {
			s.Message(m)
		}
	}
	if len(first) == 0 {
		tell()
		return nil
	}
	how.request.Timeout = cmp.Or(how.request.Timeout, chosenTimeout)
	of := s.alone(prog, how.request, opt)
	var chosen []*choose.Chosen
	var endless []diag.Message
	err := s.Interruptible("sizing arrays", func(ctx context.Context) (err error) {
		chosen, endless, err = of.Reach(ctx, first)
		return err
	})
	var absent *alone.AbsentError
	if errors.As(err, &absent) {
		how.absent = append(how.absent, absent.Headers...)
		if without, failed := alone.Without(prog, how.absent); failed != nil {
			return failed
		} else if without != prog {
			return s.choose(without, block, kernels, opt, how)
		}
		chosen, err = first, nil // which don't compile
	}
	if err != nil {
		return s.benchError(err)
	}
	skipped = append(skipped, endless...)
	tell()
	if len(chosen) == 0 {
		return nil
	}
	var leftOut []*choose.Chosen
	if how.alias { // what comes out is compared
		if chosen, leftOut, err = s.settle(prog, chosen, how.request, opt); err != nil {
			return err
		}
	}
	if how.specs, err = choose.Specs(chosen); err != nil {
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

// alone returns the kernels of a program, to be run without it.
func (s *session) alone(prog *parser.Program, request verify.Request, opt parser.Options) *alone.Kernels {
	return &alone.Kernels{Program: prog, Request: request, Judge: s.judge, With: func(run *parser.Program) verify.Program { return verify.NewProgram(run, opt) }}
}

// settle leaves out runs in which what the original computes depends on the order of its threads, as where a pointer is another one,
// or a length is shorter than what is written: nothing can be compared with it. Where that would be all of them, none is left out.
func (s *session) settle(prog *parser.Program, chosen []*choose.Chosen, request verify.Request, opt parser.Options) (kept, leftOut []*choose.Chosen, err error) {
	r := request
	r.CheckedSchedules, r.AllSchedules, r.Variants, r.Address, r.Keep = []execute.Schedule{}, 0, nil, false, ""
	if len(r.Schedules) < 3 { // with --fast, too
		r.Schedules = verify.DefaultSchedules(1)[:3]
	}
	kept = slices.Clone(chosen)
	for len(kept) > 0 && len(leftOut) < mostSettled {
		specs, err := choose.Specs(kept)
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
		i := choose.RunOfCopy(kept, verdict.Findings[at].Difference.Copy)
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
	p := passes.NewProgram(prog, [3]int{})
	return func(f *parser.File, fn *parser.Function) (block [3]int, shared int) {
		for _, in := range usual.Counted(p.Kernel(f, fn)) {
			// A number of threads that is computed often begins with 1: that says nothing.
			if dims, ok := in.BlockShape(); ok && !(in.Told && dims == [3]int{1, 1, 1}) {
				return dims, in.DynamicBytes
			}
		}
		if prog.Usual != nil {
			shared = prog.Usual(fn.Name).Shared
		}
		return block, shared
	}
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

// judgeAlone judges a program, of which smux chose the launches where there are chosen ones.
func (s *session) judgeAlone(p *runnable, request verify.Request, chosen []*choose.Chosen) (v *verify.Verdict, err error) {
	err = s.Interruptible("verifying", func(ctx context.Context) error {
		v, err = s.alone(p.prog, request, p.parse).Judged(ctx, chosen)
		return s.benchError(err)
	})
	return v, err
}

// judgeWhole judges a program, and if its own run says nothing of the kernels, those run alone. The runs of chosen are its main.
func judgeWhole(s *session, p *runnable, runs runFlags, kernels []string, request verify.Request, chosen []*choose.Chosen) (*verify.Verdict, error) {
	v, err := s.judgeAlone(p, request, chosen)
	if err != nil || !p.untold(v, runs) {
		return v, err
	}
	request.Args, request.Stdin = nil, nil
	how := &chosenHost{request: request, alone: true}
	if err := s.giveHost(p, runs, kernels, how); err != nil || how.specs == nil {
		return v, err
	}
	request.Original, request.Timeout = p.program, p.timeout
	alone, err := s.judgeAlone(p, request, how.chosen)
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

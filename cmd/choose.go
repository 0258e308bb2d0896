package cmd

import (
	"context"
	"slices"

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
	specs   []*harness.Spec
	calls   []*harness.TorchCall // of a PyTorch extension
}

// host gives a program the host side that it lacks: as flags or comments say, or else one
// of smux's own choice, which is printed as the comments that would say so.
func (s *session) host(prog *parser.Program, runs runFlags, bench []string, opt parser.Options, how *chosenHost) (*parser.Program, error) {
	request := runs.bench.Of(bench)
	_, others := parser.PartCUDA(runs.sources)
	if !request.IsOpen(prog) || len(others) > 0 || len(runs.libraries) > 0 { // a main may be in what is not CUDA
		return s.attach(prog, request)
	}
	if how.specs == nil && how.calls == nil {
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
	defer s.Silence(how.request.Reuse)() // of many programs, what is found is enough
	s.Remark("no file has a main, so the kernels are run as smux chooses; these comments above them would keep it:")
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

// mostSettled limits the runs that are left out.
const mostSettled = 8

// settle leaves out runs in which what the original computes depends on the order of its threads, as where a
// pointer is another one, or a length is shorter than what is written: nothing can be compared with it. Where
// that would be all of them, none is left out.
func (s *session) settle(prog *parser.Program, chosen []*harness.Chosen, request verify.Request, opt parser.Options) (kept, leftOut []*harness.Chosen, err error) {
	r := request
	r.CheckedSchedules, r.AllSchedules, r.Variants, r.Address, r.Keep = []execute.Schedule{}, 0, nil, false, ""
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
			if dims, ok := in.BlockShape(); ok {
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

package tune

import (
	"fmt"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/summary"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/prose"
	"github.com/smux-cuda/smux/pipeline/selection"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/rewrite/runtime"
	"github.com/smux-cuda/smux/tune/record"
	"github.com/smux-cuda/smux/tune/search"
	"github.com/smux-cuda/smux/tune/space"
)

type group struct {
	input space.Input
	forms []Variant

	// launch and launched are the program with the launch that is measured, and its input; nil where none is.
	launch   *space.Relaunched
	launched space.Input
}

func (s *Session) groups() ([]*group, error) {
	var out []*group
	line := s.NewProgress()
	defer line.End()
	named := map[string]int{}
	for _, g := range s.choice.Groups {
		named[g.Kernels[0].Name]++
	}
	for i, g := range s.choice.Groups {
		k := g.Kernels[0]
		if !rewrite.Matches(s.job.Options.Kernels, k.Name) {
			continue
		}
		if named[k.Name] > 1 { // launches are timed, and measurements kept, by the name
			s.Remark("%s: kernel %q is not tuned: %s of that name have nothing to do with each other", summary.Position(k), k.Name, prose.Count(named[k.Name], "kernel"))
			continue
		}
		line.Say("writing the forms of kernel %q", k.Name)
		in := s.input(s.choice.Program, g, s.choice.Reports[i])
		entries, left := space.Enumerate(in)
		if s.Verbose {
			for _, l := range left {
				s.Remark("kernel %q: %s is left out: %s", k.Name, l.TunedVariant, l.Why)
			}
		}
		if len(entries) < 2 {
			why := "no rewrite can be proved right"
			if len(left) > 0 {
				why = fmt.Sprintf("%s: %s", left[0].TunedVariant, left[0].Why)
			}
			s.tell(`kernel %q has no other form that can be measured (%s); "smux analyze" says more`, k.Name, why)
			continue
		}
		tg := &group{input: in}
		for _, e := range entries {
			tg.forms = append(tg.forms, Variant{Traits: e.Traits, MeasuredVariant: record.MeasuredVariant{
				Candidate: e.TunedVariant, Predicted: e.Predicted, Registers: e.Registers, Shared: e.Shared, VTBs: e.VTBs, Limiter: e.Limiter,
			}})
		}
		out = append(out, tg)
	}
	if len(s.choice.Groups) == 0 {
		return nil, diag.Usagef("a kernel is a function marked __global__", "there is no kernel in these files")
	}
	return out, nil
}

// input returns a group of kernels as it is measured: with smux's device code in each file, since the header may not be here.
func (s *Session) input(prog *analysis.Program, g rewrite.Group, report *selection.Report) space.Input {
	opt := s.job.Options
	opt.Runtime = runtime.Inline
	_, all := s.Strategy.(search.Exhaustive)
	return space.Input{Program: prog.Parsed, Parse: s.job.Parse, Analysed: prog, Group: g, Options: opt, GPU: s.gpu, Report: report, All: all, Sizes: s.Sizes, CPU: s.On == OnCPU}
}

func (g *group) name() string { return g.input.Group.Kernels[0].Name }

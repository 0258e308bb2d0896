package pipeline

import (
	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/internal/parallel"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/pipeline/resources"
	"github.com/smux-cuda/smux/pipeline/selection"
	"github.com/smux-cuda/smux/report"
	"github.com/smux-cuda/smux/rewrite"
)

// Limits returns what limits the kernels as they are, in a small part of the time of Study: no rewrite is looked at, and
// so many parts of the program are, side by side.
func (j *Job) Limits(jobs int) (out report.Program, err error) {
	type definition struct {
		file *parser.File
		of   *parser.Function
	}
	var all []definition
	for _, f := range j.Program.Files {
		for _, fn := range f.Functions {
			if fn.IsKernel() && fn.Body != nil && rewrite.Matches(j.Options.Kernels, fn.Name) {
				all = append(all, definition{f, fn})
			}
		}
	}
	if jobs = max(1, min(jobs, len(all))); j.Ask.Resources != resources.Estimate {
		jobs = 1 // nvcc compiles each file once
	}
	parts := make([]report.Program, jobs)
	if err := parallel.Each(j.Context(), jobs, jobs, func(i int) (err error) {
		part := *j
		part.analysed = analysis.NewProgram(j.Program, j.Options.Block) // which is not safe for concurrent use
		part.analysed.Skip = []string{"regions"}                        // they say how kernels are rewritten
		var kernels []*analysis.Kernel
		for n := i; n < len(all); n += jobs {
			kernels = append(kernels, part.Analysed().Kernel(all[n].file, all[n].of))
		}
		parts[i], err = part.limitsOf(kernels)
		return err
	}); err != nil {
		return out, err
	}
	out = parts[0]
	out.Kernels = nil
	for n := range all {
		k := parts[n%jobs].Kernels[n/jobs]
		if j.Ask.Directives != nil {
			k.Ignored = j.Ask.Directives.Of(k.Position)
		}
		out.Kernels = append(out.Kernels, k)
	}
	return out, nil
}

// limitsOf returns what limits some kernels.
func (j *Job) limitsOf(kernels []*analysis.Kernel) (report.Program, error) {
	c := &Choice{Program: j.Analysed(), Kernels: kernels, Reports: make([]*selection.Report, len(kernels))}
	var ask []int
	for i, k := range kernels {
		c.Groups, ask = append(c.Groups, rewrite.Group{Kernels: []*analysis.Kernel{k}}), append(ask, i)
	}
	err := j.rank(c, ask, func(g rewrite.Group, req selection.Request) *selection.Report {
		return selection.Limits(g.Kernels, req)
	})
	return report.Limits(c.Program, c.Kernels, c.Of, func(string) bool { return true }), err
}

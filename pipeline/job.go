// Package pipeline takes a program from its text to what becomes of its kernels:
//
//	load → analyse → prove → decide → apply → check → deliver
//
// Package project/load is the first step and package cmd the last. A Job is a program on its way, which is analysed
// once. Study proves all variants of its kernels (package rewrite), asks what people want of them (Preferences:
// directives in the source, .smux.yaml) and has the model rank what is left (package pipeline/selection, with figures
// of pipeline/resources). Decide makes decisions of that or of what a person chose by name, Apply rewrites. `smux
// rewrite` does all of it; analyze, report, check, verify and tune stop earlier.
//
// It prints nothing by itself but messages on the Job's console, and knows no flags.
package pipeline

import (
	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/passes"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/console"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/internal/parallel"
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/model/profile"
	"github.com/smux-cuda/smux/nvcc"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/pipeline/resources"
	"github.com/smux-cuda/smux/pipeline/selection"
	"github.com/smux-cuda/smux/project/config"
	"github.com/smux-cuda/smux/report"
	"github.com/smux-cuda/smux/rewrite"
)

// Job is a program on its way through the pipeline. It is not safe for concurrent use.
type Job struct {
	*console.Console
	Program *parser.Program
	Parse   parser.Options // the options of the program as a whole
	// Options hold what to rewrite, and how where a person has chosen.
	Options rewrite.Options
	Ask     Ask
	Quiet   bool // nothing is printed of what is decided
	Verbose bool // what the model expects is printed, too

	FindNVCC func() (*nvcc.Toolkit, error)
	// Rewrite rewrites an analysed program: rewrite.RunAnalysed.
	Rewrite func(*analysis.Program, rewrite.Options) (*rewrite.Result, error)

	analysed *analysis.Program
	timedOut bool // nvcc was asked, and did not end in time
	// place maps a place of the program, which a rewrite has made of the person's files; nil where it is these.
	place func(diag.Position) diag.Position
}

// Ask holds for which GPUs a rewrite is chosen, and what is asked of it.
type Ask struct {
	// GPUs finds the GPUs that are asked for; quietly it does not print which it takes where none was named.
	GPUs      func(quietly bool) ([]*gpu.GPU, error)
	Named     bool             // a person has named GPUs: a wrong name is an error in any case
	Resources string           // resources.Auto, NVCC or Estimate
	MinGain   float64          // percent that must be expected of a rewrite
	Profile   []profile.Kernel // what was measured of kernels; nil for nothing
	// Corrections correct the predictions for GPUs on which forms were measured.
	Corrections []profile.Correction
	// Insists is set if MinGain was typed by a person, and goes before the settings.
	Insists    bool
	Settings   *config.Settings   // of the program, nil for none
	Directives *config.Directives // of the program, nil where they don't count
}

// Analysed returns the program with the results of the analyses. It is analysed when it is first asked for, and once.
func (j *Job) Analysed() *analysis.Program {
	if j.analysed == nil {
		j.analysed = passes.NewProgram(j.Program, j.Options.Block)
	}
	return j.analysed
}

// On returns the same job for other texts: the program with a host side, or as a rewrite left it.
func (j *Job) On(prog *parser.Program) *Job {
	if prog == j.Program {
		return j
	}
	other := *j
	other.Program, other.analysed = prog, nil
	return &other
}

// told returns where a person finds a place of the program.
func (j *Job) told(at diag.Position) diag.Position {
	if j.place == nil {
		return at
	}
	return j.place(at)
}

// selected returns the kernels that the options select.
func (j *Job) selected() []*analysis.Kernel {
	return lists.Filter(j.Analysed().Kernels(), func(k *analysis.Kernel) bool { return rewrite.Matches(j.Options.Kernels, k.Name) })
}

// groups returns the kernels that are rewritten together.
func (j *Job) groups() [][]*analysis.Kernel {
	return rewrite.KernelGroups(j.Analysed(), j.Analysed().Kernels())
}

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
		part.analysed = passes.NewProgram(j.Program, j.Options.Block) // which is not safe for concurrent use
		part.analysed.Skip = []string{"regions"}                      // they say how kernels are rewritten
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

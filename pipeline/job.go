package pipeline

import (
	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/console"
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/model/profile"
	"github.com/smux-cuda/smux/nvcc"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/project/config"
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
	// place maps a place of the program, which a rewrite has made of
	// the person's files; nil where it is these.
	place func(diag.Position) diag.Position
}

// Ask holds for which GPUs a rewrite is chosen, and what is asked of it.
type Ask struct {
	// GPUs finds the GPUs that are asked for; quietly it does not print which it takes
	// where none was named.
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

// Analysed returns the program with the results of the analyses. It is analysed when it is
// first asked for, and once.
func (j *Job) Analysed() *analysis.Program {
	if j.analysed == nil {
		j.analysed = analysis.NewProgram(j.Program, j.Options.Block)
	}
	return j.analysed
}

// On returns the same job for other texts: the program with a host side, or as a rewrite
// left it.
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
	var out []*analysis.Kernel
	for _, k := range j.Analysed().Kernels() {
		if rewrite.Matches(j.Options.Kernels, k.Name) {
			out = append(out, k)
		}
	}
	return out
}

// groups returns the kernels that are rewritten together.
func (j *Job) groups() [][]*analysis.Kernel {
	return rewrite.KernelGroups(j.Analysed(), j.Analysed().Kernels())
}

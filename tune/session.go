package tune

import (
	"context"
	"path/filepath"
	"time"

	"github.com/smux-cuda/smux/internal/console"
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/pipeline"
	"github.com/smux-cuda/smux/pipeline/targets"
	"github.com/smux-cuda/smux/tune/judge"
	"github.com/smux-cuda/smux/tune/machine/command"
	"github.com/smux-cuda/smux/tune/record"
	"github.com/smux-cuda/smux/tune/search"
	"github.com/smux-cuda/smux/tune/slurm"
	"github.com/smux-cuda/smux/verify"
	"github.com/smux-cuda/smux/verify/harness"
)

type Options struct {
	Kernels   []string        // names or globs; empty means all
	Bench     harness.Request // how kernels without a program are run
	Arguments []string        // of the program; nil where none were given
	Dir       string          // where it is run, "" for here
	Libraries []string        // that it is linked with

	On      string          // OnGPU, OnCPU, OnModel or OnSlurm; without a meaning where Command runs
	Command command.Command // a person's commands that measure, the zero value for none
	GPUs    []string        // Replay and Fidelity leave out measurements for others; empty means all
	Devices string          // GPUs of the machine, such as "0,1" or "all"; "" for the first
	Seed    uint64          // of OnModel
	Slurm   slurm.Options
	Shared  string // the folder that a job works in, "" for one beside the record
	// ModelError and ModelNoise are the parts by which the model of OnModel errs, and by which equal runs differ.
	ModelError, ModelNoise float64

	Strategy        search.Strategy
	Budget          Budget
	Rules           judge.Rules
	WarmUp, Repeats int              // runs (or repetitions of a kernel alone) that don't count, and that do
	FlushL2         bool             // before each launch
	Timeout         time.Duration    // of one run
	Tolerance       verify.Tolerance // of outputs

	Store  string // the file of the record, "" for one in the user's cache folder
	Sizes  bool   // forms with other values of constants, too, which nothing proves right
	Verify bool   // what is chosen must do the same on the CPU as well; such a form must always

	Quiet   bool // say only what counts
	Verbose bool // say which forms are left out, and why
}

const (
	OnGPU   = "gpu"   // a GPU of this machine
	OnCPU   = "cpu"   // the CPU engine of package verify, whose times say nothing of a GPU
	OnModel = "model" // times that the model makes up
	OnSlurm = "slurm" // a GPU of a cluster, by a job
)

type Files struct {
	// Job is the program with what is asked of the model. The GPU is the session's.
	Job     *pipeline.Job
	GPUs    targets.Request // the GPU that the model predicts for
	Further []string        // files that are no CUDA, to be compiled or linked
}

// Session tunes the kernels of a program from its files to the chosen text. It measures elsewhere by Export and Import, and
// decides by a record alone as well (Replay). It says what it does on a console, and knows no flags: functions give it
// the files and the comparison on the CPU when needed. Errors are those of a command line (package diag), or harness.Errors.
type Session struct {
	*console.Console
	Options

	// Load reads the files that are named; nil where none are.
	Load func() (Files, error)
	// Same compares programs on the CPU, and tells in what they differ.
	Same func(verify.Request) (bool, error)
	// Now tells the time, by which a budget is spent; nil for time.Now.
	Now       func() time.Time
	NVIDIASMI func(ctx context.Context, args ...string) (string, error)

	job     *pipeline.Job // the program as it is written
	further []string
	asked   targets.Request
	run     *pipeline.Job // as it is run: with the main that a kernel alone gets
	how     string        // how a kernel without a program is run
	gpu     *gpu.GPU
	choice  *pipeline.Choice // of run
}

type Outcome struct {
	Verdicts []judge.Verdict
	Lines    []record.Line // of the record that the verdicts are from
}

// Program returns the program as it is written, nil where it was not read.
func (s *Session) Program() *parser.Program {
	if s.job == nil {
		return nil
	}
	return s.job.Program
}

// tell says what a person may do without.
func (s *Session) tell(format string, args ...any) {
	if !s.Quiet {
		s.Remark(format, args...)
	}
}

func (s *Session) loadFiles() error {
	files, err := s.Load()
	if err != nil {
		return err
	}
	s.job, s.further, s.asked = files.Job, files.Further, files.GPUs
	return nil
}

// load reads the files, gives a kernel alone its main, finds the GPU, and asks the model about all kernels.
func (s *Session) load() error {
	if err := s.loadFiles(); err != nil {
		return err
	}
	run, err := s.Bench.Attach(s.job.Program, harness.Repeat)
	if err != nil {
		return err
	}
	if run != s.job.Program {
		s.how = s.Bench.Text()
	}
	if s.gpu, err = s.chooseGPU(s.asked); err != nil {
		return err
	}
	s.job.Ask.Named, s.job.Ask.GPUs = true, func(bool) ([]*gpu.GPU, error) { return []*gpu.GPU{s.gpu}, nil }
	s.run = s.job.On(run)
	s.choice, err = s.run.Study(false)
	return err
}

func (s *Session) subject(g *group, on record.Machine) record.Subject {
	out := record.Subject{
		Source:  record.HashProgram(s.job.Program),
		Kernel:  g.name(),
		Bench:   s.how,
		Args:    s.Arguments,
		Flags:   record.CompilerFlags(s.job.Parse),
		Machine: on,
		How:     record.Protocol{WarmUp: s.WarmUp, FlushL2: s.FlushL2},
	}
	out.Machine.GPU = s.gpu.String()
	for _, f := range s.job.Program.Files {
		out.Files = append(out.Files, filepath.ToSlash(f.Name))
	}
	if s.how != "" {
		out.How.Inner = s.Repeats
	}
	if s.Command.Run != "" {
		out.Command = []string{s.Command.Build, s.Command.Run, s.Command.Metric}
	}
	return out
}

// storePath returns the file that was named, or one in the user's cache folder for this program.
func (s *Session) storePath() (string, error) {
	if s.Store != "" {
		return s.Store, nil
	}
	return record.DefaultStore(s.job.Program.Files[0].Name, record.HashProgram(s.job.Program))
}

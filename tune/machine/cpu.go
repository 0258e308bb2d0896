package machine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/tune/record"
	"github.com/smux-cuda/smux/verify"
	"github.com/smux-cuda/smux/verify/build"
	"github.com/smux-cuda/smux/verify/execute"
	"github.com/smux-cuda/smux/verify/translate"
)

// CPU is the CPU engine of package verify. The times are those that the processor takes for
// a kernel, which say nothing of a GPU: this is for trying out a tuning run where
// there is none, and for tests.
type CPU struct {
	CPUOptions
	toolchain *build.Toolchain
	scratch   *scratch
	checks    checks
	processor chan struct{} // one run at a time, so that none takes another's time
}

// CPUOptions say what is built and how.
type CPUOptions struct {
	Program  Program
	Defines  []string // -D
	Includes []string // -I
	GPU      string   // that predictions are for, as smux --gpu takes it
	Compiler string   // "" to look for one
	CacheDir string   // of the engine, "" for the user's
}

// NewCPU makes the machine. The error is a *build.NoCompilerError where there is no C++
// compiler, or of this machine.
func NewCPU(o CPUOptions) (*CPU, error) {
	compiler, err := build.Find(o.Compiler)
	if err != nil {
		return nil, err
	}
	toolchain, err := build.Open(compiler, o.CacheDir)
	if err != nil {
		return nil, fmt.Errorf("preparing the compiler: %w", err)
	}
	s, err := newScratch()
	if err != nil {
		_ = toolchain.Close()
		return nil, err
	}
	o.Program = o.Program.WithDefaults()
	return &CPU{CPUOptions: o, toolchain: toolchain, scratch: s, processor: make(chan struct{}, 1)}, nil
}

// About names the engine and its compiler.
func (c *CPU) About() record.Machine {
	return record.Machine{On: "cpu", GPU: c.GPU, Toolkit: c.toolchain.Compiler.Version}
}

// Devices returns the one.
func (c *CPU) Devices() []int { return []int{0} }

// State is nil: there is none.
func (c *CPU) State(context.Context, int) *record.State { return nil }

// Close removes the programs and all outputs.
func (c *CPU) Close() error { return errors.Join(c.toolchain.Close(), c.scratch.Close()) }

// Build compiles a form, instrumented.
func (c *CPU) Build(ctx context.Context, s Source) (Built, error) {
	texts, names, err := c.Program.Timed(s.Texts)
	if err != nil {
		return nil, err
	}
	program, err := c.compile(ctx, texts, names, build.Plain, s.Texts)
	if err != nil {
		return nil, err
	}
	return &onCPU{c, program, s.Candidate.IsOriginal(), s.Texts}, nil
}

// Stop implements Stopper.
func (c *CPU) Stop(ctx context.Context, texts map[string][]byte, kernel string) (*Stopped, error) {
	prog, err := c.Program.parse(texts)
	if err != nil {
		return nil, err
	}
	program, err := c.compile(ctx, texts, units(prog), build.Plain, texts)
	if err != nil {
		return nil, err
	}
	return stopAt(ctx, c, c.Program, program.Path, kernel, func(int) []string { return nil })
}

func (c *CPU) library(ctx context.Context, s Source) (string, error) {
	program, err := c.compile(ctx, s.Launch.Texts, []string{s.Launch.Unit}, build.Library, s.Texts)
	if err != nil {
		return "", err
	}
	return program.Path, nil
}

// compile builds some units of texts; messages are told as of the text that a person knows.
func (c *CPU) compile(ctx context.Context, texts map[string][]byte, names []string, mode build.Mode, told map[string][]byte) (*build.Program, error) {
	dir, err := c.scratch.folder("form")
	if err != nil {
		return nil, err
	}
	compiled, err := c.translate(texts, names, dir)
	if err != nil {
		return nil, err
	}
	r := build.Request{Units: compiled, Mode: mode, Dir: dir, IncludeDirs: c.Includes, Defines: c.Defines}
	if mode == build.Plain {
		r.Sources, r.Libraries, r.Loads = c.Program.Further, c.Program.Libraries, true
	}
	program, err := c.toolchain.Build(ctx, r)
	var refused *build.CompileError
	if errors.As(err, &refused) {
		return nil, &record.Failure{Kind: record.FailedCompile, Text: c.message(refused.Messages[0], told)}
	}
	if err == nil {
		program.Path, err = filepath.Abs(program.Path)
	}
	return program, err
}

// translate makes C++ of the units of an instrumented program.
func (c *CPU) translate(texts map[string][]byte, names []string, dir string) ([]*translate.Unit, error) {
	prog, err := c.Program.parse(texts)
	if err != nil {
		return nil, fmt.Errorf("reading the instrumented program: %w", err)
	}
	headers := map[string]*parser.File{}
	maps.Copy(headers, prog.Headers)
	for _, f := range prog.Files {
		if !slices.Contains(names, f.Name) {
			headers[filepath.ToSlash(filepath.Clean(f.Name))] = f
		}
	}
	var out []*translate.Unit
	for _, f := range prog.Files {
		if !slices.Contains(names, f.Name) {
			continue
		}
		unit, err := translate.Translate(f, headers, translate.Options{Parse: c.Program.reading(texts), Dir: filepath.Join(dir, fmt.Sprintf("unit%d", len(out)))})
		if err != nil {
			return nil, fmt.Errorf("translating %s: %w", f.Name, err)
		}
		out = append(out, unit)
	}
	return out, nil
}

// message returns what a compiler or the engine says of a form, at its place in the
// original.
func (c *CPU) message(m diag.Message, texts map[string][]byte) string {
	text := m.Text
	if m.Pos.Line > 0 {
		text = c.Program.place(texts, m.Pos.File, m.Pos.Line) + text
	}
	if m.Help != "" {
		text += " (" + m.Help + ")"
	}
	return text
}

// onCPU is a form that was built.
type onCPU struct {
	*CPU
	program  *build.Program
	original bool
	texts    map[string][]byte
}

// Release removes the program.
func (b *onCPU) Release() { _ = os.RemoveAll(filepath.Dir(b.program.Path)) }

// Run runs the program. turn makes no difference.
func (b *onCPU) Run(ctx context.Context, _, _ int) (*Run, error) {
	files, result, err := b.run(ctx, timedRun)
	if err != nil {
		return nil, err
	}
	var times []float64
	launches, failure := readLaunches(files.path(LaunchesFile))
	if failure == nil {
		times, failure = b.Program.samples(launches)
	}
	if failure != nil {
		files.Release()
		return nil, failure
	}
	return &Run{Milliseconds: times, Seconds: result.Wall.Seconds(), Outputs: files}, nil
}

// Check makes the check run.
func (b *onCPU) Check(ctx context.Context, _ int) (Outputs, error) {
	return b.checks.check(ctx, b.original, b.Program.Timeout, func(ctx context.Context, kind runKind) (*Files, error) {
		files, _, err := b.run(ctx, kind)
		if err != nil {
			return nil, err
		}
		return checked(files)
	})
}

// run runs the program to an end that is not an error.
func (b *onCPU) run(ctx context.Context, kind runKind) (*Files, *execute.Result, error) {
	select {
	case b.processor <- struct{}{}:
		defer func() { <-b.processor }()
	case <-ctx.Done():
		return nil, nil, ctx.Err()
	}
	dir, err := b.scratch.folder("run")
	if err != nil {
		return nil, nil, err
	}
	files := &Files{dir: dir, original: b.original, check: kind != timedRun, rules: b.Program.rules()}
	timeout := b.Program.timeout(kind)
	result, err := execute.Run(ctx, b.program, execute.Options{
		Args: b.Program.Args, Dir: b.Program.Dir, Timeout: timeout,
		Env: append(b.Program.environment(dir, kind), "SMUX_EVENT_CLOCK=processor"),
	})
	if err == nil {
		err = os.WriteFile(files.path(StdoutFile), result.Stdout, 0o666)
	}
	if err != nil {
		files.Release()
		return nil, nil, err
	}
	if failure := b.failure(kind, files, result, timeout); failure != nil {
		files.Release()
		return nil, nil, failure
	}
	files.exit = result.Exit
	return files, result, nil
}

// failure returns what is wrong with how a run ended, nil for nothing.
func (b *onCPU) failure(kind runKind, files *Files, r *execute.Result, timeout time.Duration) *record.Failure {
	if notMerged.MatchString(string(r.Stderr)) {
		return printedFailure(string(r.Stderr))
	}
	for i := range r.Report {
		f := &r.Report[i]
		failed := record.FailedCrash
		switch {
		case f.Code == verify.CodeNotSupported:
			failed = record.FailedRun
		case f.Code == "crash", r.End != nil && r.End.Fatal:
		default:
			continue
		}
		return &record.Failure{Kind: failed, Text: b.message(verify.FindingMessage(f), b.texts)}
	}
	switch {
	case r.TimedOut:
		return &record.Failure{Kind: record.FailedTimeout, Text: "it did not end within " + timeout.String()}
	case r.Truncated:
		return &record.Failure{Kind: record.FailedRun, Text: "it prints more than 64 MB"}
	}
	e := &ended{exit: r.Exit, signal: r.Signal, stderr: string(r.Stderr)}
	failure := e.failure(kind, files.path(StdoutFile), timeout)
	if failure != nil {
		if _, launch := readLaunches(files.path(LaunchesFile)); launch != nil && launch.Kind != record.FailedUntimed {
			return launch
		}
	}
	return failure
}

package machine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/disk"
	"github.com/smux-cuda/smux/tune/instrument"
	"github.com/smux-cuda/smux/tune/record"
	"github.com/smux-cuda/smux/verify"
	"github.com/smux-cuda/smux/verify/build"
	"github.com/smux-cuda/smux/verify/execute"
)

// host holds what machines have in common that start a program for each run.
type host struct {
	Program Program
	dir     string // of programs, and of the outputs of runs until they are released
	checks  checks
	running chan struct{} // has room for as many runs as may take place at a time
	arch    string        // that programs are compiled for, "" where that is this machine's
	options execute.Options
	// environment holds a program to a device.
	environment func(device int, kind runKind) ([]string, error)
}

func newHost(p Program, devices int) (*host, error) {
	dir, err := disk.TempDir("", "smux-tune-")
	if err != nil {
		return nil, fmt.Errorf("making a folder for programs and their outputs: %w", err)
	}
	if p.Timeout <= 0 {
		p.Timeout = patience
	}
	return &host{Program: p, dir: dir, running: make(chan struct{}, devices)}, nil
}

func (h *host) Close() error { return disk.Remove(h.dir) }

// message returns what a compiler or the engine says of a form, at its place in the original.
func (h *host) message(m diag.Message, texts map[string][]byte) string {
	text := m.Text
	if line := m.Pos.Line; line > 0 {
		original, ok := h.Program.Original[m.Pos.File]
		if form, changed := texts[m.Pos.File]; ok && changed {
			line = verify.OriginalLine(original, form, line)
		}
		text = fmt.Sprintf("%s:%d: %s", m.Pos.File, line, text)
	}
	if m.Help != "" {
		text += " (" + m.Help + ")"
	}
	return text
}

type executable struct {
	*host
	built    *build.Program
	original bool
	texts    map[string][]byte
}

func (p *executable) Release() { _ = os.RemoveAll(filepath.Dir(p.built.Path)) }

func (p *executable) Run(ctx context.Context, device, _ int) (*Run, error) {
	files, launches, wall, err := p.start(ctx, device, timedRun)
	if err != nil {
		return nil, err
	}
	times, failure := p.Program.samples(launches)
	if failure != nil {
		files.Release()
		return nil, failure
	}
	return &Run{Milliseconds: times, Seconds: wall.Seconds(), Outputs: files}, nil
}

func (p *executable) Check(ctx context.Context, device int) (Outputs, error) {
	return p.checks.check(ctx, p.original, p.Program.Timeout, func(ctx context.Context, kind runKind) (Outputs, error) {
		files, launches, _, err := p.start(ctx, device, kind)
		if err != nil {
			return nil, err
		}
		if launches.Unchecked != "" {
			files.Release()
			return nil, nil
		}
		return files, nil
	})
}

// start runs the program to an end that is not an error.
func (p *executable) start(ctx context.Context, device int, kind runKind) (files *Files, launches instrument.Run, wall time.Duration, err error) {
	opt := p.options
	if opt.Env, err = p.environment(device, kind); err != nil {
		return nil, launches, 0, err
	}
	select {
	case p.running <- struct{}{}:
		defer func() { <-p.running }()
	case <-ctx.Done():
		return nil, launches, 0, ctx.Err()
	}
	dir, err := os.MkdirTemp(p.dir, "run-")
	if err != nil {
		return nil, launches, 0, err
	}
	files = &Files{dir: dir, original: p.original, check: kind != timedRun, rules: p.Program.rules()}
	opt.Args, opt.Dir, opt.Timeout, opt.Env = p.Program.Args, p.Program.Dir, p.Program.Timeout, append(opt.Env, p.Program.environment(dir, kind)...)
	if kind != timedRun {
		opt.Timeout *= checkPatience
	}
	r, err := execute.Run(ctx, p.built, opt)
	if err == nil {
		err = os.WriteFile(files.path(StdoutFile), r.Stdout, 0o666)
	}
	if err == nil {
		var launch *record.Failure
		launches, launch = readLaunches(files.path(LaunchesFile))
		if failure := p.failure(kind, r, launch); failure != nil {
			err = failure
		}
		files.exit, wall = r.Exit, r.Wall
	}
	if err != nil {
		files.Release()
		return nil, launches, 0, err
	}
	return files, launches, wall, nil
}

// failure returns what is wrong with how a run ended, nil for nothing: what a launch says of itself, then the program.
func (p *executable) failure(kind runKind, r *execute.Result, launch *record.Failure) *record.Failure {
	if len(r.Report) > 0 && notMerged.Match(r.Stderr) {
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
		return &record.Failure{Kind: failed, Text: p.message(verify.FindingMessage(f), p.texts)}
	}
	failure := endFailure(kind, r)
	if failure == nil || failure.Kind != record.FailedTimeout && launch != nil && launch.Kind != record.FailedUntimed {
		failure = launch
	}
	if failure == nil || p.arch == "" {
		return failure
	}
	if why, ok := strings.CutPrefix(failure.Text, noCode+": "); ok {
		failure.Text = fmt.Sprintf("%s: it was compiled for %s; %s", noCode, p.arch, why)
	}
	return failure
}

// mostSaid is the part at the end of what a program prints that is looked at for what went wrong.
const mostSaid = 1 << 14

// endFailure returns what is wrong with the end of a run, nil for nothing. Exit statuses of check runs are compared instead.
func endFailure(kind runKind, r *execute.Result) *record.Failure {
	switch {
	case r.TimedOut:
		return &record.Failure{Kind: record.FailedTimeout, Text: fmt.Sprintf("it did not end within %v", r.Limit)}
	case r.Truncated:
		return &record.Failure{Kind: record.FailedRun, Text: fmt.Sprintf("it prints more than %d MB", max(len(r.Stdout), len(r.Stderr))>>20)}
	case r.Exit == 0 && r.Signal == "":
		return nil
	}
	end := func(text []byte) string { return string(text[max(0, len(text)-mostSaid):]) }
	printed, said := end(r.Stdout), end(r.Stderr)
	how, failed := fmt.Sprintf("it ends with exit status %d", r.Exit), record.FailedRun
	if r.Signal != "" {
		how, failed = "a signal ends it: "+r.Words, record.FailedCrash
	}
	if line := lastLine(said); line != "" {
		how += ": " + line
	} else if line := lastLine(printed); line != "" {
		how += ", after " + fmt.Sprintf("%q", line)
	}
	if f := printedFailure(said + "\n" + printed); f != nil {
		return &record.Failure{Kind: f.Kind, Text: f.Text + "; " + how}
	}
	if kind != timedRun && r.Signal == "" {
		return nil
	}
	return &record.Failure{Kind: failed, Text: how}
}

// lastLine returns the last line that isn't empty, cut where it is long.
func lastLine(text string) string {
	text = strings.TrimSpace(text)
	line := strings.TrimSpace(text[strings.LastIndexByte(text, '\n')+1:])
	if len(line) > 200 {
		line = line[:200] + "…"
	}
	return line
}

// NotLaunched says that no launch of a kernel was timed.
const NotLaunched = "it did not launch the kernel, or asked for it with a CUDA error pending"

// readLaunches reads what a run says of its launches. The failure is of the first one that was not timed, or of none.
func readLaunches(file string) (instrument.Run, *record.Failure) {
	launches, err := instrument.ReadLaunches(file)
	var untimed *instrument.UntimedError
	switch {
	case err == nil:
		return launches, nil
	case errors.As(err, &untimed) && untimed.CUDA != "":
		return launches, launchFailure(untimed.CUDA)
	case untimed != nil && untimed.None:
		return launches, &record.Failure{Kind: record.FailedUntimed, Text: NotLaunched}
	}
	return launches, notTimed(err)
}

// samples returns the times of a run that count, in milliseconds: one for each repetition of a kernel alone, or for a run.
func (p *Program) samples(launches instrument.Run) ([]float64, *record.Failure) {
	if !p.isBench() {
		return []float64{launches.Milliseconds()}, nil
	}
	all, err := launches.Repetitions(p.WarmUp + p.Repeats)
	if err != nil {
		return nil, notTimed(err)
	}
	return all[p.WarmUp:], nil
}

func notTimed(err error) *record.Failure {
	return &record.Failure{Kind: record.FailedUntimed, Text: err.Error()}
}

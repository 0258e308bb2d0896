package execute

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/smux-cuda/smux/internal/disk"
	"github.com/smux-cuda/smux/internal/process"
	"github.com/smux-cuda/smux/verify/build"
)

// Options describes how a program runs.
type Options struct {
	Schedule Schedule
	Args     []string
	Name     string // by which a program is called that no shell bounds, "" for the path, with bounds
	Stdin    []byte // nil: nothing to read
	Dir      string // working directory, "" for the caller's
	Env      []string
	Timeout  time.Duration // 0: none
	Watchdog time.Duration // time without progress in a kernel after which it counts as spinning; 0: the runtime's own
	Checks   []string      // of race, bounds, uninitialised, region, host; nil: all
	CopyLog  string        // file for the log of copies to the host, "" for none
	Traced   bool          // keep the trace of an order of steps
	// MaxOutput bounds what is kept of stdout and of stderr, in bytes; 0 means
	// 64 MiB. A program that prints more goes on running.
	MaxOutput int64
}

// Result holds what happened.
type Result struct {
	Exit     int           // exit status; -1 if a signal ended the program
	Signal   string        // that signal, "" if none did
	Words    string        // as the system has it: "segmentation fault"
	TimedOut bool          // Timeout passed and the program was killed
	Limit    time.Duration // the timeout
	Stdout   []byte
	Stderr   []byte
	// Truncated is set if stdout or stderr was longer than MaxOutput. StdoutBytes counts what the program printed.
	Truncated   bool
	StdoutBytes int64
	Report      []Finding // in the order of the report
	Trace       []byte    // of an order of steps, as package explore reads it
	End         *End      // nil: the runtime did not see how the program ended
	Wall        time.Duration
}

// ExitFatal is the status with which the runtime ends a program at a finding after which it can't go on.
const ExitFatal = 97

const defaultMaxOutput = 64 << 20

// Run runs a program to its end. The error is of the machine or of ctx: what the program does wrong is in the result.
func Run(ctx context.Context, p *build.Program, opt Options) (*Result, error) {
	folder, err := disk.TempDir("", "smux-run-")
	if err != nil {
		return nil, fmt.Errorf("making a folder for the report: %w", err)
	}
	defer disk.Remove(folder)
	report, trace := filepath.Join(folder, "report"), filepath.Join(folder, "trace")

	limited, cancel := ctx, context.CancelFunc(func() {})
	if opt.Timeout > 0 {
		limited, cancel = context.WithTimeout(ctx, opt.Timeout)
	}
	defer cancel()
	path, err := filepath.Abs(p.Path)
	if err != nil {
		return nil, err
	}
	if _, err := exec.LookPath(path); err != nil { // the shell that starts it would not say so
		return nil, fmt.Errorf("running the program: %w", err)
	}
	c := command(limited, path, opt)
	env, err := environment(p, opt, report, folder)
	if err != nil {
		return nil, err
	}
	if opt.Traced {
		env = append(env, "SMUX_TRACE="+trace)
	}
	c.Env = env
	if opt.MaxOutput <= 0 {
		opt.MaxOutput = defaultMaxOutput
	}
	stdout, stderr := &process.Head{Limit: opt.MaxOutput}, &process.Head{Limit: opt.MaxOutput}
	c.Stdout, c.Stderr = stdout, stderr

	start := time.Now()
	err = c.Run()
	r := &Result{Wall: time.Since(start), Limit: opt.Timeout}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	r.TimedOut = limited.Err() != nil
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) && !r.TimedOut && !errors.Is(err, exec.ErrWaitDelay) {
		return nil, fmt.Errorf("running the program: %w", err)
	}
	r.Exit, r.Signal, r.Words = ending(c.ProcessState)
	r.Stdout, r.Stderr = stdout.Bytes(), stderr.Bytes()
	r.StdoutBytes = stdout.Total
	r.Truncated = stdout.Cut() || stderr.Cut()
	if err := r.read(p, report); err != nil {
		return nil, err
	}
	if opt.Traced {
		if r.Trace, err = os.ReadFile(trace); err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, fmt.Errorf("reading the trace: %w", err)
		}
	}
	return r, nil
}

// read fills in what the runtime reported.
func (r *Result) read(p *build.Program, report string) error {
	text, err := os.ReadFile(report)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("reading the report: %w", err)
	}
	records, end := parseReport(text)
	r.End = end
	if p.Mode == build.Address {
		records = withSanitizer(records, r.Stderr, p.Path)
	}
	places := newResolver(p)
	r.Report = places.findings(records)
	if end != nil {
		for i := range end.Kernels {
			end.Kernels[i].Frames = places.frames(end.Kernels[i].PCs)
		}
	}
	for i := range r.Report {
		if f := &r.Report[i]; f.Code == "crash" && f.Text == "" && f.Signal == sigabrt {
			f.Text = lastLine(r.Stderr)
		}
	}
	return nil
}

// sigabrt is the signal of abort and assert; programs print why before.
const sigabrt = 6

// lastLine returns the last line that is not empty, cut where it is long.
func lastLine(text []byte) string {
	text = bytes.TrimSpace(text)
	line := string(text[bytes.LastIndexByte(text, '\n')+1:])
	if len(line) > 200 {
		line = line[:200] + "…"
	}
	return line
}

// programName is the name that every program has: it may print argv[0], and where
// it lies differs from program to program.
const programName = "./program"

// environment holds what a program sees: the same in every run and on every machine, but for where things lie.
func environment(p *build.Program, opt Options, report, scratch string) ([]string, error) {
	env := append([]string{"LANG=C", "LC_ALL=C", "TZ=UTC", "TMPDIR=" + scratch}, Inherited()...)
	env = append(env, opt.Env...)
	env = append(env, "SMUX_ORDER="+opt.Schedule.String(), "SMUX_REPORT="+report, "SMUX_PROGRAM="+programName)
	if opt.CopyLog != "" {
		copies, err := filepath.Abs(opt.CopyLog)
		if err != nil {
			return nil, err
		}
		env = append(env, "SMUX_COPIES="+copies)
	}
	if p.Part > 0 {
		env = append(env, build.PartVariable+"="+strconv.Itoa(p.Part))
	}
	if opt.Checks != nil {
		env = append(env, "SMUX_CHECKS="+strings.Join(opt.Checks, ","))
	}
	if opt.Watchdog > 0 {
		env = append(env, "SMUX_WATCHDOG="+strconv.FormatFloat(opt.Watchdog.Seconds(), 'f', -1, 64))
	}
	if p.Mode == build.Address {
		// Places are found by the debug information, not by the sanitizer; signals are
		// the runtime's; memory that is never freed is not a finding.
		env = append(env, "ASAN_OPTIONS=symbolize=0:detect_leaks=0:handle_segv=0:handle_sigbus=0:handle_abort=0:handle_sigfpe=0:detect_stack_use_after_return=0:exitcode="+strconv.Itoa(ExitFatal))
	}
	return env, nil
}

// Inherited returns the part of this process's environment that programs see.
func Inherited() (env []string) {
	for _, name := range []string{"PATH", "HOME", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"} {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// command makes the command, in a process group of its own.
func command(ctx context.Context, path string, opt Options) *process.Cmd {
	name, args := path, opt.Args
	if opt.Name == "" {
		name, args = bounded(path, opt)
	}
	c := process.Command(ctx, name, args...)
	if opt.Name != "" {
		c.Args[0] = opt.Name
	}
	c.Dir = opt.Dir
	if opt.Stdin != nil {
		c.Stdin = bytes.NewReader(opt.Stdin)
	}
	return c
}

package command

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/smux-cuda/smux/internal/process"
	"github.com/smux-cuda/smux/tune/machine"
	"github.com/smux-cuda/smux/tune/record"
)

// settle is the wait after a build, so that a file that the first run changes gets another time (in steps of milliseconds).
const settle = 12 * time.Millisecond

// build builds the form in the copy of a slot, which is locked.
func (f *form) build(ctx context.Context, s *slot) error {
	if err := mirror(f.m.base, s.dir); err != nil {
		return fmt.Errorf("copying the project: %w", err)
	}
	for _, name := range slices.Sorted(maps.Keys(f.texts)) {
		if err := replace(filepath.Join(s.dir, name), f.texts[name]); err != nil {
			return fmt.Errorf("writing the form's text: %w", err)
		}
	}
	if f.m.o.Build != "" {
		out, err := f.execute(ctx, s, f.m.o.Build, f.m.buildTimeout)
		if err != nil {
			return err
		}
		if out.failure != nil {
			return out.refused()
		}
	}
	time.Sleep(settle)
	if err := keep(f.m.base, s.dir, f.kept(s)); err != nil {
		return fmt.Errorf("keeping what was built: %w", err)
	}
	s.built[f], s.last = true, f
	return nil
}

func (out *output) refused() *record.Failure {
	if out.failure.Kind == record.FailedTimeout {
		return &record.Failure{Kind: record.FailedTimeout, Text: "building: " + out.failure.Text}
	}
	const shown = 5
	text := "the build command: " + out.status
	lines := lastLines(out.stderr, shown)
	if len(lines) == 0 {
		lines = lastLines(out.stdout, shown)
	}
	for i := range lines {
		lines[i] = shortened(lines[i])
	}
	if len(lines) > 0 {
		text += ":\n" + strings.Join(lines, "\n")
	}
	return &record.Failure{Kind: record.FailedCompile, Text: text}
}

// enter locks the slot of a device, in which the form is built then.
func (f *form) enter(ctx context.Context, device int) (*slot, error) {
	at := slices.Index(f.m.Devices(), device)
	if at < 0 {
		return nil, fmt.Errorf("there is no device %d", device)
	}
	s := f.m.slots[at]
	s.Lock()
	if !s.built[f] {
		if err := f.build(ctx, s); err != nil {
			s.Unlock()
			return nil, err
		}
	}
	return s, nil
}

// Check builds the form where that has yet to be done. A command has no run that shows more, so there are no outputs.
func (f *form) Check(ctx context.Context, device int) (machine.Outputs, error) {
	s, err := f.enter(ctx, device)
	if err != nil {
		return nil, err
	}
	s.Unlock()
	return nil, nil
}

// Run runs the form once, in a copy that is as the build left it.
func (f *form) Run(ctx context.Context, device, _ int) (*machine.Run, error) {
	s, err := f.enter(ctx, device)
	if err != nil {
		return nil, err
	}
	defer s.Unlock()
	if s.last != f { // of two forms, files of one size and time may differ
		err = mirror(f.m.base, s.dir)
	}
	if err = errors.Join(err, mirror(f.kept(s), s.dir)); err != nil {
		return nil, fmt.Errorf("putting the project back to what the build left: %w", err)
	}
	s.last = f
	began := time.Now()
	out, err := f.execute(ctx, s, f.m.o.Run, f.m.o.Timeout)
	if err != nil {
		return nil, err
	}
	seconds := time.Since(began).Seconds()
	if out.failure != nil {
		return nil, out.failure
	}
	times, failure := f.m.metric.Times(out.stdout, out.stderr)
	if failure != nil {
		return nil, failure
	}
	return &machine.Run{Milliseconds: times, Seconds: seconds, Outputs: f.m.printed(out.stdout)}, nil
}

func (f *form) Release() {
	for _, s := range f.m.slots {
		s.Lock()
		delete(s.built, f)
		s.Unlock()
	}
	_ = os.RemoveAll(f.folder()) // Close says what can't be removed
}

func (f *form) folder() string      { return filepath.Join(f.m.scratch, "form"+strconv.Itoa(f.number)) }
func (f *form) kept(s *slot) string { return filepath.Join(f.folder(), filepath.Base(s.dir)) }

// What is kept of what a command prints: all that a run is compared by, and of the rest what messages show.
const (
	stdoutLimit = 16 << 20
	stderrLimit = 1 << 20
)

type output struct {
	stdout, stderr []byte
	status         string // in words, where it failed
	failure        *record.Failure
}

// execute runs a command in the copy of a slot; all that it started ends with it. The error is ctx's, or a shell's.
func (f *form) execute(ctx context.Context, s *slot, command string, timeout time.Duration) (*output, error) {
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	c := process.Command(limited, "sh", "-c", command)
	c.Dir, c.Env = s.dir, f.environment(s)
	stdout, stderr := &process.Head{Limit: stdoutLimit}, &process.Head{Limit: stderrLimit}
	c.Stdout, c.Stderr = stdout, stderr
	err := c.Run()
	out := &output{stdout: stdout.Bytes(), stderr: stderr.Bytes()}
	var status *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case limited.Err() != nil:
		out.fail(record.FailedTimeout, fmt.Sprintf("it did not end within %v", timeout))
	case errors.Is(err, exec.ErrWaitDelay):
		_ = c.Cancel() // the group is there as long as one of it is
		out.fail(record.FailedRun, "it ended, but a process that it started holds its output open")
	case errors.As(err, &status):
		signal := syscall.Signal(0)
		if w, ok := status.Sys().(syscall.WaitStatus); ok && w.Signaled() {
			signal = w.Signal()
		} else if code := status.ExitCode(); code > 128 && code <= 128+64 { // a signal ended the shell's last command
			signal = syscall.Signal(code - 128)
		}
		if signal == 0 {
			out.fail(record.FailedRun, status.String())
		} else {
			out.fail(record.FailedCrash, fmt.Sprintf("it was ended by signal %d (%s)", int(signal), signal))
		}
	case err != nil:
		return nil, fmt.Errorf("running sh: %w", err)
	case stdout.Cut():
		out.fail(record.FailedRun, fmt.Sprintf("it printed more than %d MB", stdoutLimit>>20))
	}
	return out, nil
}

func (o *output) fail(kind record.FailureKind, status string) {
	text := status
	if lines := lastLines(o.stderr, 1); len(lines) > 0 && kind != record.FailedTimeout {
		text += ": " + shortened(lines[0])
	}
	o.status, o.failure = status, &record.Failure{Kind: kind, Text: text}
}

// environment is that of smux with the slot's device, and what nvcc is to do besides, whatever starts it.
func (f *form) environment(s *slot) []string {
	env := os.Environ()
	if s.visible != "" {
		env = append(env, "CUDA_DEVICE_ORDER=PCI_BUS_ID", "CUDA_VISIBLE_DEVICES="+s.visible)
	}
	if len(f.flags) > 0 {
		flags := strings.Join(f.flags, " ")
		if had := os.Getenv("NVCC_APPEND_FLAGS"); had != "" {
			flags = had + " " + flags
		}
		env = append(env, "NVCC_APPEND_FLAGS="+flags)
	}
	return env
}

package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/smux-cuda/smux/internal/process"
	"github.com/smux-cuda/smux/tune/record"
)

// What is kept of what a command prints: all that a run is compared by, and of the
// rest what messages show.
const (
	stdoutLimit = 16 << 20
	stderrLimit = 1 << 20
)

// output holds what a command left.
type output struct {
	stdout, stderr []byte
	status         string // in words, where it failed
	failure        *record.Failure
}

// execute runs a command in the copy of a slot; all that it started ends with it.
// The error is ctx's, or that of starting a shell.
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
		kind, text := ended(status)
		out.fail(kind, text)
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

// ended returns how a shell ended. One whose last command was ended by a signal says so
// with a status above 128.
func ended(status *exec.ExitError) (record.FailureKind, string) {
	signal := syscall.Signal(0)
	if w, ok := status.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		signal = w.Signal()
	} else if code := status.ExitCode(); code > 128 && code <= 128+64 {
		signal = syscall.Signal(code - 128)
	}
	if signal == 0 {
		return record.FailedRun, status.String()
	}
	return record.FailedCrash, fmt.Sprintf("it was ended by signal %d (%s)", int(signal), signal)
}

// environment is that of smux with the slot's device. What nvcc is to do besides
// is handed to it by a variable of its own, whatever starts it.
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

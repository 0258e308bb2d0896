package machine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/smux-cuda/smux/internal/process"
	"github.com/smux-cuda/smux/tune/record"
)

// What of a run's output is kept.
const (
	mostStdout = 1 << 30 // a program that prints more is ended
	mostStderr = 1 << 14 // the end of it
)

// programName is the name by which every program is called, for it may print that.
const programName = "./program"

// command is one run of a program.
type command struct {
	path    string
	args    []string
	dir     string   // in which it runs
	env     []string // besides this process's own
	timeout time.Duration
	files   string // folder for what it prints
}

// ended says how a program ended.
type ended struct {
	seconds  float64
	exit     int
	signal   string // that ended it, "" for none
	timedOut bool
	tooLong  bool   // it printed more than mostStdout
	stderr   string // the end of it
}

// execute runs a program to its end, with all that it starts. The error is ctx's or
// this machine's.
func (c command) execute(ctx context.Context) (*ended, error) {
	limited, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	stdout, err := os.Create(filepath.Join(c.files, StdoutFile))
	if err != nil {
		return nil, err
	}
	defer stdout.Close()
	p := process.Command(limited, c.path, c.args...)
	p.Args[0] = programName
	p.Dir = c.dir
	p.Env = append(withoutOurs(os.Environ()), c.env...)
	out, said := &bounded{to: stdout, left: mostStdout, end: cancel}, &tail{}
	p.Stdout, p.Stderr = out, said
	start := time.Now()
	err = p.Run()
	e := &ended{seconds: time.Since(start).Seconds(), stderr: said.String(), tooLong: out.over}
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case e.tooLong:
	case limited.Err() != nil:
		e.timedOut = true
	case out.err != nil:
		return nil, fmt.Errorf("keeping what the program prints: %w", out.err)
	case errors.As(err, &exit):
		e.exit = exit.ExitCode()
		if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() {
			e.signal = status.Signal().String()
		}
	case err != nil && !errors.Is(err, exec.ErrWaitDelay):
		return nil, fmt.Errorf("running the program: %w", err)
	}
	return e, stdout.Close()
}

// failure returns what is wrong with how a run of a kind ended, nil for nothing. stdout is
// where it printed to: many programs say there what went wrong.
//
// A program whose launches build on one another finds its own results wrong in a check
// run, and may say so by its exit status: that is compared with the original's.
func (e *ended) failure(kind runKind, stdout string, timeout time.Duration) *record.Failure {
	switch {
	case e.tooLong:
		return &record.Failure{Kind: record.FailedRun, Text: fmt.Sprintf("it prints more than %d MB", mostStdout>>20)}
	case e.timedOut:
		return &record.Failure{Kind: record.FailedTimeout, Text: fmt.Sprintf("it did not end within %v", timeout)}
	case e.exit == 0 && e.signal == "":
		return nil
	}
	printed := lastBytes(stdout, mostStderr)
	how, failed := fmt.Sprintf("it ends with exit status %d", e.exit), record.FailedRun
	if e.signal != "" {
		how, failed = "a signal ends it: "+e.signal, record.FailedCrash
	}
	if line := lastLine(e.stderr); line != "" {
		how += ": " + line
	} else if line := lastLine(printed); line != "" {
		how += ", after " + fmt.Sprintf("%q", line)
	}
	if f := printedFailure(e.stderr + "\n" + printed); f != nil {
		return &record.Failure{Kind: f.Kind, Text: f.Text + "; " + how}
	}
	if kind != timedRun && e.signal == "" {
		return nil
	}
	return &record.Failure{Kind: failed, Text: how}
}

// withoutOurs drops what would change an instrumented program.
func withoutOurs(env []string) []string {
	var out []string
	for _, e := range env {
		if !strings.HasPrefix(e, "SMUX_LAUNCH_") && !strings.HasPrefix(e, "SMUX_BENCH_") {
			out = append(out, e)
		}
	}
	return out
}

// bounded writes no more than some bytes, and then ends the program.
type bounded struct {
	to   io.Writer
	left int64
	over bool
	end  func()
	err  error
}

func (b *bounded) Write(p []byte) (int, error) {
	if int64(len(p)) > b.left {
		b.over = true
		b.end()
		return len(p), nil
	}
	b.left -= int64(len(p))
	n, err := b.to.Write(p)
	if err != nil {
		b.err = err
		b.end()
	}
	return n, err
}

// tail keeps the last bytes of what is written to it.
type tail struct{ bytes.Buffer }

func (t *tail) Write(p []byte) (int, error) {
	t.Buffer.Write(p)
	if over := t.Len() - mostStderr; over > mostStderr {
		t.Next(over)
	}
	return len(p), nil
}

// ReadFrom would go round Write.
func (t *tail) ReadFrom(r io.Reader) (int64, error) {
	return io.Copy(struct{ io.Writer }{t}, r)
}

// lastBytes returns the end of a file, "" where it can't be read.
func lastBytes(file string, most int64) string {
	f, err := os.Open(file)
	if err != nil {
		return ""
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return ""
	}
	_, _ = f.Seek(max(0, info.Size()-most), io.SeekStart)
	text, _ := io.ReadAll(io.LimitReader(f, most))
	return string(text)
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

package stress

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/smux-cuda/smux/internal/procgroup"
)

// outputLimit is how much of what a program prints is compared: a run that prints
// more is a failure.
const outputLimit = 64 << 20

// run runs a level once and adds what it measured, where it counts.
func (r *runner) run(ctx context.Context, m *measure, counts bool) {
	log := filepath.Join(r.dir, "launches")
	_ = os.Remove(log)
	output, failure := r.execute(ctx, r.programs[m.row.Level.Cap].path, m.row, log)
	if ctx.Err() != nil {
		return
	}
	var l launches
	if failure == nil {
		l, failure = readLaunches(log)
	}
	if failure != nil {
		m.row.Failure, m.row.Milliseconds = failure, nil
		return
	}
	m.outputs = append(m.outputs, output)
	m.row.Active, m.row.Launches = l.active, l.count
	if counts {
		m.row.Milliseconds = append(m.row.Milliseconds, l.milliseconds)
	}
}

// execute runs a program and returns what it printed to standard output.
func (r *runner) execute(ctx context.Context, path string, row Row, log string) ([]byte, *Failure) {
	limited, cancel := context.WithTimeout(ctx, r.Timeout)
	defer cancel()
	c := procgroup.Command(limited, path, row.Args...)
	c.Dir = r.Dir
	c.Env = append(os.Environ(), envOut+"="+log, envThreads+"="+strconv.Itoa(row.Threads), envBytes+"="+strconv.Itoa(row.Level.Bytes))
	if row.Level.Carveout {
		c.Env = append(c.Env, envCarveout+"=100")
	}
	stdout, stderr := &capped{limit: outputLimit}, &capped{limit: 4096}
	c.Stdout, c.Stderr = stdout, stderr
	err := c.Run()
	switch {
	case limited.Err() != nil:
		return nil, &Failure{FailedTimeout, fmt.Sprintf("it did not end within %v", r.Timeout)}
	case err != nil:
		text := err.Error()
		if line := lastLine(stderr.Bytes()); line != "" {
			text += ": " + line
		}
		return nil, &Failure{FailedRun, text}
	case stdout.over:
		return nil, &Failure{FailedRun, fmt.Sprintf("it printed more than %d MB", outputLimit>>20)}
	}
	return stdout.Bytes(), nil
}

// capped keeps the first bytes of what is written to it.
type capped struct {
	bytes.Buffer
	limit int
	over  bool
}

func (c *capped) Write(p []byte) (int, error) {
	if room := c.limit - c.Len(); len(p) > room {
		c.over = true
		c.Buffer.Write(p[:max(room, 0)])
		return len(p), nil
	}
	return c.Buffer.Write(p)
}

// ReadFrom would go round Write.
func (c *capped) ReadFrom(r io.Reader) (int64, error) {
	return io.Copy(struct{ io.Writer }{c}, r)
}

func lastLine(text []byte) string {
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}

// launches are what one run measured.
type launches struct {
	milliseconds float64 // of all together
	count        int
	active       int // thread blocks per SM, of the last one
}

// readLaunches reads what the runtime wrote: a line "launch MILLISECONDS BLOCKS
// THREADS BYTES" for each launch, and another word for one that wasn't timed.
func readLaunches(file string) (launches, *Failure) {
	src, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		return launches{}, &Failure{FailedUntimed, "it did not launch the kernel, or asked for it with a CUDA error pending"}
	}
	if err != nil {
		return launches{}, &Failure{FailedUntimed, err.Error()}
	}
	var l launches
	for line := range strings.Lines(string(src)) {
		f := strings.Fields(line)
		switch {
		case len(f) == 0:
			continue
		case f[0] == "captured":
			return l, &Failure{FailedUntimed, "a launch is captured into a graph, which can't be timed"}
		case f[0] != "launch" || len(f) != 5:
			return l, &Failure{FailedUntimed, "a launch was not timed: " + line[:min(len(line), 80)]}
		}
		t, err := strconv.ParseFloat(f[1], 64)
		active, err2 := strconv.Atoi(f[2])
		if err != nil || err2 != nil || !(t >= 0) {
			return l, &Failure{FailedUntimed, "a launch was not timed: " + line[:min(len(line), 80)]}
		}
		l.milliseconds += t
		l.active = active
		l.count++
	}
	if l.count == 0 {
		return l, &Failure{FailedUntimed, fmt.Sprintf("it launched the kernel with no blocks of the size that is meant")}
	}
	return l, nil
}

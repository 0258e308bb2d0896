package stress

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/smux-cuda/smux/internal/process"
	"github.com/smux-cuda/smux/tune/instrument"
)

// outputLimit is the number of bytes of a program's output that are compared: a run that prints
// more is a failure.
const outputLimit = 64 << 20

// run runs a level once and adds what it measured, where it counts.
func (r *runner) run(ctx context.Context, m *measure, counts bool) {
	log := filepath.Join(r.dir, "launches")
	_ = os.Remove(log)
	output, failure := r.execute(ctx, r.program(m.row.Level), m.row, log)
	if ctx.Err() != nil {
		return
	}
	var timed instrument.Run
	if failure == nil {
		var err error
		if timed, err = instrument.ReadLaunches(log); err != nil {
			failure = &Failure{FailedUntimed, err.Error()}
		}
	}
	if failure != nil {
		m.row.Failure, m.row.Milliseconds = failure, nil
		return
	}
	m.outputs = append(m.outputs, output)
	m.row.Launches = len(timed.Launches)
	m.row.Active = timed.Launches[m.row.Launches-1].Blocks
	if counts {
		m.row.Milliseconds = append(m.row.Milliseconds, timed.Milliseconds())
	}
}

// execute runs a program and returns what it printed to standard output.
func (r *runner) execute(ctx context.Context, path string, row Row, log string) ([]byte, *Failure) {
	limited, cancel := context.WithTimeout(ctx, r.Timeout)
	defer cancel()
	c := process.Command(limited, path, row.Args...)
	c.Dir = r.Dir
	c.Env = append(os.Environ(), instrument.EnvOut+"="+log, instrument.EnvThreads+"="+strconv.Itoa(row.Threads), instrument.EnvBytes+"="+strconv.Itoa(row.Level.Bytes),
		instrument.EnvHold+"="+instrument.LongestHold)
	if row.Level.Carveout {
		c.Env = append(c.Env, instrument.EnvCarveout+"=100")
	}
	stdout, stderr := &process.Head{Limit: outputLimit}, &process.Head{Limit: 4096}
	c.Stdout, c.Stderr = stdout, stderr
	err := c.Run()
	switch {
	case limited.Err() != nil:
		return nil, &Failure{FailedTimeout, fmt.Sprintf("it did not end within %v", r.Timeout)}
	case err != nil:
		text, lines := err.Error(), strings.Split(strings.TrimSpace(string(stderr.Bytes())), "\n")
		if line := strings.TrimSpace(lines[len(lines)-1]); line != "" {
			text += ": " + line
		}
		return nil, &Failure{FailedRun, text}
	case stdout.Cut():
		return nil, &Failure{FailedRun, fmt.Sprintf("it printed more than %d MB", outputLimit>>20)}
	}
	return stdout.Bytes(), nil
}

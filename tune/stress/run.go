package stress

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/smux-cuda/smux/internal/disk"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/internal/process"
	"github.com/smux-cuda/smux/tune/instrument"
	"github.com/smux-cuda/smux/tune/record"
)

type Plan struct {
	Subject Subject
	Levels  []Level // the original first
	// Build makes the instrumented program of a level, one for all of a Cap. Errors that are no *Failure are FailedCompile.
	Build func(ctx context.Context, l Level, out string) error
	Dir   string // in which the program runs, "" for the current one
	// Repeats is the number of runs of each level that count, after WarmUp runs that don't.
	Repeats, WarmUp int
	Timeout         time.Duration // of one run
	Progress        func(line string)
}

// Run measures all levels in turns, so that a machine that gets slower does so for each of them. What goes wrong with a level is
// its row's failure, with the original the error; rows are returned with it. Nothing stays behind.
func Run(ctx context.Context, p Plan) ([]Row, error) {
	dir, err := disk.TempDir("", "smux-stress-")
	if err != nil {
		return nil, err
	}
	defer disk.Remove(dir)
	r := &runner{Plan: p, dir: dir, programs: map[int]*record.Failure{}}
	for _, l := range p.Levels {
		r.measures = append(r.measures, &measure{row: Row{Subject: p.Subject, Level: l}})
	}
	if err := r.build(ctx); err != nil {
		return r.rows(), err
	}
	for turn := range p.WarmUp + p.Repeats {
		for _, m := range r.measures {
			if m.row.Failure != nil {
				continue
			}
			r.say("turn %d of %d: %s", turn+1, p.WarmUp+p.Repeats, m.row.Level.How())
			r.run(ctx, m, turn >= p.WarmUp)
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
		}
		if f := r.measures[0].row.Failure; f != nil {
			return r.rows(), f
		}
	}
	for _, m := range r.measures[1:] {
		for _, got := range m.outputs {
			if why := differs(r.measures[0].outputs, got); why != "" && m.row.Failure == nil {
				m.row.Failure, m.row.Milliseconds = failed(record.FailedOutput, "%s", why), nil
			}
		}
	}
	return r.rows(), nil
}

type runner struct {
	Plan
	dir      string
	programs map[int]*record.Failure // by the cap; nil of those that are there
	measures []*measure
}

type measure struct {
	row     Row
	outputs [][]byte
}

func (r *runner) rows() []Row {
	return lists.Map(r.measures, func(m *measure) Row { return m.row })
}

func (r *runner) say(format string, args ...any) {
	if r.Progress != nil {
		r.Progress(fmt.Sprintf(format, args...))
	}
}

// build makes a program for each cap. The error is for the original, or ctx's.
func (r *runner) build(ctx context.Context) error {
	for i, m := range r.measures {
		l := m.row.Level
		failure, done := r.programs[l.Cap]
		if !done {
			r.say("compiling: %s", l.How())
			if err := r.Build(ctx, l, r.program(l)); err != nil && !errors.As(err, &failure) {
				failure = failed(record.FailedCompile, "%s", err.Error())
			}
			if ctx.Err() != nil {
				return ctx.Err()
			}
			r.programs[l.Cap] = failure
		}
		m.row.Failure = failure
		if i == 0 && failure != nil {
			return failure
		}
	}
	return nil
}

func (r *runner) program(l Level) string { return filepath.Join(r.dir, "program"+strconv.Itoa(l.Cap)) }

// outputLimit is the number of bytes of a program's output that are compared: a run that prints more is a failure.
const outputLimit = 64 << 20

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
			failure = failed(record.FailedUntimed, "%s", err.Error())
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

func (r *runner) execute(ctx context.Context, path string, row Row, log string) ([]byte, *record.Failure) {
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
		return nil, failed(record.FailedTimeout, "it did not end within %v", r.Timeout)
	case err != nil:
		text, lines := err.Error(), strings.Split(strings.TrimSpace(string(stderr.Bytes())), "\n")
		if line := strings.TrimSpace(lines[len(lines)-1]); line != "" {
			text += ": " + line
		}
		return nil, failed(record.FailedRun, "%s", text)
	case stdout.Cut():
		return nil, failed(record.FailedRun, "it printed more than %d MB", outputLimit>>20)
	}
	return stdout.Bytes(), nil
}

// differs returns where an output differs from the original's, "" for nowhere: in lines in which the original's runs agree,
// times and speeds aside, and not where the original's numbers of lines differ.
func differs(original [][]byte, got []byte) string {
	var want [][]string
	for _, o := range original {
		lines := comparedLines(o)
		if len(want) > 0 && len(lines) != len(want[0]) {
			return ""
		}
		want = append(want, lines)
	}
	lines := comparedLines(got)
	if len(want) == 0 {
		return ""
	}
	if len(lines) != len(want[0]) {
		return fmt.Sprintf("it prints %d lines, and the original %d", len(lines), len(want[0]))
	}
	for i, line := range lines {
		steady := true
		for _, w := range want[1:] {
			steady = steady && w[i] == want[0][i]
		}
		if steady && line != want[0][i] {
			return fmt.Sprintf("line %d of its output differs from the original's", i+1)
		}
	}
	return ""
}

func comparedLines(output []byte) []string {
	lines := strings.Split(string(output), "\n")
	for i, line := range lines {
		lines[i] = process.Timeless(line)
	}
	return lines
}

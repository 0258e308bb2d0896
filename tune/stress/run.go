package stress

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"time"

	"github.com/smux-cuda/smux/internal/disk"
)

// Plan describes what to run.
type Plan struct {
	Subject Subject
	Levels  []Level // the original first
	// Build makes the program of a level, instrumented: levels with equal Cap share
	// one. An error that is no *Failure counts as one that is FailedCompile.
	Build func(ctx context.Context, l Level, out string) error
	Dir   string // in which the program runs, "" for the current one
	// Repeats is the number of runs of each level that count, after WarmUp runs that don't.
	Repeats, WarmUp int
	Timeout         time.Duration // of one run
	Progress        func(line string)
}

// Run measures all levels, in turns, so that a machine that gets slower gets slower
// for each of them. What goes wrong with a level is its row's failure. The error is
// that of ctx, of the machine, or a *Failure of the original, without which there is
// nothing to compare with; the rows are returned with it. Nothing stays behind.
func Run(ctx context.Context, p Plan) ([]Row, error) {
	dir, err := disk.TempDir("", "smux-stress-")
	if err != nil {
		return nil, err
	}
	defer disk.Remove(dir)
	r := &runner{Plan: p, dir: dir, programs: map[int]*Failure{}}
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
	r.compareOutputs()
	return r.rows(), nil
}

type runner struct {
	Plan
	dir      string
	programs map[int]*Failure // by the cap; nil of those that are there
	measures []*measure
}

// measure is a level while it is measured.
type measure struct {
	row     Row
	outputs [][]byte
}

func (r *runner) rows() []Row {
	var out []Row
	for _, m := range r.measures {
		out = append(out, m.row)
	}
	return out
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
				failure = &Failure{FailedCompile, err.Error()}
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

// program returns the path of a level's program.
func (r *runner) program(l Level) string { return filepath.Join(r.dir, "program"+strconv.Itoa(l.Cap)) }

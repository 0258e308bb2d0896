package foreign

import (
	"errors"
	"slices"
	"time"

	"github.com/smux-cuda/smux/tune/record"
)

// ErrNothingRan reports that no configuration has a time that others could be compared with.
var ErrNothingRan = errors.New("no configuration ran")

// Lines returns the results as lines of a record. gpu is the device as smux --gpu takes it, "" where the table has none. The first
// configuration that ran stands for the original; the others follow in the file's order, the same one again as measured again.
func (r *Results) Lines(gpu string) ([]record.Line, error) {
	base := slices.IndexFunc(r.Runs, func(run Run) bool { return run.Failure == nil })
	if base < 0 {
		return nil, ErrNothingRan
	}
	subject := record.Subject{
		Kernel: r.Kernel, Tuner: r.Tuner, Base: r.Runs[base].Configuration, Problem: r.Problem,
		Machine: record.Machine{On: "gpu", GPU: gpu, Device: r.Device},
	}
	var out []record.Line
	turns := map[record.Configuration]int{}
	key := map[record.Configuration]string{}
	add := func(run *Run) {
		at := run.At
		if at.IsZero() {
			at = time.Unix(0, 0).UTC()
		}
		again, known := key[run.Configuration]
		if !known {
			v := &record.MeasuredVariant{
				Subject: subject, Registers: run.Registers, Shared: run.Shared, Local: run.Local, Spills: run.Spills, Launch: run.Launch,
			}
			if run.Configuration != subject.Base {
				v.Candidate.Configuration = run.Configuration
			}
			v.Name = v.Candidate.String()
			again = v.Key()
			key[run.Configuration] = again
			out = append(out, record.Line{Schema: record.Schema, Key: again, Time: at, Variant: v})
		}
		line := record.Line{Schema: record.Schema, Key: again, Time: at}
		if run.Failure != nil {
			failure := *run.Failure
			failure.Seconds = run.Prepare + run.Seconds
			line.Failure = &failure
		} else {
			line.Pair = &record.Pair{
				Phase: record.Search, Turn: turns[run.Configuration], Base: r.Runs[base].Times, Variant: run.Times, Apart: true,
				Seconds: run.Seconds, Prepare: run.Prepare, Counters: run.Counters,
			}
			turns[run.Configuration]++
		}
		out = append(out, line)
	}
	add(&r.Runs[base])
	for i := range r.Runs {
		if i != base {
			add(&r.Runs[i])
		}
	}
	return out, nil
}

// New returns the lines that a record lacks: of variants that it does not have at all.
func New(lines, known []record.Line) []record.Line {
	has := map[string]bool{}
	for _, l := range known {
		has[l.Key] = true
	}
	return slices.DeleteFunc(slices.Clone(lines), func(l record.Line) bool { return has[l.Key] })
}

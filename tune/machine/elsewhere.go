package machine

import (
	"os"
	"path/filepath"
	"syscall"

	"github.com/smux-cuda/smux/tune/record"
)

// Finished says how a run ended that was made elsewhere.
type Finished struct {
	Status   int // as a shell has it: above 128 for a signal
	TimedOut bool
	Seconds  float64
	Original bool // a run of the original
	Check    bool // a check run, which has no times
}

// Read reads a run that was made elsewhere from the folder with its files, which
// then belongs to the run's outputs: their Release removes it.
func (p *Program) Read(dir string, f Finished) (*Run, *record.Failure) {
	e := ended{seconds: f.Seconds, exit: f.Status, timedOut: f.TimedOut}
	if f.Status > 128 && f.Status <= 128+64 {
		e.signal = syscall.Signal(f.Status - 128).String()
	}
	stderr, _ := os.ReadFile(filepath.Join(dir, StderrFile))
	e.stderr = string(stderr)
	files := &Files{dir: dir, exit: f.Status, original: f.Original, check: f.Check, rules: p.rules()}
	launches, untimed := readLaunches(files.path(LaunchesFile))
	kind := timedRun
	if f.Check {
		kind = checkRun
	}
	failure := e.failure(kind, files.path(StdoutFile), p.Timeout)
	switch {
	case failure != nil && !e.timedOut && untimed != nil && untimed.Kind != record.FailedUntimed:
		failure = untimed
	case failure == nil:
		failure = untimed
	}
	run := &Run{Seconds: f.Seconds, Outputs: files}
	if failure == nil && !f.Check {
		run.Milliseconds, failure = p.samples(launches)
	}
	if failure != nil {
		files.Release()
		return nil, failure
	}
	return run, nil
}

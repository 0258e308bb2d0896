package machine

import (
	"io"
	"os"
	"path/filepath"
	"syscall"

	"github.com/smux-cuda/smux/tune/record"
)

// What a check run of a GPU has and others don't, for those who make runs elsewhere.
const (
	CheckRepeats  = checkRepeats  // of a kernel that is run alone
	CheckPatience = checkPatience // how many times as long it may take
)

// The files of a run's folder, for those who make runs elsewhere.
const (
	StdoutFile   = fileStdout
	StderrFile   = fileStderr
	CopiesFile   = fileCopies
	LaunchesFile = fileLaunches
)

// Timed returns a form's texts with the launches of the kernels timed, and the names of
// those that are compiled by themselves. The error is a *record.Failure where the
// form's text is at fault.
func (p *Program) Timed(texts map[string][]byte) (map[string][]byte, []string, error) {
	return p.timed(texts)
}

// Finished is how a run ended that was made elsewhere.
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
	stderr, _ := os.ReadFile(filepath.Join(dir, fileStderr))
	e.stderr = string(stderr)
	files := &Files{dir: dir, exit: f.Status, original: f.Original, check: f.Check, rules: p.rules()}
	launches, untimed := readLaunches(files.path(fileLaunches))
	kind := timedRun
	if f.Check {
		kind = checkRun
	}
	failure := e.failure(kind, files.path(fileStdout), p.Timeout)
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

// WithDefaults fills in what is not set.
func (p Program) WithDefaults() Program { return p.withDefaults() }

// ParseState reads what nvidia-smi prints for ReadState, nil for anything else.
func ParseState(csv string) *record.State { return parseState(csv) }

// Visible returns the device as CUDA_VISIBLE_DEVICES takes it.
func (d Device) Visible() string { return d.name() }

// CompareLines compares standard output line by line, as the outputs of a run are
// compared, and says in words where it differs, "" if nowhere. lines are those that were
// compared.
func (r Rules) CompareLines(got, want io.Reader) (lines int, why string, err error) {
	return r.compareLines(got, want)
}

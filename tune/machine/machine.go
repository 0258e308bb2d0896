package machine

import (
	"context"

	"github.com/smux-cuda/smux/tune/record"
)

// Machine builds programs and runs them. It may be used from several goroutines, one for each device.
type Machine interface {
	// About returns what is written into the records, and Devices the indices of the devices for runs, at least one.
	About() record.Machine
	Devices() []int
	// Build makes a program of a form. The error is a *record.Failure where the form is at fault.
	Build(ctx context.Context, s Source) (Built, error)
	// State is that of a device, nil where there is none to read.
	State(ctx context.Context, device int) *record.State
	Close() error
}

type Source struct {
	Candidate record.TunedVariant
	Predicted float64 // as record.Variant has it
	// Texts are all CUDA texts of the program by name, as the form has them.
	Texts map[string][]byte
	Flags []string // of the compiler, besides the machine's own
	// Launch holds the same form as it is measured in the stopped program, nil where it can't be.
	Launch *LaunchSource
}

// LaunchSource is a form with a function at the end of a unit that makes one launch, see package space.
type LaunchSource struct {
	Texts map[string][]byte
	Unit  string
}

type Built interface {
	// Run runs it once on a device. turn makes runs differ if nothing else does. The error may be a *record.Failure.
	Run(ctx context.Context, device, turn int) (*Run, error)
	// Check runs it once on a device, untimed, so that skipped work shows: the device's memory is put back before each launch
	// of the kernel, and is among the outputs after it. nil Outputs: the machine has no such run.
	Check(ctx context.Context, device int) (Outputs, error)
	Release()
}

type Run struct {
	// Milliseconds are the times of the kernel over all its launches, one for each repetition that counts.
	Milliseconds []float64
	Seconds      float64 // the whole run took
	// Outputs hold what the host got to see, to be compared by Compare. They hold until Release.
	Outputs Outputs
}

// Outputs hold what the host got to see of a run.
type Outputs interface {
	// Compare returns how another run's outputs differ from these, the original's, nil where they don't, and what was compared.
	Compare(got Outputs) (record.Evidence, *record.Failure)
	Release()
}

package machine

import (
	"context"

	"github.com/smux-cuda/smux/tune/record"
)

// Machine builds programs and runs them. It may be used from several goroutines,
// one for each device.
type Machine interface {
	// About returns what is written into the records, and Devices the indices of the
	// devices that runs can be made on, at least one.
	About() record.Machine
	Devices() []int
	// Build makes a program of a form. The error is a *record.Failure where the
	// form is at fault, else ctx's or the machine's own.
	Build(ctx context.Context, s Source) (Built, error)
	// State is that of a device, nil where there is none to read.
	State(ctx context.Context, device int) *record.State
	// Close removes what was built.
	Close() error
}

// Source is one form of the program.
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

// Built is a program that can be run.
type Built interface {
	// Run runs it once on a device. turn makes runs differ if nothing else does
	// (a model's noise). The error is a *record.Failure where the program is at fault.
	Run(ctx context.Context, device, turn int) (*Run, error)
	// Check runs it once on a device, untimed and in a way in which work that was
	// skipped shows: before each launch of the kernel the device's memory is put back,
	// and after it all of that is among the outputs. They are to be compared with those
	// of the original's Check, once and before anything is timed. nil Outputs: the machine
	// has no such run, and nothing is to be compared.
	Check(ctx context.Context, device int) (Outputs, error)
	// Release removes the program.
	Release()
}

// Run holds what one run gave.
type Run struct {
	// Milliseconds are the times of the kernel: one for each repetition within the
	// run that counts, over all its launches in it.
	Milliseconds []float64
	Seconds      float64 // the whole run took
	// Outputs hold what the host got to see, to be compared by Compare. They hold until
	// Release.
	Outputs Outputs
}

// Outputs hold what the host got to see of a run.
type Outputs interface {
	// Compare says how the outputs of another run differ from these, which are the
	// original's. The failure is nil where they don't; the evidence says what was
	// compared.
	Compare(got Outputs) (record.Evidence, *record.Failure)
	Release()
}

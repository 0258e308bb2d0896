package diag

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime/debug"
)

// The exit codes of smux. Where several apply the largest one wins.
const (
	ExitOK       = 0 // nothing to change, or the result was printed or written, or programs are equal
	ExitDiffers  = 1 // -d or -l found files that would change; verify or check found something
	ExitUsage    = 2 // wrong usage, or input that cannot be read as CUDA
	ExitInternal = 3 // an I/O error or a defect in smux
	ExitNotRun   = 3 // verify or check could not run the program
)

// ErrReported reports that the messages have been printed.
var ErrReported = errors.New("reported")

// ErrInterrupted reports that a person, or the system, asked smux to end.
var ErrInterrupted = errors.New("interrupted")

// Failure is an error that ends a command, with the exit code that it leads to and a line of help.
type Failure struct {
	Exit  int
	Doing string // what was being done, "" where Err has it
	Err   error
	Help  string
	Stack []byte // of the panic, nil for an ordinary error
}

// Error returns the message without the help.
func (f *Failure) Error() string {
	if f.Doing != "" {
		return f.Doing + ": " + f.Err.Error()
	}
	return f.Err.Error()
}

// Unwrap returns the cause.
func (f *Failure) Unwrap() error { return f.Err }

// Usagef returns an error on what is wrong with what a person asked for.
func Usagef(help, format string, args ...any) error {
	return &Failure{Exit: ExitUsage, Err: fmt.Errorf(format, args...), Help: help}
}

// Failed returns an I/O error, with what was being done.
func Failed(doing string, err error) error {
	return &Failure{Exit: ExitInternal, Doing: doing, Err: err}
}

// Guard calls f and turns a panic into an error that asks for a report.
func Guard(f func() error) (err error) {
	defer func() {
		if value := recover(); value != nil {
			err = &Failure{
				Exit:  ExitInternal,
				Err:   fmt.Errorf("internal error: %v", value),
				Help:  "this is a defect in smux: please report it, with the input, at https://github.com/smux-cuda/smux/issues (SMUX_DEBUG=1 shows the stack)",
				Stack: debug.Stack(),
			}
		}
	}()
	return f()
}

// PlainCause drops "open <temporary name>: " from an error: it would name a file nobody knows.
func PlainCause(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	var link *os.LinkError
	if errors.As(err, &link) {
		return link.Err
	}
	return err
}

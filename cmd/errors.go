package cmd

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"syscall"
)

// exitError is an error with the exit code it leads to and a line of help.
type exitError struct {
	code  int
	doing string // what was being done, "" where err says it
	err   error
	help  string
	stack []byte // of the panic, nil for an ordinary error
}

// Error returns the message without the help.
func (e *exitError) Error() string {
	if e.doing != "" {
		return e.doing + ": " + e.err.Error()
	}
	return e.err.Error()
}

// Unwrap returns the cause.
func (e *exitError) Unwrap() error { return e.err }

// usagef returns an error that says what is wrong with the command line.
func usagef(help, format string, args ...any) error {
	return &exitError{code: ExitUsage, err: fmt.Errorf(format, args...), help: help}
}

// failure returns an I/O error, with what was being done.
func failure(doing string, err error) error {
	return &exitError{code: ExitInternal, doing: doing, err: err}
}

// guard calls f and turns a panic into an error that asks for a report.
func guard(f func() error) (err error) {
	defer func() {
		if value := recover(); value != nil {
			err = &exitError{
				code:  ExitInternal,
				err:   fmt.Errorf("internal error: %v", value),
				help:  "this is a defect in smux: please report it, with the input, at https://github.com/smux-cuda/smux/issues (SMUX_DEBUG=1 shows the stack)",
				stack: debug.Stack(),
			}
		}
	}()
	return f()
}

// isClosedPipe reports whether a write failed because the reader has gone, or
// was never there.
func isClosedPipe(err error) bool {
	for _, gone := range []error{syscall.EPIPE, syscall.EBADF, io.ErrClosedPipe, os.ErrClosed} {
		if errors.Is(err, gone) {
			return true
		}
	}
	return false
}

package record

import (
	"errors"
	"fmt"
	"syscall"

	"github.com/smux-cuda/smux/diag"
)

// The help on files that are no records, and on those that can't be written.
const (
	suchFiles = "smux tune --store writes such files"
	otherFile = "name another file with --store"
)

// invalid returns the error of a line that can't be written, since it could not be read again.
func invalid(why string) error {
	return Explain(errors.New("this is not a line of a record: " + why))
}

// unkept returns the error of a file that can't be opened for writing or locked, for its folder is read-only, for instance.
func unkept(file string, err error) error {
	return diag.Usagef(otherFile, "%s: measurements can't be kept here: %w", file, diag.PlainCause(err))
}

// failure returns an error that is nobody's wrong usage.
func failure(help, format string, args ...any) error {
	return &diag.Failure{Exit: diag.ExitInternal, Err: fmt.Errorf(format, args...), Help: help}
}

// gone returns the error of a file that was removed, renamed or replaced while it was open.
func gone(file string) error {
	return failure("put it back where it was, or start again", "%s: it was removed, renamed or replaced while measurements were written to it", file)
}

// unwritten returns the error of lines that could not be added; the file is as before. A limit may leave no room.
func unwritten(file string, err error) error {
	help := "the same command goes on from there"
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EFBIG) {
		help = "make room; " + help
	}
	return failure(help, "%s: a measurement could not be kept: %w; those before it are safe", file, diag.PlainCause(err))
}

// Explain returns an error as that of a command line: one that is that already as it is, any other as the machine's.
func Explain(err error) error {
	var exit *diag.Failure
	if err == nil || errors.As(err, &exit) || errors.Is(err, diag.ErrReported) {
		return err
	}
	return &diag.Failure{Exit: diag.ExitInternal, Err: err}
}
